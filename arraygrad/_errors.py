"""Exception classes of arraygrad.

Each one also inherits from the built-in or NumPy exception that NumPy code expects, so that
``except ValueError`` keeps working. A message says what happened, which argument, and what to
type instead.
"""

import numpy as np

__all__ = [
    "AnomalyError",
    "ArgumentError",
    "ArgumentTypeError",
    "ArraygradError",
    "AxisError",
    "DTypeError",
    "DetachError",
    "DeviceError",
    "DispatchError",
    "ExportError",
    "GradcheckError",
    "GradientError",
    "GradientWarning",
    "IndexOutOfRangeError",
    "IntegerOverflowError",
    "LinAlgError",
    "OutOfMemoryError",
    "ReadOnlyError",
    "ShapeError",
]


class ArraygradError(Exception):
    """Base class of every error that arraygrad raises itself."""


class ArgumentError(ArraygradError, ValueError):
    """An argument has a value that the function cannot use."""


class ZeroWeightsError(ArgumentError, ZeroDivisionError):
    """The weights of an average sum to zero."""


class ArgumentTypeError(ArraygradError, TypeError):
    """An argument has a type that the function cannot use."""


class MissingNameError(ArraygradError, AttributeError):
    """A name that other libraries have; the message says what to type for it."""


class DTypeError(ArraygradError, TypeError):
    """An argument has a dtype that the function is not defined for."""


class ShapeError(ArraygradError, ValueError):
    """Shapes do not fit together."""


class AxisError(ArraygradError, np.exceptions.AxisError):
    """An axis is out of range."""

    def __init__(self, message: str) -> None:
        np.exceptions.AxisError.__init__(self, message)


class IndexOutOfRangeError(ArraygradError, IndexError):
    """An index is out of range or is of a kind that cannot index."""


class IntegerOverflowError(ArraygradError, OverflowError):
    """A Python integer does not fit the dtype."""


class OutOfMemoryError(ArraygradError, MemoryError):
    """The requested array is larger than memory; nothing was changed."""


class ReadOnlyError(ArraygradError, ValueError):
    """A write to a tensor whose memory may not be written."""


class DeviceError(ArraygradError, ValueError):
    """A device is unknown, or operands live on different devices."""


class DispatchError(ArraygradError, NotImplementedError, TypeError):
    """No kernel is registered for an op, device, layout and dtypes."""


class GradientError(ArraygradError, RuntimeError):
    """A derivative was asked for that does not exist or can no longer be computed."""


class GradientWarning(UserWarning):
    """A derivative rests on an assumption that cannot be checked, or was not kept."""


class AnomalyError(GradientError, FloatingPointError):
    """A NaN was born in a computation that detect_anomaly watches."""


class GradcheckError(GradientError, AssertionError):
    """A derivative differs from finite differences."""


class DetachError(ArraygradError, TypeError):
    """A tracked tensor was about to be turned into plain data, losing its gradient."""


class ExportError(ArraygradError, BufferError):
    """A tensor cannot be exported through DLPack or the buffer protocol."""


class LinAlgError(ArraygradError, np.linalg.LinAlgError):
    """A matrix has no such decomposition, inverse or solution."""


def out_of_memory(function: str, error: MemoryError) -> OutOfMemoryError:
    """Our error for a MemoryError of NumPy's, which says the size that was asked for."""
    if isinstance(error, OutOfMemoryError):
        return error
    said = str(error) or "the system gives no more memory"
    return OutOfMemoryError(
        f"{function}: {said}; nothing was changed: work in pieces or in a smaller dtype"
    )


def kind_of(x: object) -> str:
    """The name of an object's class in a message, with its library where it is called as ours."""
    cls = type(x)
    library = str(cls.__module__).partition(".")[0]
    is_namesake = cls.__name__ in ("Tensor", "Scalar") and library != "arraygrad"
    return f"{library}.{cls.__name__}" if is_namesake else cls.__name__

"""Data types: astype, can_cast, finfo, iinfo, isdtype, result_type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._apply import cast, operand
from .._device import Device
from .._dtypes import (
    CATEGORIES,
    DTypeLike,
    as_dtype,
    check_convertible,
    is_bfloat16,
    promote,
    real_dtype,
    scalar_dtype,
)
from .._errors import ArgumentError, ArgumentTypeError, DTypeError
from .._storage import TensorBase
from .devices import to_device
from .manipulation import copied

if TYPE_CHECKING:
    from .._tensor import Tensor


def astype(
    x: Tensor, dtype: DTypeLike, /, *, copy: bool = True, device: Device | str | None = None
) -> Tensor:
    """The tensor in another dtype.

    Parameters
    ----------
    x : Tensor
    dtype : dtype
    copy : bool
        False returns x itself if it has the dtype.
    device : Device or str, optional
        Where the result lives; where x does by default.

    Returns
    -------
    Tensor
        Of the shape of x.

    Raises
    ------
    DTypeError
        A complex x and a real dtype.
    ArgumentError
        NaN or infinity and an integer dtype.

    Notes
    -----
    Derivative: 1 between floating-point dtypes; integers and truth values carry none.
    """
    x = operand(x, "astype")
    target = as_dtype(dtype)
    if x._array.dtype == target:
        out = copied(x) if copy else x
    else:
        check_convertible(x._array, target, "astype")
        out = cast(x, target)
    return out if device is None else to_device(out, device)


def can_cast(from_: DTypeLike | Tensor, to: DTypeLike, /) -> bool:
    """Whether every value of one dtype can be held by another.

    Parameters
    ----------
    from_ : dtype or Tensor
    to : dtype

    Returns
    -------
    bool
    """
    source = _dtype_of(from_)
    if source is None:
        source = as_dtype(from_, "from_")
    return bool(np.can_cast(source, as_dtype(to, "to")))


def _dtype_of(x: Any) -> np.dtype[Any] | None:
    if isinstance(x, TensorBase):
        return x._array.dtype  # type: ignore[no-any-return]
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype
    return None


class _Info:
    """Read-only attributes given by keyword: a dataclass would cost a tenth of the import."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({values})"


class FloatInfo(_Info):
    """Limits of a floating-point dtype; Python numbers, `dtype` is that of the real part."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype[Any]

    @property
    def tiny(self) -> float:
        """NumPy's name of `smallest_normal`."""
        return self.smallest_normal

    @property
    def resolution(self) -> float:
        """10**-precision: the spacing of decimal numbers that the dtype tells apart."""
        return float(10.0**-self.precision)

    @property
    def precision(self) -> int:
        """Number of decimal digits that the dtype tells apart."""
        return int(-np.log10(self.eps))


class IntegerInfo(_Info):
    """Limits of an integer dtype; Python numbers."""

    bits: int
    max: int
    min: int
    dtype: np.dtype[Any]


def finfo(type: DTypeLike | Tensor, /) -> FloatInfo:
    """The limits of a floating-point dtype.

    Parameters
    ----------
    type : dtype or Tensor, floating-point
        A complex dtype stands for that of its parts.

    Returns
    -------
    FloatInfo
        bits, eps, max, min, smallest_normal, dtype.
    """
    dtype = real_dtype(_dtype_of(type) or as_dtype(type, "type"))
    if dtype.kind not in "fV":
        raise DTypeError(f"finfo takes floating-point dtypes, not {dtype}; use iinfo")
    found: Any
    if is_bfloat16(dtype):
        import ml_dtypes

        found = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    else:
        found = np.finfo(dtype)
    return FloatInfo(
        bits=int(found.bits),
        eps=float(found.eps),
        max=float(found.max),
        min=float(found.min),
        smallest_normal=float(found.smallest_normal),
        dtype=dtype,
    )


def iinfo(type: DTypeLike | Tensor, /) -> IntegerInfo:
    """The limits of an integer dtype.

    Parameters
    ----------
    type : dtype or Tensor, integral

    Returns
    -------
    IntegerInfo
        bits, max, min, dtype.
    """
    dtype = _dtype_of(type) or as_dtype(type, "type")
    if dtype.kind not in "iu":
        raise DTypeError(f"iinfo takes integer dtypes, not {dtype}; use finfo")
    found = np.iinfo(dtype)
    return IntegerInfo(bits=int(found.bits), max=int(found.max), min=int(found.min), dtype=dtype)


_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "fV",
    "complex floating": "c",
    "numeric": "iufVc",
}
assert set(_KINDS) == {*CATEGORIES, "numeric"}


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> bool:
    """Whether a dtype is of a kind.

    Parameters
    ----------
    dtype : dtype
    kind : dtype, str or tuple of these
        A dtype, or one of "bool", "signed integer", "unsigned integer", "integral",
        "real floating" (float16 and bfloat16 too), "complex floating", "numeric".

    Returns
    -------
    bool
    """
    found = as_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(found, k) for k in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ArgumentError(f"isdtype: kind={kind!r} is not one of {tuple(_KINDS)}")
        return found.kind in _KINDS[kind]
    return found == as_dtype(kind, "kind")


def result_type(*arrays_and_dtypes: Tensor | DTypeLike | complex) -> np.dtype[Any]:
    """The dtype that an operation between these has.

    Parameters
    ----------
    *arrays_and_dtypes : Tensor, dtype or Python scalar
        A Python scalar adapts to the others where its kind allows it.

    Returns
    -------
    dtype
    """
    if not arrays_and_dtypes:
        raise ArgumentTypeError("result_type needs at least one tensor or dtype")
    dtype: np.dtype[Any] | None = None
    scalars: list[Any] = []
    for x in arrays_and_dtypes:
        if isinstance(x, bool | int | float | complex) and not isinstance(
            x, np.generic | TensorBase
        ):
            scalars.append(x)
            continue
        found = _dtype_of(x) or as_dtype(x, "arrays_and_dtypes")
        dtype = found if dtype is None else promote(dtype, found)
    if dtype is None:
        dtype = np.dtype(type(scalars.pop(0)))
    for scalar in scalars:
        dtype = scalar_dtype(scalar, dtype)
    return dtype

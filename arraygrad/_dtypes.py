"""Data types: the standard's names, its categories, and promotion.

dtype objects are NumPy's own. ``bfloat16`` comes from ml_dtypes, which is imported only when it
is asked for. Knows nothing of tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import ArgumentError, DTypeError

bool_ = np.dtype("bool")
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
uint8 = np.dtype("uint8")
uint16 = np.dtype("uint16")
uint32 = np.dtype("uint32")
uint64 = np.dtype("uint64")
float16 = np.dtype("float16")
float32 = np.dtype("float32")
float64 = np.dtype("float64")
complex64 = np.dtype("complex64")
complex128 = np.dtype("complex128")

DTypeLike = Any

CATEGORIES: dict[str, tuple[np.dtype[Any], ...]] = {
    "bool": (bool_,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "integral": (int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    "real floating": (float16, float32, float64),
    "complex floating": (complex64, complex128),
}

# Kinds of np.dtype.kind: bfloat16 is of kind "V" (ml_dtypes registers it as a user dtype).
_KIND_CATEGORY = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}


def bfloat16() -> np.dtype[Any]:
    """The bfloat16 dtype of ml_dtypes."""
    import ml_dtypes

    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return dtype


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "V" and dtype.name == "bfloat16"


def is_supported(dtype: np.dtype[Any]) -> bool:
    """Whether tensors can have this dtype (native byte order, a number or a truth value)."""
    if dtype.kind in "biu":
        return True
    if dtype.kind == "f":
        return dtype.itemsize in (2, 4, 8)
    if dtype.kind == "c":
        return dtype.itemsize in (8, 16)
    return is_bfloat16(dtype)


def check_supported(dtype: np.dtype[Any], argument: str = "dtype") -> np.dtype[Any]:
    """The dtype in native byte order, or DTypeError if tensors cannot have it."""
    if not dtype.isnative:
        dtype = dtype.newbyteorder("=")
    if not is_supported(dtype):
        example = _AS_NUMBERS.get(dtype.kind, "x.astype(float)")
        raise DTypeError(
            f"{argument}: tensors cannot hold dtype {dtype}; use a boolean, integer, "
            f"floating-point or complex dtype, e.g. {example}"
        )
    return dtype


# Kind of dtype -> how to make numbers of such an array.
_AS_NUMBERS = {
    "O": "np.array(x.tolist())",
    "m": "x / np.timedelta64(1, 's')",
    "M": "(x - x.min()) / np.timedelta64(1, 's')",
}


def as_dtype(dtype: DTypeLike, argument: str = "dtype") -> np.dtype[Any]:
    """A NumPy dtype from a dtype, a scalar type, a Python type or a name."""
    if type(dtype) is type(float64) and dtype.isnative and is_supported(dtype):
        return dtype
    if isinstance(dtype, np.dtype):
        return check_supported(dtype, argument)
    if isinstance(dtype, str) and dtype == "bfloat16":
        return bfloat16()
    try:
        if hasattr(type(dtype), "__array__") and not isinstance(dtype, type | np.generic):
            raise TypeError("an array is no dtype, its attribute dtype is one")
        found = np.dtype(dtype)
    except (TypeError, ValueError, RecursionError) as error:
        raise DTypeError(
            f"{argument}: {dtype!r} is not a dtype; write e.g. dtype=ag.float64 or dtype='float64'"
        ) from error
    return check_supported(found, argument)


def is_differentiable(dtype: np.dtype[Any]) -> bool:
    """Whether a tensor of this dtype can carry a gradient."""
    return dtype.kind in "fcV"


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the real part."""
    if dtype.kind != "c":
        return dtype
    return float32 if dtype.itemsize == 8 else float64


def complex_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The complex dtype whose parts can hold `dtype`."""
    if dtype.kind == "c":
        return dtype
    if dtype.kind in "fV" and dtype.itemsize <= 4:
        return complex64
    return complex128


def default_dtype(kind: str) -> np.dtype[Any]:
    """Default dtype of a kind: "real floating", "complex floating", "integral", "indexing"."""
    return _DEFAULTS[kind]


_DEFAULTS = {
    "real floating": float64,
    "complex floating": complex128,
    "integral": int64,
    "indexing": int64,
}

_PROMOTED: dict[tuple[Any, Any], np.dtype[Any]] = {}


def promote(dtype1: np.dtype[Any], dtype2: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that both promote to, by NumPy's rules (a superset of the standard's table)."""
    if dtype1 is dtype2:
        return dtype1
    key = (dtype1, dtype2)
    found = _PROMOTED.get(key)
    if found is None:
        found = _PROMOTED[key] = _promote(dtype1, dtype2)
    return found


def _promote(dtype1: np.dtype[Any], dtype2: np.dtype[Any]) -> np.dtype[Any]:
    try:
        return np.promote_types(dtype1, dtype2)
    except TypeError as error:
        # bfloat16 with a type that ml_dtypes declares no promotion for (float16, int32, ...).
        wide = {float32 if is_bfloat16(d) else d for d in (dtype1, dtype2)}
        if len(wide) == 2:
            return np.promote_types(*wide)
        raise DTypeError(f"{dtype1} and {dtype2} do not promote to one dtype") from error


_PYTHON_NUMBERS: tuple[Any, ...] = (bool, int, float, complex)


def scalar_dtype(value: Any, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of an operation between a Python scalar and an array of `dtype` (NEP 50)."""
    category = _KIND_CATEGORY[dtype.kind]
    kind = type(value)
    if kind is float:
        return dtype if category >= 2 else float64
    if kind is bool:
        return dtype
    if kind is int:
        return dtype if category >= 1 else int64
    if kind is complex:
        return dtype if category == 3 else complex_dtype(dtype)
    for base in _PYTHON_NUMBERS:
        if isinstance(value, base):  # a subclass, such as an IntEnum
            return scalar_dtype(base(value), dtype)
    raise DTypeError(f"{value!r} is not a Python number")


def check_convertible(array: Any, dtype: np.dtype[Any], function: str) -> None:
    """Refuse casts that lose what no caller means to lose: imaginary parts, NaN to integer."""
    if array.dtype.kind == "c" and dtype.kind not in "cb":
        raise DTypeError(
            f"{function}: casting {array.dtype} to {dtype} would drop the imaginary part; take "
            "ag.real(x) or ag.imag(x) first"
        )
    if array.dtype.kind in "fV" and dtype.kind in "iu":
        finite = np.isfinite(array.astype(np.float32) if array.dtype.kind == "V" else array)
        if not finite.all():
            raise ArgumentError(
                f"{function}: NaN and infinity have no value in dtype {dtype}; replace them first, "
                "e.g. ag.where(ag.isfinite(x), x, 0)"
            )

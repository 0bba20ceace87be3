"""One name for the dtype-specific variants of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["CODES", "by_dtype", "code_of"]

CODES: dict[str, np.dtype[Any]] = {
    "?": np.dtype(np.bool_),
    "b": np.dtype(np.int8),
    "h": np.dtype(np.int16),
    "i": np.dtype(np.int32),
    "l": np.dtype(np.int64),
    "B": np.dtype(np.uint8),
    "H": np.dtype(np.uint16),
    "I": np.dtype(np.uint32),
    "L": np.dtype(np.uint64),
    "f": np.dtype(np.float32),
    "d": np.dtype(np.float64),
    "F": np.dtype(np.complex64),
    "D": np.dtype(np.complex128),
}
"""One character per standard dtype: NumPy's, but the same on every platform."""
_CODE_OF = {dtype: code for code, dtype in CODES.items()}


def code_of(dtype: np.dtype[Any]) -> str | None:
    """Character of a standard dtype in native byte order; None for any other."""
    return _CODE_OF.get(dtype)


def by_dtype(
    name: str, documentation: str, variants: dict[str, Callable[..., Any]]
) -> Callable[..., Any]:
    """Function that calls the variant for the dtypes of its arguments.

    Parameters
    ----------
    name, documentation : str
        What the function calls itself.
    variants : dict
        From the characters (`CODES`) of the arguments, joined, or the one character that all
        have, to a function. In compiled code the choice is made at compile time.
    """

    def generic(*arguments: Any) -> Any:
        characters = "".join(_CODE_OF[np.asarray(argument).dtype] for argument in arguments)
        return find(characters)(*arguments)

    def find(characters: str) -> Callable[..., Any]:
        found = variants.get(characters)
        if found is None and len(set(characters)) == 1:
            found = variants.get(characters[0])
        if found is None:
            raise TypeError(f"{name} has no variant for {characters!r}; it has {list(variants)}")
        return found

    generic.__name__ = generic.__qualname__ = name
    generic.__doc__ = documentation
    generic.__dict__["variants"] = variants
    generic.__dict__["find"] = find
    return generic

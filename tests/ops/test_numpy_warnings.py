"""Reductions and scans warn as NumPy's own: the same texts and categories under np.errstate.

The modes of ARRAYGRAD_COMPILE share this file: every one of them has to pass it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

Call = Callable[[Any], Any]
NAMES = [
    "sum", "prod", "mean", "max", "min", "any", "all", "cumsum", "cumprod", "argmax", "argmin",
    "ptp", "nansum", "nanmean", "nanmax", "nanmin", "nanvar", "nanstd", "nanprod", "nancumsum",
    "median", "count_nonzero", "average", "var", "std",
]  # fmt: skip
METHODS = ["sum", "prod", "mean", "max", "min", "cumsum", "cumprod", "var", "std"]


def _calls() -> Iterator[tuple[str, Call]]:
    for axis in (None, 0, -1):
        for name in NAMES:
            yield f"np.{name}", lambda x, name=name, axis=axis: getattr(np, name)(x, axis=axis)
        for name in METHODS:
            yield f"x.{name}", lambda x, name=name, axis=axis: getattr(x, name)(axis=axis)
        for ddof in (1, 5):
            for name in ("var", "std", "nanvar", "nanstd"):
                yield (
                    f"np.{name} ddof",
                    lambda x, name=name, axis=axis, ddof=ddof: getattr(np, name)(
                        x, axis=axis, ddof=ddof
                    ),
                )
    for name in ("mean", "var", "std"):
        yield (
            f"np.{name} where",
            lambda x, name=name: getattr(np, name)(x, where=np.zeros(x.shape, bool)),
        )


CALLS = list(_calls())


def _arrays(dtype: np.dtype[Any]) -> Iterator[tuple[str, np.ndarray]]:
    for shape in [(0,), (0, 3), (3, 0), (1,), (1, 1), (), (1, 4)]:
        yield f"ones{shape}", np.ones(shape, dtype)
    if dtype.kind not in "fc":
        yield "some", np.arange(6).astype(dtype).reshape(2, 3)
        return
    limits = np.finfo(dtype)
    large, tiny, least = limits.max, limits.tiny, limits.smallest_subnormal
    special = {
        "infinite": [np.inf, 1, 2], "opposite": [np.inf, -np.inf, 1], "nan": [np.nan, 1, 2],
        "no number": [np.nan] * 3, "large": [large] * 3, "cancelling": [large, -large, large],
        "tiny": [tiny] * 3, "least": [least] * 3, "mixed": [large, tiny, 1],
    }  # fmt: skip
    for name, values in special.items():
        yield name, np.array(values, dtype)
        yield name, np.array(values * 12, dtype).reshape(3, -1)
        yield name, np.array(values * 1400, dtype)


def _warned(call: Call, x: Any, mode: str) -> set[tuple[type, str]] | None:
    """What a call warns of or raises for floating-point errors; None for other errors."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all=mode):
        warnings.simplefilter("always")
        try:
            call(x)
        except FloatingPointError as error:
            return {(FloatingPointError, str(error).replace("in scalar ", "in "))}
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            return None
    return {(w.category, str(w.message).replace("in scalar ", "in ")) for w in caught}


def _excepted(call: str, dtype: np.dtype[Any], array: str, lost: set[str], added: set[str]) -> bool:
    """Whether a difference is one of those that are meant."""
    kinds = {text.partition(" encountered")[0] for text in lost}
    if kinds <= {"overflow"} and not added and dtype.char in "efF" and array != "infinite":
        # Sums of float16 in float32, those of float32 by compiled kernels in float64 or in
        # another order: finite where NumPy's overflow on the way.
        return True
    if dtype.char == "e" and call.split()[0].endswith(("var", "std")) and array in WIDE:
        return True  # the same, and what is too large is so in the end, for another reason
    if dtype.kind == "c":
        # NumPy divides complex means by a complex number, which makes NaN of infinities.
        return kinds <= {"invalid value", "underflow", "overflow"} and added <= {
            "invalid value encountered in subtract",
            "invalid value encountered in divide",
            "Degrees of freedom <= 0 for slice.",  # after what NumPy raises
        }
    return False


WIDE = ("large", "cancelling", "mixed")


@pytest.mark.parametrize("mode", ["warn", "raise"])
@pytest.mark.parametrize(
    "name",
    ["float16", "float32", "float64", "complex64", "complex128", "int32", "uint8", "bool"],
)
def test_reductions_warn_as_numpy(name: str, mode: str) -> None:
    dtype = np.dtype(name)
    different = []
    for array, x in _arrays(dtype):
        for call, function in CALLS:
            wanted, found = _warned(function, x, mode), _warned(function, ag.asarray(x), mode)
            if wanted is None or wanted == found:
                continue
            assert found is not None, (call, array)
            lost = {text for _, text in wanted - found}
            added = {text for _, text in found - wanted}
            if not _excepted(call, dtype, array, lost, added):
                different.append((call, array, x.shape, lost, added))
    assert not different, different[:5]


def test_errors_that_are_ignored_do_not_show() -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error")
        for _, x in _arrays(np.dtype("float64")):
            if x.size > 1:
                for name in ("sum", "prod", "var", "std", "cumprod", "mean"):
                    getattr(ag.asarray(x), name)(axis=0 if x.shape[0] > 1 else None)


def test_warnings_point_at_the_line_of_the_user() -> None:
    x = ag.asarray(np.ones((1, 0)))
    for call in (lambda: x.mean(), lambda: np.mean(x), lambda: ag.var(x), lambda: np.nanmean(x)):
        with (
            np.errstate(all="ignore"),
            pytest.warns(RuntimeWarning, match=r"Mean of empty|Degrees of freedom") as caught,
        ):
            call()
        assert caught[0].filename == __file__


def test_backward_of_too_few_elements_warns_of_nothing() -> None:
    x = ag.tensor(np.ones((2, 0)), requires_grad=True)
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"), np.errstate(all="ignore"):
        total = x.var()
    total.backward()
    assert x.grad.shape == (2, 0)

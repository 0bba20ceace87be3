"""Reductions and scans warn as NumPy's own: the same texts and categories under np.errstate.

The modes of ARRAYGRAD_COMPILE share this file: every one of them has to pass it.
"""

from __future__ import annotations

import operator
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


OPERATORS = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y,
    "/": lambda x, y: x / y, "**0.5": lambda x, y: x**0.5,
}  # fmt: skip
NUMBERS = [1.0, -1.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, 5e-324]


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("kind", ["scalar", "0-d", "array"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_warn_in_numpys_words(name: str, dtype: str, kind: str, tracked: bool) -> None:
    """Of scalars NumPy says "scalar multiply"; x**0.5 of arrays is its square root."""
    function = OPERATORS[name]
    if name == "**0.5" and kind == "scalar":
        return  # is a power here, too, without the word

    def made(value: float) -> tuple[Any, Any]:
        with np.errstate(all="ignore"):
            array = np.array(value, dtype)
        if kind == "array":
            return array.reshape(1), ag.tensor(array.reshape(1), requires_grad=tracked)
        if kind == "0-d":
            return array, ag.tensor(array, requires_grad=tracked)
        return array[()], ag.tensor(array.reshape(1), requires_grad=tracked)[0]

    def told(call: Any) -> tuple[Any, set[str]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = call()
        if isinstance(value, ag.Tensor):
            value = value.detach().numpy()
        return np.asarray(value), {str(w.message) for w in caught}

    for a in NUMBERS:
        for b in NUMBERS:
            (x1, t1), (x2, t2) = made(a), made(b)
            pairs = [((x1, x2), (t1, t2))]
            if dtype == "float64" and name != "**0.5":
                pairs += [((x1, b), (t1, b)), ((a, x2), (a, t2))]
            for arrays, tensors in pairs:
                wanted, words = told(lambda given=arrays: function(*given))
                found, said = told(lambda given=tensors: function(*given))
                np.testing.assert_array_equal(found, wanted, strict=False)
                assert (
                    np.array_equal(np.signbit(found), np.signbit(wanted)) or np.isnan(found).all()
                )
                assert said == words, (arrays, said, words)


BY_NUMPYS_SCALARS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "divmod": divmod,
}  # fmt: skip
OF_ALL_DTYPES: list[Any] = [
    np.float64(0), np.float64(-0.0), np.float64(1e300), np.float64(-2.5), np.float64(np.inf),
    np.float64(np.nan), np.float32(0), np.float32(3e38), np.float32(-1.5), np.int64(0),
    np.int64(2**62), np.int64(-(2**63)), np.int64(-1), np.int32(2**31 - 1), np.int8(127),
    np.int8(-128), np.uint8(200), np.int64(3), np.bool_(True), np.complex128(0),
    np.complex64(1e30 + 1j), 0.0, 2.0, 0.5, -1, 3, 0, 2, 200, True,
]  # fmt: skip


def _computed(function: Callable[[Any, Any], Any], x: Any, y: Any) -> tuple[Any, set[str]]:
    """Values and warnings, or the built-in class of the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            out = function(x, y)
        except (TypeError, ValueError, OverflowError) as error:
            kinds = (TypeError, ValueError, OverflowError)
            return next(k for k in kinds if isinstance(error, k)), set()
    parts = out if isinstance(out, tuple) else (out,)
    parts = tuple(p.detach().numpy() if isinstance(p, ag.Tensor) else np.asarray(p) for p in parts)
    return parts, {str(w.message) for w in caught}


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("name", BY_NUMPYS_SCALARS)
def test_operators_of_scalars_of_all_dtypes(name: str, tracked: bool) -> None:
    """The values of NumPy's scalars and their warnings, those of integers that overflow too."""

    def made(value: Any) -> Any:
        if not isinstance(value, np.generic):
            return value
        return ag.tensor([value], requires_grad=tracked and value.dtype.kind in "fc")[0]

    function = BY_NUMPYS_SCALARS[name]
    for a in OF_ALL_DTYPES:
        for b in OF_ALL_DTYPES:
            if not isinstance(a, np.generic) and not isinstance(b, np.generic):
                continue
            if name in ("//", "divmod") and (np.inf in (a, b) or -np.inf in (a, b)):
                continue  # the standard's values
            wanted, words = _computed(function, a, b)
            for x, y in ((made(a), made(b)), (made(a), b)):
                if not isinstance(x, ag.Tensor) and not isinstance(y, ag.Tensor):
                    continue
                found, said = _computed(function, x, y)
                case = (a, b, type(x), type(y))
                if isinstance(wanted, type):
                    assert found is wanted, case
                    continue
                for f, w in zip(found, wanted, strict=True):
                    assert f.dtype == w.dtype, case
                    if name == "**" and f.dtype.kind in "fc":  # by our kernel: within 2.5 ULP
                        rtol = 2.5 * np.finfo(f.dtype).eps
                        np.testing.assert_allclose(f, w, rtol, err_msg=str(case))
                    else:
                        np.testing.assert_array_equal(f, w, err_msg=str(case))
                    signs = np.signbit(f.real), np.signbit(w.real)
                    assert signs[0] == signs[1] or np.isnan(w.real), case
                if _is_of_arrays(name, a, b, y):
                    words = {w.replace("scalar ", "") for w in words}
                    said = {w.replace("scalar ", "").replace("square", "power") for w in said}
                    said = {w.replace("reciprocal", "power") for w in said}
                assert said == words, case


def _is_of_arrays(name: str, a: Any, b: Any, y: Any) -> bool:
    """Powers and remainders of floats, and NumPy's numbers of the dtype: on the road of arrays."""
    dtypes = {x.dtype for x in (a, b) if isinstance(x, np.generic)}
    if len(dtypes) > 1 or isinstance(b, bool) or {d.kind for d in dtypes} != {"f"}:
        return False
    return name in ("%", "**") or isinstance(y, np.generic)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_logaddexp_of_all_warns_as_numpys(dtype: str) -> None:
    largest = float(np.finfo(dtype).max)
    for values in ([np.inf, np.nan], [np.nan, 1.0], [largest, -largest], [np.inf, np.inf]):
        with np.errstate(all="ignore"):
            array = np.array(values, dtype)
        wanted = _warned(np.logaddexp.reduce, array, "warn")
        assert _warned(np.logaddexp.reduce, ag.asarray(array), "warn") == wanted

"""Objects of np.vectorize and np.frompyfunc, made outside of lifted code or in it."""

import functools
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

AT = np.array([1.0, -2.0, 3.0])


def kinked(a: Any, b: Any = 2.0) -> Any:
    return a * a if a > 0 else a * b


def of_math(a: float) -> float:
    return math.sin(a) * float(a)


@np.vectorize
def decorated(a: Any) -> Any:
    return a**3


@np.vectorize(otypes=[float])
def decorated_with_types(a: Any) -> Any:
    return a**3


PLAIN = np.vectorize(kinked)
TYPED = np.vectorize(kinked, otypes=[np.float32])
NAMED = np.vectorize(kinked, excluded=["b"])
PLACED = np.vectorize(kinked, excluded={1})
CACHED = np.vectorize(kinked, cache=True)
MATH = np.vectorize(of_math)
ROWS = np.vectorize(lambda r: np.sum(r) ** 2, signature="(n)->()")
MATRICES = np.vectorize(lambda r, m: m @ r, signature="(n),(n,n)->(n)", otypes=[float])
SEVERAL = np.vectorize(lambda a: (a, a * a))
HALVES = np.vectorize(lambda r: (r, r.sum()), signature="(n)->(n),()")
UFUNC = np.frompyfunc(kinked, 1, 1)
PRODUCT = np.frompyfunc(lambda a, b: a * b, 2, 1)


class Model:
    shared = np.vectorize(kinked)

    def __init__(self) -> None:
        self.own = np.vectorize(of_math)

    def __call__(self, x: Any) -> Any:
        return self.shared(x).sum() + self.own(x).sum()


class Derived(np.vectorize):
    def twice(self, x: Any) -> Any:
        return 2 * self(x)


class Bound(np.vectorize):
    """The usual recipe for methods."""

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return functools.partial(self.__call__, obj)


class WithMethod:
    @Bound
    def area(self, a: Any) -> Any:
        return a * a * self.scale

    scale = 3.0


MODEL = Model()
DERIVED = Derived(kinked)

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda x: PLAIN(x).sum(),
    "broadcast": lambda x: PLAIN(x[:, None], x).sum(),
    "keyword": lambda x: (PLAIN(x, b=x) * x).sum(),
    "typed": lambda x: np.sum(TYPED(x)),
    "excluded name": lambda x: NAMED(x, b=3.0).sum(),
    "excluded place": lambda x: PLACED(x, 3.0).sum(),
    "excluded place, keyword": lambda x: PLACED(x, b=np.array([1.0, 2.0, 3.0])).sum(),
    "cache": lambda x: CACHED(x).sum(),
    "math": lambda x: MATH(x).sum(),
    "decorated": lambda x: decorated(x).sum(),
    "decorated with types": lambda x: decorated_with_types(x).sum(),
    "signature": lambda x: ROWS(x.reshape(3, 1) * np.ones(2)).sum(),
    "signature of matrices": lambda x: MATRICES(x, np.arange(9.0).reshape(3, 3)).sum(),
    "several": lambda x: SEVERAL(x)[0].sum() * SEVERAL(x)[1].sum(),
    "several with signature": lambda x: (HALVES(x * np.ones((2, 3)))[0] ** 2).sum(),
    "scalar": lambda x: PLAIN(x[1]) * x[0],
    "object": lambda x: MODEL(x),
    "derived": lambda x: DERIVED.twice(x).sum(),
    "method": lambda x: WithMethod().area(x).sum(),
    "attribute": lambda x: PLAIN.pyfunc(x[0]),
    "mapped": lambda x: sum(map(PLAIN, x)),
    "in a list": lambda x: [PLAIN, MATH][1](x).sum(),
    "of plain data": lambda x: PLAIN(AT).sum() * x.sum(),
    "ufunc": lambda x: UFUNC(x).sum(),
    "ufunc, outer": lambda x: PRODUCT.outer(x, x[:2]).sum(),
    "ufunc, reduce": lambda x: PRODUCT.reduce(x),
    "ufunc, accumulate": lambda x: PRODUCT.accumulate(x).sum(),
    "ufunc, columns": lambda x: PRODUCT.accumulate(x * np.ones((2, 3)), axis=1).sum(),
    "asked": lambda x: x.sum() if isinstance(PLAIN, np.vectorize) else 0 * x.sum(),
    "asked by type": lambda x: x.sum() if type(PLAIN) is np.vectorize else 0 * x.sum(),
    "ufunc asked": lambda x: x.sum() if isinstance(UFUNC, np.ufunc) else 0 * x.sum(),
    "ufunc of NumPy asked": lambda x: x.sum() if isinstance(np.exp, np.ufunc) else 0 * x.sum(),
    "type of ufunc": lambda x: x.sum() if type(np.exp) is np.ufunc else 0 * x.sum(),
    "no ufunc": lambda x: 0 * x.sum() if isinstance(np.sum, np.ufunc) else x.sum(),
    "attributes": lambda x: x.sum() * UFUNC.nin * (len(PLACED.excluded) + (PLAIN.otypes is None)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name: str) -> None:
    """They ran NumPy's own loop, which refused tensors by a name inside of NumPy."""
    f = PROGRAMS[name]
    tolerance = 1e-6 if name == "typed" else 1e-12
    x = ag.tensor(AT, requires_grad=True)
    out = ag.lift(f)(x)
    np.testing.assert_allclose(float(out.detach()), float(f(AT)), rtol=tolerance)
    step = 1e-2 if name == "typed" else 1e-6
    sides = [(f(AT + d) - f(AT - d)) / (2 * step) for d in step * np.eye(3)]
    np.testing.assert_allclose(ag.grad(f)(AT), np.asarray(sides, float), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("made", [PLAIN, UFUNC])
def test_the_user_has_the_object_again(made: Any) -> None:
    kept: dict[str, Any] = {}

    def f(x: Any, g: Any = made) -> Any:
        kept["made"] = g
        return made, g(x).sum()

    for _ in range(2):
        found, total = ag.lift(f)(ag.tensor(AT, requires_grad=True))
        assert found is made
        assert kept["made"] is made
        assert total.requires_grad
    assert type(pickle.loads(pickle.dumps(PLAIN))) is np.vectorize


def test_the_function_may_be_replaced() -> None:
    """Ours shares the attributes of NumPy's object."""
    made = np.vectorize(lambda a: a * a)

    def f(x: Any) -> Any:
        return made(x).sum()

    assert ag.grad(f)(AT).tolist() == [2.0, -4.0, 6.0]
    made.pyfunc = lambda a: 3 * a
    assert ag.grad(f)(AT).tolist() == [3.0, 3.0, 3.0]


SCALE = 2.0


def scaled(a: Any) -> Any:
    return SCALE * a


def test_what_the_function_reaches_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    made = np.vectorize(scaled)
    f = ag.grad(lambda x: made(x).sum())
    assert f(AT).tolist() == [2.0, 2.0, 2.0]
    monkeypatch.setattr(f"{__name__}.SCALE", 5.0)
    assert f(AT).tolist() == [5.0, 5.0, 5.0]


ERRORS: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "count": (lambda x: MATRICES(x), TypeError, "wrong number of positional arguments: expected 2"),
    "sizes": (lambda x: MATRICES(x, np.ones((2, 2))), ValueError, "inconsistent size for core"),
    "dimensions": (lambda x: ROWS(x[0]), ValueError, "does not have enough dimensions"),
    "empty": (lambda x: PLAIN(x[:0]), ValueError, "unless `otypes` is set"),
    "empty rows": (lambda x: ROWS(x[:0].reshape(0, 2)), ValueError, "unless `otypes` is set"),
    "new sizes": (
        lambda x: np.vectorize(lambda r: r, otypes="d", signature="(n)->(m)")(x[None][:0]),
        ValueError, "new output dimensions",
    ),
    "no function": (lambda x: np.vectorize(3)(x), TypeError, "only accepts keyword arguments"),
    "signature": (
        lambda x: np.vectorize(lambda r: r, signature="n->")(x), ValueError, "signature",
    ),
    "ufunc's count": (lambda x: PRODUCT(x), TypeError, "takes 2 arguments but 1 were given"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_numpys(name: str) -> None:
    f, kind, words = ERRORS[name]
    with pytest.raises(kind):
        f(AT)
    with pytest.raises(kind, match=words):
        ag.lift(f)(ag.tensor(AT, requires_grad=True))


def test_empty_inputs_with_types() -> None:
    x = ag.tensor(np.ones((0, 3)), requires_grad=True)
    typed = np.vectorize(lambda a: (a, a), otypes=[float, np.float32])
    rows = np.vectorize(lambda r: r, otypes=[float], signature="(n)->(n)")
    first, second = ag.lift(lambda x: typed(x))(x)
    assert (first.shape, first.dtype) == ((0, 3), np.float64)
    assert (second.shape, second.dtype) == ((0, 3), np.float32)
    assert ag.lift(lambda x: rows(x))(x).shape == (0, 3)


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "at": (lambda x: UFUNC.at(x, 0), "at of a function made by np.frompyfunc takes no tensors"),
    "reduceat": (lambda x: PRODUCT.reduceat(x, [0]), "reduceat of a function made by np.frompyfun"),
    "out": (lambda x: UFUNC(x, out=x), r"takes no out= in lifted code; write .* out\[...\] = f"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_to_type(name: str) -> None:
    f, words = REFUSED[name]
    with pytest.raises(ag.errors.ArgumentTypeError, match=words):
        ag.grad(lambda x: f(x.copy()).sum())(AT)


@pytest.mark.parametrize("made", [PLAIN, TYPED, ROWS])
def test_outside_of_lifted_code_it_is_named(made: Any) -> None:
    with pytest.raises(ag.errors.DetachError, match=r"in np\.vectorize would lose .*ag\.lift"):
        made(ag.tensor(AT, requires_grad=True))

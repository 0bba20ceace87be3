"""numpy.polynomial on tensors: functions and classes, by coefficients, points and data."""

import pickle

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Polynomial

import arraygrad as ag
import arraygrad.numpy as agnp
from tests.interop.calls import call, complexes, distinct, normal, positive
from tests.interop.test_numpy_functions import assert_same, check_gradient, direction_for, tracked

P = np.polynomial
CLASSES = ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")
SHORT = {"polynomial": "poly", "chebyshev": "cheb", "legendre": "leg", "hermite": "herm",
         "hermite_e": "herme", "laguerre": "lag"}  # fmt: skip
X, Y = normal(5), normal(5, seed=1)


def in_a_class(name):
    def f(c, x, d):
        kind = getattr(np.polynomial, name)
        p, q = kind(c), kind(d, domain=[0, 2])
        r = kind(d)
        return [
            p(x), q(x), (p + r).coef, (p - r)(x), (p * r)(x), (2 * p + 1)(x), (p**2).coef,
            (p // r).coef, (p % r).coef, p.deriv()(x), p.integ(lbnd=0.3)(x), (-p).coef,
            p.truncate(2)(x), q.mapparms()[0], p.convert(kind=np.polynomial.Polynomial).coef,
        ]  # fmt: skip

    return call(f, normal(4), normal(3), 1 + positive(2))


def in_a_module(name):
    short = SHORT[name]

    def f(c, d, x):
        module = getattr(np.polynomial, name)
        get = lambda what: getattr(module, short + what)  # noqa: E731
        return [
            get("val")(x, c), get("val")(x, np.stack((c, c**2), axis=1), tensor=True),
            get("add")(c, d), get("sub")(d, c), get("mul")(c, d), get("mulx")(c),
            *get("div")(c, d), get("pow")(d, 3), get("der")(c), get("int")(c, k=[1.0]),
            get("vander")(x, 3), get("fromroots")(d), get("line")(1.0, 2.0),
        ]  # fmt: skip

    return call(f, normal(4), 1 + positive(2), normal(3))


ROWS = {
    **{name: in_a_class(name) for name in CLASSES},
    **{name: in_a_module(name) for name in SHORT},
    "val2d": call(lambda c, x: P.polynomial.polyval2d(x, x**2, c), normal(2, 3), normal(3)),
    "grid3d": call(lambda c, x: P.legendre.leggrid3d(x, x, x, c), normal(2, 2, 2), normal(2)),
    "vander2d": call(lambda x: P.hermite.hermvander2d(x, x**2, [1, 2]), normal(3)),
    "polyfit": call(lambda x, y: P.polynomial.polyfit(x, y, 2), distinct(6), normal(6)),
    "chebfit": call(
        lambda x, y, w: P.chebyshev.chebfit(x, y, [0, 2], w=w), distinct(6), normal(6), positive(6)
    ),
    "Polynomial.fit": call(
        lambda x, y: [P.Polynomial.fit(x, y, 2)(0.3), P.Polynomial.fit(x, y, 1, domain=[]).coef],
        distinct(6), normal(6), order=1,
    ),
    "Legendre.fit": call(
        lambda x, y: P.Legendre.fit(x, y, 2, domain=[-3, 3]).convert(kind=P.Polynomial).coef,
        distinct(6), normal(6),
    ),
    "roots": call(
        lambda c: P.Polynomial(c).roots(), np.array([-6.0, 11.0, -6.0, 1.0]), order=1
    ),
    "chebroots": call(lambda c: P.chebyshev.chebroots(c), np.array([-0.3, 0.2, 1.0])),
    "fromroots": call(lambda r: P.Chebyshev.fromroots(r, domain=[-1, 1]).coef, normal(3)),
    "complex": call(lambda c, z: P.Chebyshev(c)(z), complexes(3), complexes(2)),
    "domain": call(lambda d, x: P.Legendre([1.0, 2.0, 3.0], domain=d)(x), positive(2), normal(3)),
    "mapdomain": call(
        lambda x, d: P.polyutils.mapdomain(x, d, [-1.0, 2.0]), normal(3), np.array([0.3, 2.0])
    ),
    "points alone": call(lambda x: P.Hermite([1.0, 2.0, 3.0])(x), normal(3)),
    "Clenshaw of columns": call(
        lambda c, x: P.laguerre.lagval(x, c, tensor=False), normal(3, 2), normal(2)
    ),
    "interpolate": call(
        lambda a: P.Chebyshev.interpolate(lambda x: np.sin(a * x), 4)(0.3), positive()
    ),
    "basis": call(lambda x: P.Legendre.basis(3)(x), normal(3)),
    "trimmed": call(lambda c: P.Polynomial(0.01 * c).trim(1e-3).coef, np.array([1.0, 2.0, 1e-5])),
    "numbers beside tensors": call(
        lambda c: (c[0] + P.Legendre([1.0, 2.0]) * c[1]).coef, normal(2)
    ),
    "cut": call(lambda c: P.Polynomial(c).cutdeg(1)(0.5), normal(4)),
    "linspace": call(lambda c: P.Polynomial(c).linspace(4), normal(3)),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_lifted_code(name):
    row = ROWS[name]
    lifted = call(ag.lift(row.function), *row.arguments, order=row.order)

    def copies():
        return [np.array(a) for a in row.arguments]

    want = row.function(*copies())
    assert_same(lifted.function(*tracked(copies(), direction_for(row.arguments, ()))), want, name)
    assert_same(lifted.function(*map(ag.asarray, copies())), want, name)
    check_gradient(lifted, name)


OUTSIDE = Chebyshev([1.0, 2.0, 3.0], domain=[0.0, 2.0], symbol="t")


def test_polynomial_made_outside_of_the_function():
    found = ag.grad(lambda x: OUTSIDE(x))(0.7)
    assert found == pytest.approx(OUTSIDE.deriv()(0.7))
    assert ag.grad(lambda a: (a * OUTSIDE)(0.7))(2.0) == pytest.approx(OUTSIDE(0.7))


def test_names_of_this_package():
    c = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
    p = agnp.polynomial.Polynomial(c)
    p(2.0).backward()
    np.testing.assert_array_equal(c.grad, [1.0, 2.0, 4.0])
    assert isinstance(OUTSIDE, agnp.polynomial.Chebyshev)
    assert isinstance(p, Polynomial)
    assert pickle.loads(pickle.dumps(agnp.polynomial.Polynomial([1.0, 2.0])))(3.0) == 7.0
    from arraygrad.numpy.polynomial.legendre import legval

    assert legval(ag.asarray(0.5), [0.0, 1.0]) == 0.5
    with pytest.raises(AttributeError, match="no attribute"):
        agnp.polynomial.legendre.nothing


@pytest.mark.parametrize("name", [*SHORT, "polyutils"])
def test_every_public_name_is_there(name):
    module = getattr(agnp.polynomial, name)
    assert module.__name__ == f"arraygrad.numpy.polynomial.{name}"
    assert [n for n in getattr(P, name).__all__ if not hasattr(module, n)] == []


def test_without_lift_it_is_refused_with_the_remedy():
    x = ag.tensor([0.5], requires_grad=True)
    for f in (lambda: Polynomial([1.0, 2.0])(x), lambda: Polynomial(x)):
        with pytest.raises(ag.errors.DetachError, match=r"arraygrad\.numpy\.polynomial"):
            f()

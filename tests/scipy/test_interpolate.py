"""Interpolation: in values, points and where it is evaluated."""

import numpy as np
import pytest
from scipy.interpolate import (
    Akima1DInterpolator,
    BSpline,
    CubicHermiteSpline,
    CubicSpline,
    InterpolatedUnivariateSpline,
    PchipInterpolator,
    RegularGridInterpolator,
    UnivariateSpline,
    interp1d,
    interpn,
    make_interp_spline,
    splev,
    splint,
    splrep,
)
from scipy.sparse import diags

import arraygrad as ag

from .checking import SCIPY, check

X = np.array([0.0, 0.7, 1.5, 2.1, 3.4, 4.0, 4.9])
Y = np.sin(X) + 0.3 * X
Y2 = np.stack([Y, np.cos(X), X**2 / 5], axis=1)
AT = np.array([0.31, 1.77, 2.5, 4.4])


@pytest.mark.parametrize("kind", ["linear", "slinear", "quadratic", "cubic", 5])
def test_interp1d(kind):
    check(lambda x, y, at: interp1d(x, y, kind=kind)(at), X, Y, AT)
    check(lambda x, y, at: interp1d(x, y, kind=kind, axis=0)(at), X, Y2, AT[:2], order=1)


@pytest.mark.parametrize("kind", ["nearest", "previous", "next", "zero"])
def test_interp1d_that_picks_values(kind):
    check(lambda y, at: interp1d(X, y, kind=kind)(at), Y, AT, order=1)


def test_interp1d_outside_of_the_data():
    at = np.array([-0.5, 0.3, 6.0])

    def f(y, at, low):
        extrapolated = interp1d(X, y, fill_value="extrapolate")(at)
        filled = interp1d(X, y, bounds_error=False, fill_value=(low, 2.0))(at)
        return extrapolated, filled

    check(f, Y, at, 0.4)
    with pytest.raises(ValueError, match="above the interpolation range"):
        ag.grad(lambda y: interp1d(X, y)(9.0))(Y)


@pytest.mark.parametrize(
    "bc_type", ["not-a-knot", "natural", "clamped", ((1, 0.3), (2, -0.4)), "periodic"]
)
def test_cubic_spline(bc_type):
    def f(x, y, at):
        if bc_type == "periodic":
            y = np.concatenate((y[:-1], y[:1]))
        spline = CubicSpline(x, y, bc_type=bc_type)
        parts = spline(at), spline(at, 1), spline.derivative()(at), spline.integrate(0.2, 3.0)
        return (*parts, spline.integrate(-4.0, 9.5)) if bc_type == "periodic" else parts

    if bc_type == "periodic":
        check(f, X, Y, AT, order=1)
    else:
        check(f, X, Y, AT, order=2 if bc_type == "not-a-knot" else 1)


def test_cubic_spline_of_few_points_and_of_columns():
    check(lambda x, y: CubicSpline(x, y)([0.3, 1.2, 2.5]), X[:3], Y[:3])
    check(lambda x, y: CubicSpline(x, y)([0.3, 1.2]), X[:2], Y[:2])
    check(lambda x, y: CubicSpline(x, y, axis=0)(AT), X, Y2, order=1)
    check(lambda x, y: CubicSpline(x, y, axis=1)(AT), X, Y2.T, order=1)


def test_pchip_and_hermite():
    check(lambda x, y, at: PchipInterpolator(x, y)(at), X, np.array([0, 1, 3, 2, 2.5, 4, 5.0]), AT)
    check(lambda x, y, s, at: CubicHermiteSpline(x, y, s)(at), X, Y, np.cos(X), AT)


@pytest.mark.parametrize("bc_type", [None, "natural", "clamped", ([(2, 0.2)], [(1, 0.5)])])
def test_interpolating_bspline(bc_type):
    def f(x, y, at):
        spline = make_interp_spline(x, y, bc_type=bc_type)
        return spline(at), spline(at, 1), spline.integrate(0.2, 3.0)

    check(f, X, Y, AT, order=2 if bc_type is None else 1)


def test_matrices_of_bases_take_coefficients_and_weights():
    knots = np.array([0, 0, 0, 0, 2.0, 5, 5, 5, 5])

    def f(c, weights):
        basis = BSpline.design_matrix(X, knots, 3)
        normal = basis.T @ diags(weights) @ basis
        return basis @ c, basis.T @ (weights * Y), normal @ c, basis.toarray() @ c

    check(f, Y[:5], np.linspace(1.0, 2.0, 7))


def test_fitpack_names():
    def f(x, y, at):
        tck = splrep(x, y)
        return splev(at, tck), splev(at, tck, der=1), splint(0.2, 3.0, tck)

    check(f, X, Y, AT)
    for k in (1, 2, 3, 4):
        check(lambda x, y, at, k=k: InterpolatedUnivariateSpline(x, y, k=k)(at), X, Y, AT, order=1)
    with pytest.raises(ag.errors.DetachError, match="splrep"):
        ag.grad(lambda y: splev(1.0, splrep(X, y, s=0.5)))(np.sin(9 * Y))


def test_univariate_spline():
    def f(y, at):
        spline = UnivariateSpline(X, y, s=0)
        return (
            spline(at), spline(at, nu=1), spline.derivative()(at), spline.antiderivative()(at),
            spline.integral(0.2, 3.0), spline.derivatives(at[0]), spline.get_coeffs(),
            spline(at + 4.0, ext=3), spline(at + 4.0, ext="zeros"),
        )  # fmt: skip

    check(f, Y, AT, order=1)
    smooth = UnivariateSpline(X, Y, s=0.1)
    found = ag.grad(lambda at: np.sum(UnivariateSpline(X, Y, w=np.ones(7), s=0.1)(at)))(AT)
    np.testing.assert_allclose(found, smooth(AT, 1))
    assert ag.lift(lambda: UnivariateSpline(X, Y, s=0.1).get_residual())() == smooth.get_residual()


def test_akima():
    for method in ("akima", "makima"):
        check(
            lambda x, y, at, m=method: Akima1DInterpolator(x, y, method=m)(at),
            X, np.array([0, 1, 3, 2, 2.5, 4, 5.0]), AT,
        )  # fmt: skip
        check(
            lambda y, m=method: Akima1DInterpolator(X, y, 1, method=m, extrapolate=True)([5.5, 1]),
            Y2.T, order=1,
        )  # fmt: skip
    flat = np.array([0.0, 0, 0, 1, 1, 1, 1])
    check(lambda x: Akima1DInterpolator(x, flat)(AT), X, order=1)
    if SCIPY >= (1, 15):  # earlier ones did not know the case of two points
        check(lambda y: Akima1DInterpolator(X[:2], y)([0.3]), Y[:2], order=1)
    assert np.isnan(ag.lift(lambda: Akima1DInterpolator(X, Y)(9.0))())


@pytest.mark.parametrize("method", ["linear", "cubic", "nearest"])
def test_regular_grid(method):
    rng = np.random.default_rng(3)
    y = np.linspace(0, 3, 6)
    points = np.array([[0.3, 0.4], [3.1, 2.2], [1.6, 1.1]])

    def f(values, at):
        return RegularGridInterpolator((X, y), values, method=method)(at)

    order, rtol = 1 if method == "nearest" else 2, 1e-4 if method == "cubic" else 1e-6
    # SciPy iterates to 1e-6.
    check(f, rng.normal(size=(7, 6)), points, order=order, value_rtol=1e-4, rtol=rtol)
    if method == "linear":
        check(lambda x, v, at: interpn((x, y), v, at), X, rng.normal(size=(7, 6)), points)


SPLINE = CubicSpline(X, Y)
AKIMA = Akima1DInterpolator(X, Y)
LINEAR = interp1d(X, Y)
CUBIC = interp1d(X, Y, kind="cubic")
GRID = RegularGridInterpolator((X,), Y)
BASIS = BSpline.basis_element([0.0, 1.0, 2.0, 3.0, 4.5])


def test_interpolators_made_outside_of_the_function():
    def f(at):
        return (
            SPLINE(at), AKIMA(at), LINEAR(at), CUBIC(at), GRID(at[:, None]), BASIS(at),
            SPLINE.antiderivative()(at),
        )  # fmt: skip

    check(f, AT)

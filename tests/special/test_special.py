"""arraygrad.special: every ufunc of the installed scipy.special, values and derivatives."""

from __future__ import annotations

import importlib.metadata
import math
import pickle
import warnings

import mpmath
import numpy as np
import pytest

import arraygrad as ag
from tests.fresh_process import run
from tests.special.points import POINTS

sp = pytest.importorskip("scipy.special", reason="SciPy, an optional dependency, is not installed")
SCIPY = tuple(map(int, importlib.metadata.version("scipy").split(".")[:2]))

# SciPy 1.15 and 1.16 have it still, and say so at every call; newer ones have it no more.
pytestmark = pytest.mark.filterwarnings(r"ignore:.scipy\.special\.sph_harm. is:DeprecationWarning")

special = ag.special
TABLE = special._function.TABLE

UFUNCS = {
    name: getattr(sp, name)
    for name in dir(sp)
    if not name.startswith("_") and isinstance(getattr(sp, name), np.ufunc)
}
ALIASES = {"digamma": "psi", "jn": "jv"}
OWN = sorted(set(UFUNCS) - set(ALIASES))

# Piecewise constant: the derivative is 0 and declared so.
CONSTANT = {"gammasgn", "round"}
# No argument has a formula: refused by name when tracked.
REFUSED = {
    "chndtridf", "mathieu_a", "mathieu_b", "nctdtridf", "ncfdtridfd", "ncfdtridfn", "obl_cv",
    "pro_cv",
}  # fmt: skip
# Arguments without a formula beside others that have one.
PARTLY = {
    "bdtr": "kn", "bdtrc": "kn", "bdtri": "kn", "nbdtr": "kn", "nbdtrc": "kn", "nbdtri": "kn",
    "pdtr": "k", "pdtrc": "k", "pdtri": "k", "smirnov": "n", "smirnovi": "n",
    "besselpoly": ("lmb", "nu"), "chndtr": ("df",), "chndtrinc": ("df",), "chndtrix": ("df",),
    "ncfdtr": ("dfn", "dfd"), "ncfdtri": ("dfn", "dfd"), "ncfdtrinc": ("dfn", "dfd"),
    "nctdtr": ("df",), "nctdtrinc": ("df",), "nctdtrit": ("df",),
    "eval_chebyc": "n", "eval_chebys": "n", "eval_chebyt": "n", "eval_chebyu": "n",
    "eval_gegenbauer": ("n", "alpha"), "eval_genlaguerre": ("n", "alpha"), "eval_hermite": "n",
    "eval_hermitenorm": "n", "eval_jacobi": ("n", "alpha", "beta"), "eval_laguerre": "n",
    "eval_legendre": "n", "eval_sh_chebyt": "n", "eval_sh_chebyu": "n",
    "eval_sh_jacobi": "npq", "eval_sh_legendre": "n", "lpmv": "mv", "sph_harm": "mn", "expn": "n",
    "hankel1": "v", "hankel1e": "v", "hankel2": "v", "hankel2e": "v",
    "kn": "n", "yn": "n",
    "struve": "v", "modstruve": "v", "pbdv": "v", "pbvv": "v", "pbwa": "a",
    "hyperu": "ab", "wright_bessel": "ab",
    "log_wright_bessel": "ab",
    "mathieu_cem": "mq", "mathieu_modcem1": "mq", "mathieu_modcem2": "mq",
    "mathieu_modsem1": "mq", "mathieu_modsem2": "mq", "mathieu_sem": "mq",
    "obl_ang1": "mnc", "obl_rad1": "mnc", "obl_rad2": "mnc", "pro_ang1": "mnc", "pro_rad1": "mnc",
    "pro_rad2": "mnc", "obl_ang1_cv": ("m", "n", "c", "cv"), "obl_rad1_cv": ("m", "n", "c", "cv"),
    "obl_rad2_cv": ("m", "n", "c", "cv"), "pro_ang1_cv": ("m", "n", "c", "cv"),
    "pro_rad1_cv": ("m", "n", "c", "cv"), "pro_rad2_cv": ("m", "n", "c", "cv"),
}  # fmt: skip
# SciPy's own values are that inexact, so that their differences are.
TOLERANCE = {"itairy": 1e-4, "ncfdtrinc": 1e-3}
# Before 1.15, SciPy's values have six digits, which differ from point to point: held to mpmath
# alone, by test_noncentral_f.
SIX_DIGITS = {"ncfdtr", "ncfdtri"} if SCIPY < (1, 15) else set()

# Central differences of order 8.
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def real_parts(array):
    return (array.real, array.imag) if np.iscomplexobj(array) else (array,)


def moved(point, i, value):
    return (*point[:i], value, *point[i + 1 :])


def slopes(f, point, i, step):
    """Derivatives of all results (real and imaginary parts apart) by finite differences."""

    def at(delta):
        results = parts(f(*moved(point, i, point[i] + delta)))
        return np.array([part for r in results for part in real_parts(np.asarray(r))])

    return sum(w * (at(k * step) - at(-k * step)) / step for k, w in enumerate(WEIGHTS, start=1))


def gradients(f, point, i):
    x = ag.tensor(float(point[i]), requires_grad=True)
    results = []
    for k, result in enumerate(parts(f(*moved(point, i, x)))):
        for which in range(1 + np.iscomplexobj(result.detach().numpy())):
            x.grad = None
            out = parts(f(*moved(point, i, x)))[k]
            (
                out if not np.iscomplexobj(out.detach().numpy()) else (out.real, out.imag)[which]
            ).backward()
            results.append(0.0 if x.grad is None else float(x.grad))
    return np.array(results)


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_every_ufunc_is_in_exactly_one_class(name):
    function = special.__dict__[name]
    assert function.ufunc is UFUNCS[name]
    refused = set(function.refused)
    name = ALIASES.get(name, name)
    classes = [
        name in CONSTANT,
        name in REFUSED,
        name in PARTLY,
        not refused and name not in CONSTANT,
    ]
    assert sum(classes) == 1
    if name in PARTLY:
        assert refused == set(PARTLY[name])
    if name in REFUSED:
        assert refused == set(function.args)


def test_counts():
    """The installed SciPy may know fewer or more; with 1.17 there are 232."""
    differentiable = {n for n in UFUNCS if special.__dict__[n].differentiable} - CONSTANT
    assert len(UFUNCS) - len(differentiable) == len((REFUSED | CONSTANT) & set(UFUNCS))
    assert set(OWN) <= set(POINTS)


@pytest.mark.parametrize("name", OWN)
def test_values_are_scipys(name):
    f = UFUNCS[name]
    for point in POINTS[name]:
        tensors = [ag.tensor([p]) if isinstance(p, float) else p for p in point]
        arrays = [np.array([p]) if isinstance(p, float) else p for p in point]
        for ours in (f(*tensors), special.__dict__[name](*tensors)):
            for mine, theirs in zip(parts(ours), parts(f(*arrays)), strict=True):
                assert isinstance(mine, ag.Tensor)
                assert mine.dtype == theirs.dtype
                np.testing.assert_allclose(mine.numpy(), theirs, rtol=2e-15, atol=0)


@pytest.mark.parametrize("name", [n for n in OWN if n not in REFUSED | SIX_DIGITS])
def test_gradient(name):
    f = UFUNCS[name]
    function = special.__dict__[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for point in POINTS[name]:
            for i, argument in enumerate(function.args):
                if argument in function.refused:
                    continue
                found = gradients(f, point, i)
                scale = max(abs(point[i]), 1) / 1000
                fine, coarse = slopes(f, point, i, scale), slopes(f, point, i, 4 * scale)
                error = np.minimum(abs(found - fine), abs(found - coarse))
                error /= np.maximum(abs(found), 1e-3)
                assert error.max() < TOLERANCE.get(name, 1e-7), (point, argument, found, fine)


@pytest.mark.parametrize(
    ("name", "argument"), [(n, a) for n in OWN for a in special.__dict__[n].refused]
)
def test_argument_without_formula_is_refused_by_name(name, argument):
    function = special.__dict__[name]
    point = POINTS[name][0]
    i = function.args.index(argument)
    if (
        isinstance(point[i], int)
        and UFUNCS[name].types[0][i] == "l"
        and len(UFUNCS[name].types) == 1
    ):
        pytest.skip("this argument is a whole number for SciPy, which carries no gradient")
    x = ag.tensor(float(point[i]), requires_grad=True)
    with pytest.raises(ag.errors.GradientError, match=f"{name}: argument '{argument}'"):
        UFUNCS[name](*moved(point, i, x))


SECOND = [
    "gamma", "gammaln", "psi", "rgamma", "beta", "betaln", "gammainc", "gammaincc", "gammaincinv",
    "betainc", "betaincinv", "erf", "erfc", "erfcx", "erfinv", "dawsn", "ndtr", "log_ndtr",
    "ndtri", "j0", "j1", "y0", "i0", "i1", "k0", "i0e", "jv", "kv", "expit", "logit", "log_expit",
    "xlogy", "xlog1py", "entr", "rel_entr", "kl_div", "pseudo_huber", "boxcox", "inv_boxcox",
    "ellipk", "ellipe", "ellipkinc", "elliprf", "elliprd", "elliprg", "elliprj", "agm", "hyp2f1",
    "hyp1f1", "expi", "exp1", "exprel", "spence", "owens_t", "stdtr", "fdtr", "chdtr", "gdtr",
    "eval_legendre", "eval_chebyt", "binom", "poch", "airy", "sici", "fresnel", "zetac",
    "kolmogorov", "smirnov", "voigt_profile", "bdtr", "pdtr", "lpmv", "mathieu_cem", "chndtr",
]  # fmt: skip


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(name):
    """Differences of our own first derivatives, which test_gradient holds against SciPy."""
    f = UFUNCS[name]
    function = special.__dict__[name]
    point = POINTS[name][0]
    movable = [i for i, a in enumerate(function.args) if a not in function.refused]

    def first(values, i):
        full = list(point)
        for k, value in zip(movable, values, strict=True):
            full[k] = value
        return ag.grad(lambda x: parts(f(*moved(tuple(full), i, x)))[0])(full[i])

    start = [float(point[i]) for i in movable]
    for i in movable:
        hessian_row = ag.grad(lambda v, i=i: first([v[j] for j in range(len(movable))], i))(
            np.array(start)
        )
        for j in range(len(movable)):
            step = 1e-3

            def at(delta, j=j, i=i):
                values = list(start)
                values[j] += delta
                return float(first(values, i))

            expected = sum(
                w * (at(m * step) - at(-m * step)) / step for m, w in enumerate(WEIGHTS, start=1)
            )
            assert float(hessian_row[j]) == pytest.approx(expected, rel=1e-6, abs=1e-7), (i, j)


# -- against mpmath --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "x"), [(1.5, 2.0), (0.01, 1e-3), (1e-8, 0.5), (50.0, 20.0), (50.0, 90.0), (1e4, 1.01e4)]
)
def test_incomplete_gamma_by_its_shape(a, x):
    with mpmath.workdps(30):

        def tail(z):
            if x < a + 1:
                return mpmath.gammainc(z, 0, x, regularized=True)
            return -mpmath.gammainc(z, x, mpmath.inf, regularized=True)

        expected = float(mpmath.diff(tail, a))
        second = float(mpmath.diff(tail, a, 2))
    assert float(ag.grad(lambda t: sp.gammainc(t, x))(a)) == pytest.approx(expected, rel=1e-10)
    assert float(ag.grad(lambda t: sp.gammaincc(t, x))(a)) == pytest.approx(-expected, rel=1e-10)
    found = ag.grad(ag.grad(lambda t: sp.gammainc(t, x)))(a)
    assert float(found) == pytest.approx(second, rel=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "x"),
    [(1.0, 2.0, 0.5), (0.01, 0.02, 0.3), (30.0, 2.0, 0.9), (2.0, 30.0, 0.01), (0.5, 0.5, 0.99)],
)
def test_incomplete_beta_by_its_shapes(a, b, x):
    with mpmath.workdps(30):

        def f(u, v):
            return mpmath.betainc(u, v, 0, x, regularized=True)

        expected = [float(mpmath.diff(f, (a, b), orders)) for orders in ((1, 0), (0, 1), (1, 1))]
    by_a = ag.grad(lambda t: sp.betainc(t, b, x))(a)
    by_b = ag.grad(lambda t: sp.betainc(a, t, x))(b)
    mixed = ag.grad(lambda u: ag.grad(lambda t: sp.betainc(u, t, x))(b))(a)
    found = [float(by_a), float(by_b), float(mixed)]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("name", "exact"),
    [("jv", mpmath.besselj), ("yv", mpmath.bessely), ("iv", mpmath.besseli),
     ("kv", mpmath.besselk)],
)  # fmt: skip
@pytest.mark.parametrize(
    ("v", "z"), [(0.0, 0.1), (2.5, 1e-3), (0.3, 12.0), (7.2, 3.0), (25.0, 12.0), (1.0, 30.0)]
)
def test_bessel_functions_by_their_order(name, exact, v, z):
    with mpmath.workdps(30):
        expected = [float(mpmath.diff(lambda t: exact(t, z), v, n, h=1e-9)) for n in (1, 2)]
        scale = abs(float(exact(v, z)))
    function = UFUNCS[name]
    first = ag.grad(lambda t: function(t, z))
    found = [float(first(v)), float(ag.grad(first)(v))]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * scale)
    found = ag.grad(lambda t: ag.grad(lambda u: function(u, t))(v))(z)
    step = 1e-4 * z
    ahead, behind = (float(ag.grad(lambda u, s=s: function(u, z + s))(v)) for s in (step, -step))
    assert float(found) == pytest.approx((ahead - behind) / (2 * step), rel=1e-5, abs=1e-9 * scale)


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("hyp0f1", (1.3, -30.0)), ("hyp0f1", (-1.4, 2.0)), ("hyp1f1", (2.3, 3.1, -30.0)),
        ("hyp1f1", (-1.7, 0.7, 10.0)), ("hyp2f1", (0.4, 2.2, 1.3, 0.9)),
        ("hyp2f1", (-1.7, 0.7, 4.2, -30.0)),
    ],
)  # fmt: skip
def test_hypergeometric_functions_by_their_parameters(name, point):
    exact = getattr(mpmath, name)
    function = UFUNCS[name]
    with mpmath.workdps(30):
        for i in range(len(point) - 1):
            expected = float(mpmath.diff(lambda t, i=i: exact(*moved(point, i, t)), point[i]))
            found = float(ag.grad(lambda t, i=i: function(*moved(point, i, t)))(point[i]))
            assert found == pytest.approx(expected, rel=1e-10), i
        if len(point) > 2:
            orders = (1, 1, *(0,) * (len(point) - 2))
            mixed = float(mpmath.diff(exact, point, orders))
            found = ag.grad(
                lambda t: ag.grad(lambda u: function(t, u, *point[2:]))(point[1])
            )(point[0])  # fmt: skip
            assert float(found) == pytest.approx(mixed, rel=1e-8)


def test_order_of_bessel_functions_where_there_is_no_derivative():
    assert float(ag.grad(lambda v: sp.jv(v, 0.0))(1.5)) == 0.0
    assert math.isnan(float(ag.grad(lambda v: sp.jv(v, -1.0))(2.0)))
    v = ag.tensor(1.5, requires_grad=True)
    with pytest.raises(ag.errors.GradientError, match="real arguments only"):
        sp.jv(v, 1.0 + 1.0j).real.backward()


@pytest.mark.parametrize(("s", "q"), [(2.0, 1.0), (1.01, 3.0), (50.0, 0.5), (3.5, 100.0)])
def test_zeta(s, q):
    assert float(sp.zeta(ag.tensor(s), q)) == pytest.approx(sp.zeta(s, q), rel=1e-15)
    assert float(ag.grad(lambda t: sp.zeta(t, q))(s)) == pytest.approx(
        float(mpmath.zeta(s, q, 1)), rel=1e-12
    )
    assert float(ag.grad(lambda t: sp.zeta(s, t))(q)) == pytest.approx(
        -s * sp.zeta(s + 1, q), rel=1e-13
    )


@pytest.mark.parametrize(("d1", "d2", "nc", "f"), [(3.2, 5.1, 1.4, 1.3), (6.0, 4.0, 0.3, 0.7)])
def test_noncentral_f(d1, d2, nc, f):
    def exact(nc, f):
        """A mixture of beta distributions by Poisson's weights."""
        w = d1 * f / (d1 * f + d2)
        total = mpmath.mpf(0)
        for j in range(60):
            weight = mpmath.exp(-nc / 2) * (nc / 2) ** j / mpmath.factorial(j)
            total += weight * mpmath.betainc(d1 / 2 + j, d2 / 2, 0, w, regularized=True)
        return total

    p = float(sp.ncfdtr(d1, d2, nc, f))
    quantile = float(sp.ncfdtri(d1, d2, nc, p))
    with mpmath.workdps(30):
        by_nc, by_f = (float(mpmath.diff(exact, (nc, f), o)) for o in ((1, 0), (0, 1)))
        there_nc, there_f = (float(mpmath.diff(exact, (nc, quantile), o)) for o in ((1, 0), (0, 1)))
    found = [
        ag.grad(lambda t: sp.ncfdtr(d1, d2, t, f))(nc),
        ag.grad(lambda t: sp.ncfdtr(d1, d2, nc, t))(f),
        ag.grad(lambda t: sp.ncfdtri(d1, d2, t, p))(nc),
        ag.grad(lambda t: sp.ncfdtri(d1, d2, nc, t))(p),
    ]
    expected = [by_nc, by_f, -there_nc / there_f, 1 / there_f]
    np.testing.assert_allclose(np.array(found, float), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "x"), [("dawsn", 1e2), ("dawsn", 29.0), ("erfcx", 1e3), ("log_ndtr", -1e4)]
)
def test_tails_keep_their_digits(name, x):
    with mpmath.workdps(60):
        wanted = {
            "dawsn": lambda t: 1 - t * mpmath.sqrt(mpmath.pi) * mpmath.exp(-t * t) * mpmath.erfi(t),
            "erfcx": lambda t: (
                2 * t * mpmath.exp(t * t) * mpmath.erfc(t) - 2 / mpmath.sqrt(mpmath.pi)
            ),
            "log_ndtr": lambda t: mpmath.npdf(t) / mpmath.ncdf(t),
        }[name](mpmath.mpf(x))
    assert float(ag.grad(UFUNCS[name])(x)) == pytest.approx(float(wanted), rel=1e-11)


# -- where formulas have gaps ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("xlogy", (0.0, 2.0), (math.log(2.0), 0.0)),
        ("xlogy", (0.0, 0.0), (-math.inf, 0.0)),
        ("xlog1py", (0.0, 2.0), (math.log(3.0), 0.0)),
        ("entr", (0.0,), (math.inf,)),
        ("rel_entr", (0.0, 2.0), (-math.inf, 0.0)),
        ("kl_div", (0.0, 2.0), (-math.inf, 1.0)),
        ("boxcox", (2.0, 0.0), (0.5, math.log(2.0) ** 2 / 2)),
        ("boxcox", (0.0, 2.0), (0.0, 0.25)),
        ("gammainc", (1.0, 0.0), (0.0, 1.0)),
        ("rgamma", (-3.0,), (-6.0,)),
        ("poch", (0.0, 2.0), (1.0, math.nan)),
        ("poch", (-3.0, 2.0), (-5.0, math.nan)),
        ("binom", (3.0, 5.0), (None, 0.05)),
        ("ellipk", (0.0,), (math.pi / 8,)),
        ("ellipe", (0.0,), (-math.pi / 8,)),
        ("exprel", (0.0,), (0.5,)),
        ("spence", (1.0,), (-1.0,)),
        ("beip", (0.0,), (0.5,)),
        ("berp", (0.0,), (0.0,)),
        ("i0e", (0.0,), (0.0,)),
        ("voigt_profile", (0.7, 0.0, 0.4), (-0.4219019, 0.0, None)),
        ("stdtr", (4.0, 0.0), (0.0, 0.375)),
        ("pseudo_huber", (0.0, 2.0), (0.0, 0.0)),
        ("tklmbda", (3.0, 0.7), (0.0, 0.0)),
        ("kolmogorov", (0.0,), (0.0,)),
        ("eval_chebyu", (3, 1.0), (None, 20.0)),
        ("lpmv", (0, 3.0, 1.0), (None, None, 6.0)),
    ],
)
def test_limits(name, point, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for i, value in enumerate(expected):
            if value is not None and not math.isnan(value):
                (found,) = gradients(UFUNCS[name], point, i)
                assert found == pytest.approx(value, rel=1e-4), i


@pytest.mark.skipif("sph_harm" not in UFUNCS, reason="SciPy has sph_harm until 1.16")
def test_spherical_harmonics_at_a_pole_and_to_second_order():
    """Y = -s sin(phi) cos(phi) e^(i theta) for m = 1 and n = 2."""
    s = math.sqrt(15 / (8 * math.pi))

    def real(theta, phi):
        return UFUNCS["sph_harm"](1, 2, theta, phi).real

    theta, phi = 0.3, 0.8
    for angle in (0.0, phi):
        slope = ag.grad(lambda p: real(theta, p))(angle)
        assert float(slope) == pytest.approx(-s * math.cos(2 * angle) * math.cos(theta), rel=1e-14)
    second = ag.grad(ag.grad(lambda p: real(theta, p)))(phi)
    assert float(second) == pytest.approx(2 * s * math.sin(2 * phi) * math.cos(theta), rel=1e-13)
    mixed = ag.grad(lambda t: ag.grad(lambda p: real(t, p))(phi))(theta)
    assert float(mixed) == pytest.approx(s * math.cos(2 * phi) * math.sin(theta), rel=1e-13)


# -- the road --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gamma", "erf", "jv", "betainc", "airy", "xlogy", "hyp2f1"])
def test_float32_stays(name):
    point = [np.float32(p) for p in POINTS[name][0]]
    x = ag.tensor(np.array([point[-1]]), requires_grad=True)
    out = parts(UFUNCS[name](*point[:-1], x))[0]
    assert out.dtype == np.float32
    ag.sum(out).backward()
    assert x.grad.dtype == np.float32


def test_integers_and_python_numbers():
    assert sp.gammaln(ag.tensor([3, 4])).dtype == np.float64
    assert float(special.gamma(4)) == 6.0
    assert float(special.jv(2, 0.5)) == sp.jv(2, 0.5)


def test_shapes_broadcast():
    x = ag.tensor(np.linspace(0.1, 2, 3), requires_grad=True)
    a = ag.tensor(np.array([[0.5], [2.0]]), requires_grad=True)
    out = sp.gammainc(a, x)
    assert out.shape == (2, 3)
    ag.sum(out).backward()
    assert a.grad.shape == (2, 1)
    assert x.grad.shape == (3,)


def test_untracked_small_argument_beside_a_tracked_large_one():
    x = ag.tensor(np.linspace(0.1, 2, 6).reshape(2, 3), requires_grad=True)
    ag.sum(sp.jv(np.array([0.0, 1.0, 2.0]), x)).backward()
    expected = sp.jvp(np.array([0.0, 1.0, 2.0]), x.detach().numpy())
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-13)


def test_out_and_where():
    x = ag.tensor([0.5, 2.0], requires_grad=True)
    out = ag.zeros(2)
    assert sp.gamma(x, out=out) is out
    ag.sum(out).backward()
    np.testing.assert_allclose(x.grad.numpy(), sp.gamma([0.5, 2.0]) * sp.psi([0.5, 2.0]))
    assert special.gamma(x, where=np.array([True, False])).detach()[1] == 0


def test_forward_mode():
    for f in (sp.gammaln, lambda x: sp.airy(x)[2], lambda x: sp.gammainc(x, 1.3)):
        _, tangent = ag.jvp(f, (1.2,), (2.0,))
        assert float(tangent) == pytest.approx(2 * float(ag.grad(f)(1.2)), rel=1e-13)


def test_complex_argument():
    z = ag.tensor([0.7 + 0.4j], requires_grad=True)
    ag.sum(sp.loggamma(z)).real.backward()
    np.testing.assert_allclose(z.grad.numpy(), np.conj(sp.psi(z.detach().numpy())))
    with pytest.raises(ag.errors.GradientError, match="holomorphic"):
        sp.ive(1.0, z)


def test_dtype_and_arity_errors():
    with pytest.raises(ag.errors.DTypeError, match=r"special\.ellipk"):
        sp.ellipk(ag.tensor([1j]))
    with pytest.raises(ag.errors.ArgumentTypeError, match="2 arguments"):
        special.beta(ag.tensor([1.0]))


def test_functions_pickle():
    assert pickle.loads(pickle.dumps(special.gamma)) is special.gamma


@pytest.mark.parametrize("letter", "jyik")
@pytest.mark.parametrize("n", [0, 1, 3])
def test_spherical_bessel(letter, n):
    name = f"spherical_{letter}n"
    theirs, ours = getattr(sp, name), getattr(special, name)
    assert float(ours(n, ag.tensor(1.3))) == theirs(n, 1.3)
    # ag.grad lifts: SciPy's own name means ours there
    for f in (lambda z, d: ours(n, z, derivative=d), lambda z, d: theirs(n, z, derivative=d)):
        found = ag.grad(lambda z, f=f: f(z, False))(1.3)
        assert float(found) == pytest.approx(theirs(n, 1.3, derivative=True), rel=1e-12)
        second = ag.grad(lambda z, f=f: f(z, True))(1.3)
        expected = slopes(lambda z: theirs(n, z, derivative=True), (1.3,), 0, 1e-3)[0]
        assert float(second) == pytest.approx(expected, rel=1e-8)


def test_lambert():
    assert complex(special.lambertw(ag.tensor(0.7))) == sp.lambertw(0.7)
    found = ag.grad(lambda z: sp.lambertw(z).real)(0.7)
    w = sp.lambertw(0.7).real
    assert float(found) == pytest.approx(w / (0.7 * (1 + w)), rel=1e-13)


def test_polygamma():
    x = np.array([0.7, 2.0])
    np.testing.assert_allclose(special.polygamma(2, ag.tensor(x)).numpy(), sp.polygamma(2, x))
    found = ag.grad(lambda t: ag.sum(special.polygamma(1, t)))(x)
    np.testing.assert_allclose(found, sp.polygamma(2, x))
    with pytest.raises(ag.errors.GradientError, match="polygamma: argument 'n'"):
        special.polygamma(ag.tensor(1.0, requires_grad=True), 2.0)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_composites_of_sums(axis):
    x = np.array([[0.3, -1.0, 2.0], [0.7, 0.1, -0.4]])
    b = np.array([[1.0, 2.0, 0.0], [0.5, 1.0, 3.0]])
    t = ag.tensor(x)
    np.testing.assert_allclose(special.logsumexp(t, axis).numpy(), sp.logsumexp(x, axis))
    np.testing.assert_allclose(
        special.logsumexp(t, axis, b, True).numpy(), sp.logsumexp(x, axis, b, True)
    )
    signed = special.logsumexp(t, axis, -b, return_sign=True)
    for mine, theirs in zip(signed, sp.logsumexp(x, axis, -b, return_sign=True), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs)
    np.testing.assert_allclose(special.softmax(t, axis).numpy(), sp.softmax(x, axis))
    np.testing.assert_allclose(special.log_softmax(t, axis).numpy(), sp.log_softmax(x, axis))
    for f in (special.logsumexp, special.softmax, special.log_softmax):
        assert ag.gradcheck(lambda v, f=f: f(v, axis), ag.tensor(x, requires_grad=True))


def test_other_composites():
    x = np.array([2.5, 3.7])
    np.testing.assert_allclose(special.multigammaln(ag.tensor(x), 3).numpy(), sp.multigammaln(x, 3))
    np.testing.assert_allclose(special.factorial(ag.tensor(x)).numpy(), sp.factorial(x))
    np.testing.assert_allclose(special.sinc(ag.tensor(x)).numpy(), sp.sinc(x))
    assert ag.gradcheck(lambda v: special.multigammaln(v, 3), ag.tensor(x, requires_grad=True))
    assert float(special.factorial(ag.tensor(-1.5))) == 0
    with pytest.raises(ag.errors.ArgumentError, match="greater than"):
        special.multigammaln(ag.tensor(0.5), 3)
    with pytest.raises(ag.errors.ArgumentTypeError, match=r"math\.factorial"):
        special.factorial(ag.tensor(3), exact=True)
    assert special.factorial(3, exact=True) == 6


def test_numbers_of_choices():
    n, k = np.array([5.3, 7.0, 3.0, -1.0]), np.array([2.0, 2.5, 4.0, 1.0])
    for f, real in ((special.comb, sp.comb), (special.perm, sp.perm)):
        np.testing.assert_allclose(f(ag.tensor(n), k).numpy(), real(n, k), rtol=1e-12)
        x = ag.tensor(n[:2], requires_grad=True)
        assert ag.gradcheck(lambda v, f=f: f(v, k[:2]), x)
        assert f(5, 2, exact=True) == real(5, 2, exact=True)
        with pytest.raises(ag.errors.ArgumentTypeError, match=r"exact=True .* leave it out"):
            f(x, 2, exact=True)
    again = special.comb(ag.tensor(n), 2, repetition=True)
    np.testing.assert_allclose(again.numpy(), sp.comb(n, 2, repetition=True), rtol=1e-12)
    assert ag.gradcheck(lambda v: special.comb(6.3, v), ag.tensor([2.2], requires_grad=True))


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_dirichlets_kernel(n):
    x = np.array([0.0, 0.4, 2 * np.pi, -3.0])
    np.testing.assert_allclose(special.diric(ag.tensor(x), n).numpy(), sp.diric(x, n), atol=1e-12)
    assert ag.gradcheck(lambda v: special.diric(v, n), ag.tensor(x, requires_grad=True))
    with pytest.raises(ag.errors.ArgumentError, match="positive int"):
        special.diric(ag.tensor(x), 0)


def test_scipy_special_through_the_protocol():
    """NumPy code that calls scipy.special gets gradients as it stands."""
    assert float(ag.grad(lambda x: sp.xlogy(x, 2.0))(0.0)) == pytest.approx(math.log(2.0))

    def f(x):
        return np.sum(sp.expit(x) + sp.erf(x) + sp.gammaln(x) + sp.digamma(x) + sp.j0(x))

    x = np.array([0.5, 2.0])
    expected = [
        sum(w * (f(x + k * e) - f(x - k * e)) / 1e-3 for k, w in enumerate(WEIGHTS, start=1))
        for e in np.eye(2) * 1e-3
    ]
    np.testing.assert_allclose(ag.grad(f)(x), expected, rtol=1e-8)
    found = ag.grad(lambda p: sp.gammainc(p[0], p[1]))(np.array([1.5, 2.0]))
    np.testing.assert_allclose(found, [-0.2774335642, 0.2159638661], rtol=1e-9)
    found = ag.grad(lambda p: sp.betainc(p[0], p[1], p[2]))(np.array([1.0, 2.0, 0.5]))
    np.testing.assert_allclose(found, [-0.2698603854, 0.1732867951, 1.0], rtol=1e-9)


# -- SciPy stays optional --------------------------------------------------------------------------


def test_arraygrad_alone_imports_neither_scipy_nor_special():
    done = run(
        "import sys, arraygrad as ag, numpy as np\n"
        "np.exp(ag.tensor(1.0))\n"
        "assert not any(n.startswith(('scipy', 'arraygrad.special')) for n in sys.modules)\n"
        "import scipy.special as sp\n"
        "assert float(ag.grad(sp.gamma)(2.0)) == sp.psi(2.0)\n"
        "assert 'arraygrad.special' in sys.modules\n",
        ARRAYGRAD_COMPILE="off",  # Numba imports SciPy where it is installed
    )
    assert done.returncode == 0, done.stderr


def test_missing_scipy_is_named_with_the_remedy():
    done = run(
        "import sys\n"
        "sys.modules['scipy'] = sys.modules['scipy.special'] = None\n"
        "import arraygrad as ag\n"
        "assert float(ag.special.expit(ag.tensor(0.0))) == 0.5\n"
        "for call in (lambda: ag.special.gamma(ag.tensor(2.0)), lambda: ag.special.beta(1.0, 2)):\n"
        "    try:\n"
        "        call()\n"
        "    except ag.errors.DispatchError as error:\n"
        "        assert 'pip install arraygrad[scipy]' in str(error), error\n"
        "    else:\n"
        "        raise SystemExit('no error')\n"
    )
    assert done.returncode == 0, done.stderr

"""First and second derivatives of elementwise functions against mpmath, over all magnitudes.

A derivative is held accurate if it is as near to the true one as that moves when the arguments
move by a few units in the last place. Second derivatives in the four compositions of modes.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import arraygrad as ag

mp = mpmath.mp.clone()
mp.dps = 330  # enough to reduce an angle of 1e300
ONE, TWO = mp.mpf(1), mp.mpf(2)
LN2, LN10 = mp.log(2), mp.log(10)
EPS, TINY, HUGE = TWO**-52, 1e-290, 1e300

Composition = Callable[[Callable[..., Any], int], Callable[..., Any]]


def _ones(x: Any) -> Any:
    return ag.ones_like(x) if isinstance(x, ag.Tensor) else np.ones_like(x)


def reverse(f: Callable[..., Any], argument: int) -> Callable[..., Any]:
    """Derivative of an elementwise function by one argument, in reverse mode."""

    def derivative(*xs: Any) -> Any:
        def of_one(x: Any) -> Any:
            return f(*xs[:argument], x, *xs[argument + 1 :])

        out, pull = ag.vjp(of_one, xs[argument])
        (g,) = pull(_ones(out))
        return ag.conj(g) if isinstance(g, ag.Tensor) else np.conj(g)

    return derivative


def forward(f: Callable[..., Any], argument: int) -> Callable[..., Any]:
    """The same in forward mode."""

    def derivative(*xs: Any) -> Any:
        def of_one(x: Any) -> Any:
            return f(*xs[:argument], x, *xs[argument + 1 :])

        return ag.jvp(of_one, (xs[argument],), (_ones(xs[argument]),))[1]

    return derivative


def _sinc(order: int, x: Any) -> Any:
    y = mp.pi * x
    if abs(y) < mp.mpf(10) ** -60:
        return (-(y / 3) * mp.pi, -(mp.pi**2) / 3)[order]
    sine, cosine = mp.sin(y), mp.cos(y)
    if order == 0:
        return mp.pi * (cosine * y - sine) / y**2
    return mp.pi**2 * ((2 - y * y) * sine - 2 * y * cosine) / y**3


def _gauss(x: Any) -> Any:
    return 2 / mp.sqrt(mp.pi) * (mp.exp(-x * x) if abs(x) < 100 else 0)


# function -> (first, second derivative)
UNARY: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "acos": (lambda x: -1 / mp.sqrt(1 - x * x), lambda x: -x / mp.sqrt(1 - x * x) ** 3),
    "acosh": (lambda x: 1 / (mp.sqrt(x - 1) * mp.sqrt(x + 1)),
              lambda x: -x / (mp.sqrt(x - 1) * mp.sqrt(x + 1)) ** 3),
    "asin": (lambda x: 1 / mp.sqrt(1 - x * x), lambda x: x / mp.sqrt(1 - x * x) ** 3),
    "asinh": (lambda x: 1 / mp.sqrt(1 + x * x), lambda x: -x / mp.sqrt(1 + x * x) ** 3),
    "atan": (lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2),
    "atanh": (lambda x: 1 / (1 - x * x), lambda x: 2 * x / (1 - x * x) ** 2),
    "cbrt": (lambda x: 1 / (3 * mp.cbrt(abs(x)) ** 2),
             lambda x: -2 / (9 * x * mp.cbrt(abs(x)) ** 2)),
    "cos": (lambda x: -mp.sin(x), lambda x: -mp.cos(x)),
    "cosh": (mp.sinh, mp.cosh),
    "erf": (_gauss, lambda x: -2 * x * _gauss(x)),
    "erfc": (lambda x: -_gauss(x), lambda x: 2 * x * _gauss(x)),
    "exp": (mp.exp, mp.exp),
    "exp2": (lambda x: LN2 * TWO**x, lambda x: LN2**2 * TWO**x),
    "expm1": (mp.exp, mp.exp),
    "log": (lambda x: 1 / x, lambda x: -1 / x**2),
    "log10": (lambda x: 1 / x / LN10, lambda x: -1 / x**2 / LN10),
    "log1p": (lambda x: 1 / (1 + x), lambda x: -1 / (1 + x) ** 2),
    "log2": (lambda x: 1 / x / LN2, lambda x: -1 / x**2 / LN2),
    "reciprocal": (lambda x: -1 / x**2, lambda x: 2 / x**3),
    "sigmoid": (lambda x: mp.sech(x / 2) ** 2 / 4,
                lambda x: -mp.tanh(x / 2) * mp.sech(x / 2) ** 2 / 4),
    "sin": (mp.cos, lambda x: -mp.sin(x)),
    "sinc": (functools.partial(_sinc, 0), functools.partial(_sinc, 1)),
    "sinh": (mp.cosh, mp.sinh),
    "sqrt": (lambda x: 1 / (2 * mp.sqrt(x)), lambda x: -1 / (4 * x * mp.sqrt(x))),
    "square": (lambda x: 2 * x, lambda x: TWO),
    "tan": (lambda x: mp.sec(x) ** 2, lambda x: 2 * mp.tan(x) * mp.sec(x) ** 2),
    "tanh": (lambda x: mp.sech(x) ** 2, lambda x: -2 * mp.tanh(x) * mp.sech(x) ** 2),
}  # fmt: skip

DOMAIN: dict[str, Callable[[Any], Any]] = {
    "acos": lambda x: abs(x) < 1,
    "acosh": lambda x: x > 1,
    "asin": lambda x: abs(x) < 1,
    "atanh": lambda x: abs(x) < 1,
    "cbrt": lambda x: x != 0,
    "log": lambda x: x > 0,
    "log10": lambda x: x > 0,
    "log1p": lambda x: x > -1,
    "log2": lambda x: x > 0,
    "reciprocal": lambda x: x != 0,
    "sqrt": lambda x: x > 0,
}
MAGNITUDES = [10.0**e for e in (-300, -200, -160, -100, -40, -16, -8, -4, 20, 80, 120, 300)]
POINTS = np.array(
    [s * m * k for m in MAGNITUDES for k in (1, 3.3) for s in (1, -1)]
    + [s * x for x in (0.5, 0.9, 1.5, 5, 12, 20, 40, 300, 700, 720, 745) for s in (1, -1)]
    + [0.0, 1 - 1e-8, -1 + 1e-8, 1 + 1e-8, 1 - 1e-15, 1 + 1e-15, 1023.9]
)


def _wrong(got: Any, points: list[Any], truth: Callable[..., Any]) -> list[Any]:
    """(point, got, true) wherever the two are apart."""
    found = []
    for point, g in zip(points, np.asarray(got), strict=True):
        exact = [mp.mpmathify(complex(x) if np.iscomplexobj(x) else float(x)) for x in point]
        want = truth(*exact)
        if abs(want) > HUGE:
            fine = not abs(g) < HUGE / 10  # complex infinities may be NaN
        elif abs(want) < TINY:
            fine = abs(g) < 10 * TINY
        else:
            moved = [
                truth(*exact[:i], x * (1 + step), *exact[i + 1 :])
                for i, x in enumerate(exact)
                for step in (EPS, -EPS)
            ]
            bound = 20 * max(abs(m - want) for m in moved) + abs(want) * 20 * EPS
            fine = np.isfinite(g) and abs(mp.mpmathify(g.item()) - want) <= bound
        if not fine:
            found.append((point, g, mp.nstr(want, 8)))
    return found


COMPOSITIONS = [
    pytest.param(outer, inner, id=f"{outer.__name__}-over-{inner.__name__}")
    for outer, inner in itertools.product((reverse, forward), repeat=2)
]


@pytest.mark.parametrize("name", sorted(UNARY))
@pytest.mark.parametrize(("outer", "inner"), COMPOSITIONS)
def test_real_functions(name: str, outer: Composition, inner: Composition) -> None:
    x = POINTS[DOMAIN.get(name, lambda x: x == x)(POINTS)]
    points = [(p,) for p in x]
    with np.errstate(all="ignore"):
        first = inner(getattr(ag, name), 0)
        assert not _wrong(first(x), points, UNARY[name][0])
        assert not _wrong(outer(first, 0)(x), points, UNARY[name][1])


HOLOMORPHIC = sorted(set(UNARY) - {"cbrt", "erf", "erfc", "sinc"})
DIRECTIONS = np.array([1 + 1j, -1 + 0.5j, 0.3 - 1j, -1 - 0.2j, 1e-9 + 1j, 1 - 1e-9j])
BOUNDED = {"exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sigmoid"}


@pytest.mark.parametrize("name", HOLOMORPHIC)
@pytest.mark.parametrize(("outer", "inner"), COMPOSITIONS)
def test_complex_functions(name: str, outer: Composition, inner: Composition) -> None:
    sizes = np.array([1e-160, 1e-8, 0.3, 0.99, 1.5, 3, 20, 300, 1e5, 1e8, 1e80, 1e160])
    z = np.outer(sizes[sizes < 1e6] if name in BOUNDED else sizes, DIRECTIONS).reshape(-1)
    points = [(p,) for p in z]
    with np.errstate(all="ignore"):
        first = inner(getattr(ag, name), 0)
        assert not _wrong(first(z), points, UNARY[name][0])
        assert not _wrong(outer(first, 0)(z), points, UNARY[name][1])


def _divide(x: Any, y: Any) -> tuple[Any, ...]:
    return 1 / y, -x / y**2, mp.mpf(0), -1 / y**2, 2 * x / y**3


def _hypot(x: Any, y: Any) -> tuple[Any, ...]:
    r = mp.sqrt(x * x + y * y)
    return x / r, y / r, y * y / r**3, -x * y / r**3, x * x / r**3


def _atan2(x: Any, y: Any) -> tuple[Any, ...]:
    r = x * x + y * y
    return y / r, -x / r, -2 * x * y / r**2, (x * x - y * y) / r**2, 2 * x * y / r**2


def _logaddexp(x: Any, y: Any, scale: Any = ONE) -> tuple[Any, ...]:
    share = [1 / (1 + mp.exp(min(scale * d, mp.mpf(2000)))) for d in (y - x, x - y)]
    product = scale * share[0] * share[1]
    return share[0], share[1], product, -product, product


def _pow(x: Any, y: Any) -> tuple[Any, ...]:
    out, log = mp.power(x, y), mp.log(x)
    return (y * out / x, out * log, y * (y - 1) * out / x**2, out / x * (1 + y * log),
            out * log**2)  # fmt: skip


WIDE = [-1e200, -1e80, -1e8, -1.0, -1e-8, -1e-160, -1e-300, 1e-200, 1e-9, 0.5, 3.0, 1e10, 1e300]
EXPONENTS = [-800.0, -30.0, -1.0, 0.0, 1e-12, 1.0, 1.0000001, 40.0, 1e300]
BASES = [1e-100, 1e-8, 0.3, 0.9999999, 1.0, 1.0000001, 2.0, 1e10, 1e100]
POWERS = [-3.0, -1.5, -1.0, -(2.0**-20), 0.0, 1e-300, 0.5, 1.0, 1.5, 2.0, 3.0]
# function -> (derivatives by x1, x2, x1 x1, x1 x2, x2 x2; values of x1; values of x2)
BINARY: dict[str, tuple[Callable[..., tuple[Any, ...]], list[float], list[float]]] = {
    "atan2": (_atan2, WIDE, WIDE),
    "divide": (_divide, WIDE, WIDE),
    "hypot": (_hypot, WIDE, WIDE),
    "logaddexp": (_logaddexp, EXPONENTS, EXPONENTS),
    "logaddexp2": (functools.partial(_logaddexp, scale=LN2), EXPONENTS, EXPONENTS),
    "pow": (_pow, BASES, POWERS),
}


@pytest.mark.parametrize("name", sorted(BINARY))
@pytest.mark.parametrize(("outer", "inner"), COMPOSITIONS)
def test_functions_of_two_arguments(name: str, outer: Composition, inner: Composition) -> None:
    truth, first, second = BINARY[name]
    points = list(itertools.product(first, second))
    x = [np.array(column) for column in zip(*points, strict=True)]
    exact = functools.cache(truth)
    f = getattr(ag, name)

    def part(k: int) -> Callable[..., Any]:
        return lambda *at: exact(*at)[k]

    with np.errstate(all="ignore"):
        for i in (0, 1):
            slope = inner(f, i)
            assert not _wrong(slope(*x), points, part(i))
            for j in (0, 1):
                assert not _wrong(outer(slope, j)(*x), points, part(2 + i + j))

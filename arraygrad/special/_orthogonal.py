"""Orthogonal polynomials and Legendre functions: derivatives by the argument."""

from __future__ import annotations

from typing import Any

from ..ops.comparison import maximum, minimum
from ..ops.exponential import exp, sqrt
from ..ops.parts import conj
from ..ops.searching import where
from ..ops.trigonometric import sin
from ._function import ORDER, PARAMETER, Special, special


def _lowered(n: Any, value: Any) -> Any:
    """A derivative that goes to degree n - 1; 0 for the constant polynomial."""
    return where(n == 0, 0, value)


def _below(n: Any) -> Any:
    """N - 1, but no negative degree where the polynomial is constant."""
    return where(n == 0, 0, n - 1)


def _gegenbauer_x(n: Any, alpha: Any, x: Any) -> Any:
    return _lowered(n, 2 * alpha * eval_gegenbauer(_below(n), alpha + 1, x))


def _legendre_x(n: Any, x: Any) -> Any:
    return _lowered(n, eval_gegenbauer(_below(n), 1.5, x))


def _chebyt_x(n: Any, x: Any) -> Any:
    return _lowered(n, n * eval_chebyu(_below(n), x))


def _chebyu_x(n: Any, x: Any) -> Any:
    return _lowered(n, 2 * eval_gegenbauer(_below(n), 2.0, x))


eval_legendre: Special = special("eval_legendre", ("n", "x"), n=ORDER, x=_legendre_x)
eval_chebyt: Special = special("eval_chebyt", ("n", "x"), n=ORDER, x=_chebyt_x)
eval_chebyu: Special = special("eval_chebyu", ("n", "x"), n=ORDER, x=_chebyu_x)
eval_chebyc: Special = special(
    "eval_chebyc", ("n", "x"), n=ORDER, x=lambda n, x: _chebyt_x(n, x / 2)
)
eval_chebys: Special = special(
    "eval_chebys", ("n", "x"), n=ORDER, x=lambda n, x: _chebyu_x(n, x / 2) / 2
)
eval_sh_legendre: Special = special(
    "eval_sh_legendre", ("n", "x"), n=ORDER, x=lambda n, x: 2 * _legendre_x(n, 2 * x - 1)
)
eval_sh_chebyt: Special = special(
    "eval_sh_chebyt", ("n", "x"), n=ORDER, x=lambda n, x: 2 * _chebyt_x(n, 2 * x - 1)
)
eval_sh_chebyu: Special = special(
    "eval_sh_chebyu", ("n", "x"), n=ORDER, x=lambda n, x: 2 * _chebyu_x(n, 2 * x - 1)
)
eval_gegenbauer: Special = special(
    "eval_gegenbauer", ("n", "alpha", "x"), n=ORDER, alpha=PARAMETER, x=_gegenbauer_x
)
eval_jacobi: Special = special(
    "eval_jacobi", ("n", "alpha", "beta", "x"), n=ORDER, alpha=PARAMETER, beta=PARAMETER,
    x=lambda n, alpha, beta, x: _lowered(
        n, (n + alpha + beta + 1) / 2 * eval_jacobi(_below(n), alpha + 1, beta + 1, x)),
)  # fmt: skip
eval_sh_jacobi: Special = special(
    "eval_sh_jacobi", ("n", "p", "q", "x"), n=ORDER, p=PARAMETER, q=PARAMETER,
    x=lambda n, p, q, x: _lowered(n, n * eval_sh_jacobi(_below(n), p + 2, q + 1, x)),
)  # fmt: skip
eval_laguerre: Special = special(
    "eval_laguerre", ("n", "x"), n=ORDER,
    x=lambda n, x: _lowered(n, -eval_genlaguerre(_below(n), 1.0, x)),
)  # fmt: skip
eval_genlaguerre: Special = special(
    "eval_genlaguerre", ("n", "alpha", "x"), n=ORDER, alpha=PARAMETER,
    x=lambda n, alpha, x: _lowered(n, -eval_genlaguerre(_below(n), alpha + 1, x)),
)  # fmt: skip
eval_hermite: Special = special(
    "eval_hermite", ("n", "x"), n=ORDER,
    x=lambda n, x: 2 * n * eval_hermite(maximum(n - 1, 0), x),
)  # fmt: skip
eval_hermitenorm: Special = special(
    "eval_hermitenorm", ("n", "x"), n=ORDER,
    x=lambda n, x: n * eval_hermitenorm(maximum(n - 1, 0), x),
)  # fmt: skip


def _lpmv_x(m: Any, v: Any, x: Any, out: Any) -> Any:
    inner = (v * x * out - (v + m) * lpmv(m, v - 1, x)) / (x**2 - 1)
    # At the ends the formula is 0 / 0; of order 0 it is a polynomial there.
    end = v * (v + 1) / 2
    at_end = where(x > 0, end, where(v % 2 == 0, -end, end))
    return where((m == 0) & (x**2 == 1), at_end, inner)


lpmv: Special = special("lpmv", ("m", "v", "x"), m=ORDER, v=ORDER, x=_lpmv_x)


def _harmonic_phi(m: Any, n: Any, theta: Any, phi: Any) -> Any:
    """By the ladder operators, which have no singularity at the poles."""
    up = sqrt(maximum((n - m) * (n + m + 1.0), 0.0))
    down = sqrt(maximum((n + m) * (n - m + 1.0), 0.0))
    above = sph_harm(minimum(m + 1, n), n, theta, phi)  # where the order ends, up is 0
    below = sph_harm(maximum(m - 1, -n), n, theta, phi)
    turn = exp(1j * theta)
    side = where(sin(phi) < 0, -0.5, 0.5)  # SciPy takes the absolute sine
    return side * (up * conj(turn) * above - down * turn * below)


# SciPy has it until 1.16.
sph_harm: Special = special(
    "sph_harm", ("m", "n", "theta", "phi"), m=ORDER, n=ORDER,
    theta=lambda m, out: 1j * m * out, phi=_harmonic_phi,
)  # fmt: skip

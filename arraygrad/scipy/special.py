"""Stand-ins for objects of ``scipy.special`` that are neither ufuncs nor functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import ArgumentError
from .._op import Rule
from ._rule import (
    plain,
    primitive_op,
    refuse,
    rule,
    scipy_object,
    tensor,
    xp,
)


def _harmonic_kernel(theta: Any, phi: Any, *, degree: Any, order: Any) -> Any:
    found = scipy_object("scipy.special.sph_harm_y")(degree, order, theta, phi)
    return np.where(np.abs(order) <= degree, found, 0.0)


def _harmonic_vjp(g: Any, theta: Any, phi: Any, out: Any, degree: Any, order: Any) -> Any:
    """By the ladder operators, which have no singularity at the poles."""
    up = np.sqrt(np.maximum((degree - order) * (degree + order + 1.0), 0.0))
    down = np.sqrt(np.maximum((degree + order) * (degree - order + 1.0), 0.0))
    above = _harmonic(theta, phi, degree=degree, order=order + 1)
    below = _harmonic(theta, phi, degree=degree, order=order - 1)
    turn = xp.exp(1j * phi)
    side = np.where(np.sin(plain(theta)) < 0.0, -1.0, 1.0)  # SciPy takes the absolute sine
    by_theta = side * (up * xp.conj(turn) * above - down * turn * below) / 2.0
    back = xp.conj(g)
    return xp.real(back * by_theta), xp.real(back * (1j * order) * out)


_harmonic: Any = primitive_op(
    "special.sph_harm_y", ("theta", "phi"), Rule(vjp=_harmonic_vjp), _harmonic_kernel
)


@rule("scipy.special.sph_harm_y")
def sph_harm_y(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: Any = 0) -> Any:
    """Spherical harmonics, differentiable in both angles.

    Notes
    -----
    With Y = Y_n^m: dY/dtheta = (sqrt((n - m)(n + m + 1)) e^(-i phi) Y_n^(m+1)
    - sqrt((n + m)(n - m + 1)) e^(i phi) Y_n^(m-1)) / 2, and dY/dphi = i m Y. At the poles the
    derivative by theta is that into the range from 0 to pi.
    """
    if diff_n not in (0, 1, 2):
        raise ArgumentError(f"scipy.special.sph_harm_y: diff_n={diff_n}; give 0, 1 or 2")
    theta, phi = (tensor(angle, "scipy.special.sph_harm_y", 3) for angle in (theta, phi))
    degree, order = np.asarray(plain(n)), np.asarray(plain(m))
    shape = np.broadcast_shapes(degree.shape, order.shape, theta.shape, phi.shape)
    scipy_object("scipy.special.sph_harm_y")(degree, order, 0.0, 0.0)  # its errors
    theta, phi = xp.broadcast_to(theta, shape), xp.broadcast_to(phi, shape)
    value = _harmonic(theta, phi, degree=degree, order=order)
    if not diff_n:
        return value
    slope = _by_theta(theta, phi, degree, order)
    gradient = xp.stack((slope, 1j * order * value), axis=-1)
    if diff_n == 1:
        return value, gradient
    bend, mixed = _by_theta(theta, phi, degree, order, twice=True), 1j * order * slope
    rows = (bend, mixed), (mixed, -(order**2) * value)
    return value, gradient, xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)


def _by_theta(theta: Any, phi: Any, degree: Any, order: Any, twice: bool = False) -> Any:
    """First or second derivative by theta, by the ladder operators."""
    side = np.where(np.sin(plain(theta)) < 0.0, -1.0, 1.0)
    out: Any = 0.0
    for step in (1, -1):
        size = np.sqrt(np.maximum((degree - step * order) * (degree + step * order + 1.0), 0.0))
        turn = xp.exp(-1j * step * phi)
        inner = (
            _by_theta(theta, phi, degree, order + step) if twice
            else _harmonic(theta, phi, degree=degree, order=order + step)
        )  # fmt: skip
        out = out + step * size * turn * inner
    return side * out / 2.0


# -- Legendre functions, of which SciPy gives the derivatives with the values ----------------------


def _legendre_kernel(
    z: Any, *, name: str, leading: tuple[Any, ...], order: int, options: Any
) -> Any:
    function = scipy_object(f"scipy.special.{name}")
    found = function(*leading, z, diff_n=max(order, 1), **dict(options))
    return np.asarray(found[order])


def _legendre_vjp(
    g: Any, z: Any, name: str, leading: tuple[Any, ...], order: int, options: Any
) -> Any:
    if order == 2:
        if not plain(g).any():
            return xp.zeros_like(z)
        raise refuse(f"scipy.special.{name}", "of the third order",
                     "write the polynomial with NumPy's functions")  # fmt: skip
    slope = _legendre(z, name=name, leading=leading, order=order + 1, options=options)
    out = g * xp.conj(slope)
    extra = out.ndim - z.ndim
    return xp.sum(out, axis=tuple(range(extra))) if extra else out


_legendre: Any = primitive_op("special.legendre", ("z",), Rule(vjp=_legendre_vjp), _legendre_kernel)


def _with_derivatives(name: str, summary: str) -> Any:
    """A family of Legendre functions; the last argument by position carries the gradient."""

    def function(*args: Any, diff_n: int = 0, **options: Any) -> Any:
        real = scipy_object(f"scipy.special.{name}")
        expected = real(*plain(args), diff_n=diff_n, **plain(options))  # its errors
        *leading, z = args
        z = tensor(z, f"scipy.special.{name}", len(args))
        leading = list(plain(tuple(leading)))
        if not name.endswith("_all"):
            shape = np.broadcast_shapes(*map(np.shape, leading), z.shape)
            z = xp.broadcast_to(z, shape)
        given = {"leading": tuple(leading), "options": tuple(sorted(plain(options).items()))}
        found = tuple(_legendre(z, name=name, order=d, **given) for d in range(diff_n + 1))
        if isinstance(expected, tuple):
            return found
        if diff_n == 0 and np.shape(expected) == found[0].shape:
            return found[0]
        return xp.stack(found)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary
    return rule(f"scipy.special.{name}")(function)


assoc_legendre_p = _with_derivatives("assoc_legendre_p", "Associated Legendre polynomials.")
assoc_legendre_p_all = _with_derivatives(
    "assoc_legendre_p_all", "Associated Legendre polynomials up to a degree and order."
)
legendre_p = _with_derivatives("legendre_p", "Legendre polynomials.")
legendre_p_all = _with_derivatives("legendre_p_all", "Legendre polynomials up to a degree.")
sph_legendre_p = _with_derivatives("sph_legendre_p", "Spherical Legendre polynomials.")
sph_legendre_p_all = _with_derivatives(
    "sph_legendre_p_all", "Spherical Legendre polynomials up to a degree and order."
)


@rule("scipy.special.sph_harm_y_all")
def sph_harm_y_all(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: Any = 0) -> Any:
    """Spherical harmonics of all degrees up to n and orders up to m; see `sph_harm_y`."""
    degree = np.arange(int(plain(n)) + 1)
    order = np.concatenate((np.arange(int(plain(m)) + 1), np.arange(-int(plain(m)), 0)))
    theta, phi = (tensor(a, "scipy.special.sph_harm_y_all", 3) for a in (theta, phi))
    shape = np.broadcast_shapes(theta.shape, phi.shape)
    wide = (1,) * len(shape)
    return sph_harm_y(
        degree.reshape((-1, 1, *wide)), order.reshape((1, -1, *wide)), theta, phi, diff_n=diff_n
    )

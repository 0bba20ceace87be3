"""Stand-ins for objects of ``scipy.special`` that are neither ufuncs nor functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._op import Rule
from ._rule import plain, primitive_op, refuse, rule, scipy_object, tensor, xp


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
    if diff_n:
        raise refuse("scipy.special.sph_harm_y", "with diff_n=", "differentiate the value twice")
    theta, phi = (tensor(angle, "scipy.special.sph_harm_y", 3) for angle in (theta, phi))
    degree, order = np.asarray(plain(n)), np.asarray(plain(m))
    shape = np.broadcast_shapes(degree.shape, order.shape, theta.shape, phi.shape)
    scipy_object("scipy.special.sph_harm_y")(degree, order, 0.0, 0.0)  # its errors
    theta, phi = xp.broadcast_to(theta, shape), xp.broadcast_to(phi, shape)
    return _harmonic(theta, phi, degree=degree, order=order)

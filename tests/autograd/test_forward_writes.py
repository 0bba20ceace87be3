"""Forward mode through in-place writes: equal to the reverse mode, alone and composed with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arraygrad as ag

X = np.array([0.5, 1.5, -0.7])
V = np.array([0.3, -1.1, 0.8])


def filled(x: Any) -> Any:
    z = ag.zeros(3)
    z[:] = x
    z[0] *= z[1]
    return z.sum()


def element_by_element(x: Any) -> Any:
    z = ag.zeros((2, 3))
    for i in range(3):
        z[1, i] = x[i] ** 2
        z[0] += z[1]
    return (z * z).sum()


def through_views(x: Any) -> Any:
    z = ag.zeros((3, 3))
    z.T[1:, ::2] = x[1:, None]
    z.diagonal()[...] += x
    rows = list(z)
    rows[0] *= rows[1]
    return (z**2).sum()


def own_argument(x: Any) -> Any:
    x[0] = x[1] * x[2]
    x[::-1] += x
    return (x * x).sum()


def constant_into_tracked(x: Any) -> Any:
    y = x * x
    y[[0, 2]] = 2.0
    y[x > 1] = 0
    return (y * x).sum()


def masked_and_out(x: Any) -> Any:
    y = ag.ones(3)
    np.multiply(x, x, out=y, where=np.array([True, False, True]))
    y[ag.asarray([0, 0])] = x[1:]
    np.add.at(y, [1, 1], x[:2])
    return (y * y).sum()


PROGRAMS = [
    filled, element_by_element, through_views, own_argument, constant_into_tracked, masked_and_out,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_forward_mode_equals_reverse_mode(f: Any) -> None:
    """Writes into a constant, or of one, had no tangent: a TypeError from inside."""
    want = ag.grad(f)(X)
    np.testing.assert_allclose(ag.jvp(f, (X,), (V,))[1], want @ V, rtol=1e-12)
    np.testing.assert_allclose(ag.jacfwd(f)(X), want, rtol=1e-12)


@pytest.mark.parametrize("f", PROGRAMS)
def test_compositions_of_modes_agree(f: Any) -> None:
    h = 1e-5
    want = (ag.grad(f)(X + h * V) - ag.grad(f)(X - h * V)) / (2 * h)
    forward_over_reverse = ag.jvp(ag.grad(f), (X,), (V,))[1]
    reverse_over_forward = ag.grad(lambda x: ag.jvp(f, (x,), (V,))[1])(X)
    reverse_over_reverse = ag.grad(lambda x: (ag.grad(f)(x) * V).sum())(X)
    for got in (forward_over_reverse, reverse_over_forward, reverse_over_reverse):
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-8)

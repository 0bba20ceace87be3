"""Second derivatives at the kink of a norm: abs, hypot, norms and std where they are zero.

There these functions r(x) have no derivative; the first-order rules take the subgradient of least
norm, zero. That is not enough for the second derivative of, say, r**2: its gradient 2 r x / r is
2 x, but the product of r = 0 and a direction x / r that was set to zero has lost it.

In a recorded pass the cotangent g of r is itself part of a graph, so that it can be asked how it
grows with the distance from the kink. Where g is zero there and grows at one rate c along all
directions, the cotangent of x near the kink is g x / r = c x: a term that is zero, and whose
derivative c is all that was missing. Where g is not zero, or grows at different rates (as for
abs(a) * abs(b)), there is no second derivative, and asking for it is a GradientError. In forward
mode the tangent of r is known before its use is, so that a derivative of it by way of r is taken
to be zero with a GradientWarning.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from .._apply import apply, cast, node_of, wrap
from .._cotangents import add, times
from .._dispatch import register_kernel
from .._engine import ancestors
from .._errors import GradientError, GradientWarning
from .._forward_pass import push_forward
from .._graph import ATTRIBUTES, INPUTS, is_grad_enabled
from .._op import Op, Rule, declare


def _at_kink(where: str) -> str:
    return (
        f"{where}, where its second derivative does not exist; write squares without it, "
        "e.g. sum(x * x), or keep away from the kink, e.g. sqrt(x * x + 1e-12)"
    )


def _warn(where: str) -> None:
    warnings.warn(
        f"{where}, where a second derivative cannot be told from tangents: in forward mode it is "
        "taken to be zero, which is wrong for functions that are smooth there, such as squares. "
        "Differentiate first in reverse mode (ag.hessian does), or write squares without it, e.g. "
        "sum(x * x)",
        GradientWarning,
        stacklevel=2,
    )


def _nonzero(g: Any, mask: Any) -> Any:
    return (g._array != 0) & mask


def _zero_vjp(g: Any, mask: Any, where: str, kind: str) -> Any:
    nonzero = _nonzero(g, mask)
    if kind != "linear" and nonzero.any():
        raise GradientError(where if kind == "sharp" else _at_kink(where))
    if kind != "sharp" and (mask & ~nonzero).any():
        _warn(where)
    return wrap(np.zeros(g._array.shape, g._array.dtype))


def _zero_jvp(t: Any, mask: Any, where: str, kind: str) -> Any:
    if kind != "sharp":
        _warn(where)
    elif _nonzero(t[0], mask).any():
        raise GradientError(where)
    return wrap(np.zeros(t[0]._array.shape, t[0]._array.dtype))


# kind: "sharp", a cotangent; "tangent"; "linear", the tangent of a function that is linear on both
# sides of its kink. where: what is the case there in words; of a cotangent the whole message.
ZERO_AT_KINK = declare(
    Op("zero_at_kink", ("x",), Rule(x=_zero_vjp, jvp=_zero_jvp), dtypes="floating only",
       scalar=False)
)  # fmt: skip
register_kernel("zero_at_kink", lambda x, *, mask, where, kind: np.zeros_like(x))


def zero_without_derivative(x: Any, mask: Any, message: str) -> Any:
    """Zeros whose derivative is a GradientError where `mask` is true."""
    return apply(ZERO_AT_KINK, x, mask=mask, where=message, kind="sharp")


def tangent_in_doubt(t: Any, out: Any, mask: Any, where: str) -> Any:
    """The tangent `t` of `out`; its derivative warns: it may be wrong under `mask`."""
    if not is_grad_enabled() or node_of(out) is None or not mask.any():
        return t
    return add(t, apply(ZERO_AT_KINK, out, mask=mask, where=where, kind="linear"))


def _kinked_vjp(g: Any, x: Any, mask: Any, cut: bool, where: str) -> Any:
    c = times(g, wrap((~mask).astype(g._array.dtype))) if cut else g
    if not is_grad_enabled() or node_of(x) is None:
        return c
    used = mask if node_of(g) is not None else mask & (g._array != 0)
    return add(c, zero_without_derivative(x, used, _at_kink(where))) if used.any() else c


def _kinked_jvp(t: Any, x: Any, mask: Any, cut: bool, where: str) -> Any:
    moved = times(t[0], wrap((~mask).astype(t[0]._array.dtype))) if cut else t[0]
    if not is_grad_enabled() or node_of(x) is None:
        return moved
    return add(moved, zero_without_derivative(x, mask, _at_kink(where)))


KINKED = declare(
    Op("kinked", ("x",), Rule(x=_kinked_vjp, jvp=_kinked_jvp), dtypes="floating only",
       scalar=False)
)  # fmt: skip
register_kernel(
    "kinked", lambda x, *, mask, cut, where: np.where(mask, x.dtype.type(0), x) if cut else x.copy()
)


def kinked(x: Any, mask: Any, where: str, *, cut: bool = False) -> Any:
    """X, whose elements under `mask` must not be differentiated twice; with `cut` they are 0."""
    return apply(KINKED, x, mask=mask, cut=cut, where=where) if mask.any() else x


# Whether tangents are those of `_rates`: one-sided at kinks.
_ONE_SIDED: ContextVar[bool] = ContextVar("arraygrad_one_sided_tangents", default=False)


def tangent_at_kink(
    t: Any, out: Any, function: str, one_sided: Callable[[], Any], *, linear: bool = False
) -> Any:
    """The tangent `t` of `out`; its derivative warns if `out` is zero somewhere.

    `one_sided` gives the size of the step of `out` away from its kink.
    """
    if not is_grad_enabled() or node_of(out) is None:
        return t
    mask = out._array == 0
    if not mask.any():
        return t
    if _ONE_SIDED.get():
        return add(t, wrap(np.where(mask, one_sided(), 0).astype(t._array.dtype)))
    kind = "linear" if linear else "tangent"
    where = f"{function} is zero"
    return add(t, apply(ZERO_AT_KINK, out, mask=mask, where=where, kind=kind))


def _rates(
    g: Any, asked: Any, xs: Sequence[Any], size: Callable[..., Any]
) -> tuple[Any, Any] | None:
    """How `g` grows with the distance from the kink, and where that depends on the direction.

    All that the arguments depend on takes a random step and then another one, mostly opposite; a
    function that is smooth at the kink grows at the same rate along both.
    """
    nodes = [node_of(x) for x in xs]
    sources = [n for n in ancestors(nodes) if all(i is None for i in n[INPUTS])]
    if not sources or any("shape" not in (n[ATTRIBUTES] or ()) for n in sources):
        return None
    rng = np.random.default_rng(0)
    steps = [_random_step(rng, n[ATTRIBUTES]) for n in sources]
    turned = [np.asarray(-t * rng.uniform(0.5, 1.5, t.shape), t.dtype) for t in steps]
    rates = []
    token = _ONE_SIDED.set(True)
    try:
        for step in (steps, turned):
            tangents = [
                wrap(t.astype(n[ATTRIBUTES]["dtype"])) for t, n in zip(step, sources, strict=True)
            ]
            moved, *along = push_forward([node_of(g), *nodes], sources, tangents, True)
            if moved is None:
                return None
            given = [
                np.zeros_like(x._array) if t is None else t._array
                for x, t in zip(xs, along, strict=True)
            ]
            distance = np.asarray(size(*given)).reshape(asked.shape)
            usable = asked & (distance > 0)
            inverse = np.where(usable, 1 / np.where(usable, distance, 1), 0)
            rates.append(times(moved, wrap(inverse.astype(g._array.dtype))))
    finally:
        _ONE_SIDED.reset(token)
    first, second = rates[0]._array, rates[1]._array
    bound = 1e-6 * max(abs(first).max(initial=0), abs(second).max(initial=0))
    return rates[0], asked & ~(abs(first - second) <= bound)


def _random_step(rng: np.random.Generator, like: dict[str, Any]) -> Any:
    step = rng.standard_normal(like["shape"])
    if np.dtype(like["dtype"]).kind == "c":
        step = step + 1j * rng.standard_normal(like["shape"])
    return np.asarray(step, like["dtype"])


def cotangents_at_kink(
    cs: Sequence[Any],
    g: Any,
    xs: Sequence[Any],
    out: Any,
    function: str,
    size: Callable[..., Any],
    *,
    near: Sequence[Any] | None = None,
    spread: Callable[[Any], Any] = lambda t: t,
    linear: bool = False,
    quadratic: bool = True,
) -> list[Any]:
    """The cotangents `cs` of xs, zero where `out` is, with what their derivatives lack.

    Parameters
    ----------
    cs, xs : sequence of Tensor
        The arguments' cotangents by the first-order rule (None: not wanted), and the arguments.
    g, out : Tensor
        The result and its cotangent, the latter in any shape that `spread` takes to that of xs.
    function : str
        Its name, for errors.
    size : callable
        The function itself on arrays, positively homogeneous.
    near : sequence of Tensor, optional
        What the cotangents are multiples of near the kink; the arguments by default.
    spread : callable
        Broadcasts a tensor of the shape of `g` to that of xs.
    linear : bool
        The function is linear on both sides of its kink: where `g` is not zero the second
        derivative is zero, as everywhere else.
    quadratic : bool
        The function's square is smooth at the kink.
    """
    cs = list(cs)
    if not is_grad_enabled() or all(node_of(x) is None for x in xs):
        return cs
    zero = out._array.reshape(g._array.shape) == 0
    if not zero.any():
        return cs
    sharp = np.zeros(zero.shape, bool) if linear else zero & (g._array != 0)
    asked = zero & (g._array == 0)
    found = _rates(g, asked, xs, size) if node_of(g) is not None and asked.any() else None
    if found is not None:
        sharp |= found[1] if quadratic else found[1] | (found[0]._array != 0)
    for i, (c, x) in enumerate(zip(cs, near or xs, strict=True)):
        if c is None or node_of(x) is None:
            continue
        if found is not None:
            cs[i] = add(cs[i], times(cast(spread(found[0]), x._array.dtype), x))
        if sharp.any():
            mask = spread(wrap(sharp))._array
            cs[i] = add(cs[i], zero_without_derivative(x, mask, _at_kink(f"{function} is zero")))
    return cs


def limit_at_root(c: Any, g: Any, out: Any) -> Any:
    """The cotangent `c` = g / (2 out) with its limit where a recorded `g` is zero as `out` is."""
    if not is_grad_enabled() or out._array.dtype.kind == "c" or (out._array != 0).all():
        return c
    asked = (out._array == 0) & (g._array == 0)
    node, target = node_of(g), node_of(out)
    if node is None or target is None or not asked.any():
        return c
    moved = push_forward([node], [target], [wrap(asked.astype(out._array.dtype))], True)[0]
    if moved is None:
        return c
    return add(c, times(moved, wrap((0.5 * asked).astype(g._array.dtype))))

"""The few ops that the derivative machinery itself computes with.

``absorbing_multiply(g, p)`` is g * p with one convention: an exact zero on either side gives an
exact zero, even against infinity or NaN. It is what makes the gradient of the branch that `where`
did not select zero instead of NaN, and the gradient of sqrt(x * x) at 0 finite. To hunt NaNs the
convention can be switched off with ``ag.set_absorbing_zeros(False)``.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from ._apply import BROADCAST_TO, apply, node_of, operand, view
from ._elementwise import binary, prepare, unary
from ._layout import broadcast_shapes
from ._op import Bilinear, Linear, Op, Rule, declare
from ._short import choice
from ._storage import TensorBase

ADD = declare(
    Op("add", ("x1", "x2"), Linear(x1=lambda g: g, x2=lambda g: g), dtypes="numeric",
       family="elementwise")
)  # fmt: skip

CONJ = declare(
    Op("conj", ("x",), Linear(x=lambda g: conj(g)), dtypes="numeric", family="elementwise")
)

MULTIPLY = declare(
    Op("multiply", ("x1", "x2"),
       Bilinear(x1=lambda g, x2: times(g, conj(x2)), x2=lambda g, x1: times(g, conj(x1)),
                product=lambda x1, x2: times(x1, x2)),
       dtypes="numeric", family="elementwise")
)  # fmt: skip

ABSORBING_MULTIPLY = declare(
    Op("absorbing_multiply", ("x1", "x2"),
       Bilinear(x1=lambda g, x2: times(g, conj(x2)), x2=lambda g, x1: times(g, conj(x1))),
       dtypes="numeric", family="elementwise")
)  # fmt: skip

WHERE = declare(
    Op("where", ("condition", "x1", "x2"),
       Rule(x1=lambda g, condition: where(condition, g, 0),
            x2=lambda g, condition: where(condition, 0, g),
            jvp=lambda t, condition: where(
                condition, *(0 if part is None else part for part in t[1:]))))
)  # fmt: skip

_ABSORB: ContextVar[bool] = ContextVar("arraygrad_absorbing_zeros", default=True)


def set_absorbing_zeros(enabled: bool) -> None:
    """Say whether a zero cotangent absorbs an infinite or NaN partial.

    Parameters
    ----------
    enabled : bool
        True (the default): 0 times inf is 0 in a backward pass, so that the branch that ``where``
        did not take adds nothing. False shows where NaN comes from. Holds for the current context
        (thread or task).

    Notes
    -----
    A zero absorbs whatever made it: also one that is the limit of what an infinite partial would
    bring back. The gradient of sqrt(x)**2 at 0 is 0 and not 1, and that of log(1 + exp(x)) at 800,
    where exp overflows (NumPy warns of it), is 0 and not 1: no rule can undo what the forward pass
    lost. Write x and ``logaddexp(0, x)``. With False both are NaN. A pass that records a graph
    (``create_graph``, second derivatives) knows how the cotangent changes and takes the limit for
    norms, hypot, abs, std and sqrt at 0: there the gradient of sqrt(x)**2 is 1. A pass that does
    not would have to keep and record everything above each root of zero, those of the distances
    of points from themselves as well, where the limit changes nothing.

    Examples
    --------
    >>> import numpy as np, arraygrad as ag
    >>> gradient = ag.grad(lambda x: np.sqrt(x) ** 2)
    >>> gradient(0.0)
    0.0
    >>> ag.set_absorbing_zeros(False)
    >>> gradient(0.0)
    nan
    >>> ag.set_absorbing_zeros(True)
    """
    _ABSORB.set(bool(enabled))


def absorbs() -> bool:
    """Whether a zero cotangent absorbs an infinite or NaN partial in this context."""
    return _ABSORB.get()


def conj(x: Any) -> Any:
    """The complex conjugate; a real tensor itself."""
    return unary(CONJ, x) if x._array.dtype.kind == "c" else x


def add(x1: Any, x2: Any) -> Any:
    return binary(ADD, x1, x2)


def times(g: Any, p: Any) -> Any:
    """Cotangent times partial."""
    return binary(ABSORBING_MULTIPLY if _ABSORB.get() else MULTIPLY, g, p)


def where(condition: Any, x1: Any, x2: Any) -> Any:
    """Elements of `x1` where `condition` is true, of `x2` elsewhere; all three broadcast."""
    out = choice(WHERE, condition, x1, x2)
    if out is not None:
        return out
    condition = operand(condition, "where", 1)
    if isinstance(x1, TensorBase) and isinstance(x2, TensorBase):
        a1, a2 = x1._array, x2._array
        if a1.dtype is a2.dtype and a1.shape == a2.shape == condition._array.shape:
            return apply(WHERE, condition, x1, x2)
    tensors, _, shape = prepare(WHERE, (x1, x2))
    full = broadcast_shapes(shape, condition._array.shape)
    x1, x2 = (
        view(BROADCAST_TO, t, shape=full) if t._array.shape != full and node_of(t) else t
        for t in tensors
    )
    return apply(WHERE, condition, x1, x2)

"""Hypergeometric functions, and their kin with a formula through them."""

from __future__ import annotations

from typing import Any

from .._cotangents import times
from .._op import Op
from ..ops.exponential import exp
from ._function import PARAMETER, Special, special
from ._parameters import by_parameters
from ._shapes import make_op, run


def _by_parameters(name: str, args: tuple[str, ...]) -> Any:
    """The derivative by parameters (orders) and by z (steps) as an op, closed under both."""

    def found(*values: Any, orders: tuple[int, ...], steps: int = 0) -> Any:
        return run(op, *values, orders=orders, steps=steps)

    def kernel(*arrays: Any, orders: tuple[int, ...], steps: int) -> Any:
        return by_parameters(*arrays, name=name, orders=orders, steps=steps)

    def pull(g: Any, values: Any, i: int, orders: tuple[int, ...], steps: int) -> Any:
        if i == len(orders):
            return times(g, found(*values, orders=orders, steps=steps + 1))
        raised = (*orders[:i], orders[i] + 1, *orders[i + 1 :])
        return times(g, found(*values, orders=raised, steps=steps))

    every: dict[int, dict[str, Any]] = {
        2: {
            "v": lambda g, v, z, orders, steps: pull(g, (v, z), 0, orders, steps),
            "z": lambda g, v, z, orders, steps: pull(g, (v, z), 1, orders, steps),
        },
        3: {
            "a": lambda g, a, b, x, orders, steps: pull(g, (a, b, x), 0, orders, steps),
            "b": lambda g, a, b, x, orders, steps: pull(g, (a, b, x), 1, orders, steps),
            "x": lambda g, a, b, x, orders, steps: pull(g, (a, b, x), 2, orders, steps),
        },
        4: {
            "a": lambda g, a, b, c, z, orders, steps: pull(g, (a, b, c, z), 0, orders, steps),
            "b": lambda g, a, b, c, z, orders, steps: pull(g, (a, b, c, z), 1, orders, steps),
            "c": lambda g, a, b, c, z, orders, steps: pull(g, (a, b, c, z), 2, orders, steps),
            "z": lambda g, a, b, c, z, orders, steps: pull(g, (a, b, c, z), 3, orders, steps),
        },
    }  # fmt: skip
    op: Op = make_op(f"{name}_parameters", args, kernel, **every[len(args)])
    return found


_of_0f1 = _by_parameters("hyp0f1", ("v", "z"))
_of_1f1 = _by_parameters("hyp1f1", ("a", "b", "x"))
_of_2f1 = _by_parameters("hyp2f1", ("a", "b", "c", "z"))

hyp0f1: Special = special(
    "hyp0f1", ("v", "z"), v=lambda v, z: _of_0f1(v, z, orders=(1,)),
    z=lambda v, z: hyp0f1(v + 1, z) / v,
)  # fmt: skip
hyp1f1: Special = special(
    "hyp1f1", ("a", "b", "x"),
    a=lambda a, b, x: _of_1f1(a, b, x, orders=(1, 0)),
    b=lambda a, b, x: _of_1f1(a, b, x, orders=(0, 1)),
    x=lambda a, b, x: a / b * hyp1f1(a + 1, b + 1, x),
)  # fmt: skip
hyp2f1: Special = special(
    "hyp2f1", ("a", "b", "c", "z"),
    a=lambda a, b, c, z: _of_2f1(a, b, c, z, orders=(1, 0, 0)),
    b=lambda a, b, c, z: _of_2f1(a, b, c, z, orders=(0, 1, 0)),
    c=lambda a, b, c, z: _of_2f1(a, b, c, z, orders=(0, 0, 1)),
    z=lambda a, b, c, z: a * b / c * hyp2f1(a + 1, b + 1, c + 1, z),
)  # fmt: skip
hyperu: Special = special(
    "hyperu", ("a", "b", "x"), a=PARAMETER, b=PARAMETER,
    x=lambda a, b, x: -a * hyperu(a + 1, b + 1, x),
)  # fmt: skip
# exprel(x) is 1F1(1; 2; x): its derivative has no cancellation at 0 in that form.
exprel: Special = special("exprel", x=lambda x: hyp1f1(2.0, 3.0, x) / 2)
wright_bessel: Special = special(
    "wright_bessel", ("a", "b", "x"), a=PARAMETER, b=PARAMETER,
    x=lambda a, b, x: wright_bessel(a, a + b, x),
)  # fmt: skip
log_wright_bessel: Special = special(
    "log_wright_bessel", ("a", "b", "x"), a=PARAMETER, b=PARAMETER,
    x=lambda a, b, x, out: exp(log_wright_bessel(a, a + b, x) - out),
)  # fmt: skip

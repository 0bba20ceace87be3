"""Powers of integers, wrapping around, without branches.

Binary exponentiation over all bits of the exponent, unrolled; `quick` is for exponents below 16.
Negative exponents are not for these functions: their bits are taken as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["exceeds", "power", "quick"]

_WIDTHS = {"b": 8, "B": 8, "h": 16, "H": 16, "i": 32, "I": 32, "l": 64, "L": 64}


def _step(total, base, bits):
    """The lowest bit of the exponent: (total times base if it is set, base squared, other bits)."""
    return (total * base if bits & 1 else total), base * base, bits >> 1


def _twice(step: Callable[..., Any]) -> Callable[..., Any]:
    def steps(total, base, bits):
        total, base, bits = step(total, base, bits)
        return step(total, base, bits)

    return steps


def _power(steps: Callable[..., Any]) -> Callable[..., Any]:
    def power(x1, x2):
        total, _, _ = steps(x1 - x1 + 1, x1, x2)
        return total

    return power


_four = _twice(_twice(_step))
_eight = _twice(_four)
_sixteen = _twice(_eight)
_thirty_two = _twice(_sixteen)
_STEPS = {8: _eight, 16: _sixteen, 32: _thirty_two, 64: _twice(_thirty_two)}

quick = _power(_four)
power = {code: _power(_STEPS[bits]) for code, bits in _WIDTHS.items()}


def exceeds(x1, x2):
    """Whether `quick` does not apply."""
    return x2 > 15

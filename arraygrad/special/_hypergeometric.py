"""Hypergeometric functions, and their kin with a formula through them: by the argument."""

from __future__ import annotations

from ..ops.exponential import exp
from ._function import PARAMETER, Special, special

hyp0f1: Special = special("hyp0f1", ("v", "z"), v=PARAMETER, z=lambda v, z: hyp0f1(v + 1, z) / v)
hyp1f1: Special = special(
    "hyp1f1", ("a", "b", "x"), a=PARAMETER, b=PARAMETER,
    x=lambda a, b, x: a / b * hyp1f1(a + 1, b + 1, x),
)  # fmt: skip
hyp2f1: Special = special(
    "hyp2f1", ("a", "b", "c", "z"), a=PARAMETER, b=PARAMETER, c=PARAMETER,
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

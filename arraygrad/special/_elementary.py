"""Elementary functions in SciPy's forms: powers, logarithms, angles, losses and entropies."""

from __future__ import annotations

import math
from typing import Any

from ..ops import exponential, parts, rounding
from ..ops.comparison import clip, equal, less, less_equal
from ..ops.exponential import exp, log, pow, sigmoid, sqrt
from ..ops.searching import where
from ..ops.trigonometric import sin
from ._function import Special, special
from ._hypergeometric import hyp1f1

_DEGREE = math.pi / 180


def _quotient(x: Any, y: Any) -> Any:
    """X / y, and 0 where x is 0 even if y is."""
    return where(equal(x, 0), 0, x / y)


# -- exponentials and logarithms -------------------------------------------------------------------

cbrt: Special = special("cbrt", ours=exponential.cbrt, x=lambda out: 1 / (3 * out**2))
exp2: Special = special("exp2", ours=exponential.exp2, x=lambda out: out * math.log(2))
exp10: Special = special("exp10", x=lambda out: out * math.log(10))
expm1: Special = special("expm1", ours=exponential.expm1, x=lambda x: exp(x))
log1p: Special = special("log1p", ours=exponential.log1p, x=lambda x: 1 / (1 + x))
expit: Special = special("expit", ours=sigmoid, x=lambda x, out: out * sigmoid(-x))
log_expit: Special = special("log_expit", x=lambda x: sigmoid(-x))
logit: Special = special("logit", x=lambda x: 1 / (x * (1 - x)))
round: Special = special("round", ours=rounding.rint, x=lambda: 0.0)
xlogy: Special = special("xlogy", ("x", "y"), x=lambda y: log(y), y=lambda x, y: _quotient(x, y))
xlog1py: Special = special(
    "xlog1py", ("x", "y"), x=lambda y: log1p(y), y=lambda x, y: _quotient(x, 1 + y)
)
powm1: Special = special(
    "powm1", ("x", "y"), x=lambda x, y: y * pow(x, y - 1), y=lambda x, out: xlogy(out + 1, x)
)

# -- angles in degrees -----------------------------------------------------------------------------

sindg: Special = special("sindg", x=lambda x: _DEGREE * cosdg(x))
cosdg: Special = special("cosdg", x=lambda x: -_DEGREE * sindg(x))
tandg: Special = special("tandg", x=lambda out: _DEGREE * (1 + out**2))
cotdg: Special = special("cotdg", x=lambda out: -_DEGREE * (1 + out**2))
cosm1: Special = special("cosm1", x=lambda x: -sin(x))
radian: Special = special(
    "radian", ("d", "m", "s"),
    d=lambda: _DEGREE, m=lambda: _DEGREE / 60, s=lambda: _DEGREE / 3600,
)  # fmt: skip

# -- losses and entropies --------------------------------------------------------------------------


def _distance_slope(delta: Any, r: Any) -> Any:
    """How far the pseudo-Huber loss bends: sqrt(1 + (r / delta)**2)."""
    return sqrt(1 + (r / delta) ** 2)


def _pseudo_huber_delta(delta: Any, r: Any) -> Any:
    bend = _distance_slope(delta, r)
    squared = (r / delta) ** 2 / (bend + 1)  # bend - 1 without cancellation
    return where(equal(delta, 0), 0, delta * squared**2 / bend)


huber: Special = special(
    "huber", ("delta", "r"),
    delta=lambda delta, r: where(less_equal(parts.abs(r), delta), 0, parts.abs(r) - delta),
    r=lambda delta, r: clip(r, -delta, delta),
)  # fmt: skip
pseudo_huber: Special = special(
    "pseudo_huber", ("delta", "r"),
    delta=_pseudo_huber_delta,
    r=lambda delta, r: where(equal(delta, 0), 0, r / _distance_slope(delta, r)),
)  # fmt: skip
entr: Special = special("entr", x=lambda x: where(less(x, 0), 0, -log(x) - 1))
rel_entr: Special = special(
    "rel_entr", ("x", "y"),
    x=lambda x, y: log(x / y) + 1, y=lambda x, y: -_quotient(x, y),
)  # fmt: skip
kl_div: Special = special(
    "kl_div", ("x", "y"),
    x=lambda x, y: log(x / y), y=lambda x, y: 1 - _quotient(x, y),
)  # fmt: skip

# -- the transformations of Box and Cox, and Tukey's lambda ----------------------------------------


def _bent(logarithm: Any, lmbda: Any) -> Any:
    """d/d lmbda of (x**lmbda - 1) / lmbda from log(x), without cancellation at lmbda == 0."""
    # At x == 0 the logarithm is -inf: there the function is -1 / lmbda.
    at_zero = equal(logarithm, -math.inf)
    safe = where(at_zero, 0, logarithm)
    bent = safe**2 * hyp1f1(2.0, 3.0, lmbda * safe) / 2
    return where(at_zero, 1 / lmbda**2, bent)


boxcox: Special = special(
    "boxcox", ("x", "lmbda"),
    x=lambda x, lmbda: pow(x, lmbda - 1), lmbda=lambda x, lmbda: _bent(log(x), lmbda),
)  # fmt: skip
boxcox1p: Special = special(
    "boxcox1p", ("x", "lmbda"),
    x=lambda x, lmbda: exp((lmbda - 1) * log1p(x)), lmbda=lambda x, lmbda: _bent(log1p(x), lmbda),
)  # fmt: skip
inv_boxcox: Special = special(
    "inv_boxcox", ("x", "lmbda"),
    x=lambda lmbda, out: pow(out, 1 - lmbda),
    lmbda=lambda lmbda, out: -_bent(log(out), lmbda) * pow(out, 1 - lmbda),
)  # fmt: skip
inv_boxcox1p: Special = special(
    "inv_boxcox1p", ("x", "lmbda"),
    x=lambda lmbda, out: exp((1 - lmbda) * log1p(out)),
    lmbda=lambda lmbda, out: -_bent(log1p(out), lmbda) * exp((1 - lmbda) * log1p(out)),
)  # fmt: skip


def _tukey_density(x: Any, lmbda: Any, out: Any) -> Any:
    density = 1 / (pow(out, lmbda - 1) + pow(1 - out, lmbda - 1))
    return where((lmbda > 0) & (parts.abs(x) * lmbda >= 1), 0, density)


def _tukey_lmbda(x: Any, lmbda: Any, out: Any) -> Any:
    bent = _bent(log(out), lmbda) - _bent(log1p(-out), lmbda)
    return -_tukey_density(x, lmbda, out) * bent


tklmbda: Special = special("tklmbda", ("x", "lmbda"), x=_tukey_density, lmbda=_tukey_lmbda)

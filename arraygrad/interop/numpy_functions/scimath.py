"""numpy.emath: square roots and logarithms whose result is complex where it must be."""

from __future__ import annotations

import numpy as np

from .rebinding import rebound

sqrt = rebound(np.emath.sqrt)
log = rebound(np.emath.log)
log10 = rebound(np.emath.log10)
logn = rebound(np.emath.logn)
log2 = rebound(np.emath.log2)
power = rebound(np.emath.power)
arccos = rebound(np.emath.arccos)
arcsin = rebound(np.emath.arcsin)
arctanh = rebound(np.emath.arctanh)

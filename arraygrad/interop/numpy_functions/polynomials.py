"""NumPy's functions of polynomials by their coefficients, highest power first.

``roots`` has the derivative of the eigenvalues of the companion matrix: at multiple roots it does
not exist.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import operand
from ...ops import indexing
from .multiplying import convolve
from .rebinding import computed, rebound

poly = rebound(np.poly)
polyadd = rebound(np.polyadd)
polysub = rebound(np.polysub)
polydiv = rebound(np.polydiv)
polyder = rebound(np.polyder)
polyint = rebound(np.polyint)
polyval = rebound(np.polyval)
polyfit = rebound(np.polyfit)
roots = rebound(np.roots)
vander = rebound(np.vander)

# Open to other arrays since NumPy 2.5.
for _name in ("polyval2d", "polyval3d", "polyvalnd", "polygrid2d", "polygrid3d", "polygridnd"):
    _function = getattr(np.polynomial.polynomial, _name, None)
    if hasattr(_function, "_implementation"):
        rebound(_function)


@answers(np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    """np.polymul."""
    if isinstance(a1, np.poly1d) or isinstance(a2, np.poly1d):
        return computed(np.polymul, (a1, a2), {})
    return convolve(_trimmed(a1), _trimmed(a2))


def _trimmed(coefficients: Any) -> Any:
    """Without leading zeros; one zero if there is nothing else."""
    x = operand(coefficients, "polymul")
    x = x.reshape(1) if not x._array.ndim else x
    nonzero = np.flatnonzero(x._array)
    start = nonzero[0] if nonzero.size else x._array.size - 1
    return indexing.getitem(x, slice(int(start), None))

"""NumPy's functions of polynomials by their coefficients, highest power first.

``roots`` has the derivative of the eigenvalues of the companion matrix: at multiple roots it does
not exist.
"""

from __future__ import annotations

import numpy as np

from .rebinding import rebound

poly = rebound(np.poly)
polyadd = rebound(np.polyadd)
polysub = rebound(np.polysub)
polymul = rebound(np.polymul)
polydiv = rebound(np.polydiv)
polyder = rebound(np.polyder)
polyint = rebound(np.polyint)
polyval = rebound(np.polyval)
polyfit = rebound(np.polyfit)
roots = rebound(np.roots)
vander = rebound(np.vander)

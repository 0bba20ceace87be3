"""One plain Python function per elementwise operation: values and partial derivatives.

Knows neither Numba nor arrays; `cpu` compiles these into ufuncs.
"""

from __future__ import annotations

from arraygrad_kernels.scalars.partials import PARTIALS
from arraygrad_kernels.scalars.table import SCALARS

__all__ = ["PARTIALS", "SCALARS"]

"""Which elementwise kernels are faster than NumPy's loops, by measurement.

Regenerate with ``python -m benchmarks.choose``.
"""

from __future__ import annotations

__all__ = ["PREFERRED"]

PREFERRED: dict[str, str] = {}
"""Per operation, the dtypes (characters of `vecmath.by_dtype.CODES`) that the kernel wins."""

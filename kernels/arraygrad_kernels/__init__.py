"""Kernels of arraygrad: they know NumPy and Numba, never the tensor that they serve.

``arraygrad_kernels.reference`` is plain NumPy; ``arraygrad_kernels.cpu`` compiles with Numba.
Importing this package imports neither.
"""

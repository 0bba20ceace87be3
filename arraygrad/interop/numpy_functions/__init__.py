"""NumPy's functions with NumPy's signatures, over the functions in ops/.

Functions whose signature in the standard is NumPy's too are answered in ops/ directly. Importing
this package registers all others in ANSWERS; `interop.lookup` does so at the first question.
"""

from . import (
    calculus as calculus,
    checking as checking,
    contracting as contracting,
    creating as creating,
    diagonals as diagonals,
    fourier as fourier,
    histograms as histograms,
    inserting as inserting,
    linear_algebra as linear_algebra,
    more_ufuncs as more_ufuncs,
    multiplying as multiplying,
    nan_aware as nan_aware,
    order_statistics as order_statistics,
    polynomials as polynomials,
    reducing as reducing,
    scimath as scimath,
    selecting as selecting,
    series as series,
    sets as sets,
    shaping as shaping,
    strides as strides,
    writing as writing,
)

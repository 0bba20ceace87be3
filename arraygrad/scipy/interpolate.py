"""Stand-ins for ``scipy.interpolate``: differentiable in values, points and where evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._bivariate import (
    BivariateSpline as BivariateSpline,
    LSQBivariateSpline as LSQBivariateSpline,
    RectBivariateSpline as RectBivariateSpline,
    SmoothBivariateSpline as SmoothBivariateSpline,
    bisplev as bisplev,
    bisplrep as bisplrep,
    bivariate_of as bivariate_of,
)
from ._bsplines import (
    BSpline as BSpline,
    make_interp_spline as make_interp_spline,
    make_lsq_spline as make_lsq_spline,
    splev as splev,
    spline_of as spline_of,
    splint as splint,
    splrep as splrep,
)
from ._grids import (
    RegularGridInterpolator as RegularGridInterpolator,
    interpn as interpn,
)
from ._interp1d import interp1d as interp1d
from ._piecewise import (
    Akima1DInterpolator as Akima1DInterpolator,
    CubicHermiteSpline as CubicHermiteSpline,
    CubicSpline as CubicSpline,
    PchipInterpolator as PchipInterpolator,
    PPoly as PPoly,
)
from ._polynomials import (
    BarycentricInterpolator as BarycentricInterpolator,
    KroghInterpolator as KroghInterpolator,
    barycentric_interpolate as barycentric_interpolate,
    barycentric_of as barycentric_of,
    krogh_interpolate as krogh_interpolate,
    krogh_of as krogh_of,
)
from ._radial import (
    Rbf as Rbf,
    RBFInterpolator as RBFInterpolator,
    radial_of as radial_of,
    rbf_of as rbf_of,
)
from ._rule import plain
from ._scattered import (
    CloughTocher2DInterpolator as CloughTocher2DInterpolator,
    LinearNDInterpolator as LinearNDInterpolator,
    NearestNDInterpolator as NearestNDInterpolator,
    griddata as griddata,
    scattered_of as scattered_of,
)
from ._smoothing import (
    insert as insert,
    make_smoothing_spline as make_smoothing_spline,
    make_splrep as make_splrep,
    spalde as spalde,
    splprep as splprep,
    sproot as sproot,
)
from ._univariate import (
    InterpolatedUnivariateSpline as InterpolatedUnivariateSpline,
    LSQUnivariateSpline as LSQUnivariateSpline,
    UnivariateSpline as UnivariateSpline,
)


def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: int = 0) -> Any:
    """Values or derivatives of the monotone interpolant; see `PchipInterpolator`."""
    interpolant = PchipInterpolator(xi, yi, axis=axis)
    if np.ndim(plain(der)):
        return [interpolant(x, nu=int(nu)) for nu in plain(der)]
    return interpolant(x, nu=der)


# -- ours for objects that were made outside of lifted code ----------------------------------------


def piecewise_of(real: Any) -> PPoly:
    """Ours for a piecewise polynomial of SciPy."""
    return PPoly.construct_fast(real.c, real.x, real.extrapolate, real.axis)


def interp1d_of(real: Any) -> interp1d:
    """Ours for an ``interp1d`` of SciPy."""
    fill = real.fill_value
    return interp1d(real.x, real.y, _kind_of(real), real.axis, bounds_error=real.bounds_error,
                    fill_value=fill, assume_sorted=True)  # fmt: skip


def _kind_of(real: Any) -> Any:
    if real._kind != "spline":
        return real._kind
    return int(real._spline.k)


def grid_of(real: Any) -> RegularGridInterpolator:
    """Ours for a ``RegularGridInterpolator`` of SciPy."""
    return RegularGridInterpolator(
        real.grid, real.values, real.method, real.bounds_error, real.fill_value
    )

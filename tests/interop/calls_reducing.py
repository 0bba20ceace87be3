"""Calls of NumPy's reductions, scans, order statistics, nan* functions and histograms."""

import numpy as np

from .calls import call, complexes, distinct, gappy, integers, normal, ordered, positive

MASK = np.array([[True, False, True, True], [True, True, False, True], [False, True, True, True]])

CALLS = {
    "sum": (
        call(np.sum, normal(3, 4)),
        call(lambda x: np.sum(x, axis=1), complexes(3, 4)),
        call(lambda x: np.sum(x, axis=(0, 2), keepdims=True), normal(2, 3, 2)),
        call(lambda x: np.sum(x, where=MASK, initial=2.0), normal(3, 4)),
        call(
            lambda x: np.sum(x, axis=-1, dtype=np.float64), normal(3, 4).astype(np.float32), order=0
        ),
        call(np.sum, normal()),
    ),
    "prod": (
        call(np.prod, normal(5)),
        call(lambda x: np.prod(x, axis=0), complexes(3, 2)),
        call(lambda x: np.prod(x, axis=(0, 1), keepdims=True), normal(2, 3)),
        call(lambda x: np.prod(x, where=MASK, axis=1, initial=3.0), normal(3, 4)),
    ),
    "max": (
        call(np.max, distinct(5)),
        call(lambda x: np.max(x, axis=1, keepdims=True), distinct(3, 4)),
        call(lambda x: np.max(x, axis=0, initial=0.1, where=MASK), distinct(3, 4)),
    ),
    "min": (
        call(np.min, distinct(5)),
        call(lambda x: np.min(x, axis=(0, 1)), distinct(3, 4)),
        call(lambda x: np.min(x, axis=1, initial=0.1), distinct(3, 4)),
    ),
    "amax": (call(np.amax, distinct(5)), call(lambda x: np.amax(x, axis=0), distinct(3, 4))),
    "amin": (call(np.amin, distinct(5)), call(lambda x: np.amin(x, axis=0), distinct(3, 4))),
    "ptp": (
        call(np.ptp, distinct(5)),
        call(lambda x: np.ptp(x, axis=1, keepdims=True), distinct(3, 4)),
    ),
    "mean": (
        call(np.mean, normal(3, 4)),
        call(lambda x: np.mean(x, axis=1, keepdims=True), complexes(3, 4)),
        call(lambda x: np.mean(x, axis=0, where=MASK), normal(3, 4)),
        call(lambda x: np.mean(x), integers(4).astype(np.int32), order=0),
    ),
    "var": (
        call(np.var, normal(3, 4)),
        call(lambda x: np.var(x, axis=1, ddof=1), normal(3, 4)),
        call(lambda x: np.var(x, axis=0), complexes(3, 2)),
        call(lambda x: np.var(x, axis=0, where=MASK, keepdims=True), normal(3, 4)),
        call(lambda x, m: np.var(x, axis=0, mean=m), normal(3, 4), normal(1, 4)),
    ),
    "std": (
        call(np.std, normal(3, 4)),
        call(lambda x: np.std(x, axis=1, ddof=1, keepdims=True), normal(3, 4)),
        call(lambda x: np.std(x), complexes(4)),
        call(lambda x: np.std(x, axis=1, where=MASK), normal(3, 4)),
        call(lambda x: np.std(x, axis=0), np.ones((3, 2)), order=0),
    ),
    "cumsum": (
        call(np.cumsum, normal(2, 3)),
        call(lambda x: np.cumsum(x, axis=1), complexes(2, 3)),
        call(lambda x: np.cumsum(x, axis=0, out=np.zeros((2, 3), like=x)), normal(2, 3)),
    ),
    "cumprod": (
        call(np.cumprod, normal(4)),
        call(lambda x: np.cumprod(x, axis=0), normal(3, 2)),
    ),
    "cumulative_sum": (
        call(np.cumulative_sum, normal(4)),
        call(lambda x: np.cumulative_sum(x, axis=1, include_initial=True), normal(2, 3)),
    ),
    "cumulative_prod": (
        call(np.cumulative_prod, normal(4)),
        call(lambda x: np.cumulative_prod(x, axis=1, include_initial=True), normal(2, 3)),
    ),
    "average": (
        call(np.average, normal(3, 4)),
        call(lambda x, w: np.average(x, axis=1, weights=w), normal(3, 4), positive(4)),
        call(lambda x, w: np.average(x, weights=w, returned=True), normal(3, 4), positive(3, 4)),
        call(
            lambda x, w: np.average(x, axis=(0, 1), weights=w, keepdims=True),
            normal(2, 3, 2),
            positive(2, 3),
        ),
    ),
    "nansum": (
        call(np.nansum, gappy(6)),
        call(lambda x: np.nansum(x, axis=1), gappy(3, 4)),
        call(lambda x: np.nansum(x**2, axis=0, keepdims=True), gappy(3, 4)),
    ),
    "nanprod": (call(np.nanprod, gappy(6)), call(lambda x: np.nanprod(x, axis=1), gappy(3, 4))),
    "nanmax": (
        call(np.nanmax, gappy(6)),
        call(lambda x: np.nanmax(x, axis=1), gappy(3, 4)),
        call(lambda x: np.nanmax(x, axis=0), np.array([[np.nan, 1.0], [np.nan, 2.0]])),
    ),
    "nanmin": (call(np.nanmin, gappy(6)), call(lambda x: np.nanmin(x, axis=0), gappy(3, 4))),
    "nanmean": (
        call(np.nanmean, gappy(6)),
        call(lambda x: np.nanmean(x**2, axis=1), gappy(3, 4)),
        call(
            lambda x: np.nanmean(x, axis=0, keepdims=True), np.array([[np.nan, 1.0], [np.nan, 2.0]])
        ),
        call(lambda x: np.nanmean(x, where=MASK), gappy(3, 4)),
    ),
    "nanvar": (
        call(np.nanvar, gappy(6)),
        call(lambda x: np.nanvar(x, axis=1, ddof=1), gappy(3, 4)),
        call(lambda x: np.nanvar(x, axis=0, keepdims=True), normal(3, 4)),
    ),
    "nanstd": (
        call(np.nanstd, gappy(6)),
        call(lambda x: np.nanstd(x, axis=1, ddof=1), gappy(3, 4)),
    ),
    "nancumsum": (
        call(np.nancumsum, gappy(6)),
        call(lambda x: np.nancumsum(x, axis=0), gappy(3, 4)),
    ),
    "nancumprod": (
        call(np.nancumprod, gappy(6)),
        call(lambda x: np.nancumprod(x, axis=1), gappy(3, 4)),
    ),
    "nanmedian": (
        call(np.nanmedian, gappy(6)),
        call(lambda x: np.nanmedian(x, axis=1), gappy(3, 5)),
        call(lambda x: np.nanmedian(x, axis=0, keepdims=True), gappy(4, 3)),
        call(lambda x: np.nanmedian(x, axis=(0, 2)), gappy(2, 3, 2)),
    ),
    "nanpercentile": (
        call(lambda x: np.nanpercentile(x, 30), gappy(6)),
        call(lambda x: np.nanpercentile(x, [20, 70], axis=1), gappy(3, 5)),
    ),
    "nanquantile": (
        call(lambda x: np.nanquantile(x, 0.3), gappy(6)),
        call(lambda x: np.nanquantile(x, 0.6, axis=0, keepdims=True, method="hazen"), gappy(4, 3)),
    ),
    "median": (
        call(np.median, distinct(5)),
        call(np.median, distinct(6)),
        call(lambda x: np.median(x, axis=1), distinct(3, 4)),
        call(lambda x: np.median(x, axis=(0, 1), keepdims=True), distinct(3, 4)),
        call(lambda x: np.median(x, axis=0), gappy(3, 4), order=0),
        call(np.median, integers(4), order=0),
    ),
    "percentile": (
        call(lambda x: np.percentile(x, 30), distinct(6)),
        call(lambda x: np.percentile(x, [10, 50, 95], axis=1), distinct(3, 5)),
        call(lambda x: np.percentile(x, 40, axis=(0, 1), keepdims=True), distinct(3, 4)),
        call(lambda x: np.percentile(x, 100), distinct(6)),
        call(lambda x, q: np.percentile(x, q), distinct(6), np.array([33.0, 71.0])),
        call(lambda x: np.percentile(x, 30), gappy(6), order=0),
        *[
            call(lambda x, m=m: np.percentile(x, [35, 62], method=m), distinct(7))
            for m in (
                "inverted_cdf",
                "averaged_inverted_cdf",
                "closest_observation",
                "interpolated_inverted_cdf",
                "hazen",
                "weibull",
                "linear",
                "median_unbiased",
                "normal_unbiased",
                "lower",
                "higher",
                "midpoint",
                "nearest",
            )
        ],
    ),
    "quantile": (
        call(lambda x: np.quantile(x, 0.3), distinct(6)),
        call(lambda x: np.quantile(x, [0.1, 0.5], axis=0), distinct(5, 3)),
        call(lambda x, q: np.quantile(x, q, axis=1), distinct(3, 5), np.array(0.41)),
        call(
            lambda x, w: np.quantile(x, 0.5, weights=w, method="inverted_cdf"),
            distinct(6),
            positive(6),
            fixed=(1,),
        ),
        call(
            lambda x, w: np.quantile(x, [0.2, 0.7], axis=1, weights=w, method="inverted_cdf"),
            distinct(3, 5),
            positive(3, 5),
            fixed=(1,),
        ),
    ),
    "sort": (
        call(np.sort, distinct(5)),
        call(lambda x: np.sort(x, axis=0), distinct(3, 4)),
        call(lambda x: np.sort(x, axis=None), distinct(2, 3)),
        call(np.sort, complexes(4)),
    ),
    "sort_complex": (call(np.sort_complex, complexes(4)), call(np.sort_complex, distinct(4))),
    "partition": (
        call(lambda x: np.partition(x, 2), distinct(9)),
        call(lambda x: np.partition(x, (1, -2), axis=0), distinct(7, 3)),
        call(lambda x: np.partition(x, 30, axis=None), distinct(8, 9)),
        call(lambda x: np.partition(x, 2, axis=1), gappy(3, 6)),
        call(lambda x: np.partition(np.concatenate((x, x)), 5), distinct(7)),
    ),
    "bincount": (
        call(lambda w: np.bincount(np.array([0, 2, 2, 1]), weights=w), normal(4)),
        call(lambda w: np.bincount(np.array([0, 2, 2, 1]), weights=w, minlength=6), normal(4)),
    ),
    "histogram": (
        call(lambda w: np.histogram(ordered(5), bins=3, weights=w), normal(5)),
        call(lambda x: np.histogram(x, bins=3), distinct(6)),
        call(lambda x: np.histogram(x, bins=4, density=True), distinct(6)),
        call(
            lambda w: np.histogram(
                ordered(5), bins=[-2.0, -0.5, 0.5, 3.0], weights=w, density=True
            ),
            positive(5),
        ),
        call(
            lambda e: np.histogram(ordered(5), bins=e, density=True),
            np.array([-2.0, -0.5, 0.45, 3.0]),
        ),
    ),
    "histogram_bin_edges": (
        call(lambda x: np.histogram_bin_edges(x, bins=3), distinct(6)),
        call(lambda x: np.histogram_bin_edges(x, bins=3, range=(-1, 1)), distinct(6)),
    ),
    "histogram2d": (
        call(
            lambda w: np.histogram2d(distinct(6), distinct(6, seed=1), bins=3, weights=w), normal(6)
        ),
        call(
            lambda x, y: np.histogram2d(x, y, bins=(2, 3), density=True),
            distinct(6),
            distinct(6, seed=1),
        ),
    ),
    "histogramdd": (
        call(lambda w: np.histogramdd(distinct(6, 2), bins=3, weights=w)[0], normal(6)),
        call(lambda x: np.histogramdd(x, bins=(2, 3), density=True), distinct(6, 2)),
    ),
}

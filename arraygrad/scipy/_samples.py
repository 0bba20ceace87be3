"""Statistics of samples: moments, standard scores, correlation, regression."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .._errors import ArgumentError
from ._rule import constant, plain, refuse, rule, scipy_object, tensor, tensors_of, xp

rankdata = constant("scipy.stats.rankdata", "Plain ranks of the values.")


def _sample(a: Any, axis: Any, nan_policy: str, function: str) -> tuple[Any, Any]:
    x = tensor(a, function)
    if nan_policy != "propagate" and np.isnan(plain(x)).any():
        if nan_policy == "raise":
            raise ArgumentError(f"{function}: the input has NaN, and nan_policy='raise'")
        raise refuse(function, f"with NaN and nan_policy={nan_policy!r}", "remove them first")
    return x, axis


def _count(x: Any, axis: Any) -> int:
    """Number of elements that a statistic takes together."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return prod(x.shape[a] for a in axes)


@rule("scipy.stats.moment")
def moment(
    a: Any, order: Any = 1, axis: Any = 0, nan_policy: str = "propagate", *, center: Any = None,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Central moment of the sample."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.moment")
    middle = xp.mean(x, axis=axis, keepdims=True) if center is None else center
    orders = plain(order)
    if np.ndim(orders) == 0:
        return xp.mean((x - middle) ** int(orders), axis=axis, keepdims=keepdims)
    found = [xp.mean((x - middle) ** int(k), axis=axis, keepdims=keepdims) for k in orders]
    return xp.stack(found)


def _standardized(x: Any, axis: Any, order: int, keepdims: bool) -> Any:
    deviation = x - xp.mean(x, axis=axis, keepdims=True)
    spread = xp.mean(deviation**2, axis=axis, keepdims=keepdims)
    return xp.mean(deviation**order, axis=axis, keepdims=keepdims) / spread ** (order / 2)


@rule("scipy.stats.skew")
def skew(
    a: Any, axis: Any = 0, bias: bool = True, nan_policy: str = "propagate", *,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Third standardized moment; corrected for bias unless `bias`."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.skew")
    n = _count(x, axis)
    value = _standardized(x, axis, 3, keepdims)
    return value if bias or n <= 2 else value * (np.sqrt((n - 1.0) * n) / (n - 2.0))


@rule("scipy.stats.kurtosis")
def kurtosis(
    a: Any, axis: Any = 0, fisher: bool = True, bias: bool = True, nan_policy: str = "propagate",
    *, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Fourth standardized moment, less 3 if `fisher`; corrected for bias unless `bias`."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.kurtosis")
    n = _count(x, axis)
    value = _standardized(x, axis, 4, keepdims)
    if not bias and n > 3:
        value = 3.0 + ((n**2 - 1.0) * value - 3 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0))
    return value - 3.0 if fisher else value


@rule("scipy.stats.zscore")
def zscore(a: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """Deviations from the mean in standard deviations."""
    return zmap(a, a, axis, ddof, nan_policy)


@rule("scipy.stats.gzscore")
def gzscore(a: Any, *, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """Standard scores of the logarithms."""
    return zscore(xp.log(tensor(a, "scipy.stats.gzscore")), axis, ddof, nan_policy)


@rule("scipy.stats.zmap")
def zmap(
    scores: Any, compare: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate"
) -> Any:
    """Deviations of the scores from another sample's mean in its standard deviations."""
    x, axis = _sample(compare, axis, nan_policy, "scipy.stats.zmap")
    middle = xp.mean(x, axis=axis, keepdims=axis is not None)
    return (tensor(scores, "zmap") - middle) / xp.std(
        x, axis=axis, ddof=ddof, keepdims=axis is not None
    )


@rule("scipy.stats.sem")
def sem(
    a: Any, axis: Any = 0, ddof: int = 1, nan_policy: str = "propagate", *, keepdims: bool = False
) -> Any:
    """Standard error of the mean."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.sem")
    return xp.std(x, axis=axis, ddof=ddof, keepdims=keepdims) / np.sqrt(_count(x, axis))


@rule("scipy.stats.variation")
def variation(
    a: Any, axis: Any = 0, nan_policy: str = "propagate", ddof: int = 0, *, keepdims: bool = False
) -> Any:
    """Standard deviation in units of the mean."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.variation")
    return xp.std(x, axis=axis, ddof=ddof, keepdims=keepdims) / xp.mean(
        x, axis=axis, keepdims=keepdims
    )


@rule("scipy.stats.gstd")
def gstd(
    a: Any, axis: Any = 0, ddof: int = 1, *, keepdims: bool = False, nan_policy: str = "propagate"
) -> Any:
    """Geometric standard deviation: the exponential of that of the logarithms."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.gstd")
    return xp.exp(xp.std(xp.log(x), axis=axis, ddof=ddof, keepdims=keepdims))


def _mean(
    a: Any, axis: Any, dtype: Any, weights: Any, nan_policy: str, keepdims: bool, function: str,
    there: Any, back: Any,
) -> Any:  # fmt: skip
    """back(mean(there(a)))."""
    x, axis = _sample(a, axis, nan_policy, function)
    if dtype is not None:
        x = x.astype(dtype)
    if weights is not None:
        weights = tensor(weights, function, 4)
        if weights.ndim == 1 and axis is not None and x.ndim > 1:
            shape = [1] * x.ndim
            shape[axis] = -1
            weights = weights.reshape(shape)
        weights = xp.broadcast_to(weights, x.shape)
    return back(xp.average(there(x), axis=axis, weights=weights, keepdims=keepdims))


@rule("scipy.stats.gmean")
def gmean(
    a: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, *,
    nan_policy: str = "propagate", keepdims: bool = False,
) -> Any:  # fmt: skip
    """Geometric mean: the exponential of the mean logarithm."""
    return _mean(a, axis, dtype, weights, nan_policy, keepdims, "scipy.stats.gmean", xp.log, xp.exp)


@rule("scipy.stats.hmean")
def hmean(
    a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None,
    nan_policy: str = "propagate", keepdims: bool = False,
) -> Any:  # fmt: skip
    """Harmonic mean: the reciprocal of the mean reciprocal."""
    return _mean(
        a, axis, dtype, weights, nan_policy, keepdims, "scipy.stats.hmean",
        lambda x: 1.0 / x, lambda x: 1.0 / x,
    )  # fmt: skip


@rule("scipy.stats.pmean")
def pmean(
    a: Any, p: Any, *, axis: Any = 0, dtype: Any = None, weights: Any = None,
    nan_policy: str = "propagate", keepdims: bool = False,
) -> Any:  # fmt: skip
    """Power mean."""
    if plain(p) == 0:
        return gmean(a, axis, dtype, weights, nan_policy=nan_policy, keepdims=keepdims)
    return _mean(
        a, axis, dtype, weights, nan_policy, keepdims, "scipy.stats.pmean",
        lambda x: x**p, lambda x: x ** (1 / p),
    )  # fmt: skip


@rule("scipy.stats.entropy")
def entropy(
    pk: Any, qk: Any = None, base: Any = None, axis: Any = 0, *, nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Entropy of normalized pk, or its divergence from normalized qk."""
    special: Any = import_module("arraygrad.special")
    p, axis = _sample(pk, axis, nan_policy, "scipy.stats.entropy")
    p = p / xp.sum(p, axis=axis, keepdims=True)
    if qk is None:
        terms = special.entr(p)
    else:
        q, _ = _sample(qk, axis, nan_policy, "scipy.stats.entropy")
        terms = special.rel_entr(p, q / xp.sum(q, axis=axis, keepdims=True))
    out = xp.sum(terms, axis=axis, keepdims=keepdims)
    return out if base is None else out / xp.log(base)


# -- statistics of order ---------------------------------------------------------------------------


@rule("scipy.stats.iqr")
def iqr(
    x: Any, axis: Any = None, rng: Any = (25, 75), scale: Any = 1.0,
    nan_policy: str = "propagate", interpolation: str = "linear", keepdims: bool = False,
) -> Any:  # fmt: skip
    """Distance of two percentiles, by default of the quartiles."""
    x, axis = _sample(x, axis, nan_policy, "scipy.stats.iqr")
    ends = xp.percentile(x, sorted(plain(rng)), axis=axis, method=interpolation, keepdims=keepdims)
    factor = 2 * _QUARTILE if isinstance(scale, str) else scale
    return (ends[1] - ends[0]) / factor


_QUARTILE = 0.6744897501960817  # of the normal distribution


@rule("scipy.stats.median_abs_deviation")
def median_abs_deviation(
    x: Any, axis: Any = 0, center: Any = None, scale: Any = 1.0, nan_policy: str = "propagate",
    *, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Median distance from the median (or from another centre)."""
    x, axis = _sample(x, axis, nan_policy, "scipy.stats.median_abs_deviation")
    if center is None:
        middle = xp.median(x, axis=axis, keepdims=True)
    else:
        middle = center(x, axis=axis)
        middle = middle if axis is None else xp.expand_dims(middle, axis)
    distance = xp.median(xp.abs(x - middle), axis=axis, keepdims=keepdims)
    return distance / (_QUARTILE if isinstance(scale, str) else scale)


@rule("scipy.stats.trim_mean")
def trim_mean(
    a: Any, proportiontocut: float, axis: Any = 0, *, nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Mean without the smallest and the largest elements."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.trim_mean")
    along = 0 if axis is None else axis
    x = xp.sort(x.reshape(-1) if axis is None else x, axis=along)
    n = x.shape[along]
    cut = int(proportiontocut * n)
    if 2 * cut > n:
        raise ArgumentError(f"trim_mean: proportiontocut={proportiontocut} leaves no elements")
    kept = xp.moveaxis(xp.moveaxis(x, along, 0)[cut : n - cut], 0, along)
    out = xp.mean(kept, axis=along, keepdims=keepdims and axis is not None)
    return out.reshape((1,) * np.ndim(plain(a))) if keepdims and axis is None else out


# -- tests -----------------------------------------------------------------------------------------


def _p_value(t: Any, df: Any, alternative: str) -> Any:
    """Probability of a statistic as far out under Student's law."""
    special: Any = import_module("arraygrad.special")
    if alternative == "less":
        return special.stdtr(df, t)
    if alternative == "greater":
        return special.stdtr(df, -t)
    if alternative != "two-sided":
        raise ArgumentError(f"alternative={alternative!r}; use 'two-sided', 'less' or 'greater'")
    return 2 * special.stdtr(df, -xp.abs(t))


@rule("scipy.stats.ttest_1samp")
def ttest_1samp(
    a: Any, popmean: Any, axis: Any = 0, nan_policy: str = "propagate",
    alternative: str = "two-sided", *, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Student's t of a mean, and its p-value; both have gradients."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.ttest_1samp")
    n = _count(x, axis)
    error = xp.std(x, axis=axis, ddof=1, keepdims=keepdims) / np.sqrt(n)
    if np.ndim(plain(popmean)) and not keepdims:
        popmean = xp.squeeze(xp.asarray(popmean), axis)
    middle = xp.mean(x, axis=axis, keepdims=keepdims)
    t = (middle - popmean) / error
    pvalue = _p_value(t, float(n - 1), alternative)
    return _tested(t, pvalue, n - 1.0, (middle, error, alternative))


@rule("scipy.stats.ttest_rel")
def ttest_rel(
    a: Any, b: Any, axis: Any = 0, nan_policy: str = "propagate", alternative: str = "two-sided",
    *, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Student's t of paired samples, and its p-value; both have gradients."""
    x1, x2 = tensors_of("scipy.stats.ttest_rel", a, b)
    return ttest_1samp(x1 - x2, 0.0, axis, nan_policy, alternative, keepdims=keepdims)


@rule("scipy.stats.ttest_ind")
def ttest_ind(
    a: Any, b: Any, axis: Any = 0, equal_var: bool = True, nan_policy: str = "propagate",
    permutations: Any = None, random_state: Any = None, alternative: str = "two-sided",
    trim: float = 0, *, method: Any = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Student's t (or Welch's) of two samples, and its p-value; both have gradients."""
    if trim or method is not None or permutations is not None:
        raise refuse("scipy.stats.ttest_ind", "with trim= or method=", "leave them out")
    x1, axis = _sample(a, axis, nan_policy, "scipy.stats.ttest_ind")
    x2, _ = _sample(b, axis, nan_policy, "scipy.stats.ttest_ind")
    n1, n2 = _count(x1, axis), _count(x2, axis)
    v1 = xp.var(x1, axis=axis, ddof=1, keepdims=keepdims)
    v2 = xp.var(x2, axis=axis, ddof=1, keepdims=keepdims)
    if equal_var:
        df: Any = float(n1 + n2 - 2)
        error = xp.sqrt(((n1 - 1) * v1 + (n2 - 1) * v2) / df * (1 / n1 + 1 / n2))
    else:
        e1, e2 = v1 / n1, v2 / n2
        df = (e1 + e2) ** 2 / (e1**2 / (n1 - 1) + e2**2 / (n2 - 1))
        error = xp.sqrt(e1 + e2)
    difference = xp.mean(x1, axis=axis, keepdims=keepdims) - xp.mean(
        x2, axis=axis, keepdims=keepdims
    )
    t = difference / error
    return _tested(t, _p_value(t, df, alternative), df, (difference, error, alternative))


def _replaced(result: Any, **values: Any) -> Any:
    """SciPy's result object with values that carry gradients; the others stay plain."""
    for name, value in values.items():
        object.__setattr__(result, name, value)
    return result


class _Pair(tuple[Any, ...]):
    """A result that is unpacked as statistic and p-value and has them as attributes."""

    statistic: Any
    correlation: Any
    pvalue: Any
    df: Any
    interval: Callable[[Any], tuple[Any, Any]]

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Interval that holds the true value with this probability; both ends have gradients."""
        return Interval(*self.interval(confidence_level))


class Interval(NamedTuple):
    """Ends of a confidence interval."""

    low: Any
    high: Any


def _around(alternative: str, level: float, ends: Callable[[float], tuple[Any, Any]]) -> Any:
    """An interval whose ends leave equal tails, or one tail; `ends` takes a quantile's level."""
    if alternative == "two-sided":
        return ends(0.5 + level / 2)
    low, high = ends(level)
    if alternative == "less":
        return xp.full_like(plain(low), -np.inf), high
    return low, xp.full_like(plain(high), np.inf)


def _tested(t: Any, pvalue: Any, df: Any, estimate: tuple[Any, Any, str]) -> _Pair:
    """The result of a t-test, with the estimate, its standard error and the alternative."""
    middle, error, alternative = estimate

    def ends(level: float) -> tuple[Any, Any]:
        student: Any = import_module("arraygrad.scipy.stats").t
        reach = student.ppf(level, df) * error
        return middle - reach, middle + reach

    def interval(level: float) -> Any:
        return _around(alternative, level, ends)

    return _replaced(  # type: ignore[no-any-return]
        _Pair((t, pvalue)), statistic=t, pvalue=pvalue, df=df, interval=interval
    )


@rule("scipy.stats.pearsonr")
def pearsonr(
    x: Any, y: Any, *, alternative: str = "two-sided", method: Any = None, axis: Any = 0
) -> Any:
    """Correlation coefficient and its p-value; both have gradients."""
    if method is not None:
        raise refuse("scipy.stats.pearsonr", "with method=", "leave it out")
    x, y = tensors_of("scipy.stats.pearsonr", x, y)
    if axis is None:
        x, y, axis = xp.ravel(x), xp.ravel(y), 0
    dx, dy = (v - xp.mean(v, axis=axis, keepdims=True) for v in (x, y))
    r = xp.sum(dx * dy, axis=axis) / xp.sqrt(
        xp.sum(dx * dx, axis=axis) * xp.sum(dy * dy, axis=axis)
    )
    n = max(x.shape[axis], y.shape[axis])
    pvalue = _p_of_correlation(r, n, alternative)

    def ends(level: float) -> tuple[Any, Any]:
        special: Any = import_module("arraygrad.special")
        reach = special.ndtri(level) / np.sqrt(n - 3)
        return xp.tanh(xp.arctanh(r) - reach), xp.tanh(xp.arctanh(r) + reach)

    def interval(level: float) -> Any:
        low, high = _around(alternative, level, ends) if n > 3 else (xp.nan, xp.nan)
        infinite = alternative == "less", alternative == "greater"  # a correlation ends at 1
        return -1.0 + 0 * r if infinite[0] else low, 1.0 + 0 * r if infinite[1] else high

    pair = _Pair((r, pvalue))
    return _replaced(pair, statistic=r, correlation=r, pvalue=pvalue, interval=interval)


def _p_of_correlation(r: Any, n: int, alternative: str) -> Any:
    """Probability of a correlation as far out: it has a beta distribution on [-1, 1]."""
    if n == 2:
        return xp.ones_like(plain(r))
    special: Any = import_module("arraygrad.special")
    half = n / 2 - 1
    if alternative == "less":
        return special.betainc(half, half, (1 + r) / 2)
    if alternative == "greater":
        return special.betainc(half, half, (1 - r) / 2)
    if alternative != "two-sided":
        raise ArgumentError(f"alternative={alternative!r}; use 'two-sided', 'less' or 'greater'")
    return 2 * special.betainc(half, half, (1 - xp.abs(r)) / 2)


@rule("scipy.stats.linregress")
def linregress(
    x: Any, y: Any, alternative: str = "two-sided", *, axis: Any = 0,
    nan_policy: str = "propagate", keepdims: bool = False,
) -> Any:  # fmt: skip
    """Slope, intercept, correlation, p-value and standard errors, all with gradients."""
    name = "scipy.stats.linregress"
    x, y = (_sample(v, axis, nan_policy, name)[0] for v in tensors_of(name, x, y))
    shape = (1,) * max(x.ndim, y.ndim)
    if axis is None:
        x, y, axis = xp.ravel(x), xp.ravel(y), 0
    n = max(x.shape[axis], y.shape[axis])

    def mean(v: Any) -> Any:
        return xp.mean(v, axis=axis, keepdims=True)

    dx, dy = x - mean(x), y - mean(y)
    xx, xy, yy = mean(dx * dx), mean(dx * dy), mean(dy * dy)
    slope, r = xy / xx, xy / xp.sqrt(xx * yy)
    intercept = mean(y) - slope * mean(x)
    error = xp.sqrt((1 - r * r) * yy / xx / (n - 2))
    pvalue = _p_value(r * xp.sqrt((n - 2) / (1 - r * r)), n - 2.0, alternative)
    second = error * xp.sqrt(xx + mean(x) ** 2)
    found = (slope, intercept, r, pvalue, error)
    parts = [v.reshape(shape) if v.size == 1 and keepdims else v for v in (*found, second)]
    parts = parts if keepdims else [xp.squeeze(v, axis) for v in parts]
    values = dict(zip(("slope", "intercept", "rvalue", "pvalue", "stderr"), parts, strict=False))
    result = scipy_object("scipy.stats._stats_py.LinregressResult")
    return result(**values, intercept_stderr=parts[-1])

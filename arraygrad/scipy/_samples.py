"""Statistics of samples: moments, standard scores, correlation, regression."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ._rule import constant, plain, refuse, rule, scipy_object, tensor, tensors_of, xp

rankdata = constant("scipy.stats.rankdata", "Plain ranks of the values.")


def _sample(a: Any, axis: Any, nan_policy: str, function: str) -> tuple[Any, Any]:
    x = tensor(a, function)
    if nan_policy != "propagate" and np.isnan(plain(x)).any():
        raise refuse(function, f"with NaN and nan_policy={nan_policy!r}", "remove them first")
    return (x.reshape(-1), 0) if axis is None else (x, axis)


@rule("scipy.stats.moment")
def moment(
    a: Any, order: Any = 1, axis: Any = 0, nan_policy: str = "propagate", *, center: Any = None,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Central moment of the sample."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.moment")
    middle = xp.mean(x, axis=axis, keepdims=True) if center is None else center
    return xp.mean((x - middle) ** int(plain(order)), axis=axis, keepdims=keepdims)


def _standardized(x: Any, axis: Any, order: int) -> Any:
    deviation = x - xp.mean(x, axis=axis, keepdims=True)
    return xp.mean(deviation**order, axis=axis) / xp.mean(deviation**2, axis=axis) ** (order / 2)


@rule("scipy.stats.skew")
def skew(a: Any, axis: Any = 0, bias: bool = True, nan_policy: str = "propagate") -> Any:
    """Third standardized moment; corrected for bias unless `bias`."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.skew")
    n = x.shape[axis]
    value = _standardized(x, axis, 3)
    return value if bias or n <= 2 else value * (np.sqrt((n - 1.0) * n) / (n - 2.0))


@rule("scipy.stats.kurtosis")
def kurtosis(
    a: Any, axis: Any = 0, fisher: bool = True, bias: bool = True, nan_policy: str = "propagate"
) -> Any:
    """Fourth standardized moment, less 3 if `fisher`; corrected for bias unless `bias`."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.kurtosis")
    n = x.shape[axis]
    value = _standardized(x, axis, 4)
    if not bias and n > 3:
        value = 3.0 + ((n**2 - 1.0) * value - 3 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0))
    return value - 3.0 if fisher else value


@rule("scipy.stats.zscore")
def zscore(a: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """Deviations from the mean in standard deviations."""
    return zmap(a, a, axis, ddof, nan_policy)


@rule("scipy.stats.zmap")
def zmap(
    scores: Any, compare: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate"
) -> Any:
    """Deviations of the scores from another sample's mean in its standard deviations."""
    x, _ = _sample(compare, 0, nan_policy, "scipy.stats.zmap")
    middle = xp.mean(x, axis=axis, keepdims=axis is not None)
    return (tensor(scores, "zmap") - middle) / xp.std(
        x, axis=axis, ddof=ddof, keepdims=axis is not None
    )


@rule("scipy.stats.sem")
def sem(a: Any, axis: Any = 0, ddof: int = 1, nan_policy: str = "propagate") -> Any:
    """Standard error of the mean."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.sem")
    return xp.std(x, axis=axis, ddof=ddof) / np.sqrt(x.shape[axis])


@rule("scipy.stats.variation")
def variation(
    a: Any, axis: Any = 0, nan_policy: str = "propagate", ddof: int = 0, *, keepdims: bool = False
) -> Any:
    """Standard deviation in units of the mean."""
    x, axis = _sample(a, axis, nan_policy, "scipy.stats.variation")
    return xp.std(x, axis=axis, ddof=ddof, keepdims=keepdims) / xp.mean(
        x, axis=axis, keepdims=keepdims
    )


@rule("scipy.stats.gmean")
def gmean(a: Any, axis: Any = 0, dtype: Any = None, weights: Any = None) -> Any:
    """Geometric mean: the exponential of the mean logarithm."""
    x, axis = _sample(a, axis, "propagate", "scipy.stats.gmean")
    return xp.exp(xp.average(xp.log(x), axis=axis, weights=weights))


@rule("scipy.stats.hmean")
def hmean(a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None) -> Any:
    """Harmonic mean: the reciprocal of the mean reciprocal."""
    x, axis = _sample(a, axis, "propagate", "scipy.stats.hmean")
    return 1.0 / xp.average(1.0 / x, axis=axis, weights=weights)


@rule("scipy.stats.pmean")
def pmean(a: Any, p: Any, *, axis: Any = 0, dtype: Any = None, weights: Any = None) -> Any:
    """Power mean."""
    if plain(p) == 0:
        return gmean(a, axis, weights=weights)
    x, axis = _sample(a, axis, "propagate", "scipy.stats.pmean")
    return xp.average(x**p, axis=axis, weights=weights) ** (1 / p)


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


@rule("scipy.stats.pearsonr")
def pearsonr(x: Any, y: Any, **options: Any) -> Any:
    """Correlation coefficient with its gradient, and the plain p-value."""
    plain_result = scipy_object("scipy.stats.pearsonr")(plain(x), plain(y), **options)
    x, y = tensors_of("scipy.stats.pearsonr", x, y)
    dx, dy = x - xp.mean(x), y - xp.mean(y)
    r = xp.sum(dx * dy) / xp.sqrt(xp.sum(dx * dx) * xp.sum(dy * dy))
    pair = _Pair((r, plain_result.pvalue))
    return _replaced(pair, statistic=r, correlation=r, pvalue=plain_result.pvalue)


@rule("scipy.stats.linregress")
def linregress(x: Any, y: Any, **options: Any) -> Any:
    """Slope, intercept and correlation with gradients, the plain p-value, and standard errors."""
    real = scipy_object("scipy.stats.linregress")(plain(x), plain(y), **options)
    x, y = tensors_of("scipy.stats.linregress", x, y)
    n = x.shape[0]
    dx, dy = x - xp.mean(x), y - xp.mean(y)
    xx, xy, yy = xp.mean(dx * dx), xp.mean(dx * dy), xp.mean(dy * dy)
    slope, r = xy / xx, xy / xp.sqrt(xx * yy)
    intercept = xp.mean(y) - slope * xp.mean(x)
    error = xp.sqrt((1 - r * r) * yy / xx / (n - 2))
    return type(real)(
        slope=slope, intercept=intercept, rvalue=r, pvalue=real.pvalue, stderr=error,
        intercept_stderr=error * xp.sqrt(xx + xp.mean(x) ** 2),
    )  # fmt: skip

"""Reductions and scans."""

import numpy as np

import arraygrad as ag
from arraygrad import special

from . import Sample, constant, distinct, normal, positive, strided


def _with_zeros(rng: np.random.Generator, dtype: np.dtype) -> np.ndarray:
    values = rng.uniform(0.5, 2.0, (3, 4))
    values[0, 1] = values[1, 0] = values[1, 3] = 0.0
    return values.astype(dtype)


def _logsumexp(x: np.ndarray, axis: int | None = None, keepdims: bool = False) -> np.ndarray:
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


def _softmax(x: np.ndarray, axis: int | None = None) -> np.ndarray:
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)


SAMPLES = [
    Sample(("sum",), ag.sum, np.sum, (normal(3, 4),), dtypes="fcib", gradient_dtypes="fc"),
    Sample(("sum",), lambda x: ag.sum(x, axis=(0, 2), keepdims=True),
           lambda x: np.sum(x, axis=(0, 2), keepdims=True), (normal(2, 3, 4),), label="axes"),
    Sample(("sum",), lambda x: ag.sum(x, axis=-1), lambda x: np.sum(x, axis=-1),
           (strided(normal(3, 4)),), dtypes="fci", label="strided"),
    Sample(("sum",), ag.sum, np.sum, (normal(),), dtypes="fci", label="0-d"),
    Sample(("sum",), lambda x: ag.sum(x, axis=1), lambda x: np.sum(x, axis=1), (normal(3, 0),),
           label="empty"),
    Sample(("sum",), lambda x: ag.sum(x, dtype=ag.float64), lambda x: np.sum(x, dtype=np.float64),
           (normal(5),), dtypes="fi", label="dtype"),
    Sample(("mean",), ag.mean, np.mean, (normal(3, 4),), dtypes="fcib", gradient_dtypes="fc"),
    Sample(("mean",), lambda x: ag.mean(x, axis=(0, -1)), lambda x: np.mean(x, axis=(0, -1)),
           (strided(normal(2, 3, 4)),), dtypes="fc", label="axes"),
    Sample(("mean",), lambda x: ag.mean(x, axis=0, keepdims=True),
           lambda x: np.mean(x, axis=0, keepdims=True), (normal(1, 3),), label="one"),
    Sample(("var",), ag.var, np.var, (normal(3, 4),), dtypes="fcib", gradient_dtypes="fc"),
    Sample(("var",), lambda x: ag.var(x, axis=1, correction=1, keepdims=True),
           lambda x: np.var(x, axis=1, ddof=1, keepdims=True), (strided(normal(3, 4)),),
           dtypes="fc", gradient_dtypes="fc", label="sample"),
    Sample(("var",), lambda x: ag.var(x, axis=(0, 2), correction=0.5), None, (normal(2, 3, 2),),
           label="axes"),
    Sample(("var",), ag.var, np.var, (constant(np.ones(4)),), label="constant"),
    Sample(("std",), ag.std, np.std, (normal(3, 4),), dtypes="fcib", gradient_dtypes="fc"),
    Sample(("std",), lambda x: ag.std(x, axis=0, correction=1),
           lambda x: np.std(x, axis=0, ddof=1), (strided(normal(3, 4)),), dtypes="fc",
           gradient_dtypes="fc", label="sample"),
    Sample(("max",), ag.max, np.max, (distinct(3, 4),), dtypes="fib"),
    Sample(("max",), lambda x: ag.max(x, axis=1, keepdims=True),
           lambda x: np.max(x, axis=1, keepdims=True), (strided(distinct(3, 4)),), dtypes="fi",
           label="axis"),
    Sample(("max",), lambda x: ag.max(x, axis=(0, 2)), lambda x: np.max(x, axis=(0, 2)),
           (distinct(2, 3, 4),), label="axes"),
    Sample(("max",), ag.max, np.max, (distinct(),), label="0-d"),
    Sample(("min",), ag.min, np.min, (distinct(3, 4),), dtypes="fib"),
    Sample(("min",), lambda x: ag.min(x, axis=0), lambda x: np.min(x, axis=0),
           (strided(distinct(3, 4)),), dtypes="fi", label="axis"),
    Sample(("max", "attained"), lambda x: ag.max(x * x, axis=0),
           lambda x: np.max(x * x, axis=0), (distinct(3, 2),), label="square"),
    Sample(("prod",), ag.prod, np.prod, (positive(4),), dtypes="fcib", gradient_dtypes="fc"),
    Sample(("prod",), lambda x: ag.prod(x, axis=(0, 2)), lambda x: np.prod(x, axis=(0, 2)),
           (positive(2, 2, 3),), dtypes="fc", gradient_dtypes="fc", label="axes"),
    Sample(("prod",), lambda x: ag.prod(x, axis=1, keepdims=True),
           lambda x: np.prod(x, axis=1, keepdims=True), (_with_zeros,), label="zeros"),
    Sample(("prod",), lambda x: ag.prod(x, axis=0), lambda x: np.prod(x, axis=0), (_with_zeros,),
           label="zeros-axis0"),
    Sample(("prod",), ag.prod, np.prod, (constant([0.0, 2.0, 3.0]),), label="one-zero"),
    Sample(("prod",), ag.prod, np.prod, (constant([0j, 2 + 1j, 3 - 1j]),), dtypes="c",
           gradient_dtypes="c", label="complex-zero"),
    Sample(("prod",), lambda x: ag.prod(x, axis=1), lambda x: np.prod(x, axis=1), (normal(2, 0),),
           label="empty"),
    Sample(("cumulative_sum",), ag.cumulative_sum, np.cumsum, (normal(4),), dtypes="fcib",
           gradient_dtypes="fc"),
    Sample(("cumulative_sum",), lambda x: ag.cumulative_sum(x, axis=0, include_initial=True),
           lambda x: np.cumulative_sum(x, axis=0, include_initial=True), (strided(normal(3, 2)),),
           dtypes="fci", label="initial"),
    Sample(("cumulative_prod",), ag.cumulative_prod, np.cumprod, (positive(4),), dtypes="fci",
           gradient_dtypes="fc"),
    Sample(("cumulative_prod",), lambda x: ag.cumulative_prod(x, axis=1, include_initial=True),
           lambda x: np.cumulative_prod(x, axis=1, include_initial=True),
           (strided(positive(2, 3)),), dtypes="fc", gradient_dtypes="fc", label="initial"),
    Sample(("cumulative_prod", "linear_recurrence"), lambda x: ag.cumulative_prod(x, axis=1),
           lambda x: np.cumprod(x, axis=1), (_with_zeros,), label="zeros"),
    Sample(("cumulative_prod", "linear_recurrence"), lambda x: ag.cumulative_prod(x, axis=0),
           lambda x: np.cumprod(x, axis=0), (_with_zeros,), label="zeros-axis0"),
    Sample(("cumulative_prod", "linear_recurrence"), ag.cumulative_prod, np.cumprod,
           (constant([1 + 1j, 0j, 3 - 1j]),), dtypes="c", gradient_dtypes="c",
           label="complex-zero"),
    Sample(("logsumexp",), ag.logsumexp, _logsumexp, (normal(3, 4),), dtypes="fc",
           gradient_dtypes="fc"),
    Sample(("logsumexp",), lambda x: ag.logsumexp(x, axis=1, keepdims=True),
           lambda x: _logsumexp(x, 1, True), (strided(normal(3, 4)),), label="axis"),
    Sample(("softmax",), ag.softmax, _softmax, (normal(3),), dtypes="fc", gradient_dtypes="fc"),
    Sample(("softmax",), lambda x: ag.softmax(x, axis=0), lambda x: _softmax(x, 0),
           (strided(normal(3, 2)),), label="axis"),
    Sample(("log_softmax",), special.log_softmax, lambda x: np.log(_softmax(x)), (normal(3),),
           dtypes="fc", gradient_dtypes="fc"),
    Sample(("log_softmax",), lambda x: special.log_softmax(x, axis=0),
           lambda x: np.log(_softmax(x, 0)), (strided(normal(3, 2)),), label="axis"),
    Sample(("all",), lambda x: ag.all(x, axis=0), lambda x: np.all(x, axis=0), (normal(3, 4),),
           differentiable=(), dtypes="fcib"),
    Sample(("any",), lambda x: ag.any(x, axis=0, keepdims=True),
           lambda x: np.any(x, axis=0, keepdims=True), (normal(3, 4),), differentiable=(),
           dtypes="fcib"),
    Sample(("getitem", "subtract"), ag.diff, np.diff, (normal(5),), dtypes="fcib",
           gradient_dtypes="fc", label="diff"),
    Sample(("getitem", "concat"),
           lambda x, p, a: ag.diff(x, axis=0, n=2, prepend=p, append=a),
           lambda x, p, a: np.diff(x, axis=0, n=2, prepend=p, append=a),
           (normal(3, 2), normal(1, 2), normal(2, 2)), differentiable=(0, 1, 2), dtypes="fi",
           label="diff-joined"),
]  # fmt: skip

"""Searching, sorting, sets."""

from typing import Any

import numpy as np

import arraygrad as ag

from . import Sample, constant, distinct, normal, strided

MASK = constant([[True, False, True], [False, True, True]])
INTEGERS = constant([[3, 1, 3, 0], [1, 1, 2, 0]])


def _none(
    op: str, call: Any, numpy: Any, *arguments: Any, label: str = "", dtypes: str = "fi"
) -> Sample:
    return Sample((op,), call, numpy, arguments, differentiable=(), dtypes=dtypes, label=label)


SAMPLES = [
    Sample(("where",), ag.where, np.where, (MASK, normal(2, 3), normal(2, 3)),
           differentiable=(1, 2), dtypes="fcib", gradient_dtypes="fc"),
    Sample(("where",), ag.where, np.where, (MASK, normal(3), normal(2, 1)),
           differentiable=(1, 2), label="broadcast"),
    Sample(("where",), lambda c, x: ag.where(c, x, 0.5), lambda c, x: np.where(c, x, 0.5),
           (MASK, strided(normal(2, 3))), differentiable=(1,), label="number"),
    Sample(("where",), lambda c, x: ag.where(c, 2, x), lambda c, x: np.where(c, 2, x),
           (MASK, normal()), differentiable=(1,), dtypes="fi", label="0-d"),
    _none("argmax", ag.argmax, np.argmax, distinct(3, 4), dtypes="fib"),
    _none("argmax", lambda x: ag.argmax(x, axis=1, keepdims=True),
          lambda x: np.argmax(x, axis=1, keepdims=True), strided(distinct(3, 4)), label="axis"),
    _none("argmin", ag.argmin, np.argmin, distinct(3, 4), dtypes="fib"),
    _none("argmin", lambda x: ag.argmin(x, axis=0), lambda x: np.argmin(x, axis=0),
          strided(distinct(3, 4)), label="axis"),
    _none("count_nonzero", ag.count_nonzero, np.count_nonzero, normal(3, 4), dtypes="fcib"),
    _none("count_nonzero", lambda x: ag.count_nonzero(x, axis=0, keepdims=True),
          lambda x: np.count_nonzero(x, axis=0, keepdims=True), INTEGERS, label="axis"),
    _none("nonzero", lambda x: ag.stack(ag.nonzero(x)), lambda x: np.stack(np.nonzero(x)),
          INTEGERS, dtypes="fcib"),
    _none("searchsorted", lambda x, v: ag.searchsorted(ag.sort(x), v),
          lambda x, v: np.searchsorted(np.sort(x), v), distinct(5), normal(2, 3)),
    _none("searchsorted", lambda x, v: ag.searchsorted(x, v, side="right", sorter=ag.argsort(x)),
          lambda x, v: np.searchsorted(x, v, side="right", sorter=np.argsort(x)), distinct(5),
          normal(4), label="sorter"),
    _none("argsort", ag.argsort, lambda x: np.argsort(x, stable=True), distinct(3, 4),
          dtypes="fib"),
    _none("argsort", lambda x: ag.argsort(x, axis=0, descending=True),
          lambda x: np.argsort(-x, axis=0, stable=True), strided(distinct(3, 4)),
          label="descending", dtypes="f"),
    Sample(("sort", "take_along_axis"), ag.sort, np.sort, (distinct(3, 4),), dtypes="fib"),
    Sample(("sort", "take_along_axis"), lambda x: ag.sort(x, axis=0, descending=True),
           lambda x: -np.sort(-x, axis=0), (strided(distinct(3, 4)),), label="descending"),
    Sample(("partition", "take_along_axis"), lambda x: ag.partition(x, 3),
           lambda x: np.partition(x, 3), (distinct(3, 9),), dtypes="fi"),
    Sample(("partition", "take_along_axis"), lambda x: ag.partition(x, (1, -2), axis=0),
           lambda x: np.partition(x, (1, -2), axis=0), (strided(distinct(7, 3)),), label="several"),
    _none("argpartition", lambda x: x.argpartition(3), lambda x: np.argpartition(x, 3),
          distinct(3, 9), dtypes="fi"),
    Sample(("unique_values", "unique_all"), ag.unique_values, np.unique, (distinct(2, 3),),
           dtypes="fi"),
    Sample(("unique_counts",), lambda x: ag.unique_counts(x).values, np.unique, (distinct(5),)),
    Sample(("unique_inverse",), lambda x: ag.unique_inverse(x).values, np.unique, (distinct(5),)),
    _none("unique_all", lambda x: ag.unique_all(x).inverse_indices,
          lambda x: np.unique_all(x).inverse_indices, INTEGERS),
    _none("unique_counts", lambda x: ag.unique_counts(x).counts,
          lambda x: np.unique_counts(x).counts, INTEGERS, label="counts"),
    _none("isin", ag.isin, np.isin, INTEGERS, constant([1, 5, 0]), dtypes="i"),
    _none("isin", lambda x: ag.isin(x, 1, invert=True), lambda x: np.isin(x, 1, invert=True),
          INTEGERS, dtypes="fi", label="number"),
]  # fmt: skip

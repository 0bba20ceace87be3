"""np.einsum in all its forms, and its path.

Contracted pair by pair: repeated labels of an operand are its diagonal, labels of one operand alone
are summed, two operands are multiplied as batches of matrices. The derivative follows from these
steps. With one operand and no sums the result is a view, as in NumPy.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import cast, operand
from ..._dtypes import promote
from ..._errors import ArgumentError, ShapeError
from ..._graph import is_grad_enabled
from ..._layout import ALL_AXES
from ..._storage import TensorBase
from ...ops import arithmetic, manipulation, products, statistical, views
from ..plain import is_tracked
from ..raised import RAISED, in_our_classes
from ..ufuncs import store
from ._einsum_mistakes import mistake
from .constant import constant
from .rebinding import computed

einsum_path = constant(np.einsum_path)


@answers(np.einsum)
@in_our_classes("einsum")
def einsum(*operands: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> Any:
    """Sum of products of tensors over labelled axes, as ``numpy.einsum``.

    Parameters
    ----------
    *operands : str or Tensor
        Labels such as ``"ij,jk->ik"`` and the tensors, or tensors and lists of labels in turn.
    out : Tensor or ndarray, optional
        Where the result is written.
    optimize : bool, str or list
        Accepted: products of more than two tensors go by a greedy path.
    **kwargs
        ``dtype``, ``order`` and ``casting`` as NumPy takes them.

    Returns
    -------
    Tensor

    Notes
    -----
    Linear in each tensor: the cotangent of one is a sum of products with the others.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.einsum("ij,j->i", ag.ones((2, 3)), ag.tensor([1.0, 2.0, 3.0]))
    tensor([6., 6.])
    """
    try:
        return _einsum(operands, out, optimize, kwargs)
    except RAISED as error:
        said = mistake(operands)
        if said is None:
            raise
        kind = ArgumentError if " given" in said else ShapeError
        raise kind(f"einsum: {said}") from error


def _einsum(operands: tuple[Any, ...], out: Any, optimize: Any, kwargs: dict[str, Any]) -> Any:
    arrays = [x for x in operands if isinstance(x, TensorBase)]
    tracked = is_grad_enabled() and is_tracked(operands)
    if not tracked and len(arrays) + (len(operands) > 1) > 2:
        return _by_numpy(operands, out, optimize, kwargs)
    inputs, output, tensors = _parsed(operands)
    if not tracked and len(inputs) == 1 and not set(output).issuperset(inputs[0]):  # no view
        return _by_numpy(operands, out, optimize, kwargs)
    dtype = kwargs.get("dtype")
    if dtype is None:
        dtype = tensors[0]._array.dtype
        for t in tensors[1:]:
            dtype = promote(dtype, t._array.dtype)
    terms = [
        _single(t if t._array.dtype is dtype else cast(t, dtype), labels)
        for t, labels in zip(tensors, inputs, strict=True)
    ]
    if len(terms) > 2:
        terms = _contracted(terms, output)
    if len(terms) == 2:
        terms = [_pair(terms[0], terms[1], output)]
    result, labels = terms[0]
    if labels != output:
        result, labels = _summed(result, labels, set(output))
    if labels != output or result is tensors[0]:  # then a view of it
        result = manipulation.permute_dims(result, tuple([labels.index(c) for c in output]))
    if out is not None:
        return store(out, result, True, kwargs.get("casting", "same_kind"), "einsum")
    return result if result._array.ndim else result[()]


def _by_numpy(operands: Any, out: Any, optimize: Any, kwargs: dict[str, Any]) -> Any:
    if out is None and not optimize and not kwargs:
        return computed(np.einsum, operands, kwargs)
    return computed(np.einsum, operands, {"out": out, "optimize": optimize, **kwargs})


# (text, numbers of dimensions) -> labels of each operand, and of the output.
_READ: dict[tuple[str, tuple[int, ...]], tuple[list[str], str]] = {}


def _parsed(operands: tuple[Any, ...]) -> tuple[list[str], str, list[Any]]:
    """Labels of each operand, of the output, and the operands; NumPy itself reads the text."""
    text = operands[0]
    if type(text) is not str:
        return _read(operands)
    tensors = [operand(x, "einsum", i) for i, x in enumerate(operands[1:], 1)]
    key = (text, tuple([x._array.ndim for x in tensors]))
    known = _READ.get(key)
    if known is None:
        inputs, output, _ = _read((text, *tensors))
        known = inputs, output
        if len(_READ) < 256:
            _READ[key] = known
    return [*known[0]], known[1], tensors


def _read(operands: tuple[Any, ...]) -> tuple[list[str], str, list[Any]]:
    parse = np._core.einsumfunc._parse_einsum_input  # type: ignore[attr-defined]
    tensors = [
        operand(x, "einsum", i) for i, x in enumerate(operands) if not _is_labels(x, i, operands)
    ]
    waiting = iter(tensors)
    stand_ins = [
        x if _is_labels(x, i, operands)
        else np.broadcast_to(np.empty((), bool), next(waiting)._array.shape)
        for i, x in enumerate(operands)
    ]  # fmt: skip
    inputs, output, _ = parse(stand_ins)
    listed = inputs.split(",")
    if any(len(c) != x._array.ndim for c, x in zip(listed, tensors, strict=True)):
        raise ShapeError(f"einsum: {mistake(operands) or 'labels and dimensions do not fit'}")
    return listed, output, tensors


def _is_labels(x: Any, i: int, operands: tuple[Any, ...]) -> bool:
    """Whether argument i is a text or a list of labels."""
    if isinstance(operands[0], str):
        return i == 0
    return i % 2 == 1 or (i == len(operands) - 1 and len(operands) % 2 == 1)


Term = tuple[Any, str]  # a tensor and one label per dimension


def _single(x: Any, labels: str) -> Term:
    """Diagonals where a label is repeated."""
    if len(set(labels)) == len(labels):
        return x, labels
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            sizes = x._array.shape[first], x._array.shape[second]
            if sizes[0] != sizes[1]:
                raise ShapeError(
                    f"einsum: label {label!r} has the sizes {sizes[0]} and {sizes[1]} in one "
                    "operand"
                )
            x = views.diagonal(x, 0, first, second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return x, labels


def _summed(x: Any, labels: str, kept: set[str]) -> Term:
    """Sums over labels that are not kept."""
    axes = tuple(i for i, c in enumerate(labels) if c not in kept)
    if not axes:
        return x, labels
    return _sum(x, axes), "".join([c for c in labels if c in kept])


def _sum(x: Any, axes: tuple[int, ...]) -> Any:
    """In the dtype that x has, as einsum adds."""
    dtype = x._array.dtype
    return statistical.sum(x, axis=axes, dtype=None if dtype.kind in "fc" else dtype)


def _contracted(terms: list[Term], output: str) -> list[Term]:
    """Contract many operands to two, in the order that NumPy finds to be cheap."""
    shapes = [np.broadcast_to(np.empty((), bool), x._array.shape) for x, _ in terms]
    text = ",".join(labels for _, labels in terms) + "->" + output
    path, _ = np.einsum_path(text, *shapes, optimize="greedy")
    for step in path[1:]:
        while len(step) > 2 and len(terms) > 2:  # a step of several at once: pair by pair
            step = (*step[:-2], *_merge(terms, step[-2:], output))
        if len(terms) > 2:
            _merge(terms, step, output)
    while len(terms) > 2:
        _merge(terms, (0, 1), output)
    return terms


def _merge(terms: list[Term], step: tuple[int, ...], output: str) -> tuple[int, ...]:
    if len(step) < 2:
        return ()
    second, first = (terms.pop(i) for i in sorted(step, reverse=True))
    needed = set(output).union(*(labels for _, labels in terms)) if terms else set(output)
    terms.append(_pair(first, second, "".join(sorted(needed))))
    return (len(terms) - 1,)


class _Plan:
    """What the labels of two operands and of their product say: the same for all shapes."""

    __slots__ = ("batch", "columns", "inner", "labels", "left", "right", "rows", "sums")

    def __init__(self, la: str, lb: str, kept: str) -> None:
        others = {*lb, *kept}
        self.sums = (_left_out(la, others), _left_out(lb, {*la, *kept}))
        la = "".join([c for c in la if c in others])
        lb = "".join([c for c in lb if c in la or c in kept])
        shared = [c for c in la if c in lb]
        batch = [c for c in shared if c in kept]
        inner = [c for c in shared if c not in kept]
        rows = [c for c in la if c not in lb]
        columns = [c for c in lb if c not in la]
        self.batch, self.rows = len(batch), len(rows)
        self.inner, self.columns = len(inner), len(columns)
        self.left = tuple([la.index(c) for c in [*batch, *rows, *inner]])
        self.right = tuple([lb.index(c) for c in [*batch, *inner, *columns]])
        self.labels = "".join([*batch, *rows, *columns])


_plan = lru_cache(256)(_Plan)


def _left_out(labels: str, kept: set[str]) -> tuple[int, ...]:
    return tuple([i for i, c in enumerate(labels) if c not in kept])


def _pair(first: Term, second: Term, kept: str) -> Term:
    """The product of two terms, summed over all labels that are not kept."""
    (a, la), (b, lb) = _fitted(first, second)
    plan = _plan(la, lb, kept)
    if plan.sums[0]:
        a = _sum(a, plan.sums[0])
    if plan.sums[1]:
        b = _sum(b, plan.sums[1])
    left, right = _ordered(a, plan.left), _ordered(b, plan.right)
    if not plan.inner:
        return _outer(left, right, plan), plan.labels
    shape1, shape2 = left._array.shape, right._array.shape
    k = plan.batch
    lead, rows, inner = shape1[:k], shape1[k : k + plan.rows], shape1[k + plan.rows :]
    columns = shape2[k + plan.inner :]
    size = prod(inner)
    left = _shaped(left, (*lead, prod(rows), size))
    right = _shaped(right, (*lead, size, prod(columns)))
    return _shaped(products.matmul(left, right), (*lead, *rows, *columns)), plan.labels


def _outer(left: Any, right: Any, plan: _Plan) -> Any:
    """No sum: a product with broadcasting."""
    shape1, shape2 = left._array.shape, right._array.shape
    k = plan.batch
    left = _shaped(left, shape1 + (1,) * plan.columns)
    right = _shaped(right, (*shape2[:k], *(1,) * plan.rows, *shape2[k:]))
    return arithmetic.multiply(left, right)


def _ordered(x: Any, order: tuple[int, ...]) -> Any:
    return x if order == ALL_AXES[len(order)] else manipulation.permute_dims(x, order)


def _shaped(x: Any, shape: tuple[int, ...]) -> Any:
    return x if x._array.shape == shape else manipulation.reshape(x, shape)


def _fitted(first: Term, second: Term) -> tuple[Term, Term]:
    """A dimension of size 1 that meets a longer one broadcasts: its label is dropped."""
    (a, la), (b, lb) = first, second
    if 1 not in a._array.shape and 1 not in b._array.shape:
        return first, second
    for label in [c for c in la if c in lb]:
        n, m = a._array.shape[la.index(label)], b._array.shape[lb.index(label)]
        if n == 1 != m:
            a, la = manipulation.squeeze(a, la.index(label)), la.replace(label, "")
        elif m == 1 != n:
            b, lb = manipulation.squeeze(b, lb.index(label)), lb.replace(label, "")
    return (a, la), (b, lb)

"""np.einsum in all its forms, and its path.

Contracted pair by pair: repeated labels of an operand are its diagonal, labels of one operand alone
are summed, two operands are multiplied as batches of matrices. The derivative follows from these
steps. With one operand and no sums the result is a view, as in NumPy.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..._answers import answers
from ..._apply import cast, operand
from ..._dtypes import promote
from ..._graph import is_grad_enabled
from ..._storage import TensorBase
from ...ops import arithmetic, manipulation, products, statistical, views
from ..plain import is_tracked
from ..raised import in_our_classes
from ..ufuncs import store
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
    arrays = [x for x in operands if isinstance(x, TensorBase)]
    tracked = is_grad_enabled() and is_tracked(operands)
    if not tracked and len(arrays) + (len(operands) > 1) > 2:
        return computed(np.einsum, operands, {"out": out, "optimize": optimize, **kwargs})
    inputs, output, tensors = _parsed(operands)
    dtype = kwargs.get("dtype")
    if dtype is None:
        dtype = tensors[0]._array.dtype
        for t in tensors[1:]:
            dtype = promote(dtype, t._array.dtype)
    terms = [_single(cast(t, dtype), labels) for t, labels in zip(tensors, inputs, strict=True)]
    if len(terms) > 2:
        terms = _contracted(terms, output)
    if len(terms) == 2:
        terms = [_pair(terms[0], terms[1], output)]
    result, labels = _summed(*terms[0], set(output))
    result = manipulation.permute_dims(result, tuple(labels.index(c) for c in output))
    if out is not None:
        return store(out, result, True, kwargs.get("casting", "same_kind"), "einsum")
    return result if result._array.ndim else result[()]


def _parsed(operands: tuple[Any, ...]) -> tuple[list[str], str, list[Any]]:
    """Labels of each operand, of the output, and the operands; NumPy itself reads the text."""
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
    return inputs.split(","), output, tensors


def _is_labels(x: Any, i: int, operands: tuple[Any, ...]) -> bool:
    """Whether argument i is a text or a list of labels."""
    if isinstance(operands[0], str):
        return i == 0
    return i % 2 == 1 or (i == len(operands) - 1 and len(operands) % 2 == 1)


Term = tuple[Any, str]  # a tensor and one label per dimension


def _single(x: Any, labels: str) -> Term:
    """Diagonals where a label is repeated."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            x = views.diagonal(x, 0, first, second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return x, labels


def _summed(x: Any, labels: str, kept: set[str]) -> Term:
    """Sums over labels that are not kept."""
    axes = tuple(i for i, c in enumerate(labels) if c not in kept)
    if not axes:
        return x, labels
    return statistical.sum(x, axis=axes, dtype=x._array.dtype), "".join(
        c for c in labels if c in kept
    )


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


def _pair(first: Term, second: Term, kept: str) -> Term:
    """The product of two terms, summed over all labels that are not kept."""
    (a, la), (b, lb) = _fitted(first, second)
    a, la = _summed(a, la, set(lb) | set(kept))
    b, lb = _summed(b, lb, set(la) | set(kept))
    shared = [c for c in la if c in lb]
    batch = [c for c in shared if c in kept]
    inner = [c for c in shared if c not in kept]
    rows = [c for c in la if c not in lb]
    columns = [c for c in lb if c not in la]
    if not inner:
        return _outer(a, la, b, lb, batch, rows, columns)
    size = dict(zip(la + lb, a._array.shape + b._array.shape, strict=True))

    def count(labels: list[str]) -> int:
        return prod(size[c] for c in labels)

    left = _arranged(a, la, [*batch, *rows, *inner])
    right = _arranged(b, lb, [*batch, *inner, *columns])
    lead = tuple(size[c] for c in batch)
    left = manipulation.reshape(left, (*lead, count(rows), count(inner)))
    right = manipulation.reshape(right, (*lead, count(inner), count(columns)))
    out = products.matmul(left, right)
    labels = [*batch, *rows, *columns]
    return manipulation.reshape(out, tuple(size[c] for c in labels)), "".join(labels)


def _outer(
    a: Any, la: str, b: Any, lb: str, batch: list[str], rows: list[str], columns: list[str]
) -> Term:
    """No sum: a product with broadcasting."""
    left = _arranged(a, la, [*batch, *rows])
    right = _arranged(b, lb, [*batch, *columns])
    shape = left._array.shape
    left = manipulation.reshape(left, shape + (1,) * len(columns))
    shape = right._array.shape
    lead = len(batch)
    right = manipulation.reshape(right, (*shape[:lead], *(1,) * len(rows), *shape[lead:]))
    return arithmetic.multiply(left, right), "".join([*batch, *rows, *columns])


def _arranged(x: Any, labels: str, order: list[str]) -> Any:
    return manipulation.permute_dims(x, tuple(labels.index(c) for c in order))


def _fitted(first: Term, second: Term) -> tuple[Term, Term]:
    """A dimension of size 1 that meets a longer one broadcasts: its label is dropped."""
    (a, la), (b, lb) = first, second
    for label in [c for c in la if c in lb]:
        n, m = a._array.shape[la.index(label)], b._array.shape[lb.index(label)]
        if n == 1 != m:
            a, la = manipulation.squeeze(a, la.index(label)), la.replace(label, "")
        elif m == 1 != n:
            b, lb = manipulation.squeeze(b, lb.index(label)), lb.replace(label, "")
    return (a, la), (b, lb)

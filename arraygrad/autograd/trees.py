"""Nested containers: dict, list, tuple, namedtuple and dataclass, taken apart and rebuilt.

A tensor is a leaf like whatever else is not a container.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._errors import ArgumentError
from .._storage import TensorBase

# Leaves that come often: they are told quickly.
_LEAVES = frozenset((np.ndarray, np.float64, float, int, complex, str, type(None)))

Rebuild = Callable[[Sequence[Any]], Any]


def parts(tree: Any) -> tuple[list[tuple[str, Any]], Rebuild] | None:
    """(how each child is reached, child) and a function that rebuilds; None for a leaf."""
    if type(tree) in _LEAVES or isinstance(tree, TensorBase):
        return None
    if isinstance(tree, dict):
        keys = list(tree)

        def rebuild_dict(values: Sequence[Any]) -> Any:
            pairs = dict(zip(keys, values, strict=True))
            if type(tree) is dict:
                return pairs
            made = tree.copy()
            made.update(pairs)
            return made

        return [(f"[{key!r}]", tree[key]) for key in keys], rebuild_dict
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        named = type(tree)
        fields = tree._fields
        return (
            [(f".{f}", v) for f, v in zip(fields, tree, strict=True)],
            lambda values: named(*values),
        )
    if isinstance(tree, list | tuple):
        kind = type(tree)
        return [(f"[{i}]", v) for i, v in enumerate(tree)], lambda values: kind(values)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return _dataclass_parts(tree)
    return None


def _dataclass_parts(tree: Any) -> tuple[list[tuple[str, Any]], Rebuild]:
    names = [f.name for f in dataclasses.fields(tree)]
    children = [(f".{name}", getattr(tree, name)) for name in names]

    def rebuild(values: Sequence[Any]) -> Any:
        # Neither __init__ nor __post_init__ runs: they may convert or check what they get.
        made = object.__new__(type(tree))
        for name, value in zip(names, values, strict=True):
            object.__setattr__(made, name, value)
        return made

    return children, rebuild


def flatten(tree: Any, path: str = "") -> tuple[list[tuple[str, Any]], Rebuild]:
    """All leaves with their paths, and a function that rebuilds the tree from new leaves."""
    found = parts(tree)
    if found is None:
        return [(path, tree)], lambda values: values[0]
    children, rebuild = found
    leaves: list[tuple[str, Any]] = []
    inner: list[tuple[Rebuild, int]] = []
    for step, child in children:
        below, rebuild_child = flatten(child, path + step)
        leaves += below
        inner.append((rebuild_child, len(below)))

    def rebuild_all(values: Sequence[Any]) -> Any:
        made = []
        start = 0
        for rebuild_child, count in inner:
            made.append(rebuild_child(values[start : start + count]))
            start += count
        return rebuild(made)

    return leaves, rebuild_all


def leaves_like(tree: Any, like: Any, what: str) -> list[Any]:
    """The leaves of `tree`, which must have the structure of `like`."""
    given = flatten(tree)[0]
    expected = flatten(like)[0]
    if [p for p, _ in given] != [p for p, _ in expected]:
        raise ArgumentError(
            f"{what} has the leaves {[p for p, _ in given]}, expected the structure "
            f"{[p for p, _ in expected]}"
        )
    return [leaf for _, leaf in given]

"""What is wrong with the labels of an einsum, in words: for its errors only."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._storage import TensorBase


def mistake(operands: tuple[Any, ...]) -> str | None:
    """Which operand or label does not fit; None if that is not what went wrong."""
    found = _labelled(operands)
    if found is None:
        return None
    labels, given, text = found
    if len(labels) != len(given):
        return (
            f"{text!r} names {_count(len(labels), 'operand')}, but {len(given)} "
            f"{'was' if len(given) == 1 else 'were'} given"
        )
    shapes = [x._array.shape if isinstance(x, TensorBase) else np.shape(x) for x in given]
    for i, (named, shape) in enumerate(zip(labels, shapes, strict=True)):
        count = len(named) - (Ellipsis in named)
        if count > len(shape) or (count < len(shape) and Ellipsis not in named):
            return (
                f"operand {i} has {_count(len(shape), 'dimension')}, but {_shown(named)} names "
                f"{count}; its shape is {shape}"
            )
    return _sizes(labels, shapes)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _shown(named: list[Any]) -> str:
    if all(isinstance(label, str) or label is Ellipsis for label in named):
        return repr("".join("..." if label is Ellipsis else label for label in named))
    return repr(named)


def _labelled(operands: tuple[Any, ...]) -> tuple[list[list[Any]], list[Any], str] | None:
    """Labels of each operand, the operands, and the text."""
    if not operands:
        return None
    text = operands[0]
    if isinstance(text, str):
        inputs = text.replace(" ", "").partition("->")[0].split(",")
        labels: list[list[Any]] = [
            [Ellipsis if c == "!" else c for c in part.replace("...", "!")]
            for part in inputs
            if "!" not in part
        ]
        given = list(operands[1:])
        return None if len(labels) != len(inputs) else (labels, given, text)
    named = operands[1::2]
    if not all(isinstance(part, list | tuple) for part in named):
        return None
    given = list(operands[: 2 * len(named) : 2])
    return [list(part) for part in named], given, str(list(named))


def _sizes(labels: list[list[Any]], shapes: list[tuple[int, ...]]) -> str | None:
    """Two sizes of one label; 1 broadcasts."""
    seen: dict[Any, tuple[int, int]] = {}
    for i, (named, shape) in enumerate(zip(labels, shapes, strict=True)):
        at = named.index(Ellipsis) if Ellipsis in named else len(named)
        tail = len(named) - at - 1
        pairs = [
            *zip(named[:at], shape, strict=False),
            *(zip(named[at + 1 :], shape[len(shape) - tail :], strict=False) if tail > 0 else ()),
        ]
        for label, size in pairs:
            first = seen.get(label)
            if first is None or first[0] == 1:
                seen[label] = (size, i)
            elif size not in (1, first[0]):
                if first[1] == i:
                    return f"label {label!r} has the sizes {first[0]} and {size} in operand {i}"
                return (
                    f"label {label!r} has size {first[0]} in operand {first[1]} and size {size} in "
                    f"operand {i}"
                )
    return None

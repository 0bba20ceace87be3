"""Reading, adding and writing through a view's geometry, on plain arrays.

A window is a view given by dtype, shape, strides and offset in bytes over a base that is stored
C-contiguously or in the base's own strides. Complex memory seen as its real parts is covered: a
cotangent of complex memory is dL/dRe + i dL/dIm, hence its parts are the cotangents of the parts.
Knows nothing of tensors.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ._errors import GradientError
from ._graph import ATTRIBUTES, INPUTS, Node
from ._layout import byte_extent
from ._storage import Geometry


def _base_memory(base: Geometry, fill: Any = None) -> tuple[Any, Any]:
    """Zeroed (or filled) memory laid out like the base: (1-d bytes, the base as a view of it)."""
    low, high = byte_extent(base.shape, base.strides, base.dtype.itemsize)
    memory = np.zeros(high - low, np.uint8)
    view = np.ndarray(base.shape, base.dtype, buffer=memory, offset=-low, strides=base.strides)
    if fill is not None:
        view[...] = fill
    return memory, view


def _window(memory: Any, base: Geometry, view: Geometry) -> Any:
    return np.ndarray(
        view.shape, view.dtype, buffer=memory, offset=_start(base, view), strides=view.strides
    )


def _start(base: Geometry, view: Geometry) -> int:
    """Where the view's first element lies in the base's memory; both offsets are the storage's."""
    low, _ = byte_extent(base.shape, base.strides, base.dtype.itemsize)
    return view.offset - base.offset - low if prod(view.shape) else 0


def read_window(x: Any, *, base: Geometry, view: Geometry) -> Any:
    """The view's values when the base holds `x`; a copy."""
    memory, _ = _base_memory(base, x)
    return _window(memory, base, view).copy()


def add_window(g: Any, *, base: Geometry, view: Geometry) -> Any:
    """A zero base to which `g` has been added through the view (overlaps add up)."""
    memory, out = _base_memory(base)
    add_into_window(memory, g, base, view)
    return out if out.flags.c_contiguous else out.copy()


def add_into_window(memory: Any, g: Any, base: Geometry, view: Geometry) -> None:
    window = _window(memory, base, view)
    if view.overlaps:
        units, index = _unit_index(memory, base, view)
        np.add.at(units, index, np.broadcast_to(g, view.shape))
    else:
        window += g


def pull_read(node: Node, g: Any) -> tuple[Any]:
    """The cotangent of the base when a view of it was read."""
    attributes = node[ATTRIBUTES]
    return (add_window(g, base=attributes["base"], view=attributes["view"]),)


def pull_write(node: Node, g: Any) -> tuple[Any, Any]:
    """The cotangents of the base as it was, and of what was written through a view of it."""
    base, view = node[ATTRIBUTES]["base"], node[ATTRIBUTES]["view"]
    first, second = node[INPUTS]
    return (
        None if first is None else write_window(g, 0, base=base, view=view),
        None if second is None else read_written(g, base=base, view=view),
    )


def _memory_of(g: Any, base: Geometry) -> Any:
    """The bytes of a cotangent that lies in memory as its base does, or None."""
    if g.dtype != base.dtype or g.strides != base.strides or not g.flags.c_contiguous:
        return None
    return g.reshape(-1).view(np.uint8)


def add_to_cotangent(cotangent: Any, g: Any, node: Node) -> bool:
    """Add `g` to the cotangent of the base through the view, in place; False: it cannot be."""
    attributes = node[ATTRIBUTES]
    memory = _memory_of(cotangent, attributes["base"])
    if memory is None:
        return False
    add_into_window(memory, g, attributes["base"], attributes["view"])
    return True


def take_from_cotangent(g: Any, attributes: dict[str, Any]) -> Any:
    """The cotangent of what was written, which is cleared in that of the base; None: by formula."""
    base, view = attributes["base"], attributes["view"]
    memory = None if view.overlaps else _memory_of(g, base)
    if memory is None:
        return None
    window = _window(memory, base, view)
    value = window.copy()
    window[...] = 0
    return value


def write_window(x: Any, value: Any, *, base: Geometry, view: Geometry) -> Any:
    """The base `x` after `value` has been written through the view, as a new array."""
    memory, out = _base_memory(base, x)
    _window(memory, base, view)[...] = value
    return out if out.flags.c_contiguous else out.copy()


def read_written(g: Any, *, base: Geometry, view: Geometry) -> Any:
    """Transpose of writing `value`: what of it survived (the last write wins) gets its share."""
    memory, _ = _base_memory(base, g)
    window = _window(memory, base, view)
    if not view.overlaps:
        return window.copy()
    units, index = _unit_index(memory, base, view)
    order = np.arange(index.size).reshape(index.shape)
    return np.where(_kept(units.size, base, view, ...)[index] == order, window, 0)


def written_places(base: Geometry, view: Geometry, key: Any) -> tuple[Any, Any]:
    """What ``view[key] = value`` writes where some elements of the view are others of it too.

    Returns the index of the base's elements that change, and for each of them the number of the
    element of `value` that it keeps.
    """
    if view.dtype != base.dtype or base.overlaps:
        raise GradientError(
            "elements of a view that holds some several times were written in place; its gradient "
            f"is defined only for views of the base's own dtype {base.dtype}, not {view.dtype}: "
            "write to a copy instead"
        )
    memory, _ = _base_memory(base)
    units, own = _unit_index(memory, base, base)
    kept = _kept(units.size, base, view, key)[own]
    places = np.nonzero(kept >= 0)
    return places, kept[places]


def _kept(size: int, base: Geometry, view: Geometry, key: Any) -> Any:
    """For each unit of memory which element of an assigned value it keeps; -1 for none.

    NumPy's order of writing depends on the strides: found by a write to memory laid out alike.
    """
    itemsize = view.dtype.itemsize
    kept = np.full(size, -1, np.int64)
    steps = [s // itemsize * kept.itemsize for s in view.strides]
    start = _start(base, view) // itemsize * kept.itemsize
    window = np.ndarray(view.shape, kept.dtype, buffer=kept, offset=start, strides=steps)
    shape = window[key].shape
    window[key] = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return kept


def _unit_index(memory: Any, base: Geometry, view: Geometry) -> tuple[Any, Any]:
    """The memory in units of the view's items, and which unit each view element is."""
    itemsize = view.dtype.itemsize
    start = _start(base, view)
    if memory.size % itemsize or start % itemsize or any(s % itemsize for s in view.strides):
        raise GradientError(
            "an overlapping view whose strides are not multiples of its item size was written in "
            "place; its gradient is not defined: write to a copy instead"
        )
    index = np.full(view.shape, start // itemsize)
    for axis, (size, stride) in enumerate(zip(view.shape, view.strides, strict=True)):
        steps = np.arange(size) * (stride // itemsize)
        index += steps.reshape((-1,) + (1,) * (len(view.shape) - axis - 1))
    return memory.view(view.dtype), index

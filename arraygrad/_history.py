"""The history of shared memory: how a write reaches the nodes of the base and of its other views.

A write through a view is an op of the base's whole value, `write_window`; a view that is read
later gets its value from there, by `read_window` (`_apply.node_of`). The other ops are transposes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._aliases import is_seen_by_others
from ._apply import apply, geometry_in, node_of, wrap
from ._detach import lose
from ._dispatch import register_kernel
from ._errors import GradientError
from ._graph import Node, is_grad_enabled, next_seq
from ._op import Linear, Op, declare
from ._storage import family_of, prepare_write, write_lock
from ._windows import add_window, read_window, read_written, write_window


def adopt_history(x: Any, node: Node | None) -> None:
    """After `x` was written: its value now has `node`; the family's history follows."""
    family = family_of(x)
    if node is None and family.node is None and x._node is None:
        return
    geometry = geometry_in(family, x._array)
    base = family.base
    if geometry.shape == base.shape and geometry == base:
        family.node = node
    else:
        if family.node is not None or node is not None:
            like = (base.shape, base.dtype)
            attributes = {"base": base, "view": geometry, "result_like": like}
            family.node = [
                next_seq(), WRITE_WINDOW, (family.node, node), None, attributes
            ]  # fmt: skip
    family.epoch += 1
    x._node = node
    x._epoch = family.epoch


def overwrite(x: Any, value: Any, writer: str) -> None:
    """Write the tensor `value` (same shape and dtype) into `x`, history included."""
    recording = is_grad_enabled()
    # Before the lock: it may take that of the value's memory, whose writer may wait for this one.
    node = node_of(value) if recording else None
    if node is not None:
        check_alone(x, x._array, writer)
    with write_lock(x):
        prepare_write(x, writer)
        x._array[...] = value._array
        if recording:
            adopt_history(x, node)


def check_alone(x: Any, target: Any, writer: str) -> None:
    """Refuse to write a gradient into memory that another tensor, which has no part in it, sees.

    `target` is the array of x, or the part of it that is written.
    """
    family = x._family
    if family is None or not family.storage.pinned:
        return
    if family.storage.borrowed:
        where = "a buffer, a memory map or an array of another kind"
        lose(
            f"{writer}, to an array that has its memory from {where},",
            "write to an array of its own, np.array(x)",
        )
        return
    if is_seen_by_others(family.storage, target):
        raise GradientError(
            f"{writer}: the value carries a gradient, and another tensor over the same memory "
            "(made of the same array, or through DLPack) would not get it; use one of them for "
            "both, or write to a copy, x = x.copy()"
        )


# -- windows: the place of a view in its base ------------------------------------------------------

READ_WINDOW: Op = declare(
    Op("read_window", ("x",),
       Linear(x=lambda g, base, view: apply(ADD_WINDOW, g, base=base, view=view)), scalar=False)
)  # fmt: skip
register_kernel("read_window", read_window)

ADD_WINDOW: Op = declare(
    Op("add_window", ("g",),
       Linear(g=lambda g, base, view: apply(READ_WINDOW, g, base=base, view=view)), scalar=False)
)  # fmt: skip
register_kernel("add_window", add_window)

WRITE_WINDOW: Op = declare(
    Op("write_window", ("x", "value"),
       Linear(x=lambda g, base, view: apply(ZERO_WINDOW, g, base=base, view=view),
              value=lambda g, base, view: apply(READ_WRITTEN, g, base=base, view=view)),
       scalar=False)
)  # fmt: skip
register_kernel("write_window", write_window)

ZERO_WINDOW: Op = declare(
    Op("zero_window", ("x",),
       Linear(x=lambda g, base, view: apply(ZERO_WINDOW, g, base=base, view=view)), scalar=False)
)  # fmt: skip
register_kernel("zero_window", lambda x, *, base, view: write_window(x, 0, base=base, view=view))

READ_WRITTEN: Op = declare(
    Op("read_written", ("x",),
       Linear(x=lambda g, base, view: apply(
           WRITE_WINDOW, wrap(np.zeros(base.shape, base.dtype)), g, base=base, view=view)),
       scalar=False)
)  # fmt: skip
register_kernel("read_written", read_written)

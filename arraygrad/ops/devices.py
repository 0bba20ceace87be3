"""Moving tensors between devices."""

from __future__ import annotations

from typing import Any

from .._apply import node_of, wrap
from .._device import Device, as_device, transfer
from .._graph import is_grad_enabled, next_seq
from .._op import Linear, Op, declare

TO_DEVICE = declare(
    Op("to_device", ("x",), Linear(x=lambda g, source: to_device(g, source)), scalar=False)
)


def to_device(x: Any, device: Device | str) -> Any:
    """The tensor on another device; the tensor itself if it is there already.

    Parameters
    ----------
    x : Tensor
    device : Device or str

    Returns
    -------
    Tensor
        A copy on the other device.

    Notes
    -----
    Derivative: the cotangent moves back.
    """
    target = as_device(device)
    source = x.device
    if source == target:
        return x
    out = wrap(transfer(x._array, source, target))
    node = node_of(x)
    if node is not None and is_grad_enabled():
        attributes = {"source": source, "device": target}
        out._node = [next_seq(), TO_DEVICE, (node,), None, attributes]
    return out

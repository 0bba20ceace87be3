"""The public layer of derivatives.

``ag.grad`` and its kin differentiate functions; ``ag.autograd.grad`` and ``backward`` walk a graph
that is there already.
"""

from typing import TYPE_CHECKING

from .._lazy import lazy_attributes
from .hooks import (
    GraphNode as GraphNode,
    RemovableHandle as RemovableHandle,
    saved_tensors_hooks as saved_tensors_hooks,
)
from .modes import (
    enable_grad as enable_grad,
    is_grad_enabled as is_grad_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from .reverse import backward as backward, grad as grad

if TYPE_CHECKING:
    from .anomaly import detect_anomaly as detect_anomaly
    from .checkpoint import checkpoint as checkpoint
    from .function import Function as Function, once_differentiable as once_differentiable
    from .functional import (
        elementwise_grad as elementwise_grad,
        hessian as hessian,
        hvp as hvp,
        jacfwd as jacfwd,
        jacobian as jacobian,
        jacrev as jacrev,
        jvp as jvp,
        linearize as linearize,
        value_and_grad as value_and_grad,
        vjp as vjp,
    )
    from .gradcheck import gradcheck as gradcheck, gradgradcheck as gradgradcheck
    from .primitive import primitive as primitive

__all__ = [
    "Function",
    "GraphNode",
    "RemovableHandle",
    "backward",
    "checkpoint",
    "detect_anomaly",
    "elementwise_grad",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "hessian",
    "hvp",
    "is_grad_enabled",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "no_grad",
    "once_differentiable",
    "primitive",
    "saved_tensors_hooks",
    "set_grad_enabled",
    "value_and_grad",
    "vjp",
]

# Imported when first asked for: module -> names.
_LAZY: dict[str, tuple[str, ...]] = {
    "anomaly": ("detect_anomaly",),
    "checkpoint": ("checkpoint",),
    "function": (
        "Function",
        "once_differentiable",
    ),
    "functional": (
        "elementwise_grad",
        "hessian",
        "hvp",
        "jacfwd",
        "jacobian",
        "jacrev",
        "jvp",
        "linearize",
        "value_and_grad",
        "vjp",
    ),
    "gradcheck": (
        "gradcheck",
        "gradgradcheck",
    ),
    "primitive": ("primitive",),
}

__getattr__ = lazy_attributes(__name__, _LAZY, "arraygrad._hints")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

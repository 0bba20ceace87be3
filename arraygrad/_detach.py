"""When a tracked tensor may become plain data.

Turning a tracked tensor into an ndarray, a Python float, an index or a DLPack capsule would lose
its gradient without a word, so it raises DetachError. ``set_detach_policy`` changes that for the
current context.
"""

from __future__ import annotations

import sys
import warnings
from contextvars import ContextVar
from typing import Any, Literal

from ._apply import node_of
from ._errors import ArgumentError, DetachError
from ._graph import is_grad_enabled

Policy = Literal["error", "warn", "allow"]

_POLICY: ContextVar[Policy] = ContextVar("arraygrad_detach_policy", default="error")


class DetachWarning(UserWarning):
    """A tracked tensor was turned into plain data; its gradient ends there."""


class _PolicyScope:
    """Restores the earlier policy when used as a context manager."""

    def __init__(self, previous: Policy) -> None:
        self._previous = previous

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        _POLICY.set(self._previous)


def set_detach_policy(policy: Policy) -> _PolicyScope:
    """Say what happens when a tracked tensor is turned into plain data.

    Parameters
    ----------
    policy : {"error", "warn", "allow"}
        Raise DetachError (the default), warn with DetachWarning, or do it silently. Holds for
        the current context (thread or task); as ``with ag.set_detach_policy(...)`` until the
        block ends.

    Examples
    --------
    >>> import arraygrad as ag
    >>> x = ag.tensor(2.0, requires_grad=True)
    >>> with ag.set_detach_policy("allow"):
    ...     float(x)
    2.0
    """
    if policy not in ("error", "warn", "allow"):
        raise ArgumentError(f"policy={policy!r}; use 'error', 'warn' or 'allow'")
    previous = _POLICY.get()
    _POLICY.set(policy)
    return _PolicyScope(previous)


def get_detach_policy() -> Policy:
    """The policy of the current context."""
    return _POLICY.get()


# Key in the globals of lifted functions: what they ask of a tensor may be answered in the graph.
LIFTED_MARK = "__arraygrad_scope__"


def stays_in_graph(x: Any) -> bool:
    """Whether a method that gives plain numbers gives scalars: x is tracked, the caller lifted."""
    if not is_grad_enabled() or node_of(x) is None:
        return False
    return LIFTED_MARK in sys._getframe(2).f_globals


def may_detach(x: Any, what: str, error: type[Exception] = DetachError) -> None:
    """Raise (or warn, by policy) if `what` would lose the gradient of x."""
    if not is_grad_enabled() or node_of(x) is None:
        return
    policy = _POLICY.get()
    if policy == "allow":
        return
    message = (
        f"{what} would lose the gradient of a tensor that requires grad; use x.detach() for its "
        "plain value, run under `with ag.no_grad():`, or keep it in the graph with tensor "
        "functions (ag.lift(f) makes NumPy code do so)"
    )
    if policy == "warn":
        warnings.warn(message, DetachWarning, stacklevel=3)
        return
    # NumPy swallows exceptions raised inside some conversions and shows its own instead: the
    # warning is seen in any case.
    raise error(message)

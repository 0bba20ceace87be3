"""When a tracked tensor may become plain data.

Turning a tracked tensor into an ndarray, a Python float, an index or a DLPack capsule would lose
its gradient without a word, so it raises DetachError. ``set_detach_policy`` changes that for the
current context.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import types
import warnings
import weakref
from _thread import _local as local  # what threading wraps, without its import
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from ._apply import node_of
from ._errors import ArgumentError, DetachError
from ._graph import LIFTED_MARK as LIFTED_MARK, is_grad_enabled
from ._lazy import LazyModule

if TYPE_CHECKING:
    from . import _hints as hints, _scopes as scopes, _texts as texts
else:  # imported for the first message, decorator and text
    hints, scopes = LazyModule("arraygrad._hints"), LazyModule("arraygrad._scopes")
    texts = LazyModule("arraygrad._texts")

P = ParamSpec("P")
R = TypeVar("R")
Policy = Literal["error", "warn", "allow"]

_POLICY: ContextVar[Policy] = ContextVar("arraygrad_detach_policy", default="error")


class DetachWarning(UserWarning):
    """A tracked tensor was turned into plain data; its gradient ends there."""


# Earlier policies, innermost first, as nested pairs: they belong to the context, so that a scope
# may be entered by several threads at once.
_EARLIER: ContextVar[Any] = ContextVar("arraygrad_earlier_detach_policies", default=None)


def _enter(policy: Policy) -> None:
    _EARLIER.set((_POLICY.get(), _EARLIER.get()))
    _POLICY.set(policy)


def _leave() -> None:
    policy, earlier = _EARLIER.get()
    _EARLIER.set(earlier)
    _POLICY.set(policy)


class _PolicyScope:
    """Restores the earlier policy when used as a context manager or decorator."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._previous = _POLICY.get()
        self._entered = False
        _POLICY.set(policy)

    def __enter__(self) -> None:
        if not self._entered:  # the policy from before the call comes back
            self._entered = True
            _POLICY.set(self._previous)
        _enter(self._policy)

    def __exit__(self, *exception: object) -> None:
        _leave()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        _POLICY.set(self._previous)  # as a decorator it changes nothing outside
        enter = functools.partial(_enter, self._policy)
        return scopes.decorated(function, enter, _leave, "a detach policy")


def set_detach_policy(policy: Policy) -> _PolicyScope:
    """Say what happens when a tracked tensor is turned into plain data.

    Parameters
    ----------
    policy : {"error", "warn", "allow"}
        Raise DetachError (the default), warn with DetachWarning, or do it silently. Holds for
        the current context (thread or task); as ``with ag.set_detach_policy(...)`` until the
        block ends, as a decorator ``@ag.set_detach_policy(...)`` while the function runs.

    Returns
    -------
    context manager and decorator
        Sets the policy back at the end of its block or function; may be left unused.

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
    return _PolicyScope(policy)


def get_detach_policy() -> Policy:
    """The policy of the current context.

    Returns
    -------
    {"error", "warn", "allow"}
        As `set_detach_policy` takes it.
    """
    return _POLICY.get()


def stays_in_graph(x: Any) -> bool:
    """Whether a method that gives plain numbers gives scalars: x is tracked, the caller lifted."""
    if not is_grad_enabled() or node_of(x) is None:
        return False
    return LIFTED_MARK in sys._getframe(2).f_globals


# id(scalar) -> scalar, of those that stand for one of Python's numbers: float(x), math.sin(x), or
# an argument of a derivative by a number.
_PYTHONS: dict[int, weakref.ref[Any]] = {}
_forget, _partial, _reference = _PYTHONS.pop, functools.partial, weakref.ref


def as_pythons(x: Any) -> Any:
    """Note that a scalar, a new one, stands for a number of Python."""
    key = id(x)
    _PYTHONS[key] = _reference(x, _partial(_forget, key))  # the reference is what pop defaults to
    return x


def is_pythons(x: Any) -> bool:
    """Whether a scalar is known to stand for a number of Python."""
    found = _PYTHONS.get(id(x))
    return found is not None and found() is x


def as_nested_pythons(x: Any) -> Any:
    """Note scalars in nested lists as numbers of Python."""
    for item in x if isinstance(x, list) else ():
        as_nested_pythons(item)
    return x if isinstance(x, list) else as_pythons(x)


# What is told of tracked scalars that are hashed, as keys are: lifted code looks whether two with
# the same value meet.
_KEY_WATCHERS: list[Callable[[Any, int], None]] = []


def watch_keys(watcher: Callable[[Any, int], None]) -> None:
    """Have a function told of each tracked scalar that is hashed, and of its hash."""
    _KEY_WATCHERS.append(watcher)


def note_key(x: Any, value: int) -> None:
    """Tell that a tracked scalar is hashed."""
    for watcher in _KEY_WATCHERS:
        watcher(x, value)


def is_lifted(frame: types.FrameType | None) -> bool:
    """Whether a frame is of lifted code, or called by it."""
    while frame is not None:
        if LIFTED_MARK in frame.f_globals:
            return True
        frame = frame.f_back
    return False


def may_detach(x: Any, what: str, error: type[Exception] = DetachError) -> None:
    """Raise (or warn, by policy) if `what` would lose the gradient of x."""
    if is_grad_enabled() and node_of(x) is not None:
        lose(what, error=error, value=x)


WAYS_OUT = (
    "use x.detach() for its plain value, run under `with ag.no_grad():`, or keep it in the graph "
    "with tensor functions (ag.lift(f) makes NumPy code do so)"
)
WAYS_OUT_OF_LIFTED = (
    "use x.detach() for its plain value, compute it with NumPy's functions, or state its "
    "derivative with ag.primitive"
)


def lose(
    what: str, instead: str = "", error: type[Exception] = DetachError, value: Any = None
) -> None:
    """Raise or warn, by policy: `what` loses a gradient.

    Parameters
    ----------
    what : str
        Subject of the sentence: the call that was met.
    instead : str, optional
        What to type instead, where there is more than the three ways out.
    error : type
        Class of the exception.
    value : tensor, optional
        What loses its gradient, if that may be for the sake of text.
    """
    policy = _POLICY.get()
    if policy == "allow":
        return
    caller, users, depth, library = _callers()
    instruction, called = _running(caller)
    if library and not instead:
        instead = hints.remedy(library, _running(users)[1])
    if instruction in _STORES_ITEM and LIFTED_MARK in caller.f_globals and not instead:
        instead = _NO_TENSORS
    if called == "astype" and what == "float()":
        instead = _OF_OBJECTS
    innermost = users
    of_library = _name(caller).startswith(_OTHERS)
    place = _called(caller, users) if of_library else _place(caller)
    users, depth = _lifted_above(users, depth)
    if not instead:
        instead = hints.of_package(innermost.f_globals, innermost is not users)
    if LIFTED_MARK in users.f_globals and what == "float()" and instruction == "BINARY_OP":
        texts.note_numbers(value)  # "%f" % x: text, in which no gradient is expected
        return
    if not what.endswith(" and"):
        if caller is users:  # compiled code has no frame
            place = hints.compiled_of_scipy(called, caller.f_code.co_names, caller.f_globals)
            if not place and f"{called}()" not in what:
                place = called and f"{called}()"
        what += f" in {place}" if place else ""
    ways_out = WAYS_OUT_OF_LIFTED if LIFTED_MARK in users.f_globals else WAYS_OUT
    if instead:
        ways_out = instead if "x.detach()" in instead else f"{instead}, or {ways_out}"
    message = f"{what} would lose the gradient of a tensor that requires grad; {ways_out}"
    if policy == "warn":
        warnings.warn(message, DetachWarning, stacklevel=depth)
        return
    if instruction.startswith("STORE_") or called in _HIDING:
        # Where NumPy hides our exception the warning says what happened. Made an error by a filter
        # it would be hidden as well: then ours is raised.
        with contextlib.suppress(DetachWarning):
            warnings.warn(message, DetachWarning, stacklevel=depth)
    LATEST.refused = (users.f_code.co_filename, users.f_lineno, message)
    LATEST.count += 1
    raise error(message)


class _Latest(local):
    refused: tuple[str, int | None, str] | None = None

    def __init__(self) -> None:
        self.count = 0  # of the refusals in this thread


LATEST = _Latest()


def refused_at(file: str, line: int | None) -> str | None:
    """What was said of the latest refusal in this thread, if it was at this line.

    Compiled code may show an exception of its own in the place of ours, without a trace of ours.
    """
    found = LATEST.refused
    return found[2] if found is not None and found[:2] == (file, line) else None


def warn_of_caught() -> None:
    """Say that code has caught a refusal of ours, and went another way than plain code goes."""
    if _POLICY.get() == "allow" or LATEST.refused is None:
        return
    file, line, message = LATEST.refused
    depth = 2
    while _name(sys._getframe(depth)).startswith("arraygrad."):
        depth += 1
    warnings.warn(
        f"code caught what was refused at {file}:{line} and went on without: {message}",
        DetachWarning,
        stacklevel=depth + 1,
    )


# What lifted code writes into is a tensor, unless it is one of these.
_STORES_ITEM = frozenset({"STORE_SUBSCR", "STORE_SLICE"})
_NO_TENSORS = (
    "arrays of records, memory maps and classes derived from np.ndarray hold no tensors: write "
    "into an array of numbers, one for each field"
)

_OF_OBJECTS = "for tensors in an array of objects write np.array(a.tolist())"

# NumPy converts their arguments and shows an exception of its own in the place of ours.
_HIDING = frozenset({"__setitem__", "fill", "fromiter", "nditer"})
_OTHERS = ("numpy.", "scipy.")
_LIBRARIES = ("arraygrad.", *_OTHERS)


def _callers() -> tuple[types.FrameType, types.FrameType, int, str]:
    """Who asked for plain data; the innermost frame of the user, and its level for `lose`.

    Last comes the module of NumPy or SciPy that the user called, empty if none stands between.
    """
    caller: types.FrameType | None = sys._getframe(2)
    level = 2
    while _name(caller).startswith("arraygrad.") and caller is not None and caller.f_back:
        caller, level = caller.f_back, level + 1
    assert caller is not None
    frame: types.FrameType | None = caller
    depth = level
    library = ""
    while frame is not None and _name(frame).startswith(_LIBRARIES):
        library = _name(frame)
        frame, depth = frame.f_back, depth + 1
    if frame is None:
        return caller, caller, level, ""
    return caller, frame, depth, library


def _lifted_above(frame: types.FrameType, depth: int) -> tuple[types.FrameType, int]:
    """The lifted frame that called another library, and its level; as given if there is none."""
    above: types.FrameType | None = frame
    level = depth
    while above is not None and LIFTED_MARK not in above.f_globals:
        above, level = above.f_back, level + 1
    return (frame, depth) if above is None else (above, level)


def _name(frame: types.FrameType | None) -> str:
    return "" if frame is None else str(frame.f_globals.get("__name__", ""))


def _place(frame: types.FrameType) -> str:
    return f"{_name(frame)}.{frame.f_code.co_qualname}".lstrip(".")


def _called(caller: types.FrameType, users: types.FrameType) -> str:
    """The public name of what the user called of NumPy or SciPy, in which a frame is."""
    frame = found = caller
    while frame is not users:
        name = _name(frame)
        if name.startswith(_OTHERS) and not name.startswith("scipy._lib"):  # decorators
            found = frame
        if frame.f_back is None:
            break
        frame = frame.f_back
    frame = found
    names = frame.f_code.co_qualname.split(".")
    if len(names) > 1 and "self" in frame.f_locals and not _name(frame).startswith("numpy."):
        names[0] = type(frame.f_locals["self"]).__name__
    return hints.public_name(_name(frame), ".".join(names))


def _running(frame: types.FrameType) -> tuple[str, str]:
    """The instruction that a frame is at, and the name of what it calls, if it is known."""
    import dis  # for messages only: not every NumPy has loaded it

    at = None
    before = []
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset > frame.f_lasti:
            break
        if at is not None:
            before.append(at)
        at = instruction
    if at is None:
        return "", ""
    place = at.positions
    if not at.opname.startswith("CALL") or place is None or place.lineno is None:
        return at.opname, ""
    called = ""
    for instruction in before:  # the callee begins where the call does: `nd.fill` of `nd.fill(x)`
        p = instruction.positions
        if (
            p is not None
            and (p.lineno, p.col_offset) == (place.lineno, place.col_offset)
            and instruction.opname.startswith("LOAD_")
            and isinstance(instruction.argval, str)
        ):
            called = instruction.argval
    return at.opname, called

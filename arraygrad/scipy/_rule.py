"""What every stand-in of this package shares: SciPy computes unless an argument is tracked."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import numpy as tensor_numpy
from .._apply import apply, operand, wrap
from .._detach import LATEST, WAYS_OUT, lose
from .._dispatch import register_kernel
from .._errors import ArgumentError, DetachError, DispatchError, LinAlgError
from .._graph import grad_mode, is_grad_enabled as is_grad_enabled
from .._hints import public_name
from .._op import Derivative, Op
from .._storage import TensorBase
from ..interop.plain import is_tracked as is_tracked
from ..numpy import random
from ._registry import INSTANCES

xp: Any = tensor_numpy

# NumPy's namespace on tensors: formulas are written with it, so that every order follows.


def scipy_module(name: str) -> Any:
    """A module of SciPy, imported now; a clear error where SciPy is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "scipy":
            raise
        raise DispatchError(
            f"arraygrad.{name} needs SciPy: pip install 'arraygrad[scipy]'"
        ) from error


def scipy_object(path: str) -> Any:
    """SciPy's own object for a dotted path such as ``"scipy.linalg.solve"``."""
    module, _, name = path.rpartition(".")
    return getattr(scipy_module(module), name)


def needs_rule(*values: Any) -> bool:
    """Whether one of the values carries a gradient and operations are recorded."""
    return is_grad_enabled() and is_tracked(values)


def plain(x: Any) -> Any:
    """The argument with tensors and generators replaced by what lies below them."""
    if isinstance(x, TensorBase):
        return x._array if x._array.ndim else x._array[()]
    if isinstance(x, list):
        return [plain(item) for item in x]
    if type(x) is tuple:
        return tuple(plain(item) for item in x)
    if isinstance(x, tuple):
        return type(x)(*(plain(item) for item in x))
    if type(x) is dict:
        return {key: plain(item) for key, item in x.items()}
    if isinstance(x, random._Draws):  # SciPy takes NumPy's generators only
        return x._real
    return x


def tensors(x: Any) -> Any:
    """The result with arrays of numbers replaced by tensors over memory of their own."""
    if isinstance(x, np.generic) and x.dtype.kind in "biufc":
        return wrap(x)
    if isinstance(x, np.ndarray) and x.dtype.kind in "biufc":
        return wrap(x.copy())
    if type(x) is tuple:
        return tuple(tensors(item) for item in x)
    if hasattr(x, "_make"):  # other results that are tuples stay SciPy's
        return x._make(tensors(item) for item in x)
    if type(x) is list:
        return [tensors(item) for item in x]
    return ours_for(x)


def ours_for(x: Any) -> Any:
    """Ours for an object of one of SciPy's classes that have a stand-in; anything else as it is."""
    for kind in type(x).__mro__[:-1] if str(type(x).__module__).startswith("scipy.") else ():
        path = INSTANCES.get(f"{kind.__module__.partition('._')[0]}.{kind.__name__}")
        if path is not None:
            module, _, name = path.partition(":")
            return getattr(importlib.import_module(module), name)(x)
    return x


def rule(
    path: str, optional: bool = False, finite: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a rule: SciPy's function `path` where nothing is tracked, else the rule.

    Parameters
    ----------
    path : str
        Dotted path of SciPy's function, which has the same signature as the rule.
    optional : bool
        The installed SciPy may be too old or too new to have it: then the rule computes always.
    finite : bool
        SciPy refuses what is not finite, as it does where there is an argument `check_finite`.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        accepted = _keywords(function)
        checks_finite = finite or "check_finite" in inspect.signature(function).parameters

        @policed
        @functools.wraps(function)
        def stand_in(*args: Any, **kwargs: Any) -> Any:
            if is_grad_enabled() and (is_tracked(args) or is_tracked(kwargs)):
                if accepted is not None and not accepted.issuperset(kwargs):
                    unknown = ", ".join(kwargs.keys() - accepted)
                    raise refuse(path, f"with the option {unknown}", "leave it out")
                if checks_finite:
                    _check_finite(path, function, args, kwargs)
                try:
                    return function(*args, **kwargs)
                except LinAlgError as error:
                    raise _as_scipy_has_it(path, error, args, kwargs) from error
                except (AttributeError, LookupError, TypeError, ValueError) as error:
                    _refuse_forms(path, error, args, kwargs)
                    raise
            if optional and not hasattr(scipy_module(path.rpartition(".")[0]), function.__name__):
                return function(*args, **kwargs)
            return tensors(scipy_object(path)(*plain(args), **plain(kwargs)))

        return stand_in

    return decorate


def _check_finite(
    path: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """What SciPy does for the argument `check_finite`, which is True unless it is given."""
    for x in (*args, *kwargs.values()):
        array = x._array if isinstance(x, TensorBase) else x
        if isinstance(array, np.ndarray) and array.dtype.kind in "fc":
            if np.isfinite(array).all():
                continue
            given = inspect.signature(function).bind(*args, **kwargs).arguments
            if given.get("check_finite", True):
                raise ArgumentError(
                    f"{path}: array must not contain infs or NaNs; where they are meant, "
                    "check_finite=False lets them pass"
                )


def _as_scipy_has_it(
    path: str, error: LinAlgError, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Exception:
    """The error of the kind that SciPy raises: bad shapes are a ValueError there, and no more.

    Programs catch LinAlgError to try something else with a matrix that is singular.
    """
    try:
        scipy_object(path)(*plain(args), **plain(kwargs))
    except np.linalg.LinAlgError:
        return error
    except ValueError as theirs:
        return ArgumentError(f"{path}: {theirs} ({error})")
    return error


def _refuse_forms(path: str, error: Exception, args: Any, kwargs: Any) -> None:
    """Refuse arguments of forms that SciPy takes, and a rule did not expect."""
    if type(error).__module__.startswith("arraygrad."):
        return
    try:
        scipy_object(path)(*plain(args), **plain(kwargs))
    except Exception:  # noqa: BLE001 - SciPy does not take them, either
        return
    raise refuse(path, f"for arguments of these forms ({error})",
                 "give arrays of the dimensions that it is documented for") from error  # fmt: skip


def constant(path: str, summary: str) -> Callable[..., Any]:
    """A stand-in for a function whose results are integers: plain, as there is no derivative."""

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        return tensors(scipy_object(path)(*plain(args), **plain(kwargs)))

    stand_in.__name__ = stand_in.__qualname__ = path.rpartition(".")[2]
    stand_in.__doc__ = summary
    return stand_in


def without_rule(real: Callable[..., Any]) -> Callable[..., Any]:
    """A function of SciPy that has no rule: where it would lose a gradient the error names it."""
    name = public_name(real.__module__, real.__name__)

    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        before = LATEST.refused, LATEST.count
        try:
            out = real(*args, **kwargs)
        except Exception as error:
            if _is_of_detaching(error):
                found = _by_its_own_code(real, args, kwargs)
                if found is not None:
                    LATEST.refused, LATEST.count = before  # nothing is lost by what was tried
                    return found
                raise DetachError(
                    f"{name} has no derivative rule in arraygrad and would lose the gradient; "
                    f"write what it does with NumPy functions, or {WAYS_OUT}"
                ) from error
            if not (needs_rule(args, kwargs) or _holds_sparse(args) or _holds_tensors(args)):
                raise
            out = _on_plain_values(real, args, kwargs, error)
            if needs_rule(args, kwargs):
                found = _by_its_own_code(real, args, kwargs)
                LATEST.refused, LATEST.count = before  # hidden behind SciPy's error
                if found is not None:
                    return found
                lose(f"{name} has no derivative rule and")
            return _given_back(out)
        if needs_rule(args, kwargs) and _has_floats(out) and not is_tracked(out):
            found = _by_its_own_code(real, args, kwargs)
            if found is not None:
                LATEST.refused, LATEST.count = before
                return found
            lose(f"{name} has no derivative rule and")  # it only compared what it got
        return _given_back(out)

    return function


def _given_back(out: Any) -> Any:
    """Arrays, alone or in tuples and lists, as tensors; numbers stay Python's."""
    return tensors(out) if type(out) in (np.ndarray, tuple, list) else ours_for(out)


def _holds_tensors(args: Any) -> bool:
    """Whether an argument is a tensor, which compiled code may not take for an array."""
    return any(isinstance(x, TensorBase) for x in args)


def _holds_sparse(args: Any) -> bool:
    """Whether one of our sparse matrices, which SciPy does not know, is among arguments."""
    return any(str(type(x).__module__).startswith("arraygrad.scipy.sparse") for x in args)


def _on_plain_values(real: Any, args: Any, kwargs: Any, error: Exception) -> Any:
    """The result for plain arguments, where SciPy failed on tensors; its error if it fails, too."""
    values = plain
    if _holds_sparse(args):
        sparse = importlib.import_module("arraygrad.scipy.sparse._matrix")  # it lies above
        if sparse.holds_gradient([*args]):
            name = public_name(real.__module__, real.__name__)
            lose(f"{name} has no derivative rule and")
        values = sparse.plain_argument
    try:
        return real(*(values(x) for x in args), **plain(kwargs))
    except Exception:  # noqa: BLE001 - whatever it is, the first error says as much
        raise error from None


def _by_its_own_code(real: Any, args: Any, kwargs: Any) -> Any:
    """The result of SciPy's own code on tensors, or None."""
    if not needs_rule(args, kwargs):
        return None
    borrowed = importlib.import_module("arraygrad.scipy._borrowed")  # it lies above
    return borrowed.run(real, args, kwargs, plain) if borrowed.is_borrowed(real) else None


def _has_floats(out: Any) -> bool:
    """Whether there are floating-point numbers in a result."""
    if isinstance(out, tuple | list):
        return any(_has_floats(item) for item in out)
    if isinstance(out, TensorBase):
        out = out._array
    if isinstance(out, np.ndarray | np.generic):
        return out.dtype.kind in "fc"
    return isinstance(out, float | complex)


def refused_while_tracked(real: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A method of one of SciPy's objects that has no rule, refused by name while tracked."""
    path = name if name.startswith("scipy.") else f"scipy.stats.{name}"

    @functools.wraps(real)
    def method(*args: Any, **kwargs: Any) -> Any:
        if needs_rule(args, kwargs):
            lose(f"{path} has no derivative rule and")
        return tensors(real(*plain(args), **plain(kwargs)))

    return method


def by_name(
    path: str, passed: int, more: tuple[Any, ...], options: dict[str, Any]
) -> dict[str, Any]:
    """Options by their names; those in `more` came by position, behind `passed` others."""
    if not more:
        return options
    names = list(inspect.signature(scipy_object(path)).parameters)[passed:]
    if len(more) > len(names):
        raise TypeError(f"{path} takes {passed + len(names)} arguments by position")
    return {**dict(zip(names, more, strict=False)), **options}


def without_method(of: str, name: str) -> AttributeError:
    """What to raise for a name that our stand-in for one of SciPy's classes has not."""
    what = f"arraygrad's stand-in for {of} has no {name!r}"
    cls: Any = None if name.startswith("_") else scipy_object(of)
    if hasattr(cls, name):
        what += f"; build {of}, which lifted code does not see, from plain values: x.detach()"
    return AttributeError(what, name=name)


def _is_of_detaching(error: BaseException | None) -> bool:
    """Whether a DetachError is behind an error."""
    for _ in range(10):
        if error is None or isinstance(error, DetachError):
            break
        error = error.__cause__ or error.__context__
    return error is not None


def _keywords(function: Callable[..., Any]) -> frozenset[str] | None:
    """Names that a function takes; None if it takes any."""
    code = function.__code__
    if code.co_flags & inspect.CO_VARKEYWORDS:
        return None
    return frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


class Refusal(DetachError):
    """A call that has no derivative: raised where that is found, answered by `policed`."""

    def __init__(self, subject: str, instead: str) -> None:
        super().__init__(f"{subject} would lose the gradient; {instead}")
        self.subject = subject
        self.instead = instead


def refuse(function: str, what: str, instead: str = "") -> Refusal:
    """What to raise for a call of a stand-in that has no derivative."""
    return Refusal(f"{function} has no derivative {what} and", instead)


def policed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: a refusal raises or warns by the policy; allowed, the call runs on plain data."""

    @functools.wraps(function)
    def answered(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Refusal as error:
            refusal = error
        lose(refusal.subject, refusal.instead)
        with grad_mode(False):
            return function(*args, **kwargs)

    return answered


def tensor(x: Any, function: str, position: int = 1) -> Any:
    """An argument as a floating-point tensor: arrays, numbers, nested lists with tensors."""
    x = operand(xp.asarray(x) if isinstance(x, list | tuple) else x, function, position)
    return xp.asarray(x, dtype=float) if x._array.dtype.kind in "biu" else x


def tensors_of(function: str, *values: Any) -> tuple[Any, ...]:
    """Several arguments as floating-point tensors of one dtype."""
    found = [tensor(v, function, i) for i, v in enumerate(values, 1)]
    dtype = np.result_type(*(t._array.dtype for t in found))
    return tuple(t if t._array.dtype == dtype else t.astype(dtype) for t in found)


def adjoint(x: Any) -> Any:
    """The conjugate transpose of matrices; of real ones a view."""
    turned = xp.swapaxes(x, -1, -2)
    return xp.conj(turned) if turned.dtype.kind == "c" else turned


def primitive_op(
    name: str, args: tuple[str, ...], derivative: Derivative, kernel: Callable[..., Any]
) -> Callable[..., Any]:
    """A function on tensors from a kernel on arrays and its derivative.

    Ops of this package stay out of the table of the core's ops, which is there without SciPy.
    """
    op = Op(f"scipy.{name}", args, derivative, scalar=False)
    register_kernel(op.name, kernel)
    return functools.partial(apply, op)

"""Running the user's NumPy code so that it makes tensors where it would make arrays.

Dispatch protocols cannot see ``np.zeros(3)``, ``np.array([t, t])``, ``math.sin(t)``, ``float(t)``
or ``isinstance(t, float)``. `lift` gives a function whose code is the user's and whose names for
NumPy, math and the like are ours: in it, and in all of the user's code that it calls.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from .._errors import ArgumentError, ArgumentTypeError, kind_of
from ..autograd.derivative import Derivative
from ..autograd.recorded import register_lift
from . import reach

__all__ = ["lift"]


def lift(f: Callable[..., Any], packages: Iterable[str] | None = None) -> Callable[..., Any]:
    """The function f, run with the names that mean NumPy, math and SciPy rebound to ours.

    Parameters
    ----------
    f : callable
        A Python function, method, class, partial, or object with ``__call__``. All code of the
        user that it calls is lifted too: helpers in other modules, methods, closures, imports
        inside of functions. Installed libraries are left as they are.
    packages : iterable of str, optional
        Names of installed packages to lift as well.

    Returns
    -------
    callable
        With tensors among the arguments, its results are tensors; called with plain arrays and
        numbers it returns plain results. The user's modules and objects are not changed, apart
        from what f itself writes to them.

    Raises
    ------
    ArgumentTypeError
        f cannot be called, or `packages` is no list of names.
    ArgumentError
        There is no such package.

    Notes
    -----
    ``ag.grad`` and the other functions that take derivatives lift what they are given. What f
    keeps from one call to the next in objects of its own (a running mean) is plain data when the
    derivative is done: for the next call a constant. Where it is a cache instead (a dict, a cached
    property), a call at the same arguments computes the entry again; GradientError where that
    cannot be done. `functools.lru_cache` needs no such care.

    Examples
    --------
    >>> import numpy as np
    >>> import arraygrad as ag
    >>> def f(x):
    ...     out = np.zeros(2)
    ...     out[0] = x**2
    ...     return out.sum()
    >>> x = ag.tensor(3.0, requires_grad=True)
    >>> ag.lift(f)(x).backward()
    >>> x.grad
    tensor(6.)
    """
    if not callable(f):
        raise ArgumentTypeError(f"lift: {type(f).__name__} is not callable; pass a function")
    from .calls import Lifted

    if isinstance(f, Lifted):
        return f
    return _lifted(f, _named(packages), False)  # type: ignore[no-any-return]


def _named(packages: Iterable[str] | None) -> frozenset[str]:
    """The packages to lift as well, which must exist."""
    if packages is None:
        return frozenset()
    if isinstance(packages, str):
        raise ArgumentTypeError(
            f"lift: packages={packages!r} is one string; give a list, packages=[{packages!r}]"
        )
    names = tuple(packages)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"lift: packages takes names, not {kind_of(name)} objects; give "
                'packages=["that_package"]'
            )
        if not _is_found(name):
            raise ArgumentError(
                f"lift: packages names {name!r}, but there is no such package; give the name by "
                "which it is imported"
            )
    return frozenset(names)


def _is_found(name: str) -> bool:
    if name in sys.modules:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # of a part of what is no package; not a name
        return False


def lifted_for_derivatives(f: Callable[..., Any]) -> Callable[..., Any]:
    """F for ``ag.grad`` and its kin: tensors left in the user's objects become plain arrays."""
    from .calls import Lifted

    if isinstance(f, Lifted):
        return f
    if not callable(f):
        raise ArgumentTypeError(
            f"derivatives are taken of functions, not of type {type(f).__name__}; of a tensor that "
            "was computed: y.backward(), or ag.autograd.grad(y, x)"
        )
    if isinstance(f, Derivative):
        return f  # of something that is lifted already
    return _lifted(f, frozenset(), True)  # type: ignore[no-any-return]


register_lift(lifted_for_derivatives)


# Functions that a module defines live as long as it does; closures come and go.
_OF_MODULES: dict[tuple[Any, frozenset[str], bool], Any] = {}


def _lifted(f: Any, packages: frozenset[str], for_derivatives: bool) -> Any:
    from . import calls, rebinding

    ours = rebinding.known(f)
    if ours is not f:
        return ours
    packages = packages | _own_package(f)
    if not _is_of_module(f):
        return calls.Lifted(f, packages, for_derivatives)
    key = (f, packages, for_derivatives)
    found = _OF_MODULES.get(key)
    if found is None:
        found = _OF_MODULES[key] = calls.Lifted(f, packages, for_derivatives)
    return found


def _own_package(f: Any) -> frozenset[str]:
    """The package that f itself is of: handing it over names it, if it is an installed one."""
    inner = inspect_function(f)
    if inner is None:
        return frozenset()
    name = str(inner.__globals__.get("__name__", ""))
    top = name.partition(".")[0]
    if not top or top in sys.stdlib_module_names or reach.is_users(inner.__globals__, frozenset()):
        return frozenset()
    return frozenset({top})


def inspect_function(f: Any) -> types.FunctionType | None:
    """The Python function that a callable runs, if there is one."""
    while isinstance(f, functools.partial):
        f = f.func
    f = getattr(f, "__func__", f)
    if isinstance(f, types.FunctionType):
        return f
    call = vars(type(f)).get("__call__")
    return call if isinstance(call, types.FunctionType) else None


def _is_of_module(f: Any) -> bool:
    """Whether f is found under its own name in its module."""
    if not isinstance(f, types.FunctionType) or f.__closure__ or "<" in f.__qualname__:
        return False
    found: Any = sys.modules.get(f.__module__)
    for part in f.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is f

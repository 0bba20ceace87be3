"""What a special function is: SciPy's ufunc, its arguments, and a derivative by each of them.

Every function of this package is made by one call of `special`, which states for each argument
either a formula or the reason why there is none. Values come from SciPy (or from our own kernels
where we have them), dtypes are those that SciPy would choose.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._answers import ANSWERS
from .._apply import BROADCAST_TO, apply, cast, detached, node_of, operand, view, wrap
from .._cotangents import add, conj, times
from .._detach import lose
from .._dispatch import register_kernel
from .._elementwise import elementwise, unary
from .._errors import ArgumentTypeError, DispatchError, DTypeError, GradientError
from .._graph import is_grad_enabled
from .._layout import broadcast_shapes
from .._op import Formula, Op, Partials, Rule, declare
from .._storage import TensorBase
from ..interop import ufuncs
from ..ops.parts import real

try:
    scipy_special: Any = importlib.import_module("scipy.special")
except ImportError:  # an optional dependency: whoever calls a function is told
    scipy_special = None

Partial = Callable[..., Any]

# Why there is no derivative by an argument.
ORDER = "its derivative by the order has no formula here"
PARAMETER = "its derivative by this parameter has no formula here"
COUNT = "this argument is a count, by which there is no derivative"

TABLE: dict[str, Special] = {}

_PYTHON_NUMBERS = (int, float, complex)
_FAST = (np.dtype("float64"), np.dtype("float32"))


def scipy_object(name: str) -> Any:
    """The ufunc (or else the function) that SciPy has under this name; None if it has none."""
    if scipy_special is None:
        return None
    found = getattr(scipy_special, name, None)
    if not isinstance(found, np.ufunc):
        # Private ones, and the ufuncs behind the wrappers that SCIPY_ARRAY_API=1 puts on top.
        found = getattr(importlib.import_module("scipy.special._ufuncs"), name, found)
    return found


def _missing(name: str) -> Callable[..., Any]:
    """A kernel for where SciPy (or this function in it) is not installed."""

    def kernel(*_: Any, **__: Any) -> Any:
        if scipy_special is None:
            raise DispatchError(
                f"special.{name} needs SciPy, which is not installed: pip install arraygrad[scipy]"
            )
        raise DispatchError(
            f"special.{name} is not in the installed SciPy {_version()}; a newer or older SciPy "
            "has it"
        )

    return kernel


def _version() -> str:
    return str(importlib.import_module("scipy").__version__)


class _OfSeveral(Formula):
    """The cotangent of one argument of a function with several results."""

    __slots__ = ("argument", "partials")

    def __init__(self, argument: str, partials: Sequence[Partial]) -> None:
        self.argument = f"{argument}_dtype"
        self.partials = [Formula(partial, 0) for partial in partials]
        wanted = [name for partial in self.partials for name in partial.names]
        self.names = tuple(dict.fromkeys([*wanted, self.argument]))
        self.function = self.pull

    def pull(self, g: Any, **values: Any) -> Any:
        total = None
        for part, partial in zip(g, self.partials, strict=True):
            if part is None:
                continue
            slope = partial.function(**{name: values[name] for name in partial.names})
            if not isinstance(slope, TensorBase):
                slope = wrap(np.asarray(slope, part._array.dtype))
            term = times(part, conj(slope))
            if values[self.argument].kind != "c" and term._array.dtype.kind == "c":
                term = real(term)
            total = term if total is None else add(total, term)
        return total


class _Several(Rule):
    """Partials of a function with several results: a tuple of formulas by argument."""

    def __init__(self, partials: dict[str, tuple[Partial, ...]]) -> None:
        super().__init__()
        self.by_argument = {a: _OfSeveral(a, formulas) for a, formulas in partials.items()}


class Special:
    """A function of scipy.special for tensors.

    Parameters
    ----------
    name : str
        SciPy's name.
    args : tuple of str
        SciPy's names of the arguments, all of them arrays.
    slopes : dict
        By argument: a formula (a tuple of them for several results), or a reason (str) why there
        is none.
    ours : callable, optional
        The function of ours that computes it for real arguments.
    kernel : callable, optional
        Computes the values where that is not SciPy's ufunc of this name.
    resolves : str, optional
        Name of the ufunc whose types are taken, where it is not this function.
    holomorphic : bool
        Whether the formulas hold for complex arguments too.
    """

    def __init__(
        self,
        name: str,
        args: tuple[str, ...],
        slopes: dict[str, Any],
        ours: Callable[..., Any] | None,
        kernel: Callable[..., Any] | None,
        resolves: str | None,
        holomorphic: bool,
    ) -> None:
        if set(slopes) != set(args):
            raise AssertionError(f"{name}: state a formula or a reason for each of {args}")
        self.__name__ = self.__qualname__ = name
        self.args = args
        self.refused = {a: why for a, why in slopes.items() if isinstance(why, str)}
        partials = {a: f for a, f in slopes.items() if not isinstance(f, str)}
        self.several = any(isinstance(f, tuple) for f in partials.values())
        derivative = _Several(partials) if self.several else Partials(**partials)
        self.op = declare(
            Op(f"special.{name}", args, derivative, dtypes="floating", family="elementwise")
        )
        self.ours = ours
        self.holomorphic = holomorphic
        found = scipy_object(name)
        self.ufunc = found if isinstance(found, np.ufunc) else None
        self._types = self.ufunc if resolves is None else scipy_object(resolves)
        self._resolved: dict[tuple[Any, ...], tuple[np.dtype[Any], ...]] = {}
        runs = found if kernel is None or found is None else kernel
        register_kernel(self.op.name, _missing(name) if runs is None else runs)
        self.__doc__ = _documentation(self)

    @property
    def differentiable(self) -> tuple[str, ...]:
        """Names of the arguments by which there is a derivative."""
        return tuple(a for a in self.args if a not in self.refused)

    def __repr__(self) -> str:
        return f"<function arraygrad.special.{self.__name__}({', '.join(self.args)})>"

    def __reduce__(self) -> Any:
        return _find, (self.__name__,)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            if self.ufunc is None:
                raise ArgumentTypeError(
                    f"special.{self.__name__} takes no keyword {next(iter(kwargs))!r}"
                )
            return ufuncs.call(self.ufunc, args, kwargs)
        if len(args) == 1 and not self.several and isinstance(args[0], TensorBase):
            x = args[0]
            if x._array.dtype in _FAST and len(self.args) == 1:
                return unary(self.op, x) if self.ours is None else self.ours(x)
        return self._run(args)

    def _run(self, args: tuple[Any, ...]) -> Any:
        name = self.__name__
        if len(args) != len(self.args):
            raise ArgumentTypeError(
                f"special.{name} takes {len(self.args)} arguments ({', '.join(self.args)}), not "
                f"{len(args)}; give results a place with out=..."
            )
        given = [
            x if type(x) in _PYTHON_NUMBERS else operand(x, f"special.{name}", i)
            for i, x in enumerate(args, 1)
        ]
        dtypes = self._resolve(given)
        tensors = [
            cast(x, dtype) if isinstance(x, TensorBase) else wrap(np.asarray(x, dtype))
            for x, dtype in zip(given, dtypes, strict=True)
        ]
        if self.ours is not None and dtypes[0].kind == "f":
            return self.ours(*tensors)
        if is_grad_enabled():
            tensors = broadcast_tracked(self._checked(tensors))
        if len(set(dtypes)) == 1 and not self.several:
            return elementwise(self.op, *tensors)
        return apply(self.op, *tensors)

    def _checked(self, tensors: Sequence[Any]) -> list[Any]:
        """The arguments; a tracked one without derivative is refused or detached, by policy."""
        name = self.__name__
        kept = []
        for argument, x in zip(self.args, tensors, strict=True):
            if node_of(x) is not None:
                if argument in self.refused:
                    lose(
                        f"special.{name}: argument {argument!r} carries a gradient, but "
                        f"{self.refused[argument]}, and this call",
                        "state the derivative with ag.primitive",
                        GradientError,
                    )
                    x = detached(x)
                elif not self.holomorphic and x._array.dtype.kind == "c":
                    lose(
                        f"special.{name} of a complex argument is not holomorphic, has no "
                        "derivative here and",
                        f"pass a real {argument}",
                        GradientError,
                    )
                    x = detached(x)
            kept.append(x)
        return kept

    def _resolve(self, given: Sequence[Any]) -> tuple[np.dtype[Any], ...]:
        """The dtypes that SciPy computes in."""
        key = tuple(x._array.dtype if isinstance(x, TensorBase) else type(x) for x in given)
        found = self._resolved.get(key)
        if found is None:
            if self._types is None:
                if self.ours is None:
                    _missing(self.__name__)()
                return (np.dtype("float64"),) * len(given)
            try:
                every = self._types.resolve_dtypes((*key, *(None,) * self._types.nout))
            except TypeError as error:
                names = ", ".join(getattr(k, "__name__", None) or str(k) for k in key)
                raise DTypeError(
                    f"special.{self.__name__} is not defined for dtypes ({names}); convert first "
                    "with x.astype(...)"
                ) from error
            found = self._resolved[key] = every[: len(given)]
        return found


def _find(name: str) -> Special:
    """The function of this name, wherever it is unpickled."""
    importlib.import_module(__package__)
    return TABLE[name]


def broadcast_tracked(tensors: Sequence[Any]) -> list[Any]:
    """The tensors, those with history expanded to the common shape."""
    shape = broadcast_shapes(*[t._array.shape for t in tensors])
    return [
        view(BROADCAST_TO, t, shape=shape)
        if t._array.shape != shape and node_of(t) is not None
        else t
        for t in tensors
    ]


def _documentation(function: Special) -> str:
    args = ", ".join(function.args)
    by = ", ".join(function.differentiable) or "none"
    lines = [
        f"scipy.special.{function.__name__}({args}), element by element.",
        "",
        "Notes",
        "-----",
        f"Differentiable arguments: {by}.",
        *(f"``{a}``: {why}." for a, why in function.refused.items()),
    ]
    return "\n".join(lines)


def special(
    name: str,
    args: tuple[str, ...] = ("x",),
    /,
    *,
    ours: Callable[..., Any] | None = None,
    kernel: Callable[..., Any] | None = None,
    resolves: str | None = None,
    holomorphic: bool = True,
    **slopes: Any,
) -> Special:
    """Make a function, enter it into the table, and register it as the answer to SciPy's ufunc."""
    function = Special(name, args, slopes, ours, kernel, resolves, holomorphic)
    TABLE[name] = function
    if function.ufunc is not None:
        ANSWERS[function.ufunc] = function
    return function

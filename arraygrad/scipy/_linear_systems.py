"""Linear time-invariant systems of ``scipy.signal``: responses in time and in frequency.

Each function computes SciPy's result on plain values first, which checks the arguments and gives
times and frequencies; then the response again on tensors, from matrices A, B, C, D or polynomials.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg as core
from .._detach import lose
from .._op import Rule
from ._rule import (
    adjoint,
    needs_rule,
    plain,
    policed,
    primitive_op,
    refused_while_tracked,
    scipy_object,
    tensor,
    tensors,
    without_rule,
    xp,
)

_FORMS = {2: ("num", "den"), 3: ("zeros", "poles", "gain"), 4: ("A", "B", "C", "D")}
_LETTERS = {2: "tf", 3: "zpk", 4: "ss"}

# -- systems ---------------------------------------------------------------------------------------


class LinearSystem:
    """A system in the form it was given in: transfer function, zeros and poles, or matrices.

    Parameters
    ----------
    real : scipy.signal.LinearTimeInvariant
        SciPy's object of plain values.
    values : tuple
        What they were, as in `_FORMS`.
    """

    _real: Any
    _values: tuple[Any, ...]

    def __init__(self, real: Any, values: tuple[Any, ...]) -> None:
        self._real, self._values = real, values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        names = _FORMS[len(self._values)]
        if name in names:
            return self._shaped()[names.index(name)]
        if name in ("zeros", "poles"):
            return _converted(self, 3)[0 if name == "zeros" else 1]
        if name in ("to_tf", "to_zpk", "to_ss"):
            parts = next(n for n, letters in _LETTERS.items() if name == f"to_{letters}")
            return lambda: self if parts == len(self._values) else self._again(
                _converted(self, parts))  # fmt: skip
        found = getattr(self._real, name)
        if not callable(found):
            return found
        return self._method(name, found)

    def _method(self, name: str, found: Any) -> Any:
        discrete = self._real.dt is not None
        path = _METHODS.get(("d" if discrete else "") + name)
        if path is not None:
            return functools.partial(path, self)
        if name == "to_discrete":
            return self._to_discrete
        return refused_while_tracked(found, f"scipy.signal.{type(self._real).__name__}.{name}")

    def _combined(self, name: str, *others: Any) -> Any:
        """Sums and products of systems, by SciPy's code where nothing is tracked."""
        path = f"scipy.signal.{type(self._real).__name__}.{name}"
        if needs_rule(self._values, *(getattr(o, "_values", o) for o in others)):
            lose(f"{path} has no derivative rule and", "combine the matrices A, B, C and D")
        real = getattr(self._real, name, None)
        found = NotImplemented
        if real is not None:
            found = real(*(o._real if isinstance(o, LinearSystem) else plain(o) for o in others))
        return found if found is NotImplemented else system_of(found)

    def __add__(self, other: Any) -> Any:
        return self._combined("__add__", other)

    def __radd__(self, other: Any) -> Any:
        return self._combined("__radd__", other)

    def __sub__(self, other: Any) -> Any:
        return self._combined("__sub__", other)

    def __rsub__(self, other: Any) -> Any:
        return self._combined("__rsub__", other)

    def __mul__(self, other: Any) -> Any:
        return self._combined("__mul__", other)

    def __rmul__(self, other: Any) -> Any:
        return self._combined("__rmul__", other)

    def __truediv__(self, other: Any) -> Any:
        return self._combined("__truediv__", other)

    def __neg__(self) -> Any:
        return self._combined("__neg__")

    def _shaped(self) -> tuple[Any, ...]:
        """The values in the shapes that SciPy gives them."""
        names = _FORMS[len(self._values)]
        if len(self._values) == 2:
            return tuple(_borrowed("normalize")(*self._values))
        real = [getattr(self._real, n) for n in names]
        return tuple(
            tensor(v, "scipy.signal.lti").reshape(np.shape(r)) if np.size(plain(v)) == np.size(r)
            else xp.asarray(r)
            for v, r in zip(self._values, real, strict=True)
        )  # fmt: skip

    def _again(self, values: tuple[Any, ...]) -> LinearSystem:
        return _made(values, self._real.dt)

    def _to_discrete(self, dt: Any, method: str = "zoh", alpha: Any = None) -> LinearSystem:
        found = _borrowed("cont2discrete")(self._shaped(), dt, method=method, alpha=alpha)
        return _made(tuple(found[:-1]), dt)


def _borrowed(name: str) -> Callable[..., Any]:
    return without_rule(scipy_object(f"scipy.signal.{name}"))


def _converted(system: LinearSystem, parts: int) -> tuple[Any, ...]:
    """The values of a system in the form of so many parts."""
    own = len(system._values)
    values = system._shaped()
    if own == parts:
        return values
    if own == 3 and parts == 2:
        return _stand_in("zpk2tf")(*values)  # type: ignore[no-any-return]
    if own == 2 and parts == 3:
        return _stand_in("tf2zpk")(*values)  # type: ignore[no-any-return]
    if own == 3:
        return _converted(_made(_stand_in("zpk2tf")(*values), system._real.dt), parts)
    if parts == 3:  # from matrices: by the transfer function
        return _converted(_made(_converted(system, 2), system._real.dt), 3)
    out = _borrowed(f"{_LETTERS[own]}2{_LETTERS[parts]}")(*values)
    return (out[0][0], out[1]) if own == 4 and np.shape(out[0])[0] == 1 else tuple(out)


def _stand_in(name: str) -> Callable[..., Any]:
    from . import _filter_forms

    return getattr(_filter_forms, name)  # type: ignore[no-any-return]


def _made(values: tuple[Any, ...], dt: Any) -> LinearSystem:
    if dt is None:
        return LinearSystem(scipy_object("scipy.signal.lti")(*plain(values)), values)
    return LinearSystem(scipy_object("scipy.signal.dlti")(*plain(values), dt=dt), values)


def system_of(real: Any) -> LinearSystem:
    """Ours for a system of SciPy."""
    parts = 2 if hasattr(real, "num") else 3 if hasattr(real, "gain") else 4
    return LinearSystem(real, tuple(getattr(real, n) for n in _FORMS[parts]))


class _Kind(type):
    """Metaclass of what makes systems: instances are known by SciPy's class below them."""

    _path: str

    def __instancecheck__(cls, x: Any) -> bool:
        real = x._real if isinstance(x, LinearSystem) else x
        return isinstance(real, scipy_object(cls._path))

    def __call__(cls, *system: Any, **options: Any) -> Any:
        if len(system) == 1 and isinstance(system[0], LinearSystem):
            given = {4: "to_ss", 3: "to_zpk", 2: "to_tf"}[cls._parts or len(system[0]._values)]
            return getattr(system[0], given)()
        return LinearSystem(scipy_object(cls._path)(*plain(system), **plain(options)), system)

    _parts: int = 0


class lti(metaclass=_Kind):
    """Makes a continuous system from 2, 3 or 4 arrays; stands for ``scipy.signal.lti``."""

    _path = "scipy.signal.lti"


class dlti(metaclass=_Kind):
    """Makes a discrete system; stands for ``scipy.signal.dlti``."""

    _path = "scipy.signal.dlti"


class TransferFunction(metaclass=_Kind):
    """Makes a system from numerator and denominator."""

    _path, _parts = "scipy.signal.TransferFunction", 2


class ZerosPolesGain(metaclass=_Kind):
    """Makes a system from zeros, poles and gain."""

    _path, _parts = "scipy.signal.ZerosPolesGain", 3


class StateSpace(metaclass=_Kind):
    """Makes a system from the matrices A, B, C and D."""

    _path, _parts = "scipy.signal.StateSpace", 4


def _responds(path: str, discrete: bool) -> Callable[..., Any]:
    """Decorator: SciPy's function of a system where nothing is tracked, else the response.

    The function gets the system, SciPy's result, and the other arguments by their names.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @policed
        @functools.wraps(function)
        def response(system: Any, *args: Any, **kwargs: Any) -> Any:
            real = system._real if isinstance(system, LinearSystem) else plain(system)
            found = scipy_object(path)(real, *plain(args), **plain(kwargs))
            held = system._values if isinstance(system, LinearSystem) else system
            if not needs_rule(held, args, kwargs):
                return tensors(found)
            if not isinstance(system, LinearSystem):
                if hasattr(system, "to_ss"):
                    system = system_of(system)
                else:  # a tuple, or an array of which each row is one
                    parts = tuple(system)
                    system = _made(parts[:-1], plain(parts[-1])) if discrete else _made(parts, None)
            return function(system, found, *args, **kwargs)

        own = inspect.signature(function)
        shown = [p for key, p in own.parameters.items() if key != "found"]
        response.__signature__ = own.replace(parameters=shown)  # type: ignore[attr-defined]
        return response

    return decorate


# -- in time ---------------------------------------------------------------------------------------


def _recurrence_kernel(m: Any, f: Any) -> Any:
    out = np.array(f, dtype=np.result_type(m, f))
    for i in range(1, len(out)):
        out[i] += out[i - 1] @ m
    return out


def _recurrence_vjp(g: Any, m: Any, out: Any) -> Any:
    back = xp.flip(_recurrence(adjoint(m), xp.flip(g, axis=0)), axis=0)
    return adjoint(out[:-1]) @ back[1:], back


# x[i] = x[i - 1] @ m + f[i]
_recurrence: Any = primitive_op(
    "signal.recurrence", ("m", "f"), Rule(vjp=_recurrence_vjp), _recurrence_kernel
)


def _output(states: Any, u: Any, c: Any, d: Any) -> Any:
    out = states @ c.T
    return out if u is None else out + u @ d.T


def _simulated(system: LinearSystem, U: Any, T: Any, X0: Any, interp: bool) -> tuple[Any, Any]:
    """Outputs and states at equally spaced times, as `scipy.signal.lsim` steps to them."""
    A, B, C, D = _converted(system, 4)
    T = xp.atleast_1d(tensor(T, "scipy.signal.lsim", 3))
    n, inputs, count = A.shape[0], B.shape[1], T.shape[0]
    start = xp.zeros(n) if X0 is None else xp.broadcast_to(tensor(X0, "scipy.signal.lsim", 4), (n,))
    if plain(T)[0] > 0:
        start = start @ core.expm(A.T * T[0])
    none = U is None or (isinstance(U, int | float) and U == 0)
    u = None if none else xp.reshape(tensor(U, "scipy.signal.lsim", 2), (count, inputs))
    if count == 1:
        return _output(start[None], u, C, D), start[None]
    dt = T[1] - T[0]
    moved = xp.concatenate((A, B), axis=1) * dt
    if u is None:
        step, pushes = core.expm(A.T * dt), xp.zeros((count - 1, n))
    elif not interp:
        whole = core.expm(xp.concatenate((moved, xp.zeros((inputs, n + inputs)))).T)
        step, pushes = whole[:n, :n], u[:-1] @ whole[n:, :n]
    else:
        zeros, one = xp.zeros((inputs, n + inputs)), np.eye(inputs)
        rows = (
            xp.concatenate((moved, xp.zeros((n, inputs))), axis=1),
            xp.concatenate((zeros, one), axis=1),
            xp.zeros((inputs, n + 2 * inputs)),
        )
        whole = core.expm(xp.concatenate(rows).T)
        step, last = whole[:n, :n], whole[n + inputs :, :n]
        first = whole[n : n + inputs, :n] - last
        pushes = u[:-1] @ first + u[1:] @ last
    states = _recurrence(step, xp.concatenate((start[None], pushes)))
    return _output(states, u, C, D), states


@_responds("scipy.signal.lsim", discrete=False)
def lsim(
    system: Any, found: Any, U: Any, T: Any, X0: Any = None, interp: bool = True
) -> tuple[Any, Any, Any]:
    """Times, outputs and states of a continuous system for an input."""
    y, x = _simulated(system, U, T, X0, interp)
    return tensors(found[0]), y.reshape(np.shape(found[1])), x.reshape(np.shape(found[2]))


@_responds("scipy.signal.step", discrete=False)
def step(system: Any, found: Any, X0: Any = None, T: Any = None, N: Any = None) -> tuple[Any, Any]:
    """Times and the response of a continuous system to a unit step."""
    times = found[0] if T is None else T
    y, _ = _simulated(system, np.ones(len(found[0])), times, X0, False)
    return tensors(found[0]), y.reshape(np.shape(found[1]))


@_responds("scipy.signal.impulse", discrete=False)
def impulse(
    system: Any, found: Any, X0: Any = None, T: Any = None, N: Any = None
) -> tuple[Any, Any]:
    """Times and the response of a continuous system to a unit impulse."""
    b = _converted(system, 4)[1]
    start = xp.squeeze(b if X0 is None else b + X0)
    y, _ = _simulated(system, None, found[0] if T is None else T, start, False)
    return tensors(found[0]), y.reshape(np.shape(found[1]))


def _discrete(system: LinearSystem, found: Any, u: Any, t: Any, x0: Any) -> tuple[Any, Any]:
    """Outputs and states of a discrete system at SciPy's times."""
    A, B, C, D = _converted(system, 4)
    u = tensor(u, "scipy.signal.dlsim", 2)
    u = u.reshape(-1, 1) if u.ndim < 2 else u
    if t is not None:  # the input is interpolated at multiples of dt
        t = plain(t)
        spline = scipy_object("scipy.interpolate.make_interp_spline")(t, np.eye(len(t)), k=1)
        u = spline(found[0]) @ u
    n = A.shape[0]
    start = xp.zeros(n)
    if x0 is not None:
        start = xp.broadcast_to(tensor(x0, "scipy.signal.dlsim", 4), (n,))
    x = _recurrence(A.T, xp.concatenate((start[None], u[:-1] @ B.T)))
    return _output(x, u, C, D), x


@_responds("scipy.signal.dlsim", discrete=True)
def dlsim(system: Any, found: Any, u: Any, t: Any = None, x0: Any = None) -> tuple[Any, ...]:
    """Times and outputs of a discrete system for an input; also its states if it has matrices."""
    y, x = _discrete(system, found, u, t, x0)
    return (tensors(found[0]), y, x)[: len(found)]


def _discrete_responses(
    system: LinearSystem, found: Any, x0: Any, t: Any, n: Any, rows: slice
) -> tuple[Any, Any]:
    """Responses to an input that is 1 in some rows of one column, for each column."""
    dt, n = system._real.dt, 100 if n is None else n
    times = np.linspace(0, n * dt, n, endpoint=False) if t is None else np.asarray(plain(t))
    inputs = _converted(system, 4)[1].shape[1]
    out = []
    for i in range(inputs):
        u = np.zeros((len(times), inputs))
        u[rows, i] = 1.0
        out.append(_discrete(system, found, u, times, x0)[0])
    return tensors(found[0]), tuple(out)


@_responds("scipy.signal.dstep", discrete=True)
def dstep(system: Any, found: Any, x0: Any = None, t: Any = None, n: Any = None) -> tuple[Any, Any]:
    """Times and the responses of a discrete system to a unit step in each input."""
    return _discrete_responses(system, found, x0, t, n, slice(None))


@_responds("scipy.signal.dimpulse", discrete=True)
def dimpulse(
    system: Any, found: Any, x0: Any = None, t: Any = None, n: Any = None
) -> tuple[Any, Any]:
    """Times and the responses of a discrete system to a unit impulse in each input."""
    return _discrete_responses(system, found, x0, t, n, slice(0, 1))


# -- in frequency ----------------------------------------------------------------------------------


def _transfer(system: LinearSystem, s: Any, like: Any) -> Any:
    """The transfer function at points s of the complex plane."""
    values = system._shaped()
    if len(values) == 2:
        out = xp.polyval(values[0].reshape(-1), s) / xp.polyval(values[1], s)
    elif len(values) == 3:
        ratio = (xp.prod(s[:, None] - v, axis=-1) for v in values[:2])
        out = values[2] * next(ratio) / next(ratio)
    else:
        a, b, c, d = values
        points = s[:, None, None] * np.eye(a.shape[0])
        out = c @ core.solve(points - a, b + 0 * points[..., :1]) + d
    return out.reshape(np.shape(like))


def _bode(w: Any, h: Any) -> tuple[Any, Any, Any]:
    phase = xp.unwrap(xp.arctan2(h.imag, h.real)) * 180.0 / np.pi
    return w, 20.0 * xp.log10(xp.abs(h)), phase


def _frequencies(w: Any, found: Any) -> Any:
    return xp.asarray(found) if w is None else xp.reshape(tensor(w, "w", 2), np.shape(found))


@_responds("scipy.signal.freqresp", discrete=False)
def freqresp(system: Any, found: Any, w: Any = None, n: int = 10000) -> tuple[Any, Any]:
    """Frequencies and the response of a continuous system, its transfer function at iw."""
    w = _frequencies(w, found[0])
    return w, _transfer(system, 1j * w, found[1])


@_responds("scipy.signal.bode", discrete=False)
def bode(system: Any, found: Any, w: Any = None, n: int = 100) -> tuple[Any, Any, Any]:
    """Frequencies, magnitude in decibels and phase in degrees of a continuous system."""
    w = _frequencies(w, found[0])
    return _bode(w, _transfer(system, 1j * w, found[1]))


@_responds("scipy.signal.dfreqresp", discrete=True)
def dfreqresp(
    system: Any, found: Any, w: Any = None, n: int = 10000, whole: bool = False
) -> tuple[Any, Any]:
    """Frequencies and the response of a discrete system, its transfer function at exp(iw)."""
    w = _frequencies(w, found[0])
    return w, _transfer(system, xp.exp(1j * w), found[1])


@_responds("scipy.signal.dbode", discrete=True)
def dbode(system: Any, found: Any, w: Any = None, n: int = 100) -> tuple[Any, Any, Any]:
    """Frequencies, magnitude in decibels and phase in degrees of a discrete system."""
    dt = system._real.dt
    w = xp.asarray(found[0]) * dt if w is None else _frequencies(w, found[0])
    return _bode(w / dt, _transfer(system, xp.exp(1j * w), found[1]))


def _lsim_of(system: Any, U: Any, T: Any, X0: Any = None) -> Any:
    return lsim(system, U, T, X0=X0)


# Methods of continuous systems, and with a "d" those of discrete ones.
_METHODS: dict[str, Callable[..., Any]] = {
    "step": step, "impulse": impulse, "output": _lsim_of, "freqresp": freqresp, "bode": bode,
    "dstep": dstep, "dimpulse": dimpulse, "doutput": dlsim, "dfreqresp": dfreqresp, "dbode": dbode,
}  # fmt: skip

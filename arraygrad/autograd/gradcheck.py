"""Derivatives against finite differences, in both modes and their compositions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._apply import node_of, operand, wrap
from .._engine import alias, pull_back
from .._errors import ArgumentError, DTypeError, GradcheckError
from .._forward_pass import push_forward
from .._graph import GRAD_MODE
from .._storage import TensorBase

__all__ = ["gradcheck", "gradgradcheck"]

Array = np.ndarray[Any, np.dtype[Any]]


def _inputs_of(inputs: Any) -> list[Any]:
    listed = list(inputs) if isinstance(inputs, tuple | list) else [inputs]
    tensors = [operand(x, "gradcheck") for x in listed]
    if not any(t._array.dtype.kind in "fc" for t in tensors):
        raise ArgumentError("gradcheck: no input is floating-point or complex")
    for i, t in enumerate(tensors):
        if t._array.dtype.kind in "fc" and t._array.dtype.itemsize < (
            16 if t._array.dtype.kind == "c" else 8
        ):
            raise DTypeError(
                f"gradcheck: input {i} has dtype {t._array.dtype}; finite differences need double "
                "precision, x.astype('float64')"
            )
    return tensors


class _Run:
    """One evaluation of f on aliases of the inputs, recorded."""

    def __init__(self, f: Callable[..., Any], inputs: Sequence[Any]) -> None:
        token = GRAD_MODE.set(True)
        try:
            entered = [alias(x) if x._array.dtype.kind in "fc" else x for x in inputs]
            self.nodes = [e._node for e in entered]
            self.outputs = _outputs(f(*entered))
        finally:
            GRAD_MODE.reset(token)
        self.roots = [node_of(o) for o in self.outputs]

    def pulled(self, k: int, g: Array) -> list[Any]:
        if self.roots[k] is None:
            return [None] * len(self.nodes)
        return pull_back([(self.roots[k], wrap(g))], self.nodes, False, True)

    def pushed(self, i: int, t: Array) -> list[Any]:
        tangents = [wrap(t) if n == i else None for n in range(len(self.nodes))]
        return push_forward(self.roots, self.nodes, tangents, False)


def _outputs(result: Any) -> list[Any]:
    listed = result if isinstance(result, tuple | list) else (result,)
    tensors = [operand(r, "gradcheck") for r in listed]
    return [t for t in tensors if t._array.dtype.kind in "fc"]


def _plain(f: Callable[..., Any], inputs: Sequence[Any], i: int, array: Array) -> list[Array]:
    """Values of f with input i replaced; f gets copies, so that it may write to them."""
    token = GRAD_MODE.set(False)
    try:
        args = [wrap(np.array(array if n == i else x._array)) for n, x in enumerate(inputs)]
        return [np.array(o._array) for o in _outputs(f(*args))]
    finally:
        GRAD_MODE.reset(token)


def _unit(array: Array, j: int, value: complex) -> Array:
    made = np.zeros(array.shape, array.dtype)
    made.reshape(-1)[j] = value
    return made


def _numeric(
    f: Callable[..., Any], inputs: Sequence[Any], i: int, direction: Array, eps: float
) -> list[Array]:
    """Derivative of each output along a direction of input i, to fourth order in eps."""
    x = inputs[i]._array

    def difference(h: float) -> list[Array]:
        ahead = _plain(f, inputs, i, x + h * direction)
        behind = _plain(f, inputs, i, x - h * direction)
        return [(a - b) / (2 * h) for a, b in zip(ahead, behind, strict=True)]

    near, far = difference(eps), difference(2 * eps)
    return [(4 * n - w) / 3 for n, w in zip(near, far, strict=True)]


class _Check:
    """Compares and keeps the worst element."""

    def __init__(self, atol: float, rtol: float) -> None:
        self.atol = atol
        self.rtol = rtol
        self.worst = 0.0
        self.report = ""

    def compare(self, got: Any, want: Any, what: Callable[[tuple[int, ...]], str]) -> None:
        got, want = np.asarray(got), np.asarray(want)
        if not want.size:
            return
        with np.errstate(invalid="ignore"):
            error = np.abs(got - want) / (self.atol + self.rtol * np.abs(want))
        error = np.where(np.isnan(error), np.inf, error)
        index = tuple(int(n) for n in np.unravel_index(int(np.argmax(error)), error.shape))
        if error[index] > max(self.worst, 1.0):
            self.worst = float(error[index])
            self.report = (
                f"{what(index)}: computed {got[index]}, finite differences give {want[index]} "
                f"({self.worst:.3g} times the tolerance)"
            )


def gradcheck(
    f: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-4,
    atol: float = 1e-6,
    rtol: float = 1e-5,
    modes: Sequence[str] = ("reverse", "forward"),
    fast: bool = False,
    raise_exception: bool = True,
) -> bool:
    """True if the derivatives of f agree with finite differences, in reverse and forward mode.

    Parameters
    ----------
    f : callable
        Takes tensors, returns a tensor or a tuple of tensors.
    inputs : Tensor, array, or tuple of them
        Where to check; all float64 and complex128 ones are differentiated by.
    eps : float
        Step of the differences, which are of fourth order.
    atol, rtol : float
        Tolerance: ``abs(computed - difference) <= atol + rtol * abs(difference)``.
    modes : sequence of {"reverse", "forward"}
        Which modes to check.
    fast : bool
        Compare along random directions instead of for every element: misses an error with
        probability zero, but does not say which element is wrong.
    raise_exception : bool
        If False, return False instead of raising.

    Returns
    -------
    bool
        Whether they agree.

    Raises
    ------
    GradcheckError
        Naming the worst element, its two values, and the mode.

    Notes
    -----
    A complex input is moved along its real and its imaginary part; a reverse gradient must be
    dL/dRe + i dL/dIm.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.gradcheck(lambda x: x * x, ag.asarray([1.0, 2.0]))
    True
    """
    for mode in modes:
        if mode not in ("reverse", "forward"):
            raise ArgumentError(f"modes: {mode!r} is not a mode; use 'reverse' and 'forward'")
    tensors = _inputs_of(inputs)
    run = _Run(f, tensors)
    check = _Check(atol, rtol)
    if fast:
        _check_directions(f, tensors, run, eps, modes, check)
    for i, x in enumerate(() if fast else tensors):
        if run.nodes[i] is None:
            continue
        numeric = _numeric_columns(f, tensors, i, eps, run)
        if "forward" in modes:
            _check_forward(run, i, x._array, numeric, check)
        if "reverse" in modes:
            _check_reverse(run, i, x._array, numeric, check)
    if check.report and raise_exception:
        raise GradcheckError(check.report)
    return not check.report


def _check_directions(
    f: Callable[..., Any],
    tensors: Sequence[Any],
    run: _Run,
    eps: float,
    modes: Sequence[str],
    check: _Check,
) -> None:
    """One random direction of all inputs together, one random cotangent for each output."""
    rng = np.random.default_rng(0)
    moving = [i for i, node in enumerate(run.nodes) if node is not None]
    directions = {i: random_like(rng, tensors[i]._array) for i in moving}
    numeric = _along(f, tensors, directions, eps)
    if "forward" in modes:
        given = [wrap(directions[i]) if i in directions else None for i in range(len(tensors))]
        for k, (t, want) in enumerate(
            zip(push_forward(run.roots, run.nodes, given, False), numeric, strict=True)
        ):
            got = np.zeros_like(want) if t is None else t._array
            check.compare(got, want, functools.partial(_along_what, "forward", k))
    if "reverse" in modes:
        for k, want in enumerate(numeric):
            g = random_like(rng, run.outputs[k]._array)
            found = run.pulled(k, g)
            got = sum(
                _inner(found[i]._array, directions[i]) for i in moving if found[i] is not None
            )
            check.compare(got, _inner(g, want), functools.partial(_along_what, "reverse", k))


def _along_what(mode: str, k: int, index: tuple[int, ...]) -> str:
    return f"{mode} mode: output {k}{list(index) if index else ''}, random direction"


def _inner(a: Array, b: Array) -> float:
    """The real inner product, in which vjp and jvp are transposes of each other."""
    return float(np.sum(a.real * b.real + a.imag * b.imag))


def _along(
    f: Callable[..., Any], inputs: Sequence[Any], directions: dict[int, Array], eps: float
) -> list[Array]:
    def values(h: float) -> list[Array]:
        moved = [
            wrap(x._array + h * directions[i]) if i in directions else x
            for i, x in enumerate(inputs)
        ]
        return _plain(f, moved, -1, np.empty(0))

    near = [(a - b) / (2 * eps) for a, b in zip(values(eps), values(-eps), strict=True)]
    far = [(a - b) / (4 * eps) for a, b in zip(values(2 * eps), values(-2 * eps), strict=True)]
    return [np.asarray((4 * n - w) / 3) for n, w in zip(near, far, strict=True)]


def _numeric_columns(
    f: Callable[..., Any], tensors: Sequence[Any], i: int, eps: float, run: _Run
) -> list[list[Array]]:
    """[part][output]: derivatives along the elements (last axis) of the real, imaginary part."""
    array = tensors[i]._array
    units = (1, 1j) if array.dtype.kind == "c" else (1,)
    parts = []
    for unit in units:
        columns = [_numeric(f, tensors, i, _unit(array, j, unit), eps) for j in range(array.size)]
        parts.append(
            [
                np.stack([c[k] for c in columns], axis=-1)
                if columns
                else np.zeros((*o._array.shape, 0), o._array.dtype)
                for k, o in enumerate(run.outputs)
            ]
        )
    return parts


def _check_forward(
    run: _Run, i: int, array: Array, numeric: list[list[Array]], check: _Check
) -> None:
    for part, unit in enumerate((1, 1j)[: len(numeric)]):
        for j in range(array.size):
            tangents = run.pushed(i, _unit(array, j, unit))
            for k, t in enumerate(tangents):
                want = numeric[part][k][..., j]
                got = np.zeros_like(want) if t is None else t._array

                def what(index: tuple[int, ...], k: int = k, j: int = j, unit: Any = unit) -> str:
                    at = np.unravel_index(j, array.shape)
                    return (
                        f"forward mode: d output {k}{list(index)} / d input {i}"
                        f"{[int(n) for n in at]}{' (imaginary part)' * (unit == 1j)}"
                    )

                if got.shape != want.shape:
                    raise GradcheckError(
                        f"forward mode: the tangent of output {k} has shape {got.shape}, the "
                        f"output {want.shape}"
                    )
                check.compare(got, want, what)


def _check_reverse(
    run: _Run, i: int, array: Array, numeric: list[list[Array]], check: _Check
) -> None:
    for k, o in enumerate(run.outputs):
        out = o._array
        for unit in (1, 1j) if out.dtype.kind == "c" else (1,):
            for row in range(out.size):
                c = run.pulled(k, _unit(out, row, unit))[i]
                # With g = 1 the loss is Re(y), with g = i it is Im(y).
                rows = [(part[k].reshape(out.size, -1)[row]) for part in numeric]
                real = [r.imag if unit == 1j else r.real for r in rows]
                want = (real[0] + 1j * real[1] if len(real) == 2 else real[0]).reshape(array.shape)
                got = np.zeros_like(want) if c is None else c._array
                if got.shape != want.shape:
                    raise GradcheckError(
                        f"reverse mode: the gradient by input {i} has shape {got.shape}, the "
                        f"input {want.shape}"
                    )

                at = [int(n) for n in np.unravel_index(row, out.shape)]

                def what(index: tuple[int, ...], k: int = k, at: Any = at, u: Any = unit) -> str:
                    return (
                        f"reverse mode: d output {k}{at}{' (imaginary part)' * (u == 1j)} / "
                        f"d input {i}{list(index)}"
                    )

                check.compare(got, want, what)


def gradgradcheck(
    f: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-4,
    atol: float = 1e-6,
    rtol: float = 1e-5,
    modes: Sequence[str] = ("reverse", "forward"),
    seed: int = 0,
    fast: bool = False,
    raise_exception: bool = True,
) -> bool:
    """True if second derivatives of f agree with differences of the first, in all compositions.

    Checks the reverse and forward derivatives of f's vjp (by the inputs and the cotangents) and
    of its jvp: reverse over reverse, forward over reverse, reverse over forward and forward over
    forward. The first derivatives themselves are `gradcheck`'s job.

    Parameters
    ----------
    f : callable
        Takes tensors, returns a tensor or a tuple of tensors.
    inputs : Tensor, array, or tuple of them
        Where to check.
    eps, atol, rtol : float
        As in `gradcheck`.
    modes : sequence of {"reverse", "forward"}
        Modes of the outer derivative.
    seed : int
        Of the random cotangents and tangents.
    fast : bool
        As in `gradcheck`.
    raise_exception : bool
        If False, return False instead of raising.

    Returns
    -------
    bool
        Whether they agree.

    Raises
    ------
    GradcheckError
        Naming the composition and the worst element.

    Examples
    --------
    >>> import arraygrad as ag
    >>> ag.gradgradcheck(lambda x: x * x * x, ag.asarray([1.0, 2.0]))
    True
    """
    tensors = _inputs_of(inputs)
    rng = np.random.default_rng(seed)
    moving = [i for i, t in enumerate(tensors) if t._array.dtype.kind in "fc"]
    cotangents = [random_like(rng, a) for a in _plain(f, tensors, -1, np.empty(0))]
    tangents = [random_like(rng, tensors[i]._array) for i in moving]
    for name, g, given in (
        ("reverse", lambda *a: vjp_of(f, a[: len(tensors)], a[len(tensors) :], moving), cotangents),
        ("forward", lambda *a: jvp_of(f, a[: len(tensors)], a[len(tensors) :], moving), tangents),
    ):
        try:
            done = gradcheck(
                g, [*tensors, *given], eps=eps, atol=atol, rtol=rtol, modes=modes, fast=fast,
                raise_exception=raise_exception,
            )  # fmt: skip
        except GradcheckError as error:
            raise GradcheckError(f"derivative of the {name} derivative: {error}") from None
        if not done:
            return False
    return True


def random_like(rng: np.random.Generator, array: Array) -> Array:
    """Normal values of the array's shape and dtype."""
    values: Array = np.asarray(rng.standard_normal(array.shape))
    if array.dtype.kind == "c":
        values = values + 1j * rng.standard_normal(array.shape)
    return np.asarray(values, array.dtype)


def _enter(inputs: Sequence[Any], moving: Sequence[int]) -> list[Any]:
    return [alias(x) if i in moving else x for i, x in enumerate(inputs)]


def vjp_of(f: Callable[..., Any], inputs: Any, cotangents: Any, moving: Sequence[int]) -> Any:
    """Gradients of f's outputs, weighted with cotangents, by the moving inputs; recorded."""
    recording = GRAD_MODE.get()
    token = GRAD_MODE.set(True)
    try:
        entered = _enter(inputs, moving)
        nodes = [entered[i]._node for i in moving]
        outputs = _outputs(f(*entered))
        roots = [(node_of(o), c) for o, c in zip(outputs, cotangents, strict=True)]
        found = pull_back(roots, nodes, recording, True)
    finally:
        GRAD_MODE.reset(token)
    return tuple(_or_zeros(g, inputs[i]) for g, i in zip(found, moving, strict=True))


def jvp_of(f: Callable[..., Any], inputs: Any, tangents: Any, moving: Sequence[int]) -> Any:
    """Tangents of f's outputs when the moving inputs move along tangents; recorded."""
    recording = GRAD_MODE.get()
    token = GRAD_MODE.set(True)
    try:
        entered = _enter(inputs, moving)
        nodes = [entered[i]._node for i in moving]
        outputs = _outputs(f(*entered))
        found = push_forward([node_of(o) for o in outputs], nodes, tangents, recording)
    finally:
        GRAD_MODE.reset(token)
    return tuple(_or_zeros(t, o) for t, o in zip(found, outputs, strict=True))


def _or_zeros(value: Any, like: TensorBase) -> Any:
    array = like._array
    return wrap(np.zeros(array.shape, array.dtype)) if value is None else value

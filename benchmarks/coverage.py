"""Which of NumPy's functions each peer differentiates: `python -m benchmarks.coverage`.

The calls are those of the test-suite (tests/interop/calls*.py). A call runs in each library's own
namespace (``autograd.numpy``, ``jax.numpy``, ``mygrad``); arraygrad's tensors go into NumPy's own
functions. A call counts where the library gives NumPy's value and the derivative along a direction
that finite differences give; a function counts where all of its calls do, or any of them.
"""

from __future__ import annotations

import argparse
import importlib
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.interop import test_numpy_functions as table
from tests.interop.calls import Call

TOLERANCE = 1e-5


def rebound(value: Any, namespace: Any, made: dict[int, Any]) -> Any:
    """A call's function, with NumPy's names those of another namespace, also in its helpers."""
    if namespace is np:
        return value
    if value is np:
        return namespace
    if id(value) in made:
        return made[id(value)]
    if isinstance(value, types.FunctionType) and value.__module__.startswith("tests."):
        names: dict[str, Any] = dict(value.__globals__)
        cells = tuple(
            types.CellType(rebound(cell.cell_contents, namespace, made))
            for cell in value.__closure__ or ()
        )
        twin = types.FunctionType(
            value.__code__, names, value.__name__, value.__defaults__, cells or None
        )
        twin.__kwdefaults__ = value.__kwdefaults__
        made[id(value)] = twin
        for name in value.__code__.co_names + inner_names(value.__code__):
            if name in names:
                names[name] = rebound(names[name], namespace, made)
        return twin
    if isinstance(value, np.ufunc) or getattr(value, "__module__", "").startswith("numpy"):
        return same_name(value, namespace)
    return value


def inner_names(code: types.CodeType) -> tuple[str, ...]:
    """Global names that functions inside of a function use."""
    return tuple(
        name
        for inner in code.co_consts
        if isinstance(inner, types.CodeType)
        for name in inner.co_names + inner_names(inner)
    )


def same_name(function: Any, namespace: Any) -> Any:
    """The namespace's function of the name that one of NumPy's has."""
    if not hasattr(function, "__name__") or isinstance(function, type | np.dtype):
        return function
    found = namespace
    module = getattr(function, "__module__", "numpy") or "numpy"
    for part in [*module.split(".")[1:], function.__name__]:
        if not part.startswith("_"):
            found = getattr(found, part)
    return found


Slope = Callable[[Any, list[Any], list[Any], list[Any]], tuple[Any, float]]


def parts(result: Any, count: int) -> list[Any]:
    """The arrays of a result; autograd has sequences that are neither lists nor tuples."""
    if count > 1 and not isinstance(result, list | tuple):
        return [result[i] for i in range(count)]
    return table.flat(result)


def of_arraygrad(
    function: Any, weights: list[Any], direction: list[Any], arrays: list[Any]
) -> tuple[Any, float]:
    """Value and derivative along the direction, from tensors in NumPy's functions."""
    row = Call(function, tuple(arrays), 1, (), True)
    value = function(*table.tracked(arrays, direction))
    return value, float(np.asarray(table.plain(table.slope(row, weights, direction, arrays)[0])))


def of_gradient(namespace: Any, gradient: Callable[..., Any]) -> Slope:
    """The same from autograd's or JAX's ``grad(f, argnums)``: by complex numbers a conjugate."""

    def slope(
        function: Any, weights: list[Any], direction: list[Any], arrays: list[Any]
    ) -> tuple[Any, float]:
        where = [i for i, d in enumerate(direction) if d is not None]

        def number(*moving: Any) -> Any:
            full = list(arrays)
            for i, value in zip(where, moving, strict=True):
                full[i] = value
            total: Any = 0.0
            for result, w in zip(parts(function(*full), len(weights)), weights, strict=True):
                if w is not None:
                    total = total + namespace.sum(namespace.real(result * np.conj(w)))
            return total

        total = 0.0
        found = gradient(number, tuple(range(len(where))))(*(arrays[i] for i in where))
        for i, g in zip(where, found, strict=True):
            total += float(np.sum(np.real(np.conj(g) * np.conj(direction[i]))))
        return function(*arrays), total

    return slope


def of_mygrad(mygrad: Any) -> Slope:
    """The same from MyGrad's tensors."""

    def slope(
        function: Any, weights: list[Any], direction: list[Any], arrays: list[Any]
    ) -> tuple[Any, float]:
        leaves = [
            a.copy() if d is None else mygrad.tensor(a.copy())
            for a, d in zip(arrays, direction, strict=True)
        ]
        value = function(*leaves)
        total: Any = 0.0
        for result, w in zip(table.flat(value), weights, strict=True):
            if w is not None:
                total = total + mygrad.sum(result * w)
        total.backward()
        moved = (
            float(np.sum(leaf.grad * d))
            for leaf, d in zip(leaves, direction, strict=True)
            if d is not None and leaf.grad is not None
        )
        return value, sum(moved)

    return slope


def libraries() -> dict[str, tuple[Any, Slope]]:
    """Each library that is installed: its namespace, and how it gives a derivative."""
    found: dict[str, tuple[Any, Slope]] = {"arraygrad": (np, of_arraygrad)}
    try:
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        jnp = importlib.import_module("jax.numpy")
        found["JAX"] = (jnp, of_gradient(jnp, jax.grad))
    except ImportError:
        pass
    try:
        autograd = importlib.import_module("autograd")
        anp = importlib.import_module("autograd.numpy")
        found["autograd"] = (anp, of_gradient(anp, autograd.grad))
    except ImportError:
        pass
    try:
        mygrad = importlib.import_module("mygrad")
        found["MyGrad"] = (mygrad, of_mygrad(mygrad))
    except ImportError:
        pass
    return found


def is_right(row: Call, namespace: Any, slope: Slope) -> bool:
    """Whether a library gives the value and the derivative of one call."""
    arrays = [np.array(a) for a in row.arguments]
    direction = table.direction_for(arrays, row.fixed)
    want = row.function(*[a.copy() for a in arrays])
    weights = table.weights_like(table.flat(want))

    def at(h: float) -> float:
        moved = [np.array(a) for a in table.moved(arrays, direction, h)]
        return float(np.real(table.number(row.function(*moved), weights)))

    h = 1e-5
    difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    try:
        function = rebound(row.function, namespace, {})
        value, got = slope(function, weights, direction, arrays)
        for g, w in zip(table.flat(value), table.flat(want), strict=True):
            g = table.plain(g) if namespace is np else np.asarray(g)
            if not np.allclose(g, w, rtol=1e-6, atol=1e-6, equal_nan=True):
                return False
    except Exception:  # noqa: BLE001 - whatever another library raises, it does not differentiate the call
        return False
    return abs(got - difference) <= TOLERANCE * max(1.0, abs(difference))


def main() -> None:
    """Print for each library how many functions and calls it differentiates."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--missing", metavar="LIBRARY", help="name the functions that it lacks")
    options = parser.parse_args()
    rows = {
        name: [row for row in calls if row.order]
        for name, calls in table.CALLS.items()
        if name in table.NAMES
    }
    rows = {name: calls for name, calls in rows.items() if calls}
    count = sum(map(len, rows.values()))
    print(
        f"NumPy {np.__version__}: {len(rows)} differentiable functions, {count} calls", flush=True
    )
    for library, (namespace, slope) in libraries().items():
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            right = {
                name: [is_right(row, namespace, slope) for row in calls]
                for name, calls in rows.items()
            }
        whole, any_ = (sum(map(how, right.values())) for how in (all, any))
        calls = sum(map(sum, right.values()))
        print(f"{library:10} {whole:4} in all calls, {any_:4} in some, {calls:4} calls", flush=True)
        if options.missing == library:
            print(*(name for name, found in right.items() if not all(found)), sep="\n")


if __name__ == "__main__":
    main()

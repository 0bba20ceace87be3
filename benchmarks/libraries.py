"""The same data and the same functions in every library, called as its own users would."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.harness import Call

Libraries = Mapping[str, ModuleType]

# standard's name, and where NumPy, torch and jax.numpy call it otherwise
OTHER_NAMES: dict[str, dict[str, str]] = {
    "cumulative_sum": {"torch": "cumsum"},
    "atan": {"numpy": "arctan", "jax": "arctan"},
}
TOLERANCE = {"float32": 1e-4, "float64": 1e-10, "complex64": 1e-4, "complex128": 1e-10}


def random(shape: tuple[int, ...], dtype: str, low: float = 0.5, high: float = 1.0) -> Any:
    """The same random ndarray every time; complex numbers have an imaginary part as well."""
    generator = np.random.default_rng(0)
    x = generator.uniform(low, high, shape)
    if dtype.startswith("complex"):
        x = x + 1j * generator.uniform(low, high, shape)
    return x.astype(dtype)


def placed(libraries: Libraries, name: str, array: Any, tracked: bool = False) -> Any:
    """`array` as the named library holds it; a leaf that collects gradients if `tracked`."""
    if name in ("numpy", "autograd"):
        return array
    if name == "arraygrad":
        return libraries[name].tensor(array, requires_grad=tracked)
    if name == "torch":
        return libraries[name].tensor(array, requires_grad=tracked)
    if name == "jax":
        return libraries[name].numpy.asarray(array)
    return libraries[name].tensor(array.copy(), constant=not tracked)  # mygrad


def namespace(libraries: Libraries, name: str) -> Any:
    """Where the library keeps its array functions."""
    if name == "jax":
        return libraries[name].numpy
    if name == "autograd":
        import autograd.numpy

        return autograd.numpy
    return libraries[name]


def function_of(libraries: Libraries, name: str, op: str) -> Any:
    """The library's function for an op of the standard; None if it has none."""
    return getattr(namespace(libraries, name), OTHER_NAMES.get(op, {}).get(name, op), None)


def waiting(libraries: Libraries, name: str, function: Any, arguments: Any, keywords: Any) -> Call:
    """A call that returns when the result is there; jax hands out promises of compiled code."""
    if name == "jax":
        jax = libraries[name]
        compiled = jax.jit(lambda *given: function(*given, **keywords))
        return lambda: jax.block_until_ready(compiled(*arguments))
    return lambda: function(*arguments, **keywords)


def calls_of(
    libraries: Libraries,
    op: str,
    arrays: list[Any],
    keywords: dict[str, Any] | None = None,
    torch_keywords: dict[str, Any] | None = None,
) -> dict[str, Call]:
    """One call of `op`, nothing tracked, for each of arraygrad, NumPy, torch and jax.jit."""
    calls = {}
    for name in ("arraygrad", "numpy", "torch", "jax"):
        function = function_of(libraries, name, op) if name in libraries else None
        if function is not None:
            operands = [placed(libraries, name, array) for array in arrays]
            chosen = torch_keywords if name == "torch" and torch_keywords else keywords
            calls[name] = waiting(libraries, name, function, operands, chosen or {})
    return calls


def gradient_calls(
    libraries: Libraries,
    write: Callable[[str, Any], Callable[..., Any]],
    arrays: list[Any],
    names: tuple[str, ...] = ("arraygrad", "torch", "jax", "autograd", "mygrad"),
    data: list[Any] | None = None,
) -> dict[str, Call]:
    """Calls that compute a scalar function and its gradients by all `arrays`.

    ``write(name, namespace)`` writes the function for a library, of the arrays and then of the
    `data`, which nothing is differentiated by. The functional libraries get theirs transformed,
    those with ``backward()`` clear the leaves' gradients first.
    """
    calls: dict[str, Call] = {}
    for name in names:
        if name not in libraries:
            continue
        function = write(name, namespace(libraries, name))
        positions = tuple(range(len(arrays)))
        if name == "jax":
            jax = libraries["jax"]
            compiled = jax.jit(jax.value_and_grad(function, positions))
            held = [placed(libraries, name, array) for array in arrays + (data or [])]
            calls[name] = _promised(jax, compiled, held)
        elif name == "autograd":
            pair = libraries["autograd"].value_and_grad(function, positions)
            calls[name] = lambda pair=pair: pair(*arrays, *(data or []))
        else:
            leaves = [placed(libraries, name, array, tracked=True) for array in arrays]
            held = [placed(libraries, name, array) for array in data or []]
            calls[name] = _by_backward(function, leaves, held, clear=name != "mygrad")
    return calls


def _promised(jax: Any, compiled: Any, held: list[Any]) -> Call:
    return lambda: jax.block_until_ready(compiled(*held))


def _by_backward(
    function: Callable[..., Any], leaves: list[Any], data: list[Any], clear: bool
) -> Call:
    """Forward and backward; mygrad replaces old gradients by itself."""

    def call() -> object:
        if clear:
            for leaf in leaves:
                leaf.grad = None
        value = function(*leaves, *data)
        value.backward()
        return value, [leaf.grad for leaf in leaves]

    return call

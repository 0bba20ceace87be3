"""Rows 5, 6, 7, 11 and 16: elementwise functions of many elements."""

from collections.abc import Callable
from typing import Any

from benchmarks.harness import Call, Workload
from benchmarks.libraries import (
    TOLERANCE,
    Libraries,
    calls_of,
    gradient_calls,
    placed,
    random,
    waiting,
)

MILLION = 1 << 20

# name and the range of the operand
FUNCTIONS = (
    ("exp", (-10.0, 10.0)),
    ("log", (0.01, 10.0)),
    ("log1p", (-0.5, 10.0)),
    ("expm1", (-3.0, 3.0)),
    ("sin", (-10.0, 10.0)),
    ("cos", (-10.0, 10.0)),
    ("tanh", (-3.0, 3.0)),
    ("sigmoid", (-10.0, 10.0)),
    ("atan", (-3.0, 3.0)),
    ("erf", (-3.0, 3.0)),
)


def unary(op: str, span: tuple[float, float], row: str, dtype: str, n: int) -> Workload:
    """One function of n elements."""

    def make(libraries: Libraries) -> dict[str, Call]:
        array = random((n,), dtype, *span)
        calls = calls_of(libraries, op, [array])
        if op in ("sigmoid", "erf"):
            calls |= composed(libraries, op, array)
        return calls

    return Workload(f"{op} {dtype} {n >> 20}M", row, make, TOLERANCE[dtype])


def composed(libraries: Libraries, op: str, array: Any) -> dict[str, Call]:
    """How it is written where the array namespace lacks it; NumPy has no error function."""
    calls: dict[str, Call] = {}
    if op == "sigmoid":
        np = libraries["numpy"]
        calls["numpy"] = lambda: 1 / (1 + np.exp(-array))
    if "jax" in libraries:
        import jax.scipy.special

        function = {"sigmoid": libraries["jax"].nn.sigmoid, "erf": jax.scipy.special.erf}[op]
        held = placed(libraries, "jax", array)
        calls["jax"] = waiting(libraries, "jax", function, [held], {})
    return calls


def chain() -> Workload:
    """Four operations on arrays of 64 MB, as one writes them: memory is the limit."""

    def four(x: Any, y: Any) -> Any:
        return ((x * y + x) - y) * x

    def make(libraries: Libraries) -> dict[str, Call]:
        arrays = [random((16 * MILLION,), "float32"), random((16 * MILLION,), "float32")]
        calls = {}
        for name in ("arraygrad", "numpy", "torch", "jax"):
            if name in libraries:
                operands = [placed(libraries, name, array) for array in arrays]
                calls[name] = waiting(libraries, name, four, operands, {})
        return calls

    return Workload("4 operations, 64 MB float32", "16", make, TOLERANCE["float32"])


def black_scholes() -> Workload:
    """Summed prices of a million call options, and their sensitivities."""

    def write(name: str, np: Any) -> Callable[..., Any]:
        if name == "jax":
            from jax.scipy.special import erf
        elif name == "autograd":
            from autograd.scipy.special import erf
        else:
            erf = np.erf

        def normal(x: Any) -> Any:
            return 0.5 * (1.0 + erf(x * 0.7071067811865476))

        def price(spot: Any, strike: Any, time: Any, volatility: Any) -> Any:
            width = volatility * np.sqrt(time)
            d1 = (np.log(spot / strike) + (0.01 + 0.5 * volatility**2) * time) / width
            prices = spot * normal(d1) - strike * np.exp(-0.01 * time) * normal(d1 - width)
            return prices.sum() if name != "autograd" else np.sum(prices)

        return price

    def make(libraries: Libraries) -> dict[str, Call]:
        spans = ((80.0, 120.0), (80.0, 120.0), (0.5, 2.0), (0.1, 0.4))
        arrays = [random((MILLION,), "float64", *span) for span in spans]
        arrays[1] = arrays[1][::-1].copy()
        names = ("arraygrad", "torch", "jax", "autograd")  # mygrad has no error function
        return gradient_calls(libraries, write, arrays, names)

    return Workload("Black-Scholes 1M float64", "11", make, 1e-8)


WORKLOADS = [
    *(unary(*function, "5", "float32", 4 * MILLION) for function in FUNCTIONS),
    *(unary(op, (-10.0, 10.0), "6", "float64", 4 * MILLION) for op in ("sin", "cos")),
    *(
        unary(op, (0.1, 3.0), "7", dtype, 2 * MILLION)
        for dtype in ("complex64", "complex128")
        for op in ("exp", "log")
    ),
    black_scholes(),
    chain(),
]

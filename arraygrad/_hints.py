"""What to type for a name of NumPy or PyTorch that this package does not have."""

from __future__ import annotations

import numpy as np

_NAMES = {
    "Parameter": "ag.tensor(data, requires_grad=True)",
    "Variable": "ag.tensor(data, requires_grad=True)",
    "array": "ag.tensor(data), or ag.asarray(data) without a copy",
    "bmm": "ag.matmul(x1, x2)",
    "cat": "ag.concat([x1, x2], axis=0)",
    "from_numpy": "ag.asarray(array)",
    "manual_seed": "rng = np.random.default_rng(seed)",
    "mm": "ag.matmul(x1, x2)",
    "norm": "ag.linalg.vector_norm(x)",
    "rand": "ag.tensor(rng.random(shape)) with rng = np.random.default_rng(seed)",
    "randint": "ag.tensor(rng.integers(low, high, shape)) with rng = np.random.default_rng(seed)",
    "randn": "ag.tensor(rng.normal(size=shape)) with rng = np.random.default_rng(seed)",
    "relu": "ag.maximum(x, 0)",
    "transpose": "ag.permute_dims(x, axes)",
    "unsqueeze": "ag.expand_dims(x, axis=0)",
}


def hint(name: str) -> str:
    """The end of an error message about a name that is not there; empty if nothing is known."""
    known = _NAMES.get(name)
    if known is not None:
        return f"; write {known}"
    if callable(getattr(np, name, None)):
        return f"; NumPy's own function takes tensors: np.{name}(...)"
    return ""

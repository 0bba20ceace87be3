"""What to type instead of a name that is not there, or of a call that would lose a gradient."""

from __future__ import annotations

import importlib

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


# What to type instead of a call into one of these modules, which would lose a gradient.
_REMEDIES = (
    ("numpy.ma", "masked arrays hold no tensors: use np.where(mask, ...) or the nan functions"),
    ("numpy.matrixlib", "matrices hold no tensors: use two-dimensional arrays and @"),
    ("numpy.polynomial", "use arraygrad.numpy.polynomial, as lifted code does"),
    (
        "scipy.sparse",
        "wrap the matrix, A = arraygrad.scipy.sparse.csr_array(A), as lifted code does",
    ),
)


def remedy(module: str, called: str) -> str:
    """What to type instead of calling a function of this module of NumPy or SciPy."""
    for start, text in _REMEDIES:
        if f"{module}.".startswith(f"{start}."):
            return text
    parts = [p for p in module.split(".") if not p.startswith("_")]
    if parts[0] != "scipy":
        return ""
    registry = importlib.import_module("arraygrad.scipy._registry")  # by name: it lies above
    path = ".".join([*parts[:2], called])
    return f"use arraygrad.{path}, as lifted code does" if path in registry.stand_ins() else ""

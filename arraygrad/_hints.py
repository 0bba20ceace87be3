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
    "clone": "x.copy()",
    "from_numpy": "ag.asarray(array)",
    "manual_seed": "rng = np.random.default_rng(seed)",
    "mm": "ag.matmul(x1, x2)",
    "norm": "ag.linalg.vector_norm(x)",
    "rand": "ag.tensor(rng.random(shape)) with rng = np.random.default_rng(seed)",
    "randint": "ag.tensor(rng.integers(low, high, shape)) with rng = np.random.default_rng(seed)",
    "randn": "ag.tensor(rng.normal(size=shape)) with rng = np.random.default_rng(seed)",
    "random": "rng = np.random.default_rng(seed), or use ag.numpy.random",
    "relu": "ag.maximum(x, 0)",
    "stop_gradient": "x.detach()",
    "transpose": "ag.permute_dims(x, axes)",
    "unsqueeze": "ag.expand_dims(x, axis=0)",
}

# What is not there yet, and what to do until it is.
_NOT_YET = {
    "compile": "call the function itself, its kernels are compiled",
    "device_put": "tensors are on the CPU",
    "jit": "call the function itself, its kernels are compiled",
    "nn": "write layers as functions of arrays, as the examples do",
    "optim": "write x -= rate * x.grad under ag.no_grad(), or use scipy.optimize.minimize",
    "pmap": "use ag.stack([f(x) for x in batch])",
    "vmap": "let f broadcast over a leading axis, or use ag.stack([f(x) for x in batch])",
}

# The same for attributes of tensors.
_ATTRIBUTES = {
    "abs": "write abs(x)",
    "add_": "write x += other",
    "at": "write x[index] = value, or x[index] += value: writes are differentiated",
    "clone": "write x.copy()",
    "copy_": "write x[...] = other",
    "cpu": "tensors are on the CPU: leave it out",
    "cuda": "not yet: tensors are on the CPU",
    "dim": "write x.ndim",
    "div_": "write x /= other",
    "double": "write x.astype(ag.float64)",
    "exp": "write ag.exp(x)",
    "fill_": "write x[...] = value",
    "float": "write x.astype(ag.float32)",
    "log": "write ag.log(x)",
    "long": "write x.astype(ag.int64)",
    "masked_fill": "write ag.where(mask, value, x)",
    "matmul": "write x @ other",
    "mm": "write x @ other",
    "mul_": "write x *= other",
    "norm": "write ag.linalg.vector_norm(x)",
    "relu": "write ag.maximum(x, 0)",
    "softmax": "write ag.softmax(x, axis=-1)",
    "sqrt": "write ag.sqrt(x)",
    "sub_": "write x -= other",
    "tanh": "write ag.tanh(x)",
    "to": "write x.astype(dtype), or x.to_device(device)",
    "type": "write x.astype(dtype)",
    "zero_": "write x[...] = 0",
    "zero_grad": "write x.grad = None",
}


def hint(name: str) -> str:
    """The end of an error message about a name that is not there; empty if nothing is known."""
    known = _NAMES.get(name)
    if known is not None:
        return f"; write {known}"
    if name in _NOT_YET:
        return f" yet; {_NOT_YET[name]}"
    if callable(getattr(np, name, None)):
        return f"; NumPy's own function takes tensors: np.{name}(...)"
    return ""


def attribute_hint(name: str) -> str:
    """The end of an error message about an attribute that tensors have not."""
    return f"; {_ATTRIBUTES[name]}"


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

"""What to type instead of a name that is not there, or of a call that would lose a gradient."""

from __future__ import annotations

import importlib
import re
import sys
import types
from itertools import takewhile
from typing import Any, NoReturn

import numpy as np

from . import _errors as errors

_NAMES = {
    "FloatTensor": "ag.tensor(data, dtype=ag.float32)",
    "Parameter": "ag.tensor(data, requires_grad=True)",
    "Variable": "ag.tensor(data, requires_grad=True)",
    "addmm": "x + x1 @ x2",
    "array": "ag.tensor(data), or ag.asarray(data) without a copy",
    "as_tensor": "ag.asarray(data)",
    "bmm": "ag.matmul(x1, x2)",
    "cat": "ag.concat([x1, x2], axis=0)",
    "chunk": "np.array_split(x, 2)",
    "clamp": "ag.clip(x, low, high)",
    "clone": "x.copy()",
    "constant": "ag.tensor(data)",
    "detach": "x.detach()",
    "double": "ag.float64",
    "float": "ag.float32",
    "from_numpy": "ag.asarray(array)",
    "gather": "ag.take_along_axis(x, indices, axis=0)",
    "half": "ag.float16",
    "index_select": "ag.take(x, [0, 1], axis=0)",
    "inference_mode": "ag.no_grad()",
    "int": "ag.int32",
    "is_tensor": "isinstance(x, ag.Tensor)",
    "long": "ag.int64",
    "manual_seed": "rng = np.random.default_rng(seed)",
    "masked_select": "x[mask]",
    "mm": "ag.matmul(x1, x2)",
    "ndarray": "ag.Tensor, or ag.empty(shape)",
    "norm": "ag.linalg.vector_norm(x)",
    "numel": "x.size",
    "permute": "ag.permute_dims(x, axes)",
    "rand": "ag.tensor(rng.random(shape)) with rng = np.random.default_rng(seed)",
    "randint": "ag.tensor(rng.integers(low, high, shape)) with rng = np.random.default_rng(seed)",
    "randn": "ag.tensor(rng.normal(size=shape)) with rng = np.random.default_rng(seed)",
    "random": "rng = np.random.default_rng(seed), or use ag.numpy.random",
    "reduce_mean": "ag.mean(x, axis=0)",
    "reduce_sum": "ag.sum(x, axis=0)",
    "relu": "ag.maximum(x, 0)",
    "stop_gradient": "x.detach()",
    "topk": "ag.sort(x, descending=True)[..., :2]",
    "transpose": "ag.permute_dims(x, axes)",
    "unsqueeze": "ag.expand_dims(x, axis=0)",
    "view": "x.reshape(shape)",
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

# What another library has for what Python or we do otherwise.
_OTHERWISE = {
    "GradientTape": "use ag.grad(f), or loss.backward() and x.grad",
    "cond": "write if and else in Python",
    "custom_gradient": "use ag.primitive or ag.Function",
    "custom_jvp": "use ag.primitive or ag.Function",
    "custom_vjp": "use ag.primitive or ag.Function",
    "defvjp": "use ag.primitive or ag.Function",
    "eval_shape": "call f and look at the shape",
    "fori_loop": "write a for loop in Python",
    "functional": "use ag.grad, ag.vjp, ag.jvp",
    "get_default_dtype": "it is ag.float64, as NumPy's",
    "jnp": "use ag.numpy, or NumPy itself",
    "lax": "write loops and conditions in Python",
    "load": "write ag.asarray(np.load(file))",
    "make_jaxpr": "call the function itself, nothing is traced",
    "save": "write np.save(file, x.detach())",
    "savez": "write np.savez(file, x=x.detach())",
    "scan": "write a for loop in Python",
    "set_default_dtype": "pass dtype=ag.float32 where arrays are made",
    "tree_util": "ag.grad takes tuples, lists and dictionaries of arrays as they are",
    "utils": "write it with NumPy's functions",
    "while_loop": "write a while loop in Python",
    "zero_grad": "write x.grad = None for each parameter",
}

# The same for attributes of tensors.
_ATTRIBUTES = {
    "abs": "write abs(x)",
    "add": "write x + other",
    "add_": "write x += other",
    "addmm": "write x + x @ other",
    "at": "write x[index] = value, or x[index] += value: writes are differentiated",
    "block_until_ready": "results are there at once: leave it out",
    "bmm": "write x @ other",
    "bool": "write x.astype(ag.bool)",
    "chunk": "write np.array_split(x, 2)",
    "clamp": "write ag.clip(x, value, value)",
    "clone": "write x.copy()",
    "copy_": "write x[...] = other",
    "cos": "write ag.cos(x)",
    "cpu": "tensors are on the CPU: leave it out",
    "cuda": "not yet: tensors are on the CPU",
    "dim": "write x.ndim",
    "div": "write x / other",
    "div_": "write x /= other",
    "double": "write x.astype(ag.float64)",
    "element_size": "write x.itemsize",
    "eq": "write x == other",
    "exp": "write ag.exp(x)",
    "fill_": "write x[...] = value",
    "float": "write x.astype(ag.float32)",
    "floor": "write ag.floor(x)",
    "gather": "take values with ag.take_along_axis(x, indices, axis=0)",
    "gt": "write x > other",
    "half": "write x.astype(ag.float16)",
    "index_add_": "write np.add.at(x, index, value)",
    "index_select": "write x[index]",
    "int": "write x.astype(ag.int32)",
    "is_cuda": "tensors are on the CPU",
    "log": "write ag.log(x)",
    "logsumexp": "write ag.logsumexp(x, axis=-1)",
    "long": "write x.astype(ag.int64)",
    "lt": "write x < other",
    "masked_fill": "write ag.where(mask, value, x)",
    "masked_select": "write x[mask]",
    "matmul": "write x @ other",
    "mm": "write x @ other",
    "mul": "write x * other",
    "mul_": "write x *= other",
    "nelement": "write x.size",
    "new_ones": "write ag.ones(x.shape)",
    "new_zeros": "write ag.zeros(x.shape)",
    "norm": "write ag.linalg.vector_norm(x)",
    "numel": "write x.size",
    "outer": "write np.outer(x, other)",
    "pow": "write x**2",
    "relu": "write ag.maximum(x, 0)",
    "repeat_interleave": "write x.repeat(2)",
    "scatter_add_": "write x[index] += value",
    "sigmoid": "write ag.sigmoid(x)",
    "sign": "write ag.sign(x)",
    "sin": "write ag.sin(x)",
    "softmax": "write ag.softmax(x, axis=-1)",
    "split": "write np.split(x, 2)",
    "sqrt": "write ag.sqrt(x)",
    "sub": "write x - other",
    "sub_": "write x -= other",
    "t": "write x.T",
    "tanh": "write ag.tanh(x)",
    "to": "write x.astype(dtype), or x.to_device(device)",
    "type": "write x.astype(dtype)",
    "type_as": "write x.astype(other.dtype)",
    "unbind": "write list(x)",
    "zero_": "write x[...] = 0, or x.grad = None to start a gradient anew",
    "zero_grad": "write x.grad = None",
}


def hint(name: str) -> str:
    """The end of an error message about a name that is not there; empty if nothing is known."""
    if name in errors.__all__:
        return f"; write ag.errors.{name}"
    known = _NAMES.get(name)
    if known is not None:
        return f"; write {known}"
    if name in _NOT_YET:
        return f" yet; {_NOT_YET[name]}"
    if name in _OTHERWISE:
        return f"; {_OTHERWISE[name]}"
    if callable(getattr(np, name, None)):
        return f"; NumPy's own function takes tensors: np.{name}(...)"
    return ""


def attribute_hint(name: str) -> str:
    """The end of an error message about an attribute that tensors have not."""
    return f"; {_ATTRIBUTES[name]}"


_NO_MATRICES = "matrices hold no tensors: use two-dimensional arrays and @"

# What to type instead of a call into one of these modules, which would lose a gradient.
_REMEDIES = (
    ("numpy.ma", "masked arrays hold no tensors: use np.where(mask, ...) or the nan functions"),
    ("numpy.matrixlib", _NO_MATRICES),
    ("numpy._core.records", "records hold no tensors: keep an array for each field, in a dict"),
    ("numpy.polynomial", "use arraygrad.numpy.polynomial, as lifted code does"),
    (
        "scipy.sparse",
        "wrap the matrix, A = arraygrad.scipy.sparse.csr_array(A), as lifted code does",
    ),
)


def remedy(module: str, called: str) -> str:
    """What to type instead of calling a function of this module of NumPy or SciPy."""
    if called in ("asmatrix", "bmat"):
        return _NO_MATRICES
    for start, text in _REMEDIES:
        if f"{module}.".startswith(f"{start}."):
            return text
    parts = [p for p in module.split(".") if not p.startswith("_")]
    if parts[0] != "scipy":
        return ""
    registry = importlib.import_module("arraygrad.scipy._registry")  # by name: it lies above
    path = ".".join([*parts[:2], called])
    return f"use arraygrad.{path}, as lifted code does" if path in registry.stand_ins() else ""


def public_name(module: str, qualified: str) -> str:
    """The public name of a function, class or method of NumPy or SciPy, for a message.

    Parameters
    ----------
    module : str
        Where it is defined, such as ``scipy.sparse.linalg._eigen.arpack.arpack``.
    qualified : str
        Its name there; that of a method has the name of the class, as ``dirichlet_gen.logpdf`` has.
    """
    first, *rest = qualified.partition(".<locals>")[0].split(".")
    rest = [name for name in rest if not name.startswith("__")]
    parts = module.split(".")
    short = first.removesuffix("_gen").removesuffix("_frozen")
    if parts[0] == "numpy":
        rest = [name for name in rest if not name.startswith("_")]
        defined = getattr(sys.modules.get(module), first, None)
        for place in _OF_NUMPY if defined is not None else ():
            if getattr(sys.modules.get(place), first, None) is defined:
                return ".".join([place.replace("numpy", "np", 1), first, *rest])
    for name in dict.fromkeys((short, first)):
        for end in range(2, len(parts) + 1):
            if not parts[end - 1].startswith("_"):
                place = ".".join(parts[:end])
                found = getattr(sys.modules.get(place), name, None)
                if found is not None and not isinstance(found, types.ModuleType):
                    return ".".join([place, name, *rest])
    return ".".join(p for p in [*parts, first, *rest] if not p.startswith("_"))


# Modules of NumPy in which functions are looked for that others define.
_OF_NUMPY = (
    "numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.ma", "numpy.rec", "numpy.char",
    "numpy.strings", "numpy.lib.recfunctions", "numpy.lib.stride_tricks",
)  # fmt: skip


def compiled_of_scipy(called: str, names: tuple[str, ...], namespace: dict[str, Any]) -> str:
    """The public name of what code calls of SciPy's compiled classes and functions; or empty.

    Parameters
    ----------
    called : str
        The name in the call.
    names : tuple of str
        All names in the code.
    namespace : dict
        The code's globals.
    """
    modules = {getattr(namespace.get(name), "__name__", name) for name in names}
    for place, module in sorted(sys.modules.items()):
        if not place.startswith("scipy.") or "._" in place:
            continue
        found = vars(module).get(called)
        if not callable(found) or not str(getattr(found, "__module__", "scipy")).startswith(
            "scipy"
        ):
            continue
        if modules & {place, place.rpartition(".")[2]} or namespace.get(called) is found:
            return f"{place}.{called}"
    return ""


# The same for packages whose objects hold values.
_HOLDERS = {
    "pandas": 'pandas holds no tensors: take its values out first, df["x"].to_numpy() * t',
    "xarray": "x.data is the tensor inside, x.values converts it",
}


def of_package(namespace: dict[str, Any], lifted: bool) -> str:
    """What to type where the code of an installed package was met; `lifted` code called it."""
    top = str(namespace.get("__name__", "")).partition(".")[0]
    if top in _HOLDERS:
        return _HOLDERS[top]
    if not lifted:
        return ""
    reach = importlib.import_module("arraygrad.lifting.reach")  # by name: it lies above
    never = not top or top in sys.stdlib_module_names or top == "__main__"
    if never or reach.is_users(namespace, frozenset()):
        return ""
    if not reach.is_users(namespace, frozenset({top})):
        return ""
    return f'lift that package too, ag.lift(f, packages=["{top}"])'


# Keywords of PyTorch's functions, and ours for them; what to type for other ones.
_RENAMED = {"dim": "axis", "dims": "axis", "keepdim": "keepdims"}
_KEYWORDS = {
    "requires_grad": "write ag.{function}(...).requires_grad_()",
    "out": "the result is a new tensor; write out[...] = ag.{function}(...)",
    "layout": "leave it away",
    "pin_memory": "leave it away",
    "order": "tensors are made in C order; np.{function} in lifted code takes it",
}


def refuse_keywords(function: str, unknown: dict[str, Any]) -> NoReturn:
    """Say what to type for keywords that a function of ours has not."""
    name = next(iter(unknown))
    hint = _KEYWORDS.get(name)
    known = _renamed(name) if hint is None else f"; {hint.format(function=function)}"
    raise errors.ArgumentTypeError(f"{function}: there is no keyword {name}={known}")


def _renamed(keyword: str) -> str:
    return f"; write {_RENAMED[keyword]}= for it" if keyword in _RENAMED else ""


def refuse_arguments(function: str, given: tuple[Any, ...], unknown: dict[str, Any]) -> NoReturn:
    """Say what to type for ``zeros(2, 3)`` and ``zeros(2, dtype)``, or for unknown keywords.

    Parameters
    ----------
    function : str
        One that makes a tensor of a shape: ``full``, which has a value too, or another one.
    given : tuple
        What was given by position, to be told apart by what it is.
    unknown : dict
        Keywords that the function has not.
    """
    count = 2 if function == "full" else 1
    if len(given) == count:
        refuse_keywords(function, unknown)
    sizes = tuple(takewhile(lambda x: isinstance(x, int | np.integer), given))
    rest = given[len(sizes) :]
    if count == 2 and not rest:
        sizes, rest = sizes[:-1], sizes[-1:]
    if not sizes:
        sizes = tuple(given[0]) if isinstance(given[0], tuple | list) else given[:1]
        rest = rest[1:]
    arguments = [f"{sizes[0]}" if len(sizes) == 1 else f"{sizes}", *map(repr, rest[: count - 1])]
    arguments += [f"dtype={getattr(d, '__name__', d)}" for d in rest[count - 1 : count]]
    end = ".requires_grad_()" if unknown.get("requires_grad") else ""
    raise errors.ArgumentTypeError(
        f"{function}: the shape is one argument, a tuple, and dtype= a keyword; "
        f"write ag.{function}({', '.join(arguments)}){end}"
    )


_UNEXPECTED = re.compile(r"\(\) got an unexpected keyword argument '(\w+)'")


def of_keyword(error: BaseException) -> str:
    """What Python says of a keyword that a function has not, in our words; empty if not of one."""
    found = _UNEXPECTED.search(str(error))
    return "" if found is None else f"there is no keyword {found[1]}={_renamed(found[1])}"

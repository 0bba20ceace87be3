"""Functions of Python's standard library that look into numbers, as lifted code has them.

`statistics` computes with exact fractions, `json` and `pickle` know Python's own types only.
"""

from __future__ import annotations

import ast
import datetime
import functools
import hashlib
import io
import json
import marshal
import operator
import os
import pickle
import random
import statistics
import struct
import sys
import time
import types
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _texts as texts, numpy as tensor_numpy
from .._apply import _Types
from .._detach import lose, may_detach
from .._graph import is_grad_enabled
from .._storage import TensorBase
from ..interop.plain import is_tracked, plain
from . import stand_ins
from .session import SESSION
from .twin_classes import ORIGINALS, pickled

xp: Any = tensor_numpy


# -- statistics: Python's function says what is wrong with plain values, ours has the gradient ----


def _mean(data: Any) -> Any:
    return xp.sum(xp.stack(data)) / len(data)


def _spread(data: Any, center: Any, count: int) -> Any:
    center = _mean(data) if center is None else center
    return xp.sum((xp.stack(data) - center) ** 2) / count


def _variance(data: Any, xbar: Any = None) -> Any:
    return _spread(data, xbar, len(data) - 1)


def _pvariance(data: Any, mu: Any = None) -> Any:
    return _spread(data, mu, len(data))


def _stdev(data: Any, xbar: Any = None) -> Any:
    return xp.sqrt(_variance(data, xbar))


def _pstdev(data: Any, mu: Any = None) -> Any:
    return xp.sqrt(_pvariance(data, mu))


def _fmean(data: Any, weights: Any = None) -> Any:
    if weights is None:
        return _mean(data)
    weights = xp.stack([*weights])
    return xp.sum(weights * xp.stack(data)) / xp.sum(weights)


def _geometric_mean(data: Any) -> Any:
    return xp.exp(xp.sum(xp.log(xp.stack(data))) / len(data))


def _harmonic_mean(data: Any, weights: Any = None) -> Any:
    weights = xp.ones(len(data)) if weights is None else xp.stack([*weights])
    return xp.sum(weights) / xp.sum(weights / xp.stack(data))


def _covariance(x: Any, y: Any) -> Any:
    x, y = xp.stack([*x]), xp.stack([*y])
    return xp.sum((x - xp.mean(x)) * (y - xp.mean(y))) / (len(x) - 1)


def _correlation(x: Any, y: Any, **method: Any) -> Any:
    if method.get("method", "linear") != "linear":
        x, y = ([sorted(v).index(item) for item in v] for v in (plain(x), plain(y)))
    return _covariance(x, y) / xp.sqrt(_covariance(x, x) * _covariance(y, y))


def _linear_regression(x: Any, y: Any, *, proportional: bool = False) -> Any:
    x, y = xp.stack([*x]), xp.stack([*y])
    if proportional:
        slope, intercept = xp.sum(x * y) / xp.sum(x * x), 0.0
    else:
        slope = _covariance(x, y) / _covariance(x, x)
        intercept = xp.mean(y) - slope * xp.mean(x)
    return statistics.LinearRegression(slope=slope, intercept=intercept)


def _rule(real: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        # Whatever iterates over numbers is taken: generators, deques, arrays.
        args = tuple([[*a] if hasattr(a, "__iter__") else a for a in args])
        if not is_tracked(args) and not is_tracked(kwargs):
            return real(*map(plain, args), **plain(kwargs))
        real(*map(plain, args), **plain(kwargs))  # its errors
        return ours(*args, **kwargs)

    return stand_ins.like(function, real)


# A script may stand beside a module of the user's of that name, which then is the one imported.
_IS_PYTHONS = os.path.dirname(statistics.__file__) == os.path.dirname(os.__file__)

STATISTICS = {
    name: _rule(getattr(statistics, name), ours)
    for name, ours in (
        ("mean", _mean), ("fmean", _fmean), ("stdev", _stdev), ("variance", _variance),
        ("pvariance", _pvariance), ("pstdev", _pstdev), ("geometric_mean", _geometric_mean),
        ("harmonic_mean", _harmonic_mean), ("covariance", _covariance),
        ("correlation", _correlation), ("linear_regression", _linear_regression),
    )
    if _IS_PYTHONS
}  # fmt: skip


# -- text and bytes -------------------------------------------------------------------------------


def _dumps(obj: Any, **settings: Any) -> str:
    """``json.dumps``: text, in which numbers are plain, as in a formatted string."""
    text = json.dumps(plain(obj), **settings)
    return str(texts.note(text, obj)) if is_tracked(obj) else text


def _dump(obj: Any, fp: Any, **settings: Any) -> None:
    json.dump(plain(obj), fp, **settings)
    texts.note_numbers(obj)


def _loads(s: Any, **settings: Any) -> Any:
    texts.refuse_text(s, "json.loads()")
    return json.loads(s, **settings)


def _load(fp: Any, **settings: Any) -> Any:
    return _loads(fp.read(), **settings)


JSON = {
    "dumps": stand_ins.like(_dumps, json.dumps),
    "dump": stand_ins.like(_dump, json.dump),
    "load": stand_ins.like(_load, json.load),
    "loads": stand_ins.like(_loads, json.loads),
}


def _pack(format: Any, *values: Any) -> bytes:
    packed = struct.pack(format, *plain(values))
    return bytes(texts.note(packed, values)) if is_tracked(values) else packed


def _pack_into(format: Any, buffer: Any, offset: Any, *values: Any) -> None:
    if is_tracked(values) and is_grad_enabled():
        lose("struct.pack_into()")
    struct.pack_into(format, buffer, offset, *plain(values))


def _unpacked(real: Callable[..., Any]) -> Callable[..., Any]:
    def function(format: Any, buffer: Any, *offset: Any, **settings: Any) -> Any:
        texts.refuse_text(buffer, f"struct.{real.__name__}()")
        out = real(format, plain(buffer), *offset, **settings)
        texts.refuse_numbers(out, f"struct.{real.__name__}()")
        return out

    return stand_ins.like(function, real)


STRUCT = {
    "pack": stand_ins.like(_pack, struct.pack),
    "pack_into": stand_ins.like(_pack_into, struct.pack_into),
    "unpack": _unpacked(struct.unpack),
    "unpack_from": _unpacked(struct.unpack_from),
}


class Layout:
    """A ``struct.Struct``: its functions are those of the module."""

    def __init__(self, format: Any) -> None:
        self._real = format if isinstance(format, struct.Struct) else struct.Struct(format)

    def __getattr__(self, name: str) -> Any:
        if name == "_real":  # an object without attributes, as copy makes them
            raise AttributeError(name)
        function = STRUCT.get(name)
        if function is not None:
            return functools.partial(function, self._real.format)
        return getattr(self._real, name)


STRUCT["Struct"] = Layout


def _literal_eval(node_or_string: Any) -> Any:
    texts.refuse_text(node_or_string, "ast.literal_eval()")
    return ast.literal_eval(node_or_string)


AST = {"literal_eval": stand_ins.like(_literal_eval, ast.literal_eval)}


def _of_bytes(real: Callable[..., Any]) -> Callable[..., Any]:
    """A digest, from which nobody reads a number back."""

    def function(*data: Any, **settings: Any) -> Any:
        return real(*map(_contiguous, data), **settings)

    return stand_ins.like(function, real)


def _contiguous(x: Any) -> Any:
    return np.ascontiguousarray(plain(x)) if isinstance(x, TensorBase) else x


HASHLIB = {
    name: _of_bytes(getattr(hashlib, name))
    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")
}
ZLIB = {name: _of_bytes(getattr(zlib, name)) for name in ("crc32", "adler32")}


# -- what takes floats, and gives something that has no gradient ----------------------------------


def _refusing(real: Callable[..., Any], what: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return stand_ins.on_plain(real, what, args, kwargs)

    return stand_ins.like(function, real)


def _sleep(seconds: Any, /) -> None:
    """``time.sleep``, which says nothing about the number."""
    time.sleep(plain(seconds))


DATETIME = {
    kind.__name__: stand_ins.holding_plain_numbers(kind)
    for kind in (datetime.timedelta, datetime.datetime, datetime.date)
}
MARSHAL = {
    name: _refusing(getattr(marshal, name), f"marshal.{name}()") for name in ("dump", "dumps")
}
RANDOM = {"seed": _refusing(random.seed, "random.seed()")}
TIME = {name: _refusing(getattr(time, name), f"time.{name}()") for name in
        ("ctime", "gmtime", "localtime")}  # fmt: skip
TIME["sleep"] = stand_ins.like(_sleep, time.sleep)


# -- code made of text ----------------------------------------------------------------------------


def _eval(source: Any, /, globals: Any = None, locals: Any = None) -> Any:
    """``eval``, in the namespaces of who calls it."""
    texts.refuse_text(source, "eval()")
    return eval(source, *_namespaces(sys._getframe(1), globals, locals))


def _exec(source: Any, /, globals: Any = None, locals: Any = None, **closure: Any) -> None:
    texts.refuse_text(source, "exec()")
    exec(source, *_namespaces(sys._getframe(1), globals, locals), **closure)


def _namespaces(frame: types.FrameType, globals: Any, locals: Any) -> tuple[Any, Any]:
    if globals is not None:
        globals.setdefault("__builtins__", frame.f_globals["__builtins__"])
        return globals, globals if locals is None else locals
    if locals is not None:
        return frame.f_globals, locals
    names = frame.f_locals
    return frame.f_globals, names if isinstance(names, dict) else dict(names)


CODE = {"eval": stand_ins.like(_eval, eval), "exec": stand_ins.like(_exec, exec)}


class _Pickler(pickle.Pickler):
    """Writes what lifted code has as what the user has: classes, functions, arrays."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, types.FunctionType | type) and ORIGINALS.get(obj) is not None:
            return pickled(obj)
        if type(obj).__module__.startswith("arraygrad.") or (
            isinstance(obj, types.FunctionType) and obj.__module__.startswith("arraygrad.")
        ):
            from . import rebinding  # which takes this module's functions up

            real = rebinding.original(obj)
            if real is not obj:
                return operator.getitem, ((real,), 0)
        if isinstance(obj, TensorBase):
            if is_tracked(obj) and is_grad_enabled():
                lose("pickling")
            return plain(obj).__reduce_ex__(2)
        return NotImplemented


def _pickle_dump(obj: Any, file: Any, protocol: Any = None, **settings: Any) -> None:
    _Pickler(file, protocol, **settings).dump(obj)


def _pickle_dumps(obj: Any, protocol: Any = None, **settings: Any) -> bytes:
    file = io.BytesIO()
    _pickle_dump(obj, file, protocol, **settings)
    return file.getvalue()


def _made_fit(real: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes objects of the user's classes: as lifted code has them."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return SESSION.visit(real(*args, **kwargs))

    return stand_ins.like(function, real)


PICKLE = {
    "dump": stand_ins.like(_pickle_dump, pickle.dump),
    "dumps": stand_ins.like(_pickle_dumps, pickle.dumps),
    "load": _made_fit(pickle.load),
    "loads": _made_fit(pickle.loads),
}


# -- modules of which lifted code has functions or objects ----------------------------------------


def _adapt_sqlite() -> None:
    """Have statements take scalars as what the user would have there, or refuse them."""
    import sqlite3

    def adapted(x: Any) -> Any:
        may_detach(x, "a parameter of a statement of sqlite3")
        return stand_ins.like_user(x)

    for kind in (_Types.tensor, _Types.scalar):
        sqlite3.register_adapter(kind, adapted)


def _adapt_processes() -> None:
    """Have functions of lifted code go to other processes as the user's own.

    Python's pickler has no other place for functions, which it looks up by their names.
    """
    from multiprocessing.reduction import ForkingPickler

    other = getattr(ForkingPickler, "reducer_override", None)

    def reducer_override(self: Any, obj: Any) -> Any:
        if isinstance(obj, types.FunctionType) and ORIGINALS.get(obj) is not None:
            return pickled(obj)
        return NotImplemented if other is None else other(self, obj)

    ForkingPickler.reducer_override = reducer_override  # type: ignore[method-assign]


# Module -> what is done once, when lifted code meets it.
WHEN_MET: dict[str, Callable[[], None]] = {
    "sqlite3": _adapt_sqlite,
    "multiprocessing": _adapt_processes,
    "concurrent": _adapt_processes,
}


def note_met(module: str) -> None:
    """Do what is to be done once for a module of the standard library."""
    adapt = WHEN_MET.get(module.partition(".")[0])
    if adapt is not None:
        for name in [name for name, other in WHEN_MET.items() if other is adapt]:
            del WHEN_MET[name]
        adapt()

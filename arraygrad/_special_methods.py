"""What Python's syntax and built-ins ask of a tensor: operators, ``len``, ``float``, ``format``.

Operators are written out: each is a few lines over a function in ops/, and leaves an operand that
it does not know to the other side.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _compiled
from ._apply import cast, node_of, scalar_class, wrap_result
from ._errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    IntegerOverflowError,
    ShapeError,
    kind_of,
)
from ._lazy import LazyModule
from ._op import find_op
from ._storage import TensorBase

if TYPE_CHECKING:
    from . import (
        _cotangents as cotangents,
        _detach as detach,
        _elementwise as elementwise,
        _scalars as scalars,
        _short as short,
        _texts as texts,
        _writes as writes,
    )
    from ._tensor import Tensor
    from .autograd import recorded
    from .ops import (
        arithmetic,
        bitwise,
        comparison,
        exponential,
        indexing,
        parts,
        products,
        rounding,
    )
else:  # imported when the first operator asks: most programs need few of them
    cotangents = LazyModule("arraygrad._cotangents")
    detach = LazyModule("arraygrad._detach")
    elementwise = LazyModule("arraygrad._elementwise")
    short = LazyModule("arraygrad._short")
    scalars = LazyModule("arraygrad._scalars")
    texts = LazyModule("arraygrad._texts")
    writes = LazyModule("arraygrad._writes")
    recorded = LazyModule("arraygrad.autograd.recorded")
    arithmetic = LazyModule("arraygrad.ops.arithmetic")
    bitwise = LazyModule("arraygrad.ops.bitwise")
    comparison = LazyModule("arraygrad.ops.comparison")
    exponential = LazyModule("arraygrad.ops.exponential")
    indexing = LazyModule("arraygrad.ops.indexing")
    parts = LazyModule("arraygrad.ops.parts")
    products = LazyModule("arraygrad.ops.products")
    rounding = LazyModule("arraygrad.ops.rounding")

# What an operator takes beside a tensor; anything else is asked by NotImplemented to answer.
NUMBERS: tuple[Any, ...] = (TensorBase, float, int, complex, np.ndarray, np.generic)


class _FractionType(type):
    def __instancecheck__(cls, x: Any) -> bool:
        return type(x).__name__ == "Fraction" and type(x).__module__ == "fractions"


class _Fraction(metaclass=_FractionType):
    """Stands for ``fractions.Fraction``, which this need not import."""


_FRACTION: Any = _Fraction
_OPERANDS: tuple[Any, ...] = (*NUMBERS, list, tuple, range, _Fraction)

ndarray = np.ndarray
_TENSOR: Any = TensorBase


def register_types(tensor: type) -> None:
    """Tell the operators which class is that of most operands."""
    global _TENSOR
    _TENSOR = tensor


def _left_to(other: Any) -> Any:
    """Leave the answer to another library; torch gives none, and has a class of the same name."""
    if type(other).__module__.partition(".")[0] == "torch":
        raise ArgumentTypeError(
            f"a tensor of arraygrad beside a {kind_of(other)}: their graphs are apart; use "
            "ag.asarray(x.detach()) to take it in as a constant"
        )
    return NotImplemented


class SpecialMethods(TensorBase):
    """Mix-in with Python's special methods; `self` is a Tensor, defined above this module."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    # -- arithmetic operators ---------------------------------------------------------------------

    def __add__(self: Any, other: Any, /) -> Tensor:
        if type(other) is _TENSOR or isinstance(other, _OPERANDS):
            return elementwise.binary(cotangents.ADD, self, other)
        return _left_to(other)  # type: ignore[no-any-return]

    def __radd__(self: Any, other: Any, /) -> Tensor:
        return arithmetic.add(other, self) if isinstance(other, _OPERANDS) else _left_to(other)

    def __sub__(self: Any, other: Any, /) -> Tensor:
        if type(other) is _TENSOR or isinstance(other, _OPERANDS):
            return elementwise.binary(arithmetic.SUBTRACT, self, other)
        return _left_to(other)  # type: ignore[no-any-return]

    def __rsub__(self: Any, other: Any, /) -> Tensor:
        return arithmetic.subtract(other, self) if isinstance(other, _OPERANDS) else _left_to(other)

    def __mul__(self: Any, other: Any, /) -> Tensor:
        if type(other) is _TENSOR or isinstance(other, _OPERANDS):
            return elementwise.binary(cotangents.MULTIPLY, self, other)
        return _left_to(other)  # type: ignore[no-any-return]

    def __rmul__(self: Any, other: Any, /) -> Tensor:
        return arithmetic.multiply(other, self) if isinstance(other, _OPERANDS) else _left_to(other)

    def __truediv__(self: Any, other: Any, /) -> Tensor:
        if type(other) is _TENSOR or isinstance(other, _OPERANDS):
            return elementwise.binary(arithmetic.DIVIDE, self, other)
        return _left_to(other)  # type: ignore[no-any-return]

    def __rtruediv__(self: Any, other: Any, /) -> Tensor:
        return arithmetic.divide(other, self) if isinstance(other, _OPERANDS) else _left_to(other)

    def __floordiv__(self: Any, other: Any, /) -> Tensor:
        if not isinstance(other, _OPERANDS):
            return _left_to(other)  # type: ignore[no-any-return]
        return arithmetic.floor_divide(self, other)

    def __rfloordiv__(self: Any, other: Any, /) -> Tensor:
        if not isinstance(other, _OPERANDS):
            return _left_to(other)  # type: ignore[no-any-return]
        return arithmetic.floor_divide(other, self)

    def __mod__(self: Any, other: Any, /) -> Tensor:
        return (
            arithmetic.remainder(self, other) if isinstance(other, _OPERANDS) else _left_to(other)
        )

    def __rmod__(self: Any, other: Any, /) -> Tensor:
        return (
            arithmetic.remainder(other, self) if isinstance(other, _OPERANDS) else _left_to(other)
        )

    def __divmod__(self: Any, other: Any, /) -> tuple[Tensor, Tensor]:
        return self // other, self % other

    def __rdivmod__(self: Any, other: Any, /) -> tuple[Tensor, Tensor]:
        return other // self, other % self

    def __pow__(self: Any, other: Any, /) -> Tensor:
        if type(other) is int and other == -1 and self._array.dtype.kind == "f":
            return arithmetic.reciprocal(self)  # as NumPy's, which is faster
        if type(other) is float and other == 0.5 and self._array.dtype.kind in "fc":
            if not isinstance(self, scalar_class()):
                return exponential.sqrt(self)  # as NumPy's operator for arrays
        if isinstance(other, NUMBERS):
            return exponential.pow(self, other)
        if isinstance(other, _FRACTION):
            power: Tensor = self ** float(other)
            return power
        return exponential.pow(self, other) if isinstance(other, _OPERANDS) else _left_to(other)

    def __rpow__(self: Any, other: Any, /) -> Tensor:
        return exponential.pow(other, self) if isinstance(other, _OPERANDS) else _left_to(other)

    def __matmul__(self: Any, other: Any, /) -> Tensor:
        if isinstance(other, TensorBase):
            out = short.product(products.MATMUL, self, other)
            if out is not None:
                return out  # type: ignore[no-any-return]
        return products.matmul(self, other) if isinstance(other, _OPERANDS) else _left_to(other)

    def __rmatmul__(self: Any, other: Any, /) -> Tensor:
        return products.matmul(other, self) if isinstance(other, _OPERANDS) else _left_to(other)

    def __neg__(self: Any) -> Tensor:
        out = arithmetic.negative(self)
        if type(self) is not _TENSOR and self._array.dtype.kind in "iu":
            return scalars.signed(operator.neg, self, out)  # type: ignore[no-any-return]
        return out

    def __pos__(self: Any) -> Tensor:
        return arithmetic.positive(self)

    def __abs__(self: Any) -> Tensor:
        out = parts.abs(self)
        if type(self) is not _TENSOR and self._array.dtype.kind in "iu":
            return scalars.signed(operator.abs, self, out)  # type: ignore[no-any-return]
        return out

    def __round__(self: Any, ndigits: int | None = None) -> Tensor:
        return rounding.around(self, ndigits or 0)

    # -- bitwise and comparison operators ---------------------------------------------------------

    def __and__(self: Any, other: Any, /) -> Tensor:
        return bitwise.bitwise_and(self, other) if isinstance(other, _OPERANDS) else _left_to(other)

    def __rand__(self: Any, other: Any, /) -> Tensor:
        return bitwise.bitwise_and(other, self) if isinstance(other, _OPERANDS) else _left_to(other)

    def __or__(self: Any, other: Any, /) -> Tensor:
        return bitwise.bitwise_or(self, other) if isinstance(other, _OPERANDS) else _left_to(other)

    def __ror__(self: Any, other: Any, /) -> Tensor:
        return bitwise.bitwise_or(other, self) if isinstance(other, _OPERANDS) else _left_to(other)

    def __xor__(self: Any, other: Any, /) -> Tensor:
        return bitwise.bitwise_xor(self, other) if isinstance(other, _OPERANDS) else _left_to(other)

    def __rxor__(self: Any, other: Any, /) -> Tensor:
        return bitwise.bitwise_xor(other, self) if isinstance(other, _OPERANDS) else _left_to(other)

    def __lshift__(self: Any, other: Any, /) -> Tensor:
        if not isinstance(other, _OPERANDS):
            return _left_to(other)  # type: ignore[no-any-return]
        return bitwise.bitwise_left_shift(self, other)

    def __rlshift__(self: Any, other: Any, /) -> Tensor:
        if not isinstance(other, _OPERANDS):
            return _left_to(other)  # type: ignore[no-any-return]
        return bitwise.bitwise_left_shift(other, self)

    def __rshift__(self: Any, other: Any, /) -> Tensor:
        if not isinstance(other, _OPERANDS):
            return _left_to(other)  # type: ignore[no-any-return]
        return bitwise.bitwise_right_shift(self, other)

    def __rrshift__(self: Any, other: Any, /) -> Tensor:
        if not isinstance(other, _OPERANDS):
            return _left_to(other)  # type: ignore[no-any-return]
        return bitwise.bitwise_right_shift(other, self)

    def __invert__(self: Any) -> Tensor:
        return bitwise.bitwise_invert(self)

    def __eq__(self: Any, other: Any, /) -> Tensor:  # type: ignore[override]
        if isinstance(other, _OPERANDS):
            return comparison.equal(self, other)
        return self._all_differ(other, False)  # type: ignore[no-any-return]

    def __ne__(self: Any, other: Any, /) -> Tensor:  # type: ignore[override]
        if isinstance(other, _OPERANDS):
            return comparison.not_equal(self, other)
        return self._all_differ(other, True)  # type: ignore[no-any-return]

    def _all_differ(self: Any, other: Any, answer: bool) -> Any:
        """Arrays are compared with None element by element, as in NumPy."""
        array = self._array
        return _left_to(other) if other is not None else wrap_result(np.full(array.shape, answer))

    def __lt__(self: Any, other: Any, /) -> Tensor:
        return comparison.less(self, other) if isinstance(other, _OPERANDS) else _left_to(other)

    def __le__(self: Any, other: Any, /) -> Tensor:
        return (
            comparison.less_equal(self, other) if isinstance(other, _OPERANDS) else _left_to(other)
        )

    def __gt__(self: Any, other: Any, /) -> Tensor:
        return comparison.greater(self, other) if isinstance(other, _OPERANDS) else _left_to(other)

    def __ge__(self: Any, other: Any, /) -> Tensor:
        if not isinstance(other, _OPERANDS):
            return _left_to(other)  # type: ignore[no-any-return]
        return comparison.greater_equal(self, other)

    # -- in-place operators -----------------------------------------------------------------------

    def __iadd__(self: Any, other: Any, /) -> Tensor:
        return _in_place("add", self, other, "x += value")

    def __isub__(self: Any, other: Any, /) -> Tensor:
        return _in_place("subtract", self, other, "x -= value")

    def __imul__(self: Any, other: Any, /) -> Tensor:
        return _in_place("multiply", self, other, "x *= value")

    def __itruediv__(self: Any, other: Any, /) -> Tensor:
        return _in_place("divide", self, other, "x /= value")

    def __ifloordiv__(self: Any, other: Any, /) -> Tensor:
        return _in_place("floor_divide", self, other, "x //= value")

    def __imod__(self: Any, other: Any, /) -> Tensor:
        return _in_place("remainder", self, other, "x %= value")

    def __ipow__(self: Any, other: Any, /) -> Tensor:
        if self._array.dtype.kind in "biu" and isinstance(other, _OPERANDS):
            # Negative exponents are refused in the middle of the work: not in place.
            writes.check_write(self, "x **= value")
            return _written(self, exponential.pow(self, other), "x **= value")
        return _in_place("pow", self, other, "x **= value")

    def __imatmul__(self: Any, other: Any, /) -> Tensor:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        writes.check_write(self, "x @= value")
        return _written(self, products.matmul(self, other), "x @= value")

    def __iand__(self: Any, other: Any, /) -> Tensor:
        return _in_place("bitwise_and", self, other, "x &= value")

    def __ior__(self: Any, other: Any, /) -> Tensor:
        return _in_place("bitwise_or", self, other, "x |= value")

    def __ixor__(self: Any, other: Any, /) -> Tensor:
        return _in_place("bitwise_xor", self, other, "x ^= value")

    def __ilshift__(self: Any, other: Any, /) -> Tensor:
        return _in_place("bitwise_left_shift", self, other, "x <<= value")

    def __irshift__(self: Any, other: Any, /) -> Tensor:
        return _in_place("bitwise_right_shift", self, other, "x >>= value")

    # -- indexing and containers ------------------------------------------------------------------

    def __getitem__(self: Any, key: Any, /) -> Tensor:
        return indexing.getitem(self, key)  # type: ignore[no-any-return]

    def __setitem__(self: Any, key: Any, value: Any, /) -> None:
        indexing.setitem(self, key, value)

    def __len__(self: Any) -> int:
        if not self._array.ndim:
            raise ArgumentTypeError("len() of a 0-d tensor; use x.size")
        return len(self._array)

    def __iter__(self: Any) -> Iterator[Tensor]:
        if not self._array.ndim:
            raise ArgumentTypeError("iteration over a 0-d tensor; use x.item() or x[()]")
        return indexing.rows(self)

    def __contains__(self: Any, value: Any) -> bool:
        found = self == value
        is_tensor = isinstance(found, SpecialMethods)
        return bool(found.any() if is_tensor else found)

    # -- conversion -------------------------------------------------------------------------------

    def _only(self: Any, what: str) -> Any:
        if self._array.size != 1:
            raise ArgumentTypeError(
                f"{what} needs a tensor of one element, not one of shape {self.shape}"
            )
        return self._array.reshape(())[()]

    def __bool__(self: Any) -> bool:
        array = self._array
        if not array.ndim and type(array) is ndarray and array.dtype.kind in "fiub":
            return bool(array)
        if self._array.size != 1:
            raise ArgumentError(
                f"the truth value of a tensor of shape {self.shape} is ambiguous; use x.any() or "
                "x.all()"
            )
        return bool(self._only("bool()"))

    def __float__(self: Any) -> float:
        array = self._array
        if self._node is None and self._family is None and not array.ndim:
            if type(array) is ndarray and array.dtype.kind in "fiub":
                return float(array)
        value = self._only("float()")
        detach.may_detach(self, "float()")
        if self._array.dtype.kind == "c":
            raise DTypeError("float() of a complex tensor; use float(x.real)")
        return float(value)

    def __complex__(self: Any) -> complex:
        value = self._only("complex()")
        detach.may_detach(self, "complex()")
        return complex(value)

    def __int__(self: Any) -> int:
        return self._whole(int)  # type: ignore[no-any-return]

    def __floor__(self: Any) -> int:
        return self._whole(math.floor)  # type: ignore[no-any-return]

    def __ceil__(self: Any) -> int:
        return self._whole(math.ceil)  # type: ignore[no-any-return]

    def __trunc__(self: Any) -> int:
        return self._whole(math.trunc)  # type: ignore[no-any-return]

    def _whole(self: Any, function: Any) -> int:
        """A Python integer. Rounding to one has a zero derivative: nothing is lost."""
        name = f"{function.__name__}()"
        value = self._only(name)
        if self._array.dtype.kind == "c":
            raise DTypeError(f"{name} of a complex tensor; use {name[:-1]}x.real)")
        number = value.item() if self._array.dtype.kind in "biuf" else float(value)
        try:
            return int(function(number))
        except ValueError as error:
            raise ArgumentError(f"{name} of NaN; replace it first, np.nan_to_num(x)") from error
        except OverflowError as error:
            raise IntegerOverflowError(f"{name} of infinity; there is no such integer") from error

    def __index__(self: Any) -> int:
        if self._array.dtype.kind not in "iu" or self._array.ndim:
            raise ArgumentTypeError(
                f"only 0-d integer tensors can be used as an index, not {self.dtype} of shape "
                f"{self.shape}; use int(x)"
            )
        return int(self._array)

    def __format__(self: Any, spec: str) -> str:
        if self._array.ndim == 0:
            try:
                text = format(self._array[()], spec)
                return text if node_of(self) is None else texts.note_formatted(text, spec, self)
            except ValueError as error:
                raise ArgumentError(f"the format {spec!r} of a {self.dtype}: {error}") from error
        if spec:
            raise ArgumentTypeError(
                f"the format {spec!r} is one of numbers, the tensor has shape {self.shape}; format "
                "its elements, or use np.array2string(x, precision=2)"
            )
        return str(self)

    def __str__(self: Any) -> str:
        text = str(self._array if self._array.ndim else self._array[()])
        return text if node_of(self) is None else texts.note(text, self)

    def __repr__(self: Any) -> str:
        if detach.LIFTED_MARK in sys._getframe(1).f_globals:
            return _repr_of_users(self)
        text = np.array2string(
            self._array, separator=", ", prefix="tensor(", suffix=")"
        )  # fmt: skip
        notes = []
        if self.dtype not in _DEFAULT_REPR or self.size == 0:
            notes.append(f"dtype={self.dtype.name}")
        if 0 in self.shape and self.shape != (0,):
            notes.insert(0, f"shape={self.shape}")
        node = node_of(self)
        if node is not None:
            notes.append("requires_grad=True" if self.is_leaf else f"grad_fn=<{self.grad_fn.name}>")
        return f"tensor({', '.join([text, *notes])})"


def _repr_of_users(x: Any) -> str:
    """``repr`` in lifted code, which may compare or read it: of what the user would have there."""
    if x._array.ndim or not isinstance(x, scalar_class()):
        text = repr(x._array)
    else:
        is_pythons = detach.is_pythons(x) or recorded.by_numbers()
        text = repr(x._array.item() if is_pythons else x._array[()])
    return text if node_of(x) is None else texts.note(text, x)


# The class of scalars is added where it is made.
BESIDE_SCALARS: set[type] = {float, int}


def _arithmetic_of_scalars(
    name: str, op_name: str, function: Callable[..., Any]
) -> Callable[[Any, Any], Any]:
    """An operator of scalars, beside what scalars and numbers are; the rest is as of arrays."""
    of_arrays = vars(SpecialMethods)[name]
    reflected = name.startswith("__r")

    def operate(self: Any, other: Any, /) -> Any:
        op = getattr(arithmetic, op_name)
        kind = type(other)
        if kind is _TENSOR and not reflected:
            return elementwise.binary(op, self, other)
        if kind in BESIDE_SCALARS:
            out = short.of_scalars(op, function, self, other, reflected)
            if out is None:
                out = scalars.operated(op, function, self, other, reflected)
            if out is not None:
                return out
        elif isinstance(other, _OTHERS) and _differ(self, other):
            out = scalars.operated(op, function, self, other, reflected)
            if out is not None:
                return out
        if isinstance(other, NUMBERS) and not reflected:
            return elementwise.binary(op, self, other)
        if op_name == "MULTIPLY" and _repeats(self, other):
            return NotImplemented
        return of_arrays(self, other)

    # Frames are asked for the name, `lifting/python_arithmetic.py`.
    operate.__code__ = operate.__code__.replace(co_name=name)
    operate.__name__ = name
    return operate


class ScalarOperators(TensorBase):
    """Mix-in with the operators of scalars that have a short road of their own."""

    __slots__ = ()

    __add__ = _arithmetic_of_scalars("__add__", "ADD", operator.add)
    __radd__ = _arithmetic_of_scalars("__radd__", "ADD", operator.add)
    __sub__ = _arithmetic_of_scalars("__sub__", "SUBTRACT", operator.sub)
    __rsub__ = _arithmetic_of_scalars("__rsub__", "SUBTRACT", operator.sub)
    __mul__ = _arithmetic_of_scalars("__mul__", "MULTIPLY", operator.mul)
    __rmul__ = _arithmetic_of_scalars("__rmul__", "MULTIPLY", operator.mul)
    __truediv__ = _arithmetic_of_scalars("__truediv__", "DIVIDE", operator.truediv)
    __rtruediv__ = _arithmetic_of_scalars("__rtruediv__", "DIVIDE", operator.truediv)

    def __floordiv__(self: Any, other: Any, /) -> Any:
        out = scalars.operated(arithmetic.FLOOR_DIVIDE, operator.floordiv, self, other)
        return super().__floordiv__(other) if out is None else out  # type: ignore[misc]

    def __rfloordiv__(self: Any, other: Any, /) -> Any:
        out = scalars.operated(arithmetic.FLOOR_DIVIDE, operator.floordiv, self, other, True)
        return super().__rfloordiv__(other) if out is None else out  # type: ignore[misc]

    def __mod__(self: Any, other: Any, /) -> Any:
        if _are_floats(self, other):  # the road of arrays costs less
            return arithmetic.remainder(self, other)
        out = scalars.operated(arithmetic.REMAINDER, operator.mod, self, other)
        return super().__mod__(other) if out is None else out  # type: ignore[misc]

    def __rmod__(self: Any, other: Any, /) -> Any:
        out = scalars.operated(arithmetic.REMAINDER, operator.mod, self, other, True)
        return super().__rmod__(other) if out is None else out  # type: ignore[misc]

    def __divmod__(self: Any, other: Any, /) -> Any:
        if not isinstance(other, NUMBERS) or isinstance(other, np.ndarray):
            return super().__divmod__(other)  # type: ignore[misc]
        return scalars.divided(self, other)

    def __rdivmod__(self: Any, other: Any, /) -> Any:
        if not isinstance(other, NUMBERS) or isinstance(other, np.ndarray):
            return super().__rdivmod__(other)  # type: ignore[misc]
        return scalars.divided(self, other, True)

    def __pow__(self: Any, other: Any, /) -> Any:
        kind = type(other)
        if (kind is int or kind is float) and self._array.dtype.kind == "f":
            if other == -1 and kind is int:
                return arithmetic.reciprocal(self)
            if other == 0.5 and (node_of(self) is None or np.signbit(self._array)):
                out = short.of_scalars(exponential.POW, operator.pow, self, other)  # of -0 no root
                if out is not None:
                    return out
            return exponential.pow(self, other)
        if kind is type(self) and _are_floats(self, other):
            return exponential.pow(self, other)
        out = scalars.operated(exponential.POW, operator.pow, self, other)
        return super().__pow__(other) if out is None else out  # type: ignore[misc]

    def __rpow__(self: Any, other: Any, /) -> Any:
        if _are_floats(self, other):
            return exponential.pow(other, self)
        out = scalars.operated(exponential.POW, operator.pow, self, other, True)
        return super().__rpow__(other) if out is None else out  # type: ignore[misc]


def _are_floats(x: Any, other: Any) -> bool:
    """Whether both are floats of one dtype, or Python's."""
    dtype = x._array.dtype
    if dtype.kind != "f":
        return False
    kind = type(other)
    return kind is float or kind is int or (kind is type(x) and other._array.dtype is dtype)


_OTHERS = (np.generic, bool, complex)


def _differ(x: Any, number: Any) -> bool:
    """Whether a number has another dtype than a scalar; floats of one have a shorter road."""
    dtype = getattr(number, "dtype", None)
    return dtype is not x._array.dtype or dtype.kind != "f"


def _repeats(count: Any, other: Any) -> bool:
    """Whether ``[x] * n`` repeats a list, as NumPy's integers do."""
    return isinstance(other, list | tuple) and count._array.dtype.kind in "iu"


_DEFAULT_REPR = {np.dtype(kind) for kind in ("bool", "int64", "float64", "complex128")}


def _in_place(op: str, x: Tensor, other: Any, writer: str) -> Tensor:
    if not isinstance(other, _OPERANDS):
        return NotImplemented  # type: ignore[no-any-return]
    found = find_op(op)
    return x if short.update(found, x, other, writer) else writes.update(found, x, other, writer)


def _written(x: Tensor, value: Tensor, writer: str) -> Tensor:
    if value._array.shape != x._array.shape:
        raise ShapeError(
            f"{writer}: the result has shape {value.shape}, which cannot be written into shape "
            f"{x.shape}"
        )
    writes.check_cast(value._array.dtype, x._array.dtype, writer)
    writes.write(x, cast(value, x._array.dtype), writer)
    return x


# (class, name, method written out above, compiled method that stands before it)
_COMPILED: list[tuple[type, str, Any, Any]] = []


def compile_operators() -> None:
    """Put compiled operators before those that are written out above, if there are any."""
    roads = _compiled.ROADS
    if roads is None:
        return
    arithmetics = {"add": "ADD", "sub": "SUBTRACT", "mul": "MULTIPLY", "truediv": "DIVIDE"}
    comparisons = {
        "eq": "EQUAL", "ne": "NOT_EQUAL", "lt": "LESS", "le": "LESS_EQUAL", "gt": "GREATER",
        "ge": "GREATER_EQUAL",
    }  # fmt: skip
    for cls in (SpecialMethods, ScalarOperators):
        for name, op in arithmetics.items():
            find = partial(getattr, arithmetic, op)
            scalar = getattr(np, op.lower()) if cls is ScalarOperators else None
            for method, reflected in ((f"__{name}__", False), (f"__r{name}__", True)):
                written = vars(cls)[method]
                compiled = roads.operator(find, written, scalar=scalar, reflected=reflected)
                _COMPILED.append((cls, method, written, compiled))
    methods = vars(SpecialMethods)
    for name, op in comparisons.items():
        method, find = f"__{name}__", partial(getattr, comparison, op)
        compiled = roads.operator(find, methods[method], compares=True)
        _COMPILED.append((SpecialMethods, method, methods[method], compiled))
    for method, maker, find in (
        ("__neg__", roads.prefix_operator, partial(getattr, arithmetic, "NEGATIVE")),
        ("__abs__", roads.prefix_operator, partial(getattr, parts, "ABS")),
        ("__getitem__", roads.item_getter, partial(getattr, indexing, "GETITEM")),
    ):
        compiled = maker(find, methods[method])
        _COMPILED.append((SpecialMethods, method, methods[method], compiled))
    for owner, method, _, compiled in _COMPILED:
        setattr(owner, method, compiled)


@contextmanager
def operators_in_frames() -> Iterator[None]:
    """Run the operators as they are written, in frames of Python's, for who watches these."""
    for cls, method, written, _ in _COMPILED:
        setattr(cls, method, written)
    try:
        yield
    finally:
        for cls, method, _, compiled in _COMPILED:
            setattr(cls, method, compiled)

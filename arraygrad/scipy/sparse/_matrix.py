"""Sparse matrices whose products with tensors, and whose entries, carry gradients."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._rule import (
    is_tracked,
    needs_rule,
    plain,
    policed,
    refuse,
    scipy_object,
    tensor,
    tensors,
    xp,
)
from ._pattern import Pattern, product
from ._places import (
    Numbered,
    converted,
    kind_after,
    merged,
    multiplied,
    product_of,
    squared,
    stored_by,
    transposed,
    written,
)


class _Kind(type):
    """Metaclass of the formats: SciPy's own matrices are instances, too."""

    def __instancecheck__(cls, x: Any) -> bool:
        if type.__instancecheck__(cls, x):
            return True
        name = cls.__name__
        real = "issparse" if name == "Sparse" else name
        found = scipy_object(f"scipy.sparse.{real}")
        return bool(found(x)) if name == "Sparse" else isinstance(x, found)


class Sparse(metaclass=_Kind):
    """Stand-in for SciPy's sparse arrays and matrices, in any format.

    Parameters
    ----------
    arg1 : tensor, tuple or matrix of SciPy
        As SciPy takes it; entries (of a dense tensor those that are not 0) may carry gradients.
    shape : tuple of int, optional
    dtype : dtype, optional
    copy : bool
    **options : Any
        As SciPy takes them.

    Notes
    -----
    Products with dense tensors, sums and differences, transposes, scaling, sums of entries and
    conversions are differentiable in entries and operands. All else is SciPy's own, on matrices
    without gradient.
    """

    # Python asks us first where a tensor stands on the left, and NumPy leaves us alone.
    __array_ufunc__ = None

    _pattern: Pattern
    _data: Any
    _real: Any

    @policed
    def __init__(
        self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, **options: Any
    ) -> None:
        if holds_gradient(arg1):
            self._take(*_entries(arg1, shape, type(self).__name__, options))
            return
        made = scipy_object(f"scipy.sparse.{type(self).__name__}")
        self._hold(made(plain_matrix(plain(arg1)), shape, dtype, copy, **options))

    def _hold(self, real: Any) -> None:
        """Stand for a matrix of SciPy."""
        self._real = real

    def _take(self, data: Any, pattern: Pattern) -> None:
        """Be these entries."""
        self._real = None
        self._data = data
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        if name in ("_data", "_pattern") and "_writes" in self.__dict__:
            data, pattern = self.__dict__.pop("_base")
            self._data, self._pattern = written(data, pattern, self.__dict__.pop("_writes"))
            return self.__dict__[name]
        if name in ("_data", "_pattern"):  # of one of SciPy's, when first asked for
            found = self._real.tocsr() if self._real.format == "bsr" else self._real
            coo = found.tocoo()
            self._data = tensor(coo.data.copy(), "scipy.sparse")
            self._pattern = Pattern(coo.row, coo.col, coo.shape)
            return self.__dict__[name]
        if name.startswith("__") or name == "_real":
            raise AttributeError(name)
        return self._of_scipy(name)

    @policed
    def _of_scipy(self, name: str) -> Any:
        if self._tracked and needs_rule(self._data):
            if name in _OF_ENTRIES:
                return self._of_stored(name)
            if name in _ELEMENTWISE:
                return lambda: self._mapped(getattr(xp, name))
            if name in _STRUCTURE:
                return lambda *args, **kwargs: self._picked(name, args, kwargs)
            if name not in _WHOLE_NUMBERS:
                what = f"scipy.sparse.{type(self).__name__}.{name}"
                raise refuse(what, "rule", "use x.toarray()")
        value = getattr(self._counted if name in _COUNTS else self.plain, name)
        if not callable(value):
            return tensors(value)

        @policed
        def method(*args: Any, **kwargs: Any) -> Any:
            return _result(_call(value, name, args, kwargs))

        return method

    @property
    def _tracked(self) -> bool:
        return self._real is None and is_tracked(self._data)

    @property
    def plain(self) -> Any:
        """SciPy's matrix with these values."""
        if self._real is not None:
            return self._real
        made = scipy_object(f"scipy.sparse.{type(self).__name__}")
        if type(self).__name__.startswith("coo"):  # entries of one place stay apart
            places = self._pattern.rows, self._pattern.cols
            return made((plain(self._data), places), shape=self.shape)
        return made(self._pattern.summed(plain(self._data)))

    @property
    def _counted(self) -> Any:
        """SciPy's matrix with as many entries; from other formats it chooses blocks anew."""
        if self._real is not None or not type(self).__name__.startswith("bsr"):
            return self.plain
        return self._pattern.summed(plain(self._data))

    @property
    def shape(self) -> tuple[int, int]:
        return self._real.shape if self._real is not None else self._pattern.shape

    @property
    def ndim(self) -> int:
        return 2

    @property
    def dtype(self) -> Any:
        return self._real.dtype if self._real is not None else self._data.dtype

    @property
    def _is_matrix(self) -> bool:
        return type(self).__name__.endswith("_matrix")

    def __repr__(self) -> str:
        return f"{type(self).__name__} of shape {self.shape} over {self.plain!r}"

    def __len__(self) -> int:
        return len(self.plain)

    def __bool__(self) -> bool:
        return bool(self.plain)

    def __getitem__(self, key: Any) -> Any:
        if self._tracked:
            return self._picked("__getitem__", (plain(key),), {})
        return _result(self.plain[plain(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        if "_writes" not in self.__dict__:
            if not self._tracked and not needs_rule(value):
                self.plain[plain(key)] = plain(plain_matrix(value))
                self.__dict__.pop("_data", None)
                return
            self._base = self._data, self._pattern
            self._real = None
            self._writes: list[Any] = []
            del self._data, self._pattern
        self._write(plain(key), value)

    @policed
    def _write(self, key: Any, value: Any) -> None:
        shape = self._base[1].shape
        if isinstance(value, Sparse):
            value = sparse_of(value).toarray()
        value = tensor(value, "scipy.sparse")
        if isinstance(key, tuple) and all(isinstance(k, int | np.integer) for k in key):
            rows, cols = (np.array([k % n]) for k, n in zip(key, shape, strict=True))
        else:
            numbers = np.arange(shape[0] * shape[1]).reshape(shape)[key]
            value = xp.broadcast_to(value, numbers.shape)
            rows, cols = np.divmod(numbers.reshape(-1), shape[1])
        self._writes.append((rows, cols, value.reshape(-1)))

    # -- functions of the entries ------------------------------------------------------------------

    @policed
    def _picked(self, name: str, args: Any, kwargs: Any) -> Any:
        """What a method makes that moves entries to other places."""
        if not needs_rule(self._data):  # allowed to lose the gradient
            return _result(getattr(self.plain, name)(*plain(args), **plain(kwargs)))
        numbered = Numbered()
        real = numbered.matrix(self._data, self._pattern, type(self).__name__)
        found = getattr(real, name)(*plain(args), **plain(kwargs))
        if not scipy_object("scipy.sparse.issparse")(found):
            return numbered.entries(found)
        if found.ndim != 2:
            raise refuse(f"scipy.sparse.{type(self).__name__}.{name}", "of one dimension",
                         "keep two, A[[i]] or A[i : i + 1], or use x.toarray()")  # fmt: skip
        made = object.__new__(KINDS[type(found).__name__])
        made._take(*numbered.placed(found))
        return made

    def _mapped(self, function: Any, operation: Any = None) -> Any:
        """A function with f(0) = 0 of all entries."""
        data, pattern = merged(self._data, self._pattern)
        return self._like(function(data), pattern, operation)

    @property
    def _stored(self) -> tuple[Any, Pattern]:
        """Entries in the order in which SciPy has them."""
        name = type(self).__name__
        if name.startswith("coo") or self._pattern.kept == name[:3]:
            return self._data, self._pattern
        if name[:3] not in ("csr", "csc"):
            raise refuse(f"scipy.sparse.{name}.data", "rule", "use x.tocsr().data")
        return merged(self._data, self._pattern, name.startswith("csc"))

    def _of_stored(self, name: str) -> Any:
        """An attribute in which SciPy has the entries or their places."""
        data, pattern = self._stored
        if name == "data":
            return data
        if type(self).__name__.startswith("coo"):
            if name == "coords":
                return pattern.rows, pattern.cols
            return pattern.rows if name == "row" else pattern.cols
        by_columns = type(self).__name__.startswith("csc")
        outer, inner = pattern.rows, pattern.cols
        if by_columns:
            outer, inner = inner, outer
        if name == "indices":
            return inner
        counts = np.bincount(outer, minlength=pattern.shape[1 if by_columns else 0])
        return np.concatenate(([0], np.cumsum(counts)))

    def power(self, n: Any, dtype: Any = None) -> Any:
        """Powers of all entries."""
        if not self._tracked:
            return _result(self.plain.power(plain(n), dtype))
        return self._mapped(lambda entries: entries**n, squared)

    def __pow__(self, n: Any) -> Any:
        if not self._is_matrix:
            return self.power(n)
        found = self
        for _ in range(int(n) - 1):
            found = found @ self
        return found

    def __abs__(self) -> Any:
        return self._mapped(xp.abs, abs) if self._tracked else _result(abs(self.plain))

    def trace(self, offset: int = 0) -> Any:
        """Sum of a diagonal."""
        return xp.sum(self.diagonal(offset))

    def max(self, axis: Any = None, out: Any = None) -> Any:
        """Largest element, zeros included."""
        return self._extreme("max", axis)

    def min(self, axis: Any = None, out: Any = None) -> Any:
        """Smallest element, zeros included."""
        return self._extreme("min", axis)

    @policed
    def _extreme(self, name: str, axis: Any) -> Any:
        if not self._tracked or not needs_rule(self._data):
            return _result(getattr(self.plain, name)(axis))
        if axis is not None:
            raise refuse(f"scipy.sparse.{type(self).__name__}.{name}", "along an axis",
                         "use x.toarray()")  # fmt: skip
        return getattr(xp, name)(self.toarray())

    @policed
    def setdiag(self, values: Any, k: int = 0) -> None:
        """Write a diagonal."""
        if not self._tracked and not needs_rule(values):
            self.plain.setdiag(plain(values), k)
            self.__dict__.pop("_data", None)
            return
        length = min(self.shape[0] + min(k, 0), self.shape[1] - max(k, 0))
        values = tensor(values, "scipy.sparse")
        if values.ndim:
            length = min(length, values.shape[0])
            values = values[:length]
        places = np.arange(length)
        self[places - min(k, 0), places + max(k, 0)] = values

    # -- linear in the entries ---------------------------------------------------------------------

    def _like(
        self, data: Any, pattern: Pattern | None = None, operation: Any = None, *others: Any
    ) -> Any:
        """A matrix of such entries, of the class that SciPy's operation gives."""
        name = old = type(self).__name__
        if operation is not None:
            names = [type(x).__name__ if isinstance(x, Sparse) else "dense" for x in others]
            name = kind_after(operation, old, *names)
        made = object.__new__(KINDS.get(name, type(self)))
        made._take(*converted(data, self._pattern if pattern is None else pattern, old, name))
        return made

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """Rows and columns exchanged."""
        if not self._tracked:
            return _result(self.plain.transpose())
        made = object.__new__(KINDS[kind_after(transposed, type(self).__name__)])
        made._take(self._data, self._pattern.transposed)
        return made

    @property
    def T(self) -> Any:
        """Rows and columns exchanged."""
        return self.transpose()

    @property
    def H(self) -> Any:
        """Conjugate transpose."""
        return self.conj().transpose()

    def conj(self, copy: bool = True) -> Any:
        """Conjugate entries."""
        return self._like(xp.conj(self._data))

    conjugate = conj

    def toarray(self, order: Any = None, out: Any = None) -> Any:
        """The matrix as a dense tensor."""
        if not self._tracked:
            return tensors(np.asarray(self.plain.toarray()))
        made = xp.zeros(self.shape, dtype=self._data.dtype)
        xp.add.at(made, (self._pattern.rows, self._pattern.cols), self._data)
        return made

    todense = toarray

    def diagonal(self, k: int = 0) -> Any:
        """Entries of a diagonal."""
        if not self._tracked:
            return tensors(self.plain.diagonal(k))
        return xp.diagonal(self.toarray(), k)

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Sum of entries, of columns (axis 0) or of rows (axis 1)."""
        if axis is None:
            return xp.sum(self._data)
        axis = axis % 2
        ones = xp.ones(self.shape[axis], dtype=self._data.dtype)
        total = self.T @ ones if axis == 0 else self @ ones
        return xp.expand_dims(total, axis) if self._is_matrix else total

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Mean over all places, those without entry included."""
        count = self.shape[0] * self.shape[1] if axis is None else self.shape[axis % 2]
        return self.sum(axis) / count

    def tocsr(self, copy: bool = False) -> Any:
        """The matrix in compressed rows."""
        return self.asformat("csr")

    def tocsc(self, copy: bool = False) -> Any:
        """The matrix in compressed columns."""
        return self.asformat("csc")

    def tocoo(self, copy: bool = True) -> Any:
        """The matrix as places and entries."""
        return self.asformat("coo")

    def asformat(self, format: Any, copy: bool = False) -> Any:
        """The matrix in another format."""
        if not self._tracked:
            return _result(self.plain.asformat(format))
        name = f"{format}_{'matrix' if self._is_matrix else 'array'}"
        made = object.__new__(KINDS[name])
        if format == "bsr" != type(self).__name__[:3]:
            made._take(*stored_by(self.plain.tobsr(), self.toarray()))
        else:
            made._take(*converted(self._data, self._pattern, type(self).__name__, name))
        return made

    def copy(self) -> Any:
        """The same matrix with memory of its own."""
        if not self._tracked:
            return _result(self.plain.copy())
        return self._like(self._data * 1)

    # -- operators ---------------------------------------------------------------------------------

    def dot(self, other: Any) -> Any:
        """Matrix product."""
        return self * other if np.ndim(plain_of(other)) == 0 else self @ other

    @policed
    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            if holds_gradient([self, other]):
                other = sparse_of(other)
                return self._like(
                    *product_of(self._data, self._pattern, other._data, other._pattern),
                    operator.matmul, other,
                )  # fmt: skip
            return _result(self.plain @ plain_matrix(other))
        x = tensor(other, "scipy.sparse")
        dtype = np.result_type(x._array.dtype, self._data._array.dtype)
        return product(self._data.astype(dtype), x.astype(dtype), self._pattern)

    def __rmatmul__(self, other: Any) -> Any:
        x = tensor(other, "scipy.sparse")
        out = self.T @ (x.T if x.ndim == 2 else x)
        return out.T if x.ndim == 2 else out

    def __mul__(self, other: Any) -> Any:
        if np.ndim(plain_of(other)) == 0:
            return self._like(self._data * other)
        return self @ other if self._is_matrix else self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        if np.ndim(plain_of(other)) == 0:
            return self._like(self._data * other)
        return other @ self if self._is_matrix else self.multiply(other)

    def multiply(self, other: Any) -> Any:
        """Product of elements, sparse as this matrix is."""
        full = sparse_of(other).toarray() if isinstance(other, Sparse) else other
        full = xp.broadcast_to(tensor(full, "scipy.sparse"), self.shape)
        data = self._data * full[self._pattern.rows, self._pattern.cols]
        return self._like(data, None, multiplied, other)

    def __truediv__(self, other: Any) -> Any:
        return self._like(self._data / other)

    def __neg__(self) -> Any:
        return self._like(-self._data, None, operator.neg)

    def __add__(self, other: Any) -> Any:
        return self._plus(other, operator.add)

    def _plus(self, other: Any, operation: Any) -> Any:
        if isinstance(other, Sparse):
            other = sparse_of(other)
            both = Pattern(
                np.concatenate((self._pattern.rows, other._pattern.rows)),
                np.concatenate((self._pattern.cols, other._pattern.cols)), self.shape,
            )  # fmt: skip
            data = xp.concatenate((self._data, other._data))
            return self._like(data, both, operation, other)
        if np.ndim(plain_of(other)) == 0 and not plain_of(other):
            return self  # what the built-in sum starts with
        return self.toarray() + other

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            other = sparse_of(other)
            return self._plus(other._like(-other._data), operator.sub)
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other


# Methods that put entries in other places, and those that apply a function with f(0) = 0 to them.
_STRUCTURE = frozenset({"getcol", "getrow", "reshape"})
_ELEMENTWISE = frozenset({
    "arcsin", "arcsinh", "arctan", "arctanh", "ceil", "deg2rad", "expm1", "floor", "log1p",
    "rad2deg", "rint", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
})  # fmt: skip
# What does not depend on the values of entries, and what is made of them in SciPy's order.
_COUNTS = frozenset({"getnnz", "nnz", "size"})
_WHOLE_NUMBERS = frozenset({
    "count_nonzero", "format", "getnnz", "has_canonical_format", "has_sorted_indices", "maxprint",
    "nnz", "nonzero", "size",
})  # fmt: skip
_OF_ENTRIES = frozenset({"coords", "col", "data", "indices", "indptr", "row"})


def plain_of(x: Any) -> Any:
    """What NumPy may look at."""
    return x.plain.toarray() if is_ours(x) else plain(x)


def _call(method: Any, name: str, args: Any, kwargs: Any) -> Any:
    if any(map(holds_gradient, (*args, *kwargs.values()))):
        raise refuse(f"scipy.sparse: {name}", "rule", "use x.toarray()")
    return method(*map(plain_argument, args), **{k: plain_argument(v) for k, v in kwargs.items()})


def plain_argument(x: Any) -> Any:
    """An argument with our matrices replaced by SciPy's, and tensors by arrays."""
    if type(x) in (list, tuple):
        return type(x)(plain_argument(item) for item in x)
    return plain(plain_matrix(x))


def is_ours(x: Any) -> bool:
    """Whether x is a matrix of this package, and not one of SciPy's."""
    return type.__instancecheck__(Sparse, x)


def holds_gradient(x: Any) -> bool:
    """Whether an argument is or holds a matrix or tensor with a gradient."""
    if isinstance(x, list | tuple):
        return any(map(holds_gradient, x))
    return bool(x._tracked) and needs_rule(x._data) if is_ours(x) else needs_rule(x)


def plain_matrix(x: Any) -> Any:
    """SciPy's matrix below one of ours; anything else as it is."""
    return x.plain if is_ours(x) else x


def _result(x: Any) -> Any:
    """What SciPy returned, with its sparse matrices and arrays as ours."""
    return sparse_of(x) if isinstance(x, Sparse) else tensors(x)


KINDS: dict[str, type[Sparse]] = {}


def kind(cls: type[Sparse]) -> type[Sparse]:
    """Enter one of SciPy's formats."""
    KINDS[cls.__name__] = cls
    return cls


def sparse_of(real: Any) -> Any:
    """Ours for a sparse matrix of SciPy; ours unchanged."""
    if is_ours(real):
        return real
    if not isinstance(real, Sparse):  # dense
        return KINDS["csr_array"](real)
    made = object.__new__(KINDS[type(real).__name__])
    made._hold(real)
    return made


def _entries(arg1: Any, shape: Any, name: str, options: Any) -> tuple[Any, Pattern]:
    """Entries with gradients, and where they are, from what a constructor takes."""
    if name.startswith("bsr") and not isinstance(arg1, tuple):
        real = scipy_object(f"scipy.sparse.{name}")(plain_argument(arg1), shape, **options)
        dense = arg1.toarray() if is_ours(arg1) else xp.atleast_2d(tensor(arg1, "scipy.sparse"))
        return stored_by(real, dense)
    if is_ours(arg1):
        return converted(arg1._data, arg1._pattern, type(arg1).__name__, name)
    if isinstance(arg1, tuple) and len(arg1) == 2 and not name.startswith("dia"):
        data, (rows, cols) = arg1
        rows, cols = (np.asarray(plain(i)) for i in (rows, cols))
        if shape is None:
            shape = (int(rows.max(initial=-1)) + 1, int(cols.max(initial=-1)) + 1)
        return tensor(data, "scipy.sparse"), Pattern(rows, cols, tuple(shape))
    if isinstance(arg1, tuple) and len(arg1) == 3 and name[:3] in ("csr", "csc"):
        data, indices, starts = arg1
        inner, starts = (np.asarray(plain(i)) for i in (indices, starts))
        outer = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        rows, cols = (outer, inner) if name[:3] == "csr" else (inner, outer)
        if shape is None:
            size = int(inner.max(initial=-1)) + 1
            shape = (starts.size - 1, size)[:: 1 if name[:3] == "csr" else -1]
        pattern = Pattern(rows, cols, tuple(shape))
        pattern.kept = name[:3]
        return tensor(data, "scipy.sparse"), pattern
    if isinstance(arg1, tuple) and len(arg1) == 2 and name.startswith("dia"):
        return _of_diagonals(*arg1, shape)
    if isinstance(arg1, tuple):
        raise refuse(f"scipy.sparse.{name}", "by these entries",
                     "use coo_array((data, (rows, cols)))")  # fmt: skip
    dense = xp.atleast_2d(tensor(arg1, "scipy.sparse"))
    rows, cols = np.nonzero(plain(dense))
    return dense[rows, cols], Pattern(rows, cols, dense.shape)


def _of_diagonals(data: Any, offsets: Any, shape: Any) -> tuple[Any, Pattern]:
    """Entries of a matrix of diagonals: element j of each is in column j."""
    data = xp.atleast_2d(tensor(data, "scipy.sparse"))
    offsets = np.atleast_1d(plain(offsets))
    cols = np.broadcast_to(np.arange(data.shape[1]), data.shape)
    rows = cols - offsets[:, None]
    inside = (rows >= 0) & (rows < shape[0]) & (cols < shape[1])
    return data[inside], Pattern(rows[inside], cols[inside], tuple(shape))

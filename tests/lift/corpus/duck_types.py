"""What code asks of an object to tell kinds of arrays apart; validation as libraries write it."""
# Written as people write.
# ruff: noqa: E721, TRY

import collections.abc
import copy
import dataclasses
import functools
import inspect
import numbers
import operator
import typing
import warnings

import numpy as np

from .cases import table

CASES, case = table()
OF_NUMBERS, of_number = table()  # functions of one number


@of_number
def by_table_of_types(v):
    return {float: lambda t: t * 3, np.ndarray: lambda t: 0.0}[type(v)](v)


@of_number
def no_sequence(v):
    asked = (collections.abc.Iterable, collections.abc.Sized, collections.abc.Container)
    has = any(hasattr(v, name) for name in ("__len__", "__iter__", "shape", "ndim", "dtype"))
    return 0.0 if isinstance(v, asked) or has else v * 2


@of_number
def number_of_python(v):
    is_number = isinstance(v, numbers.Real) and not isinstance(v, numbers.Integral | np.floating)
    return v * 2 if is_number and np.isscalar(v) and np.ndim(v) == 0 else 0.0


@of_number
def methods_of_floats(v):
    names = ("conjugate", "real", "is_integer", "hex", "as_integer_ratio")
    return v * 2 if all(hasattr(v, name) for name in names) else 0.0


@of_number
def protocols(v):
    asks = typing.SupportsFloat, typing.SupportsInt, typing.SupportsAbs
    return v if isinstance(v, asks) and not isinstance(v, typing.SupportsIndex) else 0.0


@of_number
def same_type(v):
    return v * 2 if type(v) is float and type(v) == type(2 * v) and repr(v) == "1.5" else 0.0


@case
def lists_of_array(x):
    items = [*x.tolist(), x[0].item(), x.item(1), float(x[2])]
    return sum(items) if all(type(v) is float for v in items) else 0.0


@case
def no_tensor_of_torch(x):
    if getattr(x, "requires_grad", None) or getattr(x, "detach", None) is not None:
        return x.sum() * 0
    if hasattr(x, "cpu") or hasattr(x, "backward") or "detach" in dir(x):
        return x.sum() * 0
    return x.sum()


@case
def no_frame_no_sparse_matrix(x):
    names = ("iloc", "columns", "to_numpy", "values", "toarray", "tocsr", "mask", "unit", "nnz")
    return x.sum() * 0 if any(hasattr(x, name) for name in names) else x.sum()


@case
def array_by_its_interface(x):
    names = "__array_interface__", "__array_struct__", "__array__", "__array_ufunc__"
    return x.sum() if all(hasattr(x, name) for name in names) else 0.0


@case
def text_of_values(x):
    text = f"{x[0]!r} {x!r} {[x[1]]}"
    return x.sum() * (text.count("np.float64(") == 2 and " array([" in text)


@case
def collection_but_no_sequence(x):
    is_one = isinstance(x, collections.abc.Collection) and np.iterable(x)
    return (
        x.sum() if is_one and not isinstance(x, collections.abc.Sequence | typing.Hashable) else 0.0
    )


@case
def kinds_of_dtypes(x):
    tables = {np.dtype("float64"): 2.0}[x.dtype] * {np.float64: 2.0}[x.dtype.type]
    kinds = x.dtype.kind in "fc" and x.dtype in (float, np.float32) and x.dtype <= np.dtype(complex)
    return x.sum() * tables if kinds and issubclass(x.dtype.type, np.floating) else 0.0


# -- validation as in scikit-learn -----------------------------------------------------------------


def number_of_samples(x):
    message = f"Expected sequence or array-like, got {type(x)}"
    if hasattr(x, "fit") and callable(x.fit):
        raise TypeError(message)
    if not hasattr(x, "__len__") and not hasattr(x, "shape"):
        if hasattr(x, "__array__"):
            x = np.asarray(x)
        else:
            raise TypeError(message)
    if hasattr(x, "shape") and x.shape is not None:
        if len(x.shape) == 0:
            raise TypeError(f"Singleton array {x!r} cannot be considered a valid collection.")
        if isinstance(x.shape[0], numbers.Integral):
            return x.shape[0]
    try:
        return len(x)
    except TypeError as error:
        raise TypeError(message) from error


def checked(array, dtype="numeric", copy=False):
    if hasattr(array, "dtypes") and hasattr(array.dtypes, "__array__"):
        raise TypeError("a frame")
    if hasattr(array, "sparse") or hasattr(array, "tocsr"):
        raise TypeError("sparse")
    original = getattr(array, "dtype", None)
    if not hasattr(original, "kind"):
        original = None
    if isinstance(dtype, str) and dtype == "numeric":
        dtype = np.float64 if original is not None and original.kind == "O" else None
    if isinstance(dtype, (list, tuple)):
        dtype = None if original is not None and original in dtype else dtype[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        array = np.asarray(array, dtype=dtype, order=None)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.dtype.kind in "USV":
        raise ValueError("strings")
    with np.errstate(over="ignore"):
        finite = np.isfinite(np.sum(array))
    if not finite and np.isnan(array).any():
        raise ValueError("nan")
    if copy and np.may_share_memory(array, original):
        array = array.copy()
    return array


class Ridge:
    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def get_params(self):
        return {p: getattr(self, p) for p in inspect.signature(self.__init__).parameters}

    def set_params(self, **params):
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def fit(self, X, y):
        if not isinstance(self.alpha, numbers.Real):
            raise TypeError("alpha")
        matrix = X.T @ X + self.alpha * np.eye(X.shape[1])
        self.coef_ = np.linalg.solve(matrix, X.T @ y)
        return self

    def predict(self, X):
        if not hasattr(self, "coef_"):
            raise AttributeError("not fitted")
        return X @ self.coef_


DESIGN = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]])


@case
def validated(x):
    data = checked(x, dtype=[np.float64, np.float32])
    return (data.T @ data)[0, 0] / number_of_samples(data)


@case
def estimator(x):
    model = Ridge().set_params(alpha=float(x[0]))
    model = type(model)(**{k: copy.deepcopy(v) for k, v in model.get_params().items()})
    return model.fit(DESIGN, x).predict(DESIGN).sum()


def checked_scalar(x, name, kinds, low):
    if not isinstance(x, kinds):
        raise TypeError(f"{name} must be {kinds}, not {type(x).__qualname__}")
    if x < low:
        raise ValueError(f"{name} == {x}, must be >= {low}.")
    return x


@case
def scalars_checked(x):
    return sum(checked_scalar(v, "v", numbers.Real, 0.0) ** 2 for v in x)


def enforced(f):
    signature = inspect.signature(f)

    @functools.wraps(f)
    def called(*args, **kwargs):
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            kind = f.__annotations__.get(name)
            if kind is not None and not isinstance(value, kind):
                raise TypeError(f"{name}: {type(value)} is not {kind}")
        return f(*args, **kwargs)

    return called


@enforced
def area(r: float, w: float = 2.0, data: np.ndarray = DESIGN) -> float:
    return r * r * w + data.sum() * r


@case
def annotations(x):
    return area(x[0], w=float(x[1]), data=x)


@dataclasses.dataclass
class Pair:
    a: float
    b: float = 1.0

    def __post_init__(self):
        for field in dataclasses.fields(self):
            if type(getattr(self, field.name)) not in (float, np.float64, int):
                raise TypeError(field.name)


@case
def dataclass_checked(x):
    pair = Pair(x[0], float(x[1]))
    other = dataclasses.replace(pair, b=dataclasses.asdict(pair)["a"] * 2)
    return pair.a * other.b + sum(dataclasses.astuple(pair))


class Quantity:
    def __init__(self, value, unit="m"):
        if isinstance(value, Quantity):
            value = value.value
        value = np.array(value, dtype=float, copy=True, subok=True, ndmin=0)
        self.value = value.astype(float) if value.dtype.kind in "iu" else value
        self.unit = unit

    def to(self, unit):
        factor = {("m", "km"): 1e-3, ("m", "m"): 1.0, ("m", "cm"): 100.0}[self.unit, unit]
        return Quantity(self.value * factor, unit)

    def __float__(self):
        value = self.to("m").value
        return float(value if value.shape else value[()])

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value, dtype)

    def __add__(self, other):
        more = other.to(self.unit).value if isinstance(other, Quantity) else other
        return Quantity(self.value + more, self.unit)

    __radd__ = __add__

    def __getitem__(self, i):
        return Quantity(self.value[i], self.unit)

    def __str__(self):
        return f"{self.value} {self.unit}"


@case
def quantities(x):
    total = sum([Quantity(v) for v in x], Quantity(0.0))
    assert str(total).endswith("m")
    return float(Quantity(x)[0]) * 2 + np.asarray(total)[()] + Quantity(x).to("cm").value.sum()


@case
def float_of_an_object(x):
    import math

    return math.sin(Quantity(x[0])) + float(Quantity(x[1])) ** 2


class Parameter:
    def __init__(self, value=None, low=-np.inf, expr=None):
        self.low, self.expr, self._value = low, expr, value

    @property
    def value(self):
        return self._value if self._value >= self.low else self.low

    def __float__(self):
        return float(self.value)

    def __array__(self, dtype=None, copy=None):
        return np.array(float(self.value))

    def __repr__(self):
        return f"<Parameter {self._value:.5g}>"


@case
def parameters_with_expressions(x):
    table = {"a": Parameter(x[0], 0.0), "b": Parameter(float(x[1]))}
    names = {name: p.value for name, p in table.items()} | {"exp": np.exp}
    table["c"] = Parameter(eval("2*a + exp(b)", {"__builtins__": {}}, names))
    assert repr(table["c"]).startswith("<Parameter")
    return float(table["c"]) * np.asarray(table["a"]) + float(table["b"])


@case
def expressions(x):
    a, b = x[0], x[1]
    namespace = {"np": np}
    exec("def g(v):\n    out = np.zeros(2)\n    out[0] = v\n    return out.sum()", namespace)
    inner = sum(eval("t*b", globals(), {"t": t, "b": b}) for t in x)
    return eval("a*b + np.sin(a)") + inner + namespace["g"](a) + eval(compile("2*a", "", "eval"))


# -- what fails on purpose -------------------------------------------------------------------------


@case
def kinds_by_errors(x):
    total = 0.0
    for item in (x, x[0], [x[1], x[2]]):
        try:
            total += sum(v**2 for v in iter(item))
        except TypeError:
            total += item * 3
    try:
        total += float(x)
    except TypeError:
        total += x.sum()
    for attribute in ("to_numpy", "todense", "magnitude"):
        try:
            x = getattr(x, attribute)()
        except AttributeError:
            x = np.asarray(x)
    return total * x[0]


@case
def indices_by_errors(x):
    try:
        return operator.index(x[0])
    except TypeError:
        pass
    try:
        return "abc"[x[0]]
    except TypeError:
        pass
    try:
        return {}[x]
    except TypeError:
        return x[0] * 3

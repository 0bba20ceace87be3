"""What code asks of the types of numbers and arrays."""
# Written as people write.
# ruff: noqa: C417, E721

import numbers

import numpy as np

from .cases import table

CASES, case = table()


@case
def cls_is_float(x):
    v = float(x[0])
    return v * 2 if v.__class__ is float else v * 100


@case
def cls_is_ndarray(x):
    return x.sum() * 2 if x.__class__ is np.ndarray else x.sum() * 100


@case
def cls_name(x):
    return x.sum() * 2 if x.__class__.__name__ == "ndarray" else x.sum() * 100


@case
def cls_np64(x):
    return x[0] * 2 if x[0].__class__ is np.float64 else x[0] * 100


@case
def cls_eq(x):
    return x[0] * 2 if x[0].__class__ == np.float64 else x[0] * 100


@case
def type_name(x):
    return x.sum() * 2 if type(x).__name__ == "ndarray" else x.sum() * 100


@case
def type_is_float(x):
    v = float(x[0])
    return v * 2 if type(v) is float else v * 100


@case
def type_eq_nd(x):
    return x.sum() * 2 if type(x) == np.ndarray else x.sum() * 100


@case
def type_in(x):
    return x.sum() * 2 if type(x) in (list, tuple, np.ndarray) else x.sum() * 100


@case
def type_str(x):
    return x.sum() * 2 if "numpy.ndarray" in str(type(x)) else x.sum() * 100


@case
def issub(x):
    return (
        x[0] * 2
        if issubclass(type(x[0]), np.floating)
        and issubclass(type(x), np.ndarray)
        and issubclass(type(float(x[0])), float)
        else x[0] * 100
    )


@case
def issub2(x):
    return (
        x[0] * 2
        if issubclass(type(x[0]), float)
        and issubclass(x.dtype.type, np.floating)
        and np.issubdtype(type(x[0]), np.floating)
        else x[0] * 100
    )


@case
def issub_nums(x):
    return (
        x[0] * 2
        if issubclass(type(x[0]), numbers.Real)
        and isinstance(x[0], numbers.Number)
        and not isinstance(x, numbers.Number)
        else x[0] * 100
    )


@case
def match_float(x):
    match float(x[0]):
        case float():
            return x[0] * 2
        case _:
            return x[0] * 100


@case
def match_float_capture(x):
    match float(x[0]):
        case int(v):
            return v * 50
        case float(v):
            return v * 2
        case _:
            return x[0] * 100


@case
def match_nd(x):
    match x:
        case list():
            return x.sum() * 50
        case float() | int():
            return x[0] * 7
        case np.ndarray():
            return x.sum() * 2
        case _:
            return x[0] * 100


@case
def match_np64(x):
    match x[0]:
        case np.floating():
            return x[0] * 2
        case _:
            return x[0] * 100


@case
def match_attr(x):
    match x:
        case np.ndarray(ndim=0):
            return x * 50
        case np.ndarray(ndim=1, shape=(n,)):
            return x.sum() * n
        case _:
            return x[0] * 100


@case
def match_seq(x):
    match list(x):
        case [a, *rest] if a > 0:
            return a * 2 + rest[0]
    return x[0] * 100


@case
def match_dict(x):
    match {"k": x, "n": 2}:
        case {"k": np.ndarray() as v, "n": int(n)}:
            return v.sum() * n
    return x[0] * 100


@case
def match_value(x):
    match np.round(x[0], 1):
        case 0.7:
            return x[0] * 2
        case _:
            return x[0] * 100


@case
def isinst_tuple(x):
    return (
        x[0] * 2
        if isinstance(x[0], (int, float))
        and isinstance(x, (list, np.ndarray))
        and not isinstance(x, (float, int, list))
        else x[0] * 100
    )


@case
def isinst_union(x):
    return (
        x[0] * 2
        if isinstance(x[0], int | float) and isinstance(x, list | np.ndarray)
        else x[0] * 100
    )


@case
def isinst_generic(x):
    return (
        x[0] * 2 if isinstance(x[0], np.generic) and not isinstance(x, np.generic) else x[0] * 100
    )


@case
def isscalar(x):
    return x[0] * 2 if np.isscalar(x[0]) and not np.isscalar(x) else x[0] * 100


@case
def table_get(x):
    return {np.ndarray: 2.0, float: 3.0}.get(type(x), 100) * x.sum()


@case
def table_cls(x):
    return {np.ndarray: 2.0, float: 3.0}.get(x.__class__, 100) * x.sum()


@case
def type_ctor(x):
    return type(x[0])(x[1]) * 2 + (type(float(x[0]))(x[2]))


@case
def map_types(x):
    return (
        x[0] * 2
        if [type(v) for v in x] == [np.float64] * 3 and set(map(type, x)) == {np.float64}
        else x[0] * 100
    )


@case
def all_isinst(x):
    return (
        x[0] * 2
        if all(isinstance(v, float) for v in x) and all(map(lambda v: isinstance(v, np.float64), x))
        else x[0] * 100
    )


@case
def hasattrs(x):
    return (
        x[0] * 2
        if hasattr(x, "shape")
        and hasattr(x, "__array__")
        and hasattr(x, "__len__")
        and not hasattr(float(x[0]), "shape")
        and not hasattr(x[0], "__len__")
        and hasattr(x, "__iter__")
        else x[0] * 100
    )


@case
def attr_error_switch(x):
    try:
        x.name = "a"
    except AttributeError:
        return x[0] * 2
    return x[0] * 100


@case
def callable_(x):
    return x[0] * 2 if not callable(x) else x[0] * 100


@case
def float_is_integer(x):
    return (
        x[0] * 2
        if not float(x[0]).is_integer()
        and isinstance(float(x[0]), float)
        and not isinstance(float(x[0]), np.ndarray)
        else x[0] * 100
    )


@case
def float_notgeneric(x):
    return x[0] * 2 if not isinstance(float(x[0]), np.generic) else x[0] * 100


@case
def sub_cls(x):
    return x.sum() * 2 if issubclass(x.__class__, np.ndarray) else x.sum() * 100


@case
def mro(x):
    return (
        x.sum() * 2
        if np.ndarray in type(x).__mro__ or np.ndarray in type(x).mro()
        else x.sum() * 100
    )


@case
def module_check(x):
    return x.sum() * 2 if type(x).__module__ == "numpy" else x.sum() * 100

"""arraygrad: a NumPy-compatible tensor whose code gains gradients.

This module is the namespace of the Python Array API standard 2025.12, followed by the extras that
`EXTRAS` lists. Its names shadow built-ins where the standard's do (abs, all, any, bool, max, min,
pow, round, sum).
"""

import gc as _gc
from math import e as e, inf as inf, nan as nan, pi as pi
from typing import TYPE_CHECKING, Any as _Any

# What modules make while they load stays: collections would only look at it, and at what NumPy's
# import has left to look at, for a fifth of the time. So there are none meanwhile, nor one at once
# when they are allowed again: to freeze and unfreeze puts all objects into the oldest generation,
# where they would come to lie after two. (Not where somebody has frozen theirs: they stay frozen.)
_collects = _gc.isenabled()
_gc.disable()
try:
    from . import _errors as errors
    from ._device import Device as Device
    from ._dispatch import wait_for_compiler as wait_for_compiler
    from ._dtypes import (
        bool_ as bool,
        complex64 as complex64,
        complex128 as complex128,
        float16 as float16,
        float32 as float32,
        float64 as float64,
        int8 as int8,
        int16 as int16,
        int32 as int32,
        int64 as int64,
        uint8 as uint8,
        uint16 as uint16,
        uint32 as uint32,
        uint64 as uint64,
    )
    from ._lazy import lazy_attributes as _lazy_attributes
    from ._tensor import Tensor as Tensor
finally:
    if _collects:
        if hasattr(_gc, "freeze") and not _gc.get_freeze_count():
            _gc.freeze()
            _gc.unfreeze()
        _gc.enable()

if TYPE_CHECKING:
    from . import (
        autograd as autograd,
        extending as extending,
        fft as fft,
        linalg as linalg,
        numpy as numpy,
        scipy as scipy,
        special as special,
    )
    from ._cotangents import set_absorbing_zeros as set_absorbing_zeros
    from ._detach import (
        DetachWarning as DetachWarning,
        get_detach_policy as get_detach_policy,
        set_detach_policy as set_detach_policy,
    )
    from .autograd.anomaly import detect_anomaly as detect_anomaly
    from .autograd.checkpoint import checkpoint as checkpoint
    from .autograd.function import Function as Function
    from .autograd.functional import (
        elementwise_grad as elementwise_grad,
        grad as grad,
        hessian as hessian,
        hvp as hvp,
        jacfwd as jacfwd,
        jacobian as jacobian,
        jacrev as jacrev,
        jvp as jvp,
        linearize as linearize,
        value_and_grad as value_and_grad,
        vjp as vjp,
    )
    from .autograd.gradcheck import (
        gradcheck as gradcheck,
        gradgradcheck as gradgradcheck,
    )
    from .autograd.modes import (
        enable_grad as enable_grad,
        is_grad_enabled as is_grad_enabled,
        no_grad as no_grad,
        set_grad_enabled as set_grad_enabled,
    )
    from .autograd.primitive import primitive as primitive
    from .interop.numpy_functions.contracting import einsum as einsum
    from .lifting import lift as lift
    from .ops.arithmetic import (
        add as add,
        divide as divide,
        floor_divide as floor_divide,
        fmod as fmod,
        hypot as hypot,
        multiply as multiply,
        negative as negative,
        nextafter as nextafter,
        positive as positive,
        reciprocal as reciprocal,
        remainder as remainder,
        square as square,
        subtract as subtract,
    )
    from .ops.bitwise import (
        bitwise_and as bitwise_and,
        bitwise_invert as bitwise_invert,
        bitwise_left_shift as bitwise_left_shift,
        bitwise_or as bitwise_or,
        bitwise_right_shift as bitwise_right_shift,
        bitwise_xor as bitwise_xor,
        logical_and as logical_and,
        logical_not as logical_not,
        logical_or as logical_or,
        logical_xor as logical_xor,
    )
    from .ops.comparison import (
        clip as clip,
        equal as equal,
        fmax as fmax,
        fmin as fmin,
        greater as greater,
        greater_equal as greater_equal,
        heaviside as heaviside,
        isfinite as isfinite,
        isinf as isinf,
        isnan as isnan,
        less as less,
        less_equal as less_equal,
        maximum as maximum,
        minimum as minimum,
        not_equal as not_equal,
    )
    from .ops.conversion import (
        asarray as asarray,
        from_dlpack as from_dlpack,
        tensor as tensor,
    )
    from .ops.creation import (
        arange as arange,
        linspace as linspace,
        meshgrid as meshgrid,
        tril as tril,
        triu as triu,
    )
    from .ops.data_type import (
        astype as astype,
        can_cast as can_cast,
        finfo as finfo,
        iinfo as iinfo,
        isdtype as isdtype,
        result_type as result_type,
    )
    from .ops.exponential import (
        cbrt as cbrt,
        erf as erf,
        erfc as erfc,
        exp as exp,
        exp2 as exp2,
        expm1 as expm1,
        log as log,
        log1p as log1p,
        log2 as log2,
        log10 as log10,
        logaddexp as logaddexp,
        logaddexp2 as logaddexp2,
        pow as pow,
        sigmoid as sigmoid,
        sqrt as sqrt,
    )
    from .ops.exponential_sums import (
        logsumexp as logsumexp,
        softmax as softmax,
    )
    from .ops.filled import (
        empty as empty,
        empty_like as empty_like,
        eye as eye,
        full as full,
        full_like as full_like,
        ones as ones,
        ones_like as ones_like,
        zeros as zeros,
        zeros_like as zeros_like,
    )
    from .ops.indexing import (
        put_along_axis as put_along_axis,
        take as take,
        take_along_axis as take_along_axis,
    )
    from .ops.inspection import __array_namespace_info__ as __array_namespace_info__
    from .ops.manipulation import (
        broadcast_arrays as broadcast_arrays,
        broadcast_shapes as broadcast_shapes,
        broadcast_to as broadcast_to,
        concat as concat,
        expand as expand,
        expand_dims as expand_dims,
        flip as flip,
        moveaxis as moveaxis,
        permute_dims as permute_dims,
        repeat as repeat,
        reshape as reshape,
        roll as roll,
        squeeze as squeeze,
        stack as stack,
        swapaxes as swapaxes,
        tile as tile,
        unstack as unstack,
    )
    from .ops.parts import (
        abs as abs,
        angle as angle,
        conj as conj,
        copysign as copysign,
        imag as imag,
        real as real,
        sign as sign,
        signbit as signbit,
    )
    from .ops.products import (
        matmul as matmul,
        matrix_transpose as matrix_transpose,
        tensordot as tensordot,
        vecdot as vecdot,
    )
    from .ops.rounding import (
        ceil as ceil,
        floor as floor,
        rint as rint,
        round as round,
        trunc as trunc,
    )
    from .ops.searching import (
        argmax as argmax,
        argmin as argmin,
        count_nonzero as count_nonzero,
        nonzero as nonzero,
        searchsorted as searchsorted,
        where as where,
    )
    from .ops.sets import (
        isin as isin,
        unique_all as unique_all,
        unique_counts as unique_counts,
        unique_inverse as unique_inverse,
        unique_values as unique_values,
    )
    from .ops.sorting import (
        argsort as argsort,
        partition as partition,
        sort as sort,
    )
    from .ops.statistical import (
        cumulative_prod as cumulative_prod,
        cumulative_sum as cumulative_sum,
        max as max,
        mean as mean,
        min as min,
        prod as prod,
        std as std,
        sum as sum,
        var as var,
    )
    from .ops.trigonometric import (
        acos as acos,
        acosh as acosh,
        asin as asin,
        asinh as asinh,
        atan as atan,
        atan2 as atan2,
        atanh as atanh,
        cos as cos,
        cosh as cosh,
        deg2rad as deg2rad,
        rad2deg as rad2deg,
        sin as sin,
        sinc as sinc,
        sinh as sinh,
        tan as tan,
        tanh as tanh,
    )
    from .ops.utility import (
        all as all,
        any as any,
        diff as diff,
    )
    from .ops.views import (
        as_strided as as_strided,
        diagonal as diagonal,
        shares_memory as shares_memory,
        sliding_window_view as sliding_window_view,
    )

__version__ = "0.1.0.dev0"
__array_api_version__ = "2025.12"

newaxis = None

# The standard's names (main namespace and extensions), then ours.
STANDARD = (
    "e", "inf", "nan", "newaxis", "pi", "bool", "int8", "int16", "int32", "int64", "uint8",
    "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128", "abs", "acos",
    "acosh", "add", "all", "any", "arange", "argmax", "argmin", "argsort", "asarray", "asin",
    "asinh", "astype", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert",
    "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "broadcast_arrays",
    "broadcast_shapes", "broadcast_to", "can_cast", "ceil", "clip", "concat", "conj", "copysign",
    "cos", "cosh", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "divide", "empty",
    "empty_like", "equal", "exp", "expand_dims", "expm1", "eye", "finfo", "flip", "floor",
    "floor_divide", "from_dlpack", "full", "full_like", "greater", "greater_equal", "hypot",
    "iinfo", "imag", "isdtype", "isfinite", "isin", "isinf", "isnan", "less", "less_equal",
    "linspace", "log", "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not",
    "logical_or", "logical_xor", "matmul", "matrix_transpose", "max", "maximum", "mean", "meshgrid",
    "min", "minimum", "moveaxis", "multiply", "negative", "nextafter", "nonzero", "not_equal",
    "ones", "ones_like", "permute_dims", "positive", "pow", "prod", "real", "reciprocal",
    "remainder", "repeat", "reshape", "result_type", "roll", "round", "searchsorted", "sign",
    "signbit", "sin", "sinh", "sort", "sqrt", "square", "squeeze", "stack", "std", "subtract",
    "sum", "take", "take_along_axis", "tan", "tanh", "tensordot", "tile", "tril", "triu", "trunc",
    "unique_all", "unique_counts", "unique_inverse", "unique_values", "unstack", "var", "vecdot",
    "where", "zeros", "zeros_like", "__array_namespace_info__", "fft", "linalg",
)  # fmt: skip
EXTRAS = (
    "DetachWarning", "Device", "Function", "Tensor", "angle", "as_strided", "autograd", "bfloat16",
    "cbrt", "checkpoint", "deg2rad", "detect_anomaly", "diagonal", "einsum",
    "elementwise_grad", "enable_grad", "erf", "erfc", "errors", "exp2", "expand", "float16",
    "fmax", "fmin", "fmod", "get_detach_policy", "grad", "gradcheck", "gradgradcheck", "heaviside",
    "hessian", "hvp",
    "is_grad_enabled", "jacfwd", "jacobian", "jacrev", "jvp", "lift", "linearize", "logaddexp2",
    "logsumexp", "no_grad", "partition", "primitive", "put_along_axis", "rad2deg", "rint",
    "set_absorbing_zeros", "set_detach_policy", "set_grad_enabled", "shares_memory", "sigmoid",
    "sinc", "sliding_window_view", "softmax", "swapaxes", "tensor", "value_and_grad", "vjp",
    "wait_for_compiler",
)  # fmt: skip
__all__ = [*STANDARD, *EXTRAS]


# Imported when first asked for: module -> names; a module without names is itself the name.
_LAZY: dict[str, tuple[str, ...]] = {
    "_cotangents": ("set_absorbing_zeros",),
    "_detach": ("DetachWarning", "get_detach_policy", "set_detach_policy"),
    "interop.numpy_functions.contracting": ("einsum",),
    "ops.arithmetic": (
        "add", "divide", "floor_divide", "fmod", "hypot", "multiply", "negative", "nextafter",
        "positive", "reciprocal", "remainder", "square", "subtract",
    ),
    "ops.bitwise": (
        "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift",
        "bitwise_xor", "logical_and", "logical_not", "logical_or", "logical_xor",
    ),
    "ops.comparison": (
        "clip", "equal", "fmax", "fmin", "greater", "greater_equal", "heaviside", "isfinite",
        "isinf", "isnan", "less", "less_equal", "maximum", "minimum", "not_equal",
    ),
    "ops.conversion": ("asarray", "from_dlpack", "tensor"),
    "ops.creation": ("arange", "linspace", "meshgrid", "tril", "triu"),
    "ops.data_type": ("astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"),
    "ops.exponential": (
        "cbrt", "erf", "erfc", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "logaddexp",
        "logaddexp2", "pow", "sigmoid", "sqrt",
    ),
    "ops.exponential_sums": ("logsumexp", "softmax"),
    "ops.filled": (
        "empty", "empty_like", "eye", "full", "full_like", "ones", "ones_like", "zeros",
        "zeros_like",
    ),
    "ops.indexing": ("put_along_axis", "take", "take_along_axis"),
    "ops.manipulation": (
        "broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand", "expand_dims",
        "flip", "moveaxis", "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack",
        "swapaxes", "tile", "unstack",
    ),
    "ops.parts": ("abs", "angle", "conj", "copysign", "imag", "real", "sign", "signbit"),
    "ops.products": ("matmul", "matrix_transpose", "tensordot", "vecdot"),
    "ops.rounding": ("ceil", "floor", "rint", "round", "trunc"),
    "ops.searching": ("argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"),
    "ops.sorting": ("argsort", "partition", "sort"),
    "ops.statistical": (
        "cumulative_prod", "cumulative_sum", "max", "mean", "min", "prod", "std", "sum", "var",
    ),
    "ops.utility": ("all", "any", "diff"),
    "ops.views": ("as_strided", "diagonal", "shares_memory", "sliding_window_view"),
    "autograd": (),
    "autograd.modes": ("enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"),
    "autograd.anomaly": ("detect_anomaly",),
    "autograd.checkpoint": ("checkpoint",),
    "autograd.function": ("Function",),
    "autograd.functional": (
        "elementwise_grad", "grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp",
        "linearize", "value_and_grad", "vjp",
    ),
    "autograd.gradcheck": ("gradcheck", "gradgradcheck"),
    "autograd.primitive": ("primitive",),
    "lifting": ("lift",),
    "ops.inspection": ("__array_namespace_info__",),
    "ops.sets": ("isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
    "ops.trigonometric": (
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "deg2rad",
        "rad2deg", "sin", "sinc", "sinh", "tan", "tanh",
    ),
    "extending": (),
    "fft": (),
    "linalg": (),
    "numpy": (),
    "scipy": (),
    "special": (),
}  # fmt: skip

_lazy = _lazy_attributes(__name__, _LAZY, "arraygrad._hints")


def __getattr__(name: str) -> _Any:
    """What is imported when first asked for; `bfloat16`, because it imports ml_dtypes."""
    if name == "bfloat16":
        from ._dtypes import bfloat16

        return bfloat16()
    return _lazy(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING"})

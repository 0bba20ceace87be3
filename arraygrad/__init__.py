"""arraygrad: a NumPy-compatible tensor whose code gains gradients.

This module is the namespace of the Python Array API standard 2025.12, with the extras listed at
the end of ``__all__``.
"""

# The standard's names shadow built-ins here on purpose (abs, all, any, bool, max, min, pow, round, sum).

from math import e as e, inf as inf, nan as nan, pi as pi

from . import (
    autograd as autograd,
    fft as fft,
    linalg as linalg,
)
from ._cotangents import set_absorbing_zeros as set_absorbing_zeros
from ._detach import (
    DetachWarning as DetachWarning,
    get_detach_policy as get_detach_policy,
    set_detach_policy as set_detach_policy,
)
from ._device import Device as Device
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

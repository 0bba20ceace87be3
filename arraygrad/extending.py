"""Extending arraygrad: ops, kernels, dtypes' kernels, layouts and devices of your own.

The library makes its own through the same calls. The dispatcher is a table from (op, kind of
device, layout, dtypes) to a kernel: `register_kernel` enters one, for an op that exists or for one
of your own; a new layout or dtype is what kernels have been entered for. `table` lists them all.

Examples
--------
A kernel of your own for an op that exists, for one dtype:

>>> import numpy as np
>>> import arraygrad as ag
>>> from arraygrad import extending
>>> f8 = np.dtype("float64")
>>> before = extending.lookup("cosh", "cpu", "strided", (f8,))
>>> extending.register_kernel("cosh", lambda x, out=None: np.cosh(x, out=out), dtypes=(f8,))
>>> ag.cosh(ag.asarray(0.0))
tensor(1.)
>>> extending.register_kernel("cosh", before, dtypes=(f8,))

An op of your own with its derivative, which gives both modes and every order:

>>> CUBE = extending.declare(extending.Op(
...     "my_cube", ("x",), extending.Partials(x=lambda x: 3 * x * x), dtypes="floating",
...     family="elementwise"))
>>> extending.register_kernel("my_cube", lambda x, out=None: np.multiply(x * x, x, out=out))
>>> def cube(x):
...     return extending.unary(CUBE, x)
>>> ag.grad(ag.grad(cube))(2.0)
12.0
"""

from ._apply import apply as apply, view as view
from ._device import (
    Device as Device,
    known_devices as known_devices,
    register_device as register_device,
)
from ._dispatch import (
    lookup as lookup,
    register_kernel as register_kernel,
    table as table,
)
from ._elementwise import binary as binary, elementwise as elementwise, unary as unary
from ._op import (
    NONE as NONE,
    Bilinear as Bilinear,
    Linear as Linear,
    Op as Op,
    Partials as Partials,
    Rule as Rule,
    declare as declare,
)

__all__ = [
    "NONE",
    "Bilinear",
    "Device",
    "Linear",
    "Op",
    "Partials",
    "Rule",
    "apply",
    "binary",
    "declare",
    "elementwise",
    "known_devices",
    "lookup",
    "register_device",
    "register_kernel",
    "table",
    "unary",
    "view",
]

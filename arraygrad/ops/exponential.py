"""Elementwise exponentials, logarithms, powers and roots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._answers import answers
from .._apply import unary
from .._op import Op, Partials, declare

if TYPE_CHECKING:
    from .._tensor import Tensor

EXP = declare(
    Op("exp", ("x",), Partials(x=lambda out: out), dtypes="floating", family="elementwise")
)


@answers(np.exp)
def exp(x: Tensor | complex, /) -> Tensor:
    """The exponential function, element by element.

    Parameters
    ----------
    x : Tensor, floating-point
        Integers are promoted to floating-point as NumPy does.

    Returns
    -------
    Tensor
        e**x.

    Notes
    -----
    Derivative: exp(x).
    """
    return unary(EXP, x)

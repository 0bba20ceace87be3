"""Operations on bits and truth values; none carries gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._answers import answers
from .._elementwise import binary, unary
from .._op import NONE, Op, declare

if TYPE_CHECKING:
    from .._tensor import Tensor

BITWISE_AND = declare(
    Op("bitwise_and", ("x1", "x2"), NONE, dtypes="integral or bool", family="elementwise")
)


@answers(np.bitwise_and)
def bitwise_and(x1: Tensor | int, x2: Tensor | int, /) -> Tensor:
    """The bits that are set in both.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, integral or bool
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x1 & x2; carries no gradient.
    """
    return binary(BITWISE_AND, x1, x2)


BITWISE_OR = declare(
    Op("bitwise_or", ("x1", "x2"), NONE, dtypes="integral or bool", family="elementwise")
)


@answers(np.bitwise_or)
def bitwise_or(x1: Tensor | int, x2: Tensor | int, /) -> Tensor:
    """The bits that are set in either.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, integral or bool
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x1 | x2; carries no gradient.
    """
    return binary(BITWISE_OR, x1, x2)


BITWISE_XOR = declare(
    Op("bitwise_xor", ("x1", "x2"), NONE, dtypes="integral or bool", family="elementwise")
)


@answers(np.bitwise_xor)
def bitwise_xor(x1: Tensor | int, x2: Tensor | int, /) -> Tensor:
    """The bits that are set in one of the two only.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar, integral or bool
        Operands; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x1 ^ x2; carries no gradient.
    """
    return binary(BITWISE_XOR, x1, x2)


BITWISE_INVERT = declare(
    Op("bitwise_invert", ("x",), NONE, dtypes="integral or bool", family="elementwise")
)


@answers(np.bitwise_invert)
def bitwise_invert(x: Tensor | int, /) -> Tensor:
    """Every bit flipped.

    Parameters
    ----------
    x : Tensor, integral or bool

    Returns
    -------
    Tensor
        ~x, of the dtype of x; carries no gradient.
    """
    return unary(BITWISE_INVERT, x)


BITWISE_LEFT_SHIFT = declare(
    Op("bitwise_left_shift", ("x1", "x2"), NONE, dtypes="integral or bool", family="elementwise")
)


@answers(np.bitwise_left_shift)
def bitwise_left_shift(x1: Tensor | int, x2: Tensor | int, /) -> Tensor:
    """The bits moved to the left, zeros following.

    Parameters
    ----------
    x1 : Tensor or Python scalar, integral
        Whose bits move.
    x2 : Tensor or Python scalar, integral
        By how many places; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x1 << x2; carries no gradient.
    """
    return binary(BITWISE_LEFT_SHIFT, x1, x2)


BITWISE_RIGHT_SHIFT = declare(
    Op("bitwise_right_shift", ("x1", "x2"), NONE, dtypes="integral or bool", family="elementwise")
)


@answers(np.bitwise_right_shift)
def bitwise_right_shift(x1: Tensor | int, x2: Tensor | int, /) -> Tensor:
    """The bits moved to the right, the sign bit following.

    Parameters
    ----------
    x1 : Tensor or Python scalar, integral
        Whose bits move.
    x2 : Tensor or Python scalar, integral
        By how many places; shapes broadcast and dtypes promote.

    Returns
    -------
    Tensor
        x1 >> x2; carries no gradient.
    """
    return binary(BITWISE_RIGHT_SHIFT, x1, x2)


# -- truth values ------------------------------------------------------------------------------


def _truth(x: Any) -> Any:
    """A Python integer as its truth value, which every dtype can hold."""
    return bool(x) if type(x) is int else x


LOGICAL_AND = declare(Op("logical_and", ("x1", "x2"), NONE, dtypes="any", family="elementwise"))


@answers(np.logical_and)
def logical_and(x1: Tensor | bool, x2: Tensor | bool, /) -> Tensor:
    """Whether both elements are true.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar
        Operands; shapes broadcast. Numbers are true where they are not zero.

    Returns
    -------
    Tensor
        Boolean; carries no gradient.
    """
    return binary(LOGICAL_AND, _truth(x1), _truth(x2))


LOGICAL_OR = declare(Op("logical_or", ("x1", "x2"), NONE, dtypes="any", family="elementwise"))


@answers(np.logical_or)
def logical_or(x1: Tensor | bool, x2: Tensor | bool, /) -> Tensor:
    """Whether either element is true.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar
        Operands; shapes broadcast. Numbers are true where they are not zero.

    Returns
    -------
    Tensor
        Boolean; carries no gradient.
    """
    return binary(LOGICAL_OR, _truth(x1), _truth(x2))


LOGICAL_XOR = declare(Op("logical_xor", ("x1", "x2"), NONE, dtypes="any", family="elementwise"))


@answers(np.logical_xor)
def logical_xor(x1: Tensor | bool, x2: Tensor | bool, /) -> Tensor:
    """Whether one of the two elements is true and the other is not.

    Parameters
    ----------
    x1, x2 : Tensor or Python scalar
        Operands; shapes broadcast. Numbers are true where they are not zero.

    Returns
    -------
    Tensor
        Boolean; carries no gradient.
    """
    return binary(LOGICAL_XOR, _truth(x1), _truth(x2))


LOGICAL_NOT = declare(Op("logical_not", ("x",), NONE, dtypes="any", family="elementwise"))


@answers(np.logical_not)
def logical_not(x: Tensor | bool, /) -> Tensor:
    """Whether elements are false.

    Parameters
    ----------
    x : Tensor
        Numbers are true where they are not zero.

    Returns
    -------
    Tensor
        Boolean; carries no gradient.
    """
    return unary(LOGICAL_NOT, x)

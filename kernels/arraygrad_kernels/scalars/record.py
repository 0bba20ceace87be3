"""The record that describes one elementwise operation to whoever compiles it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = [
    "COMPARES",
    "DOMAIN",
    "DOMAIN_TINY",
    "EXACT",
    "HUGE",
    "MODULUS",
    "OVERFLOWS",
    "POLE",
    "POLE_TINY",
    "POWER",
    "QUIET",
    "QUOTIENT",
    "RATIO",
    "TINY",
    "Raises",
    "Scalar",
]


class Raises(NamedTuple):
    """Floating-point errors that a kernel may report, each found from inputs and outputs.

    Attributes
    ----------
    invalid : bool
        A NaN result of operands without NaN is an invalid operation.
    infinite : {None, "overflow", "divide", "ratio", "quotient", "modulus", "power"}
        What an infinite result of finite operands is. Of a ratio or floored quotient it is a
        division by zero if the last operand is zero, of a power if the first one is, else an
        overflow. A quotient or modulus of integers divides by zero if the last operand is zero.
    underflow : bool
        A zero or subnormal result of finite non-zero operands is an underflow.
    rules : dict, optional
        Per type character, what `scalars.errors` has to say where this is not all.
    look, rule : callable, optional
        The rules of one dtype.
    """

    invalid: bool = False
    infinite: str | None = None
    underflow: bool = False
    rules: dict[str, tuple[Callable[..., Any] | None, Callable[..., Any]]] | None = None
    look: Callable[..., Any] | None = None
    rule: Callable[..., Any] | None = None

    def of_dtype(self, code: str) -> Raises:
        """The errors of one dtype."""
        look, rule = (self.rules or {}).get(code, (None, None))
        return self._replace(rules=None, look=look, rule=rule)


EXACT = None
"""The operation is one IEEE instruction: the processor's own flags are right."""
QUIET = Raises()
COMPARES = QUIET
TINY = Raises(underflow=True)
DOMAIN = Raises(invalid=True)
DOMAIN_TINY = Raises(invalid=True, underflow=True)
OVERFLOWS = Raises(invalid=True, infinite="overflow", underflow=True)
POLE = Raises(invalid=True, infinite="divide")
POLE_TINY = Raises(invalid=True, infinite="divide", underflow=True)
MODULUS = Raises(invalid=True, infinite="modulus")
RATIO = Raises(invalid=True, infinite="ratio")
QUOTIENT = Raises(invalid=True, infinite="quotient")
POWER = Raises(invalid=True, infinite="power", underflow=True)
HUGE = Raises(infinite="overflow", underflow=True)


class Scalar(NamedTuple):
    """An elementwise operation.

    Attributes
    ----------
    value : callable
        Plain Python function of one element per operand; written for every dtype at once, or made
        by `vecmath.by_dtype`.
    dtypes : str
        NumPy type characters of the operand, one loop each.
    result : str
        Type character of the result; ``"="`` for that of the operand, ``"r"`` for its real part's.
    raises : Raises or None
        Floating-point errors to report for real and complex dtypes.
    operands : str
        Type character per operand, ``"="`` for the loop's own.
    contract : bool
        Whether products and sums may fuse; false where each must round on its own.
    complex_raises : Raises, optional
        Errors to report for complex dtypes, where they differ.
    """

    value: Callable[..., Any]
    dtypes: str
    result: str = "="
    raises: Raises | None = EXACT
    operands: str = "="
    contract: bool = True
    complex_raises: Raises | None = None

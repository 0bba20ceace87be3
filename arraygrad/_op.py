"""What an op is: a record of its name, arguments, dtypes and derivative. Runs nothing.

The ways to state a derivative:

``Partials(x1=f1, x2=f2)``
    Elementwise: each function gives d out / d argument. Gives vjp and jvp (holomorphic).
``Linear(x1=t1, ...)``
    The op is linear in these arguments together; each function is the transpose, g -> cotangent.
    The jvp is the op itself.
``Bilinear(x1=t1, x2=t2)``
    Linear in each argument apart; transposes as in Linear. The jvp is the sum of the op (or of
    `product`, if that is given) applied to (tangent, x2) and (x1, tangent).
``Rule(x1=v1, ..., jvp=j)`` or ``Rule(vjp=v, jvp=j)``
    Cotangents by argument, or all at once: ``v(g, ...)`` returns one per argument. Where `jvp` is
    not given the engine takes the transpose of the vjp, which is exact.
``NONE``
    Declared not differentiable: the result carries no gradient.

Formulas are functions over public functions, so that every order of derivative follows. They name
what they need as parameters: the op's arguments (``x1``), ``out``, attributes (``axis``), an
argument's ``x1_shape`` or ``x1_dtype``, ``needs`` (tuple of bool by argument, for ``vjp``). The op
saves exactly what its formulas name. In a vjp the first parameter is the cotangent `g`.

Convention: for complex values a cotangent is dL/dRe + i dL/dIm, so a vjp of a holomorphic
function multiplies with the conjugate of the partial.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from operator import or_
from typing import Any

from ._dispatch import fast_table, large_table, short_table

__all__ = ["NONE", "OPS", "Bilinear", "Derivative", "Linear", "Op", "Partials", "Rule", "declare"]


class Formula:
    """A function and the names of what it needs."""

    __slots__ = ("function", "names")

    def __init__(self, function: Any, skip: int) -> None:
        self.function = function
        # Straight from the code object: inspect.signature would double the time of the import.
        code = function.__code__
        self.names = code.co_varnames[skip : code.co_argcount + code.co_kwonlyargcount]


class Derivative:
    """Base of all kinds; `by_argument` holds one Formula per differentiable argument."""

    kind = "none"
    skip = 1

    def __init__(self, **formulas: Callable[..., Any]) -> None:
        self.by_argument = {
            argument: Formula(function, self.skip) for argument, function in formulas.items()
        }

    def names(self, argument: str) -> tuple[str, ...]:
        """What must be saved when `argument` is tracked."""
        formula = self.by_argument.get(argument)
        return () if formula is None else formula.names


class Partials(Derivative):
    kind = "partials"
    skip = 0


class Linear(Derivative):
    kind = "linear"


class Bilinear(Derivative):
    kind = "bilinear"

    def __init__(
        self, product: Callable[[Any, Any], Any] | None = None, **formulas: Callable[..., Any]
    ) -> None:
        super().__init__(**formulas)
        self.product = product


class Rule(Derivative):
    kind = "rule"

    def __init__(
        self,
        vjp: Callable[..., Any] | None = None,
        jvp: Callable[..., Any] | None = None,
        **formulas: Callable[..., Any],
    ) -> None:
        super().__init__(**formulas)
        self.vjp = None if vjp is None else Formula(vjp, 1)
        self.jvp = None if jvp is None else Formula(jvp, 1)

    def names(self, argument: str) -> tuple[str, ...]:
        names = super().names(argument)
        for formula in (self.vjp, self.jvp):
            if formula is not None:
                names += formula.names
        return names


NONE = Derivative()


class Op:
    """One primitive.

    Parameters
    ----------
    name : str
        The standard's name; kernels are registered under it.
    args : tuple of str
        Names of the array arguments. One name with a star (``"*arrays"``) takes any number.
    derivative : Derivative
        How gradients flow; ``NONE`` declares that they do not.
    dtypes : str
        Which dtypes the arguments may have: "any", "numeric" (bool included, as in NumPy),
        "number" (without bool), "real", "floating" (integers are promoted to floating-point, as
        NumPy does), "real floating", "integral", "integral or bool", "bool", "floating only" (no
        promotion).
    family : str
        "elementwise" (broadcasts, one dtype), "view" (shares memory with its argument), or
        "general".
    scalar : bool
        Whether 0-d results are scalars (as NumPy's ufuncs and reductions give) or 0-d arrays.
    computes : bool
        Whether cotangents are computed, so that they lie in memory of their own: a promise of the
        formulas of a `Rule`, which the engine knows of elementwise ops.
    """

    __slots__ = (
        "args",
        "computes",
        "derivative",
        "dtypes",
        "family",
        "fast",
        "kept_flags",
        "large",
        "meta",
        "name",
        "needs_template",
        "raw",
        "save_flags",
        "scalar",
        "short",
        "slot_index",
        "slots",
        "variadic",
    )

    def __init__(
        self,
        name: str,
        args: tuple[str, ...] = ("x",),
        derivative: Derivative = NONE,
        *,
        dtypes: str = "any",
        family: str = "general",
        scalar: bool = True,
        computes: bool = False,
    ) -> None:
        self.name = name
        self.variadic = args[0].startswith("*")
        self.args = tuple(a.lstrip("*") for a in args)
        self.derivative = derivative
        self.computes = computes or derivative.kind in ("partials", "bilinear")
        self.dtypes = dtypes
        self.family = family
        self.scalar = scalar
        self.slots = (*self.args, "out")
        self.slot_index = {slot: i for i, slot in enumerate(self.slots)}
        # dtype -> kernel for same-dtype CPU operands.
        self.fast = fast_table(name)
        # dtype -> the same for many elements.
        self.large = large_table(name)
        # dtype -> the form of the kernel for few elements, None where it has none.
        self.short = short_table(name)
        # Its vjp on plain arrays, f(node, g); found by the engine at the first reverse pass.
        self.raw: Any = None
        needed = [self._needed_by(argument) for argument in self.args]
        # Which of the slots to keep, by bit mask of the tracked arguments.
        self.save_flags = [(False,) * len(self.slots)]
        for names in needed:
            flags = [slot in names for slot in self.slots]
            self.save_flags += [tuple(map(or_, flags, others)) for others in self.save_flags]
        # The same from mask 1 on, None where there is nothing to keep; None without derivative.
        self.kept_flags = (
            None
            if derivative.kind == "none"
            else [flags if any(flags) else None for flags in self.save_flags[1:]]
        )
        # Whether the engine must know the result's shape to transpose the vjp into a jvp.
        self.needs_template = (derivative.kind == "rule" and derivative.jvp is None) or (  # type: ignore[attr-defined]
            derivative.kind == "linear"
            and (len(self.args) > 1 or self.variadic)
            and family != "elementwise"
        )
        wanted = {name for names in needed for name in names}
        self.meta = tuple(
            (f"{a}_{what}", i, what)
            for i, a in enumerate(self.args)
            for what in ("shape", "dtype")
            if f"{a}_{what}" in wanted
        )

    def _needed_by(self, argument: str) -> tuple[str, ...]:
        """What must be saved when `argument` is tracked."""
        names = self.derivative.names(argument)
        if self.derivative.kind == "bilinear":
            names += tuple(a for a in self.args if a != argument)
        return names

    @property
    def differentiable(self) -> bool:
        return self.derivative is not NONE

    def __repr__(self) -> str:
        return f"Op({self.name!r}, {self.family}, derivative={self.derivative.kind})"

    def __reduce__(self) -> Any:
        return find_op, (self.name,)


OPS: dict[str, Op] = {}


def declare(op: Op) -> Op:
    """Enter an op into the table and return it unchanged."""
    if op.name in OPS:
        raise ValueError(f"op {op.name!r} is declared twice")
    OPS[op.name] = op
    return op


def find_op(name: str) -> Op:
    """The op of that name; its chapter is imported now if nothing has needed it yet."""
    if name not in OPS:
        importlib.import_module("arraygrad.ops").load_all()
    return OPS[name]

"""Distributions of ``scipy.stats`` that no formula is stated for here: by SciPy's own formulas.

A family's class states ``_pdf``, ``_logpdf``, ``_cdf`` and so on in Python over NumPy and
scipy.special, which run on tensors. What it leaves to SciPy's numerical integration or
differentiation is refused by name, and so is whatever gives other values than SciPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from .._detach import LATEST, set_detach_policy
from . import _borrowed
from ._distribution import Continuous, Discrete, Distribution, Family, Frozen
from ._rule import needs_rule, plain, policed, refuse, scipy_object, tensors, xp

_INSTEAD = (
    "write its formula with NumPy's functions and scipy.special, or use one of the families that "
    "arraygrad.scipy.stats lists"
)
_METHODS = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")


class _Own:
    """A stand-in for a distribution object of SciPy, by its class's own formulas."""

    _object: Any
    _family: Any

    @property
    def _real(self) -> Any:
        return self._object

    def __reduce__(self) -> Any:
        return distribution_of, (self._object,)

    @policed
    def _evaluated(self, method: str, x: Any, args: Any, kwds: dict[str, Any]) -> Any:
        evaluated = super()._evaluated  # type: ignore[misc]
        return self._checked(method, (x,), args, kwds, lambda: evaluated(method, x, args, kwds))

    @policed
    def _moment(self, name: str, args: Any, kwds: dict[str, Any], placed: Any) -> Any:
        moment = super()._moment  # type: ignore[misc]
        found = self._checked(name, (), args, kwds, lambda: moment(name, args, kwds, placed))
        if needs_rule(args, kwds) and np.any(np.isinf(plain(found))):
            raise refuse(f"scipy.stats.{self._family.name}.{name}", "where it is infinite")
        return found

    def _checked(
        self, method: str, x: tuple[Any, ...], args: Any, kwds: dict[str, Any],
        formula: Callable[[], Any],
    ) -> Any:  # fmt: skip
        """What the formula gives, if that is SciPy's value."""
        if not needs_rule(x, args, kwds):
            return tensors(getattr(self._real, method)(*plain(x), *plain(args), **plain(kwds)))
        count, before = LATEST.count, LATEST.refused
        found = None
        try:
            with set_detach_policy("error"):
                found = formula()
        except Exception:  # noqa: BLE001 - any error says that the formula is not for tensors
            found = None
        expected = getattr(self._real, method)(*plain(x), *plain(args), **plain(kwds))
        if found is None or LATEST.count != count or not _borrowed.same(plain(found), expected):
            raise refuse(f"scipy.stats.{self._family.name}.{method}", "rule", _INSTEAD)
        LATEST.refused = before
        return found


class OwnContinuous(_Own, Continuous):
    """A continuous distribution by SciPy's own formulas."""


class OwnDiscrete(_Own, Discrete):
    """A discrete distribution by SciPy's own formulas."""


def distribution_of(real: Any) -> Any:
    """Ours for a distribution object of SciPy: the stand-in with its name, or by its formulas."""
    ours = getattr(import_module("arraygrad.scipy.stats"), real.name, None)
    if isinstance(ours, Distribution) and ours._real is real:
        return ours
    kind = "discrete" if hasattr(real, "pmf") else "continuous"
    base = scipy_object(f"scipy.stats.rv_{kind}")
    functions = {}
    for name in _METHODS:
        own = _borrowed.method(real, f"_{name}", base) if hasattr(base, f"_{name}") else None
        if own is not None:
            functions[name] = own
    for name in ("pdf", "pmf"):
        if name in functions and f"log{name}" not in functions:
            functions[f"log{name}"] = lambda z, *s, f=functions[name]: xp.log(f(z, *s))
    functions |= _moments(real, base)
    family = Family(real.name, lambda *shapes: real._get_support(*shapes), **functions)
    made: Any = (OwnDiscrete if kind == "discrete" else OwnContinuous)(family)
    made._object = real
    return made


def _moments(real: Any, base: type) -> dict[str, Any]:
    """Mean, variance and entropy, where the family states them or its raw moments.

    ``_stats`` gives None for what it does not state; values that differ from SciPy's are refused.
    """
    found = {}
    stats = _borrowed.method(real, "_stats", base)
    raw = _borrowed.method(real, "_munp", base)
    if stats is not None:
        found["mean"] = lambda *shapes: stats(*shapes)[0]
        found["var"] = lambda *shapes: stats(*shapes)[1]
    elif raw is not None:
        found["mean"] = lambda *shapes: raw(1, *shapes)
        found["var"] = lambda *shapes: raw(2, *shapes) - raw(1, *shapes) ** 2
    entropy = _borrowed.method(real, "_entropy", base)
    return found if entropy is None else {**found, "entropy": entropy}


def frozen_of(frozen: Any) -> Any:
    """Ours for a frozen distribution of such a family."""
    return Frozen(distribution_of(frozen.dist), frozen.args, frozen.kwds)

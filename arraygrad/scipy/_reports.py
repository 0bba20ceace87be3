"""Reports of solvers: what has a derivative carries it, the rest does not lose one unseen."""

from __future__ import annotations

import functools
from typing import Any

from .._detach import lose

# Entries that depend on the parameters, and that no rule differentiates.
_LOSSY = frozenset({
    "cjac", "constr", "cov_x", "eqlin", "final_simplex", "fjac", "funl", "fvec", "grad", "hess",
    "hess_inv", "ineqlin", "jac", "lagrangian_grad", "lower", "lowest_optimization_result",
    "multipliers",
    "population", "population_energies", "qtf", "r", "t_events", "upper", "v", "xl", "y_events",
})  # fmt: skip


def guarded(report: dict[str, Any], function: str, known: tuple[str, ...] = ()) -> Any:
    """The report, whose entries without a derivative are refused by the policy when they are read.

    Parameters
    ----------
    report : dict
        A report of SciPy's, which is a dictionary, or the ``infodict`` of an older solver.
    function : str
        The solver's name, for the message.
    known : tuple of str
        Entries that carry their gradient.
    """
    made = _class(type(report), function, _LOSSY.difference(known))
    out = made()
    for name, value in report.items():
        dict.__setitem__(out, name, value)
    return out


@functools.cache
def _class(base: type, function: str, lossy: frozenset[str]) -> Any:
    def getitem(self: Any, name: Any) -> Any:
        value = dict.__getitem__(self, name)
        if name in lossy and value is not None:
            lose(f"{function} has no derivative of its report's {name!r} and",
                 "compute it at the solution, with ag.jacobian for example")  # fmt: skip
        return value

    def reduced(self: Any) -> Any:
        return base, (dict(self),)

    members = {"__getitem__": getitem, "__reduce__": reduced, "__doc__": base.__doc__}
    return type(base.__name__, (base,), members)

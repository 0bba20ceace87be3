"""Linear programs: a vertex solves the constraints that hold it as equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import linalg as core
from ._reports import guarded
from ._rule import plain, refuse, rule, scipy_object, tensor, xp

_NAME = "scipy.optimize.linprog"


@rule(_NAME)
def linprog(
    c: Any, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None,
    bounds: Any = (0, None), method: str = "highs", callback: Any = None, options: Any = None,
    x0: Any = None, integrality: Any = None,
) -> Any:  # fmt: skip
    """Report of a linear program; its ``x``, ``fun``, ``slack`` and ``con`` have derivatives.

    Notes
    -----
    Derivative: the solution is a vertex, in which as many constraints are tight as there are
    unknowns; with these A x = b, so that A dx = db - dA x. Where more are tight it has none.
    """
    report = scipy_object(_NAME)(
        *plain((c, A_ub, b_ub, A_eq, b_eq)), plain(bounds), method, callback, options, plain(x0),
        plain(integrality),
    )  # fmt: skip
    if report.x is None or not report.success:
        return report
    if integrality is not None and np.any(plain(integrality)):
        raise refuse(_NAME, "with integrality=", "leave it out")
    c = tensor(c, _NAME)
    n = report.x.size
    rows, limits = _bounds(bounds, n, report.x)
    for matrix, given, exact in ((A_eq, b_eq, True), (A_ub, b_ub, False)):
        if matrix is None:
            continue
        matrix, given = tensor(matrix, _NAME, 2), tensor(given, _NAME, 3)
        left = plain(given) - plain(matrix) @ report.x
        tight = np.ones(left.size, bool) if exact else left <= 1e-9 * (1 + np.abs(plain(given)))
        rows += [matrix[int(i)] for i in np.flatnonzero(tight)]
        limits += [given[int(i)] for i in np.flatnonzero(tight)]
    if len(rows) != n:
        raise refuse(_NAME, f"where {len(rows)} constraints hold {n} unknowns",
                     "change the problem a little, so that its solution is one vertex")  # fmt: skip
    x = core.solve(xp.stack(rows), xp.stack(limits))
    x = x + (report.x - plain(x))
    report.x, report.fun = x, c @ x
    if A_ub is not None:
        report.slack = tensor(b_ub, _NAME) - tensor(A_ub, _NAME) @ x
    if A_eq is not None:
        report.con = tensor(b_eq, _NAME) - tensor(A_eq, _NAME) @ x
    return guarded(report, _NAME)


def _bounds(bounds: Any, n: int, x: Any) -> tuple[list[Any], list[Any]]:
    """Rows and right-hand sides of the bounds that hold."""
    pairs = list(bounds)
    if len(pairs) == 2 and all(end is None or np.ndim(plain(end)) == 0 for end in pairs):
        pairs = [tuple(pairs)] * n
    rows, limits = [], []
    for i, ends in enumerate(pairs):
        for end in ends:
            if end is None or not np.isfinite(plain(end)):
                continue
            if abs(float(plain(end)) - x[i]) <= 1e-9 * (1 + abs(x[i])):
                rows.append(xp.asarray(np.eye(n)[i]))
                limits.append(tensor(end, _NAME, 6))
                break
    return rows, limits

"""Every keyword of SciPy's functions: the right value and gradient, or refused by name.

The tables in ``keywords_*`` are literal: name -> (arguments, calls). A call that has no derivative
is marked there. Gradients are compared with finite differences along a random direction.
"""

import ast
import importlib
import inspect
from pathlib import Path

import numpy as np
import pytest

import arraygrad as ag
from arraygrad.scipy import _registry

from . import (
    keywords_bands,
    keywords_boundary,
    keywords_cluster,
    keywords_integrate,
    keywords_interpolate,
    keywords_linalg,
    keywords_morphology,
    keywords_multivariate,
    keywords_ndimage,
    keywords_roots,
    keywords_scattered,
    keywords_searches,
    keywords_signal,
    keywords_solvers,
    keywords_sparse,
    keywords_spatial,
    keywords_splines,
    keywords_stats,
    keywords_systems,
)
from .checking import (
    KINDS,
    SCIPY,
    TESTED,
    check,
    check_or_refused,
    skip_if_older_than_the_call,
)  # fmt: skip

TABLES = {
    "bands": keywords_bands,
    "boundary": keywords_boundary,
    "cluster": keywords_cluster,
    "linalg": keywords_linalg,
    "morphology": keywords_morphology,
    "multivariate": keywords_multivariate,
    "ndimage": keywords_ndimage,
    "scattered": keywords_scattered,
    "searches": keywords_searches,
    "signal": keywords_signal,
    "interpolate": keywords_interpolate,
    "integrate": keywords_integrate,
    "roots": keywords_roots,
    "solvers": keywords_solvers,
    "sparse": keywords_sparse,
    "spatial": keywords_spatial,
    "splines": keywords_splines,
    "stats": keywords_stats,
    "systems": keywords_systems,
}
CALLS = {
    f"{table}: {name} [{i}]": (module, arguments, f)
    for table, module in TABLES.items()
    for name, (arguments, calls) in module.CALLS.items()
    for i, f in enumerate(calls)
}


def copies(arguments):
    """The arguments over memory of their own, which calls may overwrite."""
    return [np.array(a, float) if np.ndim(a) else float(a) for a in arguments]


@pytest.mark.parametrize("name", [n for n, (_, _, f) in CALLS.items() if not hasattr(f, "refused")])
def test_value_and_gradient(name):
    module, arguments, f = CALLS[name]
    skip_if_older_than_the_call(f, *copies(arguments))
    check_or_refused(
        f,
        *copies(arguments),
        order=1,
        value_rtol=getattr(module, "VALUE_RTOL", 1e-8),
        rtol=getattr(module, "RTOL", 1e-6),
        step=getattr(module, "STEP", 1e-6),
    )


@pytest.mark.skipif(SCIPY < TESTED, reason="older ones answer some of these calls, or fail")
@pytest.mark.parametrize("name", [n for n, (_, _, f) in CALLS.items() if hasattr(f, "refused")])
def test_refused_in_clear_words(name):
    _, arguments, f = CALLS[name]
    tensors = [ag.tensor(a, requires_grad=True) for a in copies(arguments)]
    if SCIPY > TESTED:  # more of which may be Python that runs on tensors; then it is right
        try:
            ag.lift(f)(*tensors)
        except KINDS:
            pass
        else:
            check(f, *copies(arguments), order=1)
            return
    with pytest.raises(KINDS, match=r"would lose the gradient.*x\.detach\(\)"):
        ag.lift(f)(*tensors)


# -- each keyword is in a call ---------------------------------------------------------------------

# Keywords that calls do not name: function or "*" -> keywords.
NOT_NAMED = {
    "*": {"kwargs", "args", "options", "arrs", "kw", "system"},  # any others, passed in place
    "solve_ivp": {"rtol", "atol"},  # in the dictionaries TIGHT and STIFF
    "odeint": {"rtol", "atol"},
    "logm": {"disp"},  # deprecated, and removed in SciPy 1.18
    "sqrtm": {"disp", "blocksize"},
    "nnls": {"atol"},
    "qr": {"lwork"},  # deprecated in SciPy 1.18
    "fmin_l_bfgs_b": {"iprint", "disp"},
    "dual_annealing": {"seed"},  # another name of rng
    "ttest_ind": {"permutations", "random_state"},  # removed in SciPy 1.17
}


def bound_names(comprehension):
    """Names in a comprehension -> the functions that they stand for in turn."""
    bound = {}
    for generator in comprehension.generators:
        if isinstance(generator.target, ast.Name) and isinstance(generator.iter, ast.Tuple):
            functions = [
                e.attr if isinstance(e, ast.Attribute) else getattr(e, "id", "")
                for e in generator.iter.elts
            ]
            bound[generator.target.id] = functions
    return bound


def calls_in(tree, bound):
    """Pairs of the names that a call may mean and the call."""
    for node in ast.iter_child_nodes(tree):
        inner = bound
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            inner = {**bound, **bound_names(node)}
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            yield inner.get(name, [name]), node
        yield from calls_in(node, inner)


def passed_keywords():
    """Function -> the names of the parameters that calls in these tests pass."""
    passed = {}
    for path in Path(__file__).parent.glob("*.py"):
        for names, call in calls_in(ast.parse(path.read_text()), {}):
            for name in names:
                found = passed.setdefault(name, (set(), []))
                found[0].update(k.arg for k in call.keywords if k.arg)
                found[1].append(len(call.args))
    return passed


FUNCTIONS = [
    (module, name)
    for module, names in _registry.NAMES.items()
    if not module.startswith(("sparse", "fftpack"))
    for name in names
]


def test_each_keyword_is_passed():
    passed = passed_keywords()
    missing = []
    for module, name in FUNCTIONS:
        real = getattr(importlib.import_module(f"scipy.{module}"), name, None)
        try:
            parameters = inspect.signature(real).parameters
        except (TypeError, ValueError):  # removed, or written in C
            continue
        by_name, counts = passed.get(name, (set(), [0]))
        by_position = [p.name for p in parameters.values() if p.kind < p.VAR_POSITIONAL]
        known = by_name | set(by_position[: max(counts)])
        known |= NOT_NAMED["*"] | NOT_NAMED.get(name, set())
        missing += [f"{module}.{name}({k}=)" for k in parameters if k not in known]
    assert missing == []

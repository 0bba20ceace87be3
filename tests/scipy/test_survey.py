"""Every public name of SciPy that takes arrays, called with one that carries a gradient.

Each function and class is tried with plain arguments of a few forms. Where SciPy itself takes them,
lifted code must give a result, or an error that names SciPy's function and says what to type: no
error from inside of SciPy that knows nothing of tensors.
"""

from __future__ import annotations

import importlib
import inspect
import re
import types
import warnings

import numpy as np
import pytest

import arraygrad as ag

from .checking import KINDS, SCIPY, TESTED

MODULES = (
    "cluster.hierarchy", "cluster.vq", "differentiate", "fft", "fftpack", "integrate",
    "interpolate", "linalg", "ndimage", "optimize", "signal", "signal.windows", "sparse",
    "sparse.csgraph", "sparse.linalg", "spatial", "spatial.distance", "spatial.transform",
    "special", "stats", "stats.contingency", "stats.mstats", "stats.qmc",
)  # fmt: skip
X = np.array([0.35, 0.6, 0.15, 0.8, 0.5, 0.7])
SORTED = np.array([0.1, 0.3, 0.45, 0.7, 0.9, 1.2])
SQUARE = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.8]])
POINTS = np.array([[0.1, 0.2], [0.9, 0.15], [0.2, 0.8], [0.85, 0.9], [0.5, 0.45], [0.7, 0.6]])


def line(x, *parameters):
    return 0.5 * x + 0.1 * np.sin(x) - 0.2


# Argument lists; arrays and numbers that are not whole are tracked, one by one.
FORMS = (
    (X,), (SQUARE,), (POINTS,), (0.4,), (X, SORTED), (SORTED, X), (SQUARE, SQUARE), (SQUARE, X[:3]),
    (X[:3], SQUARE), (POINTS, POINTS[:3]), (POINTS, X), (2, X), (2, 0.4), (X, 2), (SQUARE, 2),
    (X, 0.4), (0.4, X), (SORTED, X, 0.5), (SORTED, X, SORTED), (2, 1, X), (2, 3, 0.4), (X, 2, 1),
    (X[:2], X[2:4], 0.4), (POINTS, X, POINTS[:2]), (SORTED, SORTED, np.outer(X, X)),
    (line, 0.1, 0.9), (line, X[:2]), (line, X, SORTED[:3]), (0.4, 0.6, 0.3),
)  # fmt: skip
TRIED = 5  # of the forms that SciPy takes
# What is no function of arrays, crashes SciPy itself, draws pictures, changes settings, is slow.
LEFT_OUT = re.compile(
    r".*(_plot|plot_2d|Warning|Error|backend|workers|_callback|option|load_npz|save_npz|show_.*"
    r"|seterr|geterr|errstate|set_link_color_palette|test)$"
    r"|use_solver|cubature|hessian|derivative|jacobian|probplot|multiscale_graphcorr|dunnett|goodness_of_fit|levy_stable|bws_test"
    r"|studentized_range|tukey_hsd|rv_continuous|rv_discrete|rv_histogram|random_table|qmc_quad"
    r"|mvsdist|bayes_mvs|permutation_test|sobol_indices|PoissonDisk|.*_cv_seq|anderson_ksamp"
    r"|distance_transform_cdt|fmin_l_bfgs_b|expm_cond|zeta|abcd_normalize|ClusterNode"
)


def callables():
    for place in MODULES:
        try:
            module = importlib.import_module(f"scipy.{place}")
        except ImportError:
            continue
        names = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        for name in names:
            found = getattr(module, name, None)
            if not callable(found) or isinstance(found, types.ModuleType | np.ufunc):
                continue
            if not inspect.isclass(found) or not issubclass(found, Exception):
                if not LEFT_OUT.fullmatch(name):
                    yield f"{place}.{name}"


def is_tracked(x):
    return isinstance(x, np.ndarray | float)


def called(path, arguments):
    """What lifted code does that calls SciPy's function by its name."""
    place, _, name = path.rpartition(".")
    namespace = {"module": importlib.import_module(f"scipy.{place}"), "__name__": "survey"}
    exec(f"def call(*arguments):\n    return module.{name}(*arguments)\n", namespace)
    return ag.lift(namespace["call"])(*arguments)


def outcomes(path):
    """Pairs of a form that SciPy takes and the error of lifted code, or None."""
    place, _, name = path.rpartition(".")
    real = getattr(importlib.import_module(f"scipy.{place}"), name)
    count = 0
    for number, form in enumerate(FORMS):
        if count == TRIED:
            break
        try:
            real(*(a.copy() if isinstance(a, np.ndarray) else a for a in form))
        except Exception:  # noqa: BLE001, S112 - not the form that it takes
            continue
        count += 1
        for i, argument in enumerate(form):
            if is_tracked(argument):
                given = [a.copy() if isinstance(a, np.ndarray) else a for a in form]
                given[i] = ag.tensor(argument, requires_grad=True)
                try:
                    called(path, given)
                except Exception as error:  # noqa: BLE001 - it is judged
                    yield (number, i), error
                else:
                    yield (number, i), None


def is_clear(error):
    """Whether an error says what was called, and what to type instead."""
    if type(error).__module__.startswith("arraygrad.") and not isinstance(error, KINDS):
        return True  # about the arguments, in our words
    text = str(error)
    named = "scipy." in text or "special." in text or "np." in text or "numpy" in text
    return isinstance(error, KINDS) and named and "x.detach()" in text


EVERY = sorted(callables())


@pytest.mark.skipif(SCIPY != TESTED, reason="another SciPy takes other arguments")
@pytest.mark.parametrize("start", range(0, len(EVERY), 40))
def test_errors_name_the_function_and_the_remedy(start):
    obscure = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for path in EVERY[start : start + 40]:
            for where, error in outcomes(path):
                if error is not None and not is_clear(error):
                    text = f"{type(error).__name__}: {error}"
                    obscure.append(f"{path} {where}: {text[:150]}")
    assert obscure == []

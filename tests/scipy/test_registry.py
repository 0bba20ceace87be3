"""The table of stand-ins: complete, importable, with SciPy's signatures, and lazy."""

import importlib
import inspect

import numpy as np
import pytest
import scipy.constants
import scipy.linalg
import scipy.signal
from scipy import ndimage
from scipy.signal import butter, peak_prominences

import arraygrad as ag
from arraygrad.scipy import _registry, _rule

from ..fresh_process import run
from .checking import SCIPY

PAIRS = sorted(p for p in _registry.stand_ins().items() if p[1].startswith("arraygrad.scipy."))
# Not in every SciPy that is supported.
OPTIONAL = {
    "scipy.linalg.kron", "scipy.integrate.cumulative_simpson", "scipy.interpolate.make_splrep",
    "scipy.fft.prev_fast_len", "scipy.special.sph_harm_y", "scipy.special.sph_harm_y_all",
    "scipy.special.assoc_legendre_p", "scipy.special.assoc_legendre_p_all",
    "scipy.special.legendre_p", "scipy.special.legendre_p_all", "scipy.special.sph_legendre_p",
    "scipy.special.sph_legendre_p_all", "scipy.stats.matrix_t", "scipy.stats.normal_inverse_gamma",
}  # fmt: skip


POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def found(theirs, ours):
    """A function of SciPy, None where this SciPy lacks it, and what stands for it."""
    module, _, name = theirs.rpartition(".")
    real = getattr(importlib.import_module(module), name, None)
    module, _, name = ours.partition(":")
    return real, getattr(importlib.import_module(module), name)


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_names_exist(theirs, ours):
    real, stand_in = found(theirs, ours)
    if real is None:
        assert theirs in OPTIONAL
        return
    assert callable(stand_in) == callable(real)


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_positional_parameters_have_scipys_names(theirs, ours):
    real, stand_in = found(theirs, ours)
    if real is None or not inspect.isfunction(stand_in) or not inspect.isfunction(real):
        return
    parameters = inspect.signature(stand_in).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    names = [p for p, v in inspect.signature(real).parameters.items() if v.kind in POSITIONAL]
    ours_by_position = [p for p, v in parameters.items() if v.kind in POSITIONAL]
    assert ours_by_position[: len(names)] == names


def test_adapters_of_instances_exist():
    for path in _registry.INSTANCES.values():
        module, _, name = path.partition(":")
        assert callable(getattr(importlib.import_module(module), name))


def test_importing_arraygrad_imports_no_scipy():
    done = run("import sys, arraygrad, arraygrad.scipy; assert 'scipy' not in sys.modules")
    assert done.returncode == 0, done.stderr


def test_constants_are_scipys_own():
    assert scipy.constants.c == 299792458.0


def test_functions_without_a_rule_are_refused_by_name():
    with pytest.raises(
        ag.errors.DetachError, match=r"^scipy\.signal\.peak_prominences has no derivative"
    ):
        ag.grad(lambda k: peak_prominences(k * np.array([0.0, 1.0, 0.5]), [1])[0][0])(0.3)
    with pytest.raises(ag.errors.DetachError, match=r"^scipy\.linalg\.ldl has no derivative"):
        ag.grad(lambda k: scipy.linalg.ldl(k * np.eye(2))[1][0, 0])(0.3)


def test_functions_without_a_rule_compute_where_nothing_is_tracked():
    """Their arrays are tensors, so that lifted code may write into them."""

    def f(k):
        b, _ = butter(2, 0.3)
        b[:] = 0
        b[0] = k
        return b.sum() * scipy.signal.argrelmax(np.array([0, k, 0]))[0][0]

    assert ag.grad(f)(0.5) == 1.0


@pytest.mark.skipif(SCIPY < (1, 15), reason="this SciPy does not know the option")
def test_options_without_a_rule_are_refused_by_name():
    """No keyword of the tested SciPy is left, but one of a later SciPy may be."""
    laplace = _rule.rule("scipy.ndimage.laplace")(lambda input: input)
    with pytest.raises(ag.errors.DetachError, match=r"scipy\.ndimage\.laplace .* mode"):
        laplace(ag.tensor(np.eye(3), requires_grad=True), mode="wrap")
    found = laplace(ag.tensor(np.eye(3)), mode="wrap")
    np.testing.assert_array_equal(found, ndimage.laplace(np.eye(3), mode="wrap"))

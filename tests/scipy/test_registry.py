"""The table of stand-ins: complete, importable, with SciPy's signatures, and lazy."""

import importlib
import inspect

import pytest
import scipy.constants

from arraygrad.scipy import _registry

from ..fresh_process import run

PAIRS = sorted(_registry.stand_ins().items())
# Not in every SciPy that is supported.
OPTIONAL = {"scipy.linalg.kron", "scipy.integrate.cumulative_simpson"}


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_names_exist(theirs, ours):
    module, _, name = ours.partition(":")
    stand_in = getattr(importlib.import_module(module), name)
    module, _, name = theirs.rpartition(".")
    real = getattr(importlib.import_module(module), name, None)
    if real is None:
        assert theirs in OPTIONAL
        return
    assert callable(stand_in) == callable(real)


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_parameters_have_scipys_names(theirs, ours):
    module, _, name = ours.partition(":")
    stand_in = getattr(importlib.import_module(module), name)
    module, _, name = theirs.rpartition(".")
    real = getattr(importlib.import_module(module), name, None)
    if real is None or not inspect.isfunction(stand_in):
        return
    parameters = inspect.signature(stand_in).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    missing = [
        p for p, v in inspect.signature(real).parameters.items()
        if p not in parameters and v.kind not in (v.VAR_KEYWORD, v.VAR_POSITIONAL)
    ]  # fmt: skip
    assert not missing


def test_adapters_of_instances_exist():
    for path in _registry.INSTANCES.values():
        module, _, name = path.partition(":")
        assert callable(getattr(importlib.import_module(module), name))


def test_importing_arraygrad_imports_no_scipy():
    done = run("import sys, arraygrad, arraygrad.scipy; assert 'scipy' not in sys.modules")
    assert done.returncode == 0, done.stderr


def test_constants_are_scipys_own():
    assert scipy.constants.c == 299792458.0

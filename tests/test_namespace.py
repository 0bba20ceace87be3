"""The namespace against the standard: names, signatures, and a documented list of extras."""

import inspect

import numpy as np
import pytest

import arraygrad as ag
from tests import standard_signatures as standard

CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")
DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "complex64", "complex128",
)  # fmt: skip


def parameters(text):
    """[(name, kind, default)] of a signature written as text."""
    scope = {}
    exec(f"def f{text}: ...", {"inf": np.inf}, scope)
    return inspect.signature(scope["f"]).parameters


def assert_accepts(function, text):
    """Every call that the standard allows binds: same names, order, kinds and defaults."""
    ours = inspect.signature(function).parameters
    for name, wanted in parameters(text).items():
        if wanted.kind is inspect.Parameter.VAR_POSITIONAL:
            assert any(p.kind is wanted.kind for p in ours.values()), name
            continue
        assert name in ours, f"{function.__name__} lacks {name}"
        # What the standard takes by keyword alone we may take by position too, as NumPy does.
        kinds = {wanted.kind}
        if wanted.kind is inspect.Parameter.KEYWORD_ONLY:
            kinds.add(inspect.Parameter.POSITIONAL_OR_KEYWORD)
        assert ours[name].kind in kinds or name == "self", name
        assert (ours[name].default is inspect.Parameter.empty) == (
            wanted.default is inspect.Parameter.empty
        ), name
        if wanted.default is not inspect.Parameter.empty:
            assert ours[name].default == wanted.default, name
    order = [n for n, p in parameters(text).items() if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert list(ours)[: len(order)] == order
    extra = [p for n, p in ours.items() if n not in parameters(text)]
    assert all(
        p.default is not inspect.Parameter.empty
        or p.kind in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        for p in extra
    )


@pytest.mark.parametrize("name", standard.MAIN)
def test_main_signature(name):
    assert_accepts(getattr(ag, name), standard.MAIN[name])


@pytest.mark.parametrize("name", standard.LINALG)
def test_linalg_signature(name):
    assert_accepts(getattr(ag.linalg, name), standard.LINALG[name])


@pytest.mark.parametrize("name", standard.FFT)
def test_fft_signature(name):
    assert_accepts(getattr(ag.fft, name), standard.FFT[name])


@pytest.mark.parametrize("name", standard.METHODS)
def test_method_signature(name):
    if name == "__array_namespace__":
        assert ag.asarray(1.0).__array_namespace__(api_version="2025.12") is ag
    assert_accepts(getattr(ag.Tensor, name), standard.METHODS[name])


@pytest.mark.parametrize("name", standard.PROPERTIES)
def test_property(name):
    assert isinstance(getattr(ag.Tensor, name), property)


def test_all_is_the_standards_names_and_a_documented_list_of_extras():
    prescribed = {*standard.MAIN, *CONSTANTS, *DTYPES, "linalg", "fft", "__array_namespace_info__"}
    assert set(ag.STANDARD) == prescribed
    assert not prescribed & set(ag.EXTRAS)
    assert len(set(ag.__all__)) == len(ag.__all__)
    assert set(ag.__all__) == prescribed | set(ag.EXTRAS)
    for name in ag.__all__:
        assert getattr(ag, name, "missing") != "missing", name


def test_extensions_export_what_the_standard_prescribes():
    assert set(standard.LINALG) <= set(ag.linalg.__all__)
    assert set(standard.FFT) <= set(ag.fft.__all__)


@pytest.mark.parametrize("version", [None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"])
def test_array_namespace(version):
    x = ag.tensor([1.0])
    namespace = x.__array_namespace__(api_version=version)
    assert namespace is ag
    assert hash(namespace) == hash(ag)
    assert namespace.__name__ == "arraygrad"


def test_unknown_version_is_refused():
    with pytest.raises(ag.errors.ArgumentError, match=r"2025\.12"):
        ag.tensor([1.0]).__array_namespace__(api_version="1999.01")


def test_dtypes_are_numpy_dtypes():
    for name in (*DTYPES, "float16", "bfloat16"):
        assert isinstance(getattr(ag, name), np.dtype)
    assert ag.tensor([1.0], dtype="bfloat16").dtype == ag.bfloat16


def test_public_functions_are_documented():
    missing = [
        name
        for name in ag.__all__
        if callable(getattr(ag, name)) and not inspect.getdoc(getattr(ag, name))
    ]
    assert not missing

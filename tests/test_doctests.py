"""The examples in docstrings run, and public functions say what they take, return and derive."""

import doctest
import importlib
import inspect
import pkgutil
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import arraygrad as ag

# Run as programs, not imported.
PROGRAMS = ("__main__",)


def module_names():
    """Every module of arraygrad that can be imported, by its dotted name."""
    found = (module.name for module in pkgutil.walk_packages(ag.__path__, "arraygrad."))
    return ["arraygrad", *(name for name in found if name.rpartition(".")[2] not in PROGRAMS)]


@pytest.mark.parametrize("name", module_names())
def test_examples_run(name):
    if name.startswith("arraygrad.scipy") and find_spec("scipy") is None:
        pytest.skip("SciPy is not installed")
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    # As if typed at a prompt: an example names all that it imports, and belongs to the user.
    for examples in doctest.DocTestFinder().find(module, globs={"__name__": "__main__"}):
        # arraygrad.numpy has NumPy's docstrings by reference, of the names asked for so far.
        numpys = sys.modules.get(name.removeprefix("arraygrad."))
        theirs = getattr(numpys, examples.name.rpartition(".")[2], None)
        if theirs is not None and examples.docstring == theirs.__doc__:
            continue
        with np.printoptions(precision=8, suppress=False, threshold=1000, linewidth=75):
            runner.run(examples)
    assert not runner.failures


# Truth values, integers, dtypes, shapes, plain numbers and constants: nothing to differentiate.
WITHOUT_DERIVATIVE = {
    "__array_namespace_info__", "bitwise_and", "bitwise_invert", "bitwise_left_shift",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "broadcast_shapes", "can_cast", "empty",
    "empty_like", "equal", "eye", "fftfreq", "finfo", "greater", "greater_equal", "iinfo",
    "isdtype", "isfinite", "isinf", "isnan", "less", "less_equal", "logical_and", "logical_not",
    "logical_or", "logical_xor", "matrix_rank", "not_equal", "ones", "ones_like", "result_type",
    "rfftfreq", "shares_memory", "signbit", "zeros", "zeros_like",
}  # fmt: skip
ABOUT_DERIVATIVES = re.compile(r"derivative|differentia", re.IGNORECASE)


def public_functions(module):
    """(name, function) of all functions that a module exports."""
    for name in module.__all__:
        found = getattr(module, name)
        if callable(found) and not isinstance(found, type | np.dtype):
            yield name, found


NAMESPACES = (ag, ag.linalg, ag.fft, ag.autograd)
FUNCTIONS = {
    f"{module.__name__}.{name}": function
    for module in NAMESPACES
    for name, function in public_functions(module)
}


# Those of the standard's namespaces: of ours in the main one, most set or tell a state.
MATHEMATICAL = [
    name
    for name in FUNCTIONS
    if name.startswith(("arraygrad.linalg.", "arraygrad.fft.")) or name[10:] in ag.STANDARD
]
# The line that opens an entry: "x : Tensor", "*args", "atol, rtol : float".
PARAMETERS = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: :|$)", re.MULTILINE)


def sections(docstring):
    """Heading -> text of a numpydoc docstring; the summary under the empty heading."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-+$", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_docstring_names_parameters_and_result(name):
    function = FUNCTIONS[name]
    found = sections(function.__doc__)
    documented = {
        parameter.lstrip("*")
        for names in PARAMETERS.findall(found.get("Parameters", ""))
        for parameter in names.split(", ")
    }
    signature = inspect.signature(function)
    # Keywords of other libraries are taken only to say what to type instead.
    taken = {name for name, p in signature.parameters.items() if p.annotation != "Never"}
    assert taken <= documented
    if signature.return_annotation not in (None, "None"):
        assert "Returns" in found


@pytest.mark.parametrize(
    "name",
    sorted(n for n in MATHEMATICAL if n.rpartition(".")[2] not in WITHOUT_DERIVATIVE),
)
def test_docstring_states_the_derivative(name):
    assert ABOUT_DERIVATIVES.search(sections(FUNCTIONS[name].__doc__)["Notes"])


def test_examples_of_the_guide_run():
    pytest.importorskip("scipy")
    guide = Path(__file__).parents[1] / "docs" / "guide.md"
    if not guide.exists():
        pytest.skip("an installed package comes without its documentation")
    done = doctest.testfile(str(guide), module_relative=False, encoding="utf-8")
    assert done.attempted > 20
    assert not done.failed

"""Every function that NumPy lets us override is in one table, and each row of it holds.

Values are NumPy's, gradients are those of finite differences along a random direction, to the
order that the row states.
"""

import ast
import inspect
import itertools
import warnings
from pathlib import Path

import numpy as np
import numpy.char
import numpy.fft
import numpy.lib.recfunctions
import numpy.polynomial
import numpy.strings  # NumPy lists functions when it has imported their module
import pytest
from numpy.testing.overrides import get_overridable_numpy_array_functions

import arraygrad as ag
from arraygrad import _tensor
from arraygrad.interop import lookup, numpy_protocol
from tests.fresh_process import run

from . import (
    calls_keywords,
    calls_linalg,
    calls_others,
    calls_products,
    calls_reducing,
    calls_shaping,
    test_old_keywords,
)

DIFFERENTIABLE = {
    **calls_reducing.CALLS,
    **calls_shaping.CALLS,
    **calls_products.CALLS,
    **calls_linalg.CALLS,
    **calls_others.CALLS,
}
CALLS = {
    name: (*rows, *calls_keywords.CALLS.get(name, ())) for name, rows in DIFFERENTIABLE.items()
}
CONSTANT = calls_others.CONSTANT
REFUSED = calls_others.REFUSED


def label(function):
    """The public name of a NumPy function, without "numpy."."""
    module = function.__module__.replace("_scimath_impl", "scimath")
    return f"{module}.{function.__name__}".removeprefix("numpy.")


NAMES = sorted({label(f) for f in get_overridable_numpy_array_functions()})


def skip_unless_overridable(name):
    if name not in NAMES:
        pytest.skip(f"NumPy {np.__version__} has no {name}, or does not let it be overridden")


def tables_with(name):
    return [t for t in (DIFFERENTIABLE, CONSTANT, REFUSED) if name in t]


@pytest.mark.parametrize("name", NAMES)
def test_each_overridable_function_is_in_exactly_one_table(name):
    if name.startswith(("lib.recfunctions.", "strings.", "char.")):
        pytest.skip(
            "refused as a family: see test_functions_of_records_are_refused and ..._strings_..."
        )
    assert len(tables_with(name)) == 1


def test_answers_take_numpys_keywords():
    wrong = []
    for function in get_overridable_numpy_array_functions():
        answer = lookup.answer_to(function)
        try:
            theirs = inspect.signature(function).parameters.values()
        except ValueError:  # written in C without a signature
            continue
        if answer is None:
            continue
        ours = inspect.signature(answer).parameters
        takes_any = any(p.kind is p.VAR_KEYWORD for p in ours.values())
        for p in theirs:
            if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL, p.POSITIONAL_ONLY) or takes_any:
                continue
            if p.name not in ours or ours[p.name].kind is p.POSITIONAL_ONLY:
                wrong.append(f"{function.__name__}({p.name}=)")
    assert not wrong


def test_tables_do_not_overlap_and_families_are_merged_without_loss():
    parts = (calls_reducing, calls_shaping, calls_products, calls_linalg, calls_others)
    assert len(DIFFERENTIABLE) == sum(len(p.CALLS) for p in parts)


def dotted(node):
    """The name of an attribute as it is written; empty for other expressions."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def written_calls():
    """Name of a NumPy function -> keywords, and most arguments by position, in these tables."""
    found = {}
    for path in Path(__file__).parent.glob("calls*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                keywords, counts = found.setdefault(dotted(node.func), (set(), []))
                keywords.update(k.arg for k in node.keywords if k.arg)
                counts.append(len(node.args))
    return {name.removeprefix("np."): value for name, value in found.items()}


# Keywords that calls_keywords passes through its helpers, to all functions of a kind.
THROUGH_HELPERS = {
    "axes", "axis", "correction", "device", "dtype", "initial", "keepdims", "mean", "method",
    "norm", "order", "out", "overwrite_input", "s", "shape", "subok", "weights", "where",
}  # fmt: skip
NOT_PASSED = {
    "array": {"ndmax"},  # of NumPy 2.4 and later
    "copyto": {"casting"},  # by the helper `copied`
    "sort": {"descending"},  # of NumPy 2.5 and later
    "trim_zeros": {"axis"},  # of NumPy 2.2 and later
    "unique": {"sorted"},  # of NumPy 2.3 and later
}


def test_each_keyword_of_a_differentiable_function_is_passed():
    written, missing = written_calls(), []
    for function in get_overridable_numpy_array_functions():
        name = label(function)
        if name not in DIFFERENTIABLE:
            continue
        try:
            parameters = inspect.signature(function).parameters.values()
        except ValueError:  # written in C without a signature
            continue
        keywords, counts = written.get(name, (set(), []))
        by_position = [p.name for p in parameters if p.kind <= p.VAR_POSITIONAL]
        known = keywords | set(by_position[: max(counts, default=0)]) | NOT_PASSED.get(name, set())
        if name in calls_keywords.CALLS:
            known |= THROUGH_HELPERS
        missing += [
            f"{name}({p.name}=)"
            for p in parameters
            if p.default is not p.empty and p.name not in known
        ]
    assert [m for m in missing if m not in test_old_keywords.ROWS] == []


def test_each_function_has_several_calls():
    few = [name for table in (DIFFERENTIABLE, CONSTANT) for name, rows in table.items()
           if len(rows) < 2]  # fmt: skip
    assert not few


def flat(result):
    """All arrays in a result, in order."""
    if isinstance(result, list | tuple):
        return [a for r in result for a in flat(r)]
    return [result]


def plain(x):
    return np.asarray(x.detach()) if isinstance(x, ag.Tensor) else np.asarray(x)


def assert_same(got, want, name):
    got, want = flat(got), flat(want)
    assert len(got) == len(want), name
    for g, w in zip(got, want, strict=True):
        g, w = plain(g), np.asarray(w)
        assert g.shape == w.shape, (name, g.shape, w.shape)
        assert g.dtype == w.dtype, (name, g.dtype, w.dtype)
        if w.dtype.kind in "fc":
            eps = np.finfo(w.dtype).eps
            rtol, atol = max(1e-9, 8 * eps), max(1e-10, 8 * eps)  # of float32, other roundings
            np.testing.assert_allclose(g, w, rtol=rtol, atol=atol, err_msg=name)
        else:
            np.testing.assert_array_equal(g, w, err_msg=name)


def weights_like(arrays):
    """Fixed cotangents of a result, by which it becomes a real number."""
    generator = np.random.default_rng(7)
    made = []
    for a in arrays:
        a = np.asarray(a)
        c = generator.standard_normal(a.shape)
        if a.dtype.kind == "c":
            c = c + 1j * generator.standard_normal(a.shape)
        made.append(c if a.dtype.kind in "fc" else None)
    return made


def number(result, weights):
    """sum Re(conj(w) result) over all floating-point results; NaN counts as nothing."""
    total = 0.0
    for r, w in zip(flat(result), weights, strict=True):
        if w is not None:
            gone = np.isnan(plain(r))
            kept = np.where(gone, 0, r * np.conj(w)) if gone.any() else r * np.conj(w)
            total = total + np.sum(np.real(kept))
    return total


def direction_for(arrays, fixed):
    generator = np.random.default_rng(11)
    made = []
    for i, a in enumerate(arrays):
        d = generator.uniform(0.5, 1.5, a.shape) * generator.choice([-1, 1], a.shape)
        if a.dtype.kind == "c":
            d = d + 1j * generator.uniform(0.5, 1.5, a.shape)
        made.append(d if a.dtype.kind in "fc" and i not in fixed else None)
    return made


def moved(arrays, direction, h):
    return [a if d is None else a + h * d for a, d in zip(arrays, direction, strict=True)]


def tracked(arrays, direction):
    return [
        ag.tensor(a, requires_grad=True) if d is not None else ag.asarray(a.copy())
        for a, d in zip(arrays, direction, strict=True)
    ]


def slope(row, weights, direction, arrays, create_graph=False):
    """The derivative along the direction from our gradients, and the leaves."""
    leaves = tracked(arrays, direction)
    value = number(row.function(*leaves), weights)
    wanted = [x for x, d in zip(leaves, direction, strict=True) if d is not None]
    if not getattr(value, "requires_grad", False):
        return 0.0, wanted
    value.backward(create_graph=create_graph)
    total = 0.0
    for x, d in zip(leaves, direction, strict=True):
        if d is not None and x.grad is not None:
            total = total + np.sum(np.real(x.grad * np.conj(d)))
    return total, wanted


def close(got, want, what):
    got, want = float(plain(got)), float(want)
    assert np.isfinite(got), (what, got, want)
    assert abs(got - want) <= 2e-6 * max(1.0, abs(want)), (what, got, want)


def check_gradient(row, what):
    arrays = [np.array(a) for a in row.arguments]
    direction = direction_for(arrays, row.fixed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights = weights_like(flat(row.function(*[a.copy() for a in arrays])))
        h = 1e-5

        def value(step):
            at = [np.array(a) for a in moved(arrays, direction, step)]
            return number(row.function(*at), weights)

        want = (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h)
        got, leaves = slope(row, weights, direction, arrays, create_graph=row.order > 1)
        close(got, want, f"{what}: first derivative")
        if row.order < 2:
            return
        ahead, _ = slope(row, weights, direction, moved(arrays, direction, h))
        behind, _ = slope(row, weights, direction, moved(arrays, direction, -h))
        want = (float(plain(ahead)) - float(plain(behind))) / (2 * h)
        got = second(got, leaves, direction)
        assert abs(got - want) <= 1e-4 * max(1.0, abs(want)), (what, "second derivative", got, want)


def second(first, leaves, direction):
    if not getattr(first, "requires_grad", False):
        return 0.0
    for x in leaves:
        x.grad = None
    first.backward()
    wanted = [d for d in direction if d is not None]
    return float(sum(
        np.sum(np.real(plain(x.grad) * np.conj(d)))
        for x, d in zip(leaves, wanted, strict=True) if x.grad is not None
    ))  # fmt: skip


@pytest.fixture
def seen(monkeypatch):
    """Names of the NumPy functions that reached the protocol."""
    names = set()
    original = numpy_protocol.array_function

    def spy(x, func, types, args, kwargs):
        names.add(label(func))
        return original(x, func, types, args, kwargs)

    monkeypatch.setattr(ag.Tensor, "__array_function__", spy)
    # A first question to the other protocol makes the class keep both.
    monkeypatch.setattr(_tensor, "keep_protocols", lambda: None)
    return names


def copies(row):
    return [np.array(a) for a in row.arguments]


@pytest.mark.parametrize("name", sorted(DIFFERENTIABLE))
def test_values_and_gradients(name, seen):
    skip_unless_overridable(name)
    for k, row in enumerate(CALLS[name]):
        what = f"{name}[{k}]"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = row.function(*copies(row))
            untracked = row.function(*[ag.asarray(a) for a in copies(row)])
            followed = row.function(*tracked(copies(row), direction_for(row.arguments, row.fixed)))
        assert name in seen, what
        if row.compare:
            assert_same(untracked, want, f"{what} untracked")
            assert_same(followed, want, f"{what} tracked")
        if row.order:
            check_gradient(row, what)


@pytest.mark.parametrize("name", sorted(CONSTANT))
def test_answers_without_a_derivative_are_numpys_and_free_for_tracked_tensors(name, seen):
    skip_unless_overridable(name)
    for k, row in enumerate(CONSTANT[name]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            want = row.function(*copies(row))
            got = row.function(*tracked(copies(row), direction_for(row.arguments, ())))
        assert name in seen, f"{name}[{k}]"
        assert not any(getattr(g, "requires_grad", False) for g in flat(got))
        if isinstance(want, str | np.dtype | type) or name in ("shape", "ndim", "size", "allclose"):
            assert type(got) is type(want)
            assert got == want
        elif row.compare:
            assert_same(got, want, f"{name}[{k}]")


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused_functions_say_what_to_do(name, tmp_path):
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    kinds = (ag.errors.ArgumentTypeError, ag.errors.DetachError)
    with pytest.raises(kinds, match=name.split(".")[-1]):
        REFUSED[name](x, tmp_path)


def test_functions_of_records_are_refused():
    from numpy.lib import recfunctions

    with pytest.raises(ag.errors.ArgumentTypeError, match="no fields"):
        recfunctions.structured_to_unstructured(ag.asarray([1.0]))


def test_functions_of_strings_are_refused():
    skip_unless_overridable("strings.upper")
    with pytest.raises(ag.errors.ArgumentTypeError, match="no text"):
        np.strings.upper(ag.asarray([1.0]))


def test_every_numeric_ufunc_has_an_answer():
    from numpy.testing.overrides import get_overridable_numpy_ufuncs

    missing = []
    for ufunc in get_overridable_numpy_ufuncs():
        inputs = itertools.chain.from_iterable(t.partition("->")[0] for t in ufunc.types)
        if any(c in "bfdFD" for c in inputs) and lookup.answer_to(ufunc) is None:
            missing.append(ufunc.__name__)
    assert not missing


def test_answers_are_imported_at_the_first_question():
    program = """
import sys
import numpy as np, arraygrad as ag
name = "arraygrad.interop.numpy_functions"
x = ag.asarray([1.0, 2.0])
assert name not in sys.modules, "imported with the package"
assert np.add(x, 1.0).shape == (2,)
np.median(x)
assert name in sys.modules
"""
    done = run(program)
    assert done.returncode == 0, done.stderr


def test_threads_may_ask_first_at_the_same_time():
    program = """
import threading
import numpy as np, arraygrad as ag
x = ag.tensor([1.0, 2.0, 4.0], requires_grad=True)
found = []
def ask():
    found.append(float(np.percentile(x, 50).detach()) + float(np.gradient(x)[0].detach()))
threads = [threading.Thread(target=ask) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
assert found == [3.0] * 8, found
"""
    done = run(program)
    assert done.returncode == 0, done.stderr


LOWER = {"f": np.float32, "c": np.complex64}


@pytest.mark.parametrize("name", sorted(DIFFERENTIABLE))
def test_dtypes_in_single_precision(name):
    skip_unless_overridable(name)
    for k, row in enumerate(DIFFERENTIABLE[name]):
        arrays = [a.astype(LOWER.get(a.dtype.kind, a.dtype)) for a in row.arguments]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = flat(row.function(*[a.copy() for a in arrays]))
            leaves = tracked([a.copy() for a in arrays], direction_for(arrays, row.fixed))
            got = flat(row.function(*leaves))
        for g, w in zip(got, want, strict=True):
            g, w = plain(g), np.asarray(w)
            assert (g.dtype, g.shape) == (w.dtype, w.shape), f"{name}[{k}]"
            if row.compare and w.dtype.kind in "fc":
                np.testing.assert_allclose(g, w, rtol=2e-3, atol=1e-3, err_msg=f"{name}[{k}]")

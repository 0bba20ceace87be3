"""Loop nests as generalised ufuncs: the language, strides, error flags, fingerprints."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from arraygrad_kernels import _jit

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

from arraygrad_kernels.nest import nest_loop, plain, prefetch, relaxed, report, scratch
from arraygrad_kernels.translate import TranslationError

F4, F8, I8 = np.dtype("f4"), np.dtype("f8"), np.dtype("i8")


def compiled(function, inputs, outputs, signature="(n)->()", steps=1) -> np.ufunc:
    """Generalised ufunc of a nest, compiled each time."""
    n_dims = 1
    loop = _jit.loop(
        nest_loop(function, inputs, outputs, n_dims, steps), f"test_{function.__name__}"
    )
    dtypes = (*inputs, *outputs)
    return _jit.ufunc(
        [(loop.address, dtypes)], "tested", len(inputs), signature=signature, keep=loop
    )


def rows_by_position(x, out, k, n, x_step, out_step, core):
    for i in range(k):
        total = 0.0
        for c in plain(range(n)):
            total += x[i * x_step + c * core]
        out[i * out_step] = total


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_nest_gets_the_strides_of_any_layout(axis):
    ufunc = compiled(rows_by_position, [F4], [F8])
    x = np.random.default_rng(0).random((4, 5, 6)).astype(F4)
    for y in (x, x.T, x[::-1, ::2], np.broadcast_to(x[:1], (3, 5, 6)), x[:, :, ::-3]):
        np.testing.assert_allclose(ufunc(y, axis=axis), y.sum(axis, dtype=F8), rtol=1e-14)


def variables(x, out, k, n, x_step, out_step, core):
    buffer = scratch("d", 8)
    small = np.float32(0.0)
    count = 0
    for c in range(n):
        small += x[c] * 1.0
        if x[c] > 2.0:
            count += 1
        else:
            count -= 1
        if count == 3:
            break
    y = buffer
    for place in (0, 1, 2):
        y[place] = count + place
    y = y[1:]
    prefetch(x, 1 << 20)
    out[0] = small + y[1]


def test_variables_keep_their_dtype_and_loops_break():
    ufunc = compiled(variables, [F4], [F8])
    x = np.array([3, 3, 3, 0.1, 100], F4)
    assert ufunc(x) == 9.0 + 3 + 2
    # In float32: the sum of one large and one small number loses the small one.
    assert ufunc(np.array([1e8, 1.0, 0.5, 0.25], F4)) == np.float32(1e8) + 0 + 2 - 2


def divides(x, out, k, n, x_step, out_step, core):
    total = np.inf
    for c in range(n):
        total = x[c] / 0.0
    report("invalid", total != total)
    report("overflow", x[0] > 2.0)
    out[0] = total


def test_only_reported_errors_are_seen():
    ufunc = compiled(divides, [F8], [F8])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ufunc(np.array([1.0])) == np.inf  # divides by zero, which is not reported
    with pytest.warns(RuntimeWarning, match="invalid value encountered in tested"):
        ufunc(np.array([0.0]))
    with pytest.warns(RuntimeWarning, match="overflow encountered in tested"):
        ufunc(np.array([3.0]))


def shifted(x, out, k, n, x_step, out_step, core, out_core):
    for i in range(k):
        for c in range(n):
            out[i * out_step + c * out_core] = x[i * x_step + c * core] + c


def test_results_with_the_core_dimension():
    ufunc = compiled(shifted, [I8], [I8], "(n)->(n)", 2)
    x = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(ufunc(x), x + np.arange(4))
    np.testing.assert_array_equal(ufunc(x, axis=0), x + np.arange(3)[:, None])


def loops_while(x, out, k, n, x_step, out_step, core):
    while n > 0:
        n -= 1


def test_unknown_statements_name_their_place():
    with pytest.raises(TranslationError, match="While at line"):
        compiled(loops_while, [F8], [F8])


def _nest_of(flags, size):
    @relaxed(*flags)
    def add(a, b):
        return a + b

    def nest(x, out, k, n, x_step, out_step, core):
        total = 0.0
        for c in range(0, n, size):
            total = add(total, x[c])
        out[0] = total

    return nest_loop(nest, [F8], [F8], 1, 1)


def test_fingerprint_follows_flags_and_constants():
    prints = [
        _jit.fingerprint(_nest_of(flags, size))
        for flags, size in ((("contract",), 1), (("reassoc",), 1), (("contract",), 2))
    ]
    assert len(set(prints)) == 3
    assert prints[0] == _jit.fingerprint(_nest_of(("contract",), 1))

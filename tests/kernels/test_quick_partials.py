"""Quick forms of partials against the general ones, in ordinary and in extreme blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from arraygrad_kernels import _jit
from arraygrad_kernels.scalars import PARTIALS, quick_partials
from arraygrad_kernels.vecmath.by_dtype import CODES

if not _jit.enabled():
    pytest.skip("nothing compiles under NUMBA_DISABLE_JIT", allow_module_level=True)

from arraygrad_kernels.cpu import elementwise

# The narrow dtypes have quick functions of their own for few of these; two stand for them.
CASES = [(op, code) for op, codes in quick_partials._FORMS for code in codes if code in "dD"]
CASES += [("pow", "F"), ("tanh", "F")]


@pytest.mark.parametrize(("op", "code"), CASES)
def test_quick_form_equals_general_one(op: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(8)
    names, _ = PARTIALS[op]
    operands: list[np.ndarray] = []
    for _ in range(1 + len(names)):
        x = random.normal(size=1500) * 2
        operands.append(
            (x + 1j * random.normal(size=1500) if code in "FD" else x).astype(CODES[code])
        )
    quick = elementwise.backward_ufunc(op, code)
    with monkeypatch.context() as patch:
        patch.setattr(elementwise, "quick_partial", lambda op, code: None)
        general = elementwise.backward_ufunc.__wrapped__(op, code)
    bound = 60 * float(np.finfo(CODES[code]).eps)

    def assert_equal() -> None:
        with np.errstate(all="ignore"):
            pairs = [_tuple(ufunc(*operands)) for ufunc in (quick, general)]
        for got, want in zip(*pairs, strict=True):
            np.testing.assert_allclose(got, want, rtol=bound, atol=bound, equal_nan=True)

    assert_equal()
    # One such element in a block sends all of it through the general form.
    for extreme in (np.inf, -np.inf, np.nan, 1e6, -3e15, 700, -800, 0):
        operands[1][40] = extreme
        operands[1][900:903] = [extreme, 0, 1]
        assert_equal()
        if code in "FD":
            operands[1][40] = complex(0.5, extreme)
            assert_equal()


def _tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def test_quick_partials_are_formulas_of_partials() -> None:
    """Made again with other globals, not written again."""
    found = quick_partials.quick_partial("sin", "d")
    assert found is not None
    assert found[0].__code__ is PARTIALS["sin"][1].__code__
    assert found[0](0.0) == (1.0,)
    assert quick_partials.quick_partial("multiply", "d") is None

"""What every test gets: Hypothesis profiles, and a guard against state that leaks between tests."""

import os
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# A failure found at random must be found again by the next run: `ci` draws the same examples
# every time. Deadlines are off because a first call may compile a kernel.
settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("dev", deadline=None)
settings.register_profile("thorough", max_examples=2_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


def process_state() -> dict[str, object]:
    """What a test must leave as it found it: NumPy's error handling, our grad mode."""
    state: dict[str, object] = {"np.geterr()": np.geterr()}
    library = sys.modules.get("arraygrad")  # the kernels' tests do without it
    if hasattr(library, "is_grad_enabled"):
        state["is_grad_enabled()"] = library.is_grad_enabled()
    return state


@pytest.fixture(autouse=True)
def _no_leaked_state() -> Iterator[None]:
    """Fail a test that leaks, rather than the one that comes next."""
    before = process_state()
    yield
    after = process_state()
    leaked = [f"{k} was {before[k]}, is {after[k]}" for k in before if after[k] != before[k]]
    if leaked:
        np.seterr(**before["np.geterr()"])
        pytest.fail("the test left state changed: " + "; ".join(leaked))

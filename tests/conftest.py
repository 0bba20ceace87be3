"""What every test gets: Hypothesis profiles, and a guard against state that leaks between tests."""

import os
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


@pytest.fixture(autouse=True)
def _no_leaked_error_state() -> Iterator[None]:
    """Fail a test that leaves NumPy's floating-point error handling changed."""
    before = np.geterr()
    yield
    after = np.geterr()
    if after != before:
        np.seterr(**before)
        pytest.fail(f"the test left np.geterr() changed: {before} became {after}")

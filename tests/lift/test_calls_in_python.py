"""Later calls without the compiled road: the Python functions that it stands for."""

from pathlib import Path

import pytest

from arraygrad import _compiled
from tests import fresh_process

HERE = Path(__file__).parent
FILES = (
    "test_arrays",
    "test_kept_in_later_calls",
    "test_later_calls",
    "test_objects_as_arguments",
    "test_plain_calls",
)


@pytest.mark.skipif(_compiled.ROADS is None, reason="all tests run without the compiled roads here")
@pytest.mark.parametrize("name", FILES)
def test_calls_run_without_compiled_roads(name: str) -> None:
    paths = [str(HERE / f"{name}.py")]
    script = f"""
        import sys, pytest
        from arraygrad import _compiled
        assert _compiled.ROADS is None
        sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *{paths!r}]))
    """
    program = "\n".join(line.strip() for line in script.splitlines())
    done = fresh_process.run(program, ARRAYGRAD_ROADS="python", ARRAYGRAD_COMPILE="off")
    assert done.returncode == 0, done.stdout[-3000:]

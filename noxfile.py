"""The only list of commands of this project: `nox --list` shows them, `nox -s NAME` runs one.

Every session makes its own environment and installs what it needs, so a fresh machine needs
nothing but Python and nox. What follows `--` is handed on to the session's tool.
"""

import os
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2024.4.15"
nox.options.sessions = ["lint", "types", "tests"]
nox.options.error_on_missing_interpreters = False

ROOT = Path(__file__).parent


def compile_environment() -> dict[str, str]:
    """Return the environment of a test run: kernels compile at their first call, not behind it."""
    return {"ARRAYGRAD_COMPILE": os.environ.get("ARRAYGRAD_COMPILE", "sync")}


@nox.session
def tests(session: nox.Session) -> None:
    """Run the test-suite (arguments go to pytest: `nox -s tests -- tests/test_imports.py -x`)."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", *session.posargs, env=compile_environment())


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting with ruff, and public docstrings with numpydoc."""
    session.install("-e", ".[lint]")
    session.run("ruff", "check", *(session.posargs or ["."]))
    session.run("ruff", "format", "--check", *(session.posargs or ["."]))
    documented = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("arraygrad/**/*.py"))
    session.run("numpydoc", "lint", *documented)


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of `arraygrad/` with mypy in strict mode."""
    session.install("-e", ".[types]")
    session.run("mypy", *session.posargs)


@nox.session
def conformance(session: nox.Session) -> None:
    """Run the public Array API test-suite (`nox -s conformance -- --help` shows the options)."""
    session.install("-e", ".", "-r", "conformance/requirements.txt")
    session.run("python", "-m", "conformance", *session.posargs, env=compile_environment())


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the wheel, install it in a fresh environment and run the smoke tests against it."""
    session.install("build")
    dist = Path(session.create_tmp()).resolve() / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", str(dist), str(ROOT))
    (built,) = dist.glob("*.whl")
    session.install(f"{built}[test]", "--force-reinstall", "--no-deps")
    session.install(f"{built}[test]")

    # A copy without the source tree beside it: only the installed packages can be imported.
    copy = dist.parent / "checkout"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for folder in ("tests", "examples", "benchmarks", "conformance"):
        shutil.copytree(
            ROOT / folder,
            copy / folder,
            ignore=shutil.ignore_patterns("__pycache__", "output", "results", ".*"),
        )
    shutil.copy(ROOT / "pyproject.toml", copy)
    environment = compile_environment() | {"ARRAYGRAD_TEST_INSTALLED": "1"}
    with session.chdir(copy):
        arguments = session.posargs or ["-m", "smoke"]
        session.run("python", "-m", "pytest", *arguments, env=environment)


@nox.session
def demo(session: nox.Session) -> None:
    """Differentiate and fit unmodified NumPy programs on real data; write a table and a picture."""
    session.install("-e", ".[demo]")
    session.run("python", "examples/demo.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Time arraygrad against its peers (`-- 1-4`: some rows; `-- --no-peers`: NumPy alone)."""
    arguments = list(session.posargs)
    peers = "--no-peers" not in arguments
    session.install("-e", ".[bench]" if peers else ".")
    session.run("python", "-m", "benchmarks", *arguments)
    session.run("python", "-m", "benchmarks.report")

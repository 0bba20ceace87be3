"""The distribution: metadata, what is shipped, and that the installed packages work."""

import ast
import importlib.metadata
import importlib.resources
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import arraygrad as ag

ROOT = Path(__file__).resolve().parent.parent
in_repository = pytest.mark.skipif(
    not (ROOT / "noxfile.py").exists(), reason="reads files that only the repository has"
)


def project() -> dict[str, object]:
    """The `[project]` table of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.smoke
def test_version_agrees_with_metadata() -> None:
    assert ag.__version__ == project()["version"]
    try:
        installed = importlib.metadata.version("arraygrad")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("arraygrad is imported from a checkout, not installed")
    assert ag.__version__ == installed


@pytest.mark.smoke
@pytest.mark.skipif(
    "ARRAYGRAD_TEST_INSTALLED" not in os.environ, reason="only where the wheel is tested"
)
@pytest.mark.parametrize("package", ["arraygrad", "arraygrad_kernels"])
def test_wheel_is_what_is_tested(package: str) -> None:
    assert "site-packages" in str(importlib.resources.files(package))


@pytest.mark.smoke
@pytest.mark.parametrize("package", ["arraygrad", "arraygrad_kernels"])
def test_types_are_shipped(package: str) -> None:
    assert importlib.resources.files(package).joinpath("py.typed").is_file()


@pytest.mark.smoke
def test_installed_library_computes() -> None:
    """A little of each family, kernels and their compilation included."""
    x = np.linspace(0.1, 2.0, 12).reshape(3, 4)
    t = ag.asarray(x)
    assert_allclose(np.asarray(ag.exp(t) * t - 1.0), np.exp(x) * x - 1.0, rtol=1e-14)
    assert_allclose(np.asarray(ag.sum(t, axis=0)), x.sum(axis=0), rtol=1e-14)
    assert_allclose(np.asarray(ag.cumulative_sum(t, axis=1)), x.cumsum(axis=1), rtol=1e-14)
    assert_allclose(np.asarray(t @ t.T), x @ x.T, rtol=1e-14)
    assert_allclose(np.asarray(t[:, ::-2]), x[:, ::-2])
    assert_allclose(np.asarray(ag.sort(-t, axis=0)), np.sort(-x, axis=0))
    assert_allclose(
        np.asarray(ag.linalg.inv(t @ t.T + ag.eye(3))), np.linalg.inv(x @ x.T + np.eye(3))
    )
    assert_allclose(np.asarray(ag.fft.rfft(t)), np.fft.rfft(x), atol=1e-14)
    t[1, ag.asarray([0, 2])] = 0.0
    assert np.count_nonzero(np.asarray(t)) == 10


@pytest.mark.smoke
def test_command_line_tells_what_is_there() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "arraygrad", "info"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert ag.__version__ in done.stdout


@in_repository
def test_every_session_says_what_it_does() -> None:
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    sessions = {
        node.name: ast.get_docstring(node)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any("nox.session" in ast.unparse(decorator) for decorator in node.decorator_list)
    }
    assert {"tests", "lint", "types", "conformance", "wheel", "demo", "bench"} <= set(sessions)
    for name, docstring in sessions.items():
        assert docstring, f"{name} has no docstring"
        assert "\n" not in docstring, f"{name} says it in more than one line"
    handbook = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name in sessions if f"`{name}`" not in handbook] == []


@in_repository
def test_continuous_integration_runs_the_readme_command() -> None:
    command = "python -m pip install nox && nox -s tests"
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"command='{command}'" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@in_repository
def test_no_expected_failures_and_pinned_suite() -> None:
    folder = ROOT / "conformance"
    lines = (folder / "xfails.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.strip() and not line.startswith("#")] == []
    for name in ("array-api-tests.rev", "array-api.rev"):
        assert re.fullmatch(r"[0-9a-f]{40}\n", (folder / name).read_text(encoding="utf-8"))


@in_repository
def test_only_direct_dependencies_are_required() -> None:
    """NumPy, Numba and ml_dtypes: anything more is an extra."""
    names = {re.match(r"[\w-]+", item)[0] for item in project()["dependencies"]}
    assert names == {"numpy", "numba", "ml_dtypes"}


@in_repository
class TestBuildHook:
    """What has no compiled roads is built without them: no failure of theirs stops a build."""

    @pytest.fixture
    def built(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
        pytest.importorskip("hatchling")
        spec = importlib.util.spec_from_file_location("_hook", ROOT / "kernels/hatch_build.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        (tmp_path / "_roads.so").write_bytes(b"")
        (tmp_path / "arraygrad").mkdir()
        monkeypatch.setattr(module, "compiled", lambda source, folder: tmp_path / "_roads.so")
        monkeypatch.delenv("ARRAYGRAD_BUILD_ROADS", raising=False)

        def build(version: str, error: Exception | None = None) -> tuple[Any, list[str]]:
            said: list[str] = []
            data: dict[str, Any] = {"force_include": {}}
            hook = object.__new__(module.CompiledRoads)
            app = types.SimpleNamespace(display_warning=said.append)
            for name, value in (("root", str(tmp_path)), ("target_name", "wheel"), ("app", app)):
                monkeypatch.setattr(module.CompiledRoads, name, value)
            if error is not None:
                monkeypatch.setattr(module.shutil, "copy", raising(error))
                monkeypatch.setattr(module, "compiled", raising(error))
            hook.initialize(version, data)
            hook.finalize(version, data, "")
            return data["force_include"], said

        build.module = module  # type: ignore[attr-defined]
        return build

    def test_editable_puts_the_module_beside_its_source(
        self, built: Callable[..., Any], tmp_path: Path
    ) -> None:
        for _ in range(2):
            assert built("editable") == ({}, [])
            assert [path.name for path in (tmp_path / "arraygrad").iterdir()] == ["_roads.so"]
        assert list(built("standard")[0].values()) == ["arraygrad/_roads.so"]

    def test_no_compiler_is_no_error(
        self, built: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for version in ("standard", "editable"):
            included, said = built(version, RuntimeError("no compiler"))
            assert not included
            assert len(said) == 1
        monkeypatch.setenv("ARRAYGRAD_BUILD_ROADS", "1")
        with pytest.raises(RuntimeError):
            built("standard", RuntimeError("no compiler"))

    def test_a_tree_that_cannot_be_written_is_no_error(
        self, built: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An editable install failed of it."""
        monkeypatch.setattr(built.module.shutil, "copy", raising(OSError(30, "Read-only")))
        included, said = built("editable")
        assert not included
        assert "Read-only" in said[0]

    def test_only_cpython_with_its_lock_is_compiled_for(
        self, built: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """PyPy was asked for by a name that its platform has not."""
        hook = built.module
        monkeypatch.setattr(hook.sysconfig, "get_config_var", {"Py_GIL_DISABLED": 0}.get)
        assert hook.is_wanted()
        monkeypatch.setattr(hook.sysconfig, "get_config_var", {"Py_GIL_DISABLED": 1}.get)
        assert not hook.is_wanted()
        monkeypatch.setattr(hook.sysconfig, "get_config_var", {"SOABI": "pypy311-pp73"}.get)
        monkeypatch.setattr(hook.sys, "implementation", types.SimpleNamespace(name="pypy"))
        assert not hook.is_wanted()


def raising(error: Exception) -> Callable[..., Any]:
    def function(*arguments: Any) -> Any:
        raise error

    return function

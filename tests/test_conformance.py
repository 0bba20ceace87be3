"""The runner of the public suite: it refuses what would make its figures mean less."""

import subprocess
from pathlib import Path

import pytest

import conformance.__main__ as runner

REPORT = """<testsuites><testsuite tests="10" failures="1" errors="1" skipped="3"/></testsuites>"""


def repository(folder: Path) -> str:
    """Make a git repository with one commit; return the commit."""
    folder.mkdir()
    identity = ["-c", "user.name=n", "-c", "user.email=e"]
    (folder / "file").write_text("as published\n")
    for arguments in (["init", "-q"], ["add", "file"], [*identity, "commit", "-q", "-m", "m"]):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True)
    return runner.git(folder, "rev-parse", "HEAD")


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout at the pinned revision."""
    folder = tmp_path / "suite"
    pin = tmp_path / "suite.rev"
    pin.write_text(repository(folder) + "\n")
    monkeypatch.setattr(runner, "SOURCES", (runner.Source("https://example.org/s", pin, "."),))
    return folder


def test_pinned_checkout_is_accepted(suite: Path) -> None:
    runner.verify(suite)


def test_changed_checkout_is_refused(suite: Path) -> None:
    (suite / "file").write_text("made easier\n")
    with pytest.raises(SystemExit, match="as it was published"):
        runner.verify(suite)


def test_other_revision_is_refused(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "suite.rev").write_text("0" * 40 + "\n")
    with pytest.raises(SystemExit, match=r"pins 0{40}"):
        runner.verify(suite)


def test_folder_that_is_no_checkout_is_refused(suite: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="not a git checkout"):
        runner.verify(tmp_path)


@pytest.mark.parametrize(
    ("xfails", "skips", "message"),
    [
        ("# none\n", "# reason\narray_api_tests/a.py::t\n", None),
        ("array_api_tests/a.py::t\n", "", "stays empty"),
        ("", "array_api_tests/a.py::t\n", "needs its reason"),
        (
            "",
            "# reason\narray_api_tests/a.py::t\narray_api_tests/a.py::u\n",
            "::u needs its reason",
        ),
    ],
)
def test_lists(
    xfails: str, skips: str, message: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xfails.txt").write_text(xfails)
    (tmp_path / "skips.txt").write_text(skips)
    monkeypatch.setattr(runner, "HERE", tmp_path)
    if message is None:
        runner.check_lists()
    else:
        with pytest.raises(SystemExit, match=message):
            runner.check_lists()


def test_skips_of_earlier_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# reason\na.py::always\n# reason\nuntil 2022.12: a.py::early\n"
    (tmp_path / "skips.txt").write_text(text)
    monkeypatch.setattr(runner, "HERE", tmp_path)
    assert runner.skips_for("2021.12") == ["a.py::always", "a.py::early"]
    assert runner.skips_for("2022.12") == ["a.py::always", "a.py::early"]
    assert runner.skips_for("2023.12") == ["a.py::always"]
    assert runner.skips_for(runner.UNSET) == ["a.py::always"]


def test_summary_counts_errors_as_failures(tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text(REPORT)
    result = runner.summarise("2025.12", tmp_path / "r.xml", 1, 2.0)
    assert (result.passed, result.failed, result.skipped) == (5, 2, 3)
    assert not result.ok
    assert "exit code 1" in runner.table([result])


def test_run_that_tested_nothing_is_not_ok(tmp_path: Path) -> None:
    assert not runner.summarise("2025.12", tmp_path / "missing.xml", 0, 0.0).ok


def test_options_are_told_from_pytests() -> None:
    options, extra = runner.parse(["--version", "unset", "-x", "-k", "sum", "--max-examples", "3"])
    assert (options.version, options.max_examples, extra) == ("unset", 3, ["-x", "-k", "sum"])

"""Run the public Array API test-suite: `nox -s conformance`, or `python -m conformance --help`.

The suite is the work of others and is not in this repository: it is taken from a checkout that
you name, or cloned at the pinned revision into an ignored folder. Each version of the standard
runs in a process of its own, since the suite reads its configuration when it is imported.
"""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLONE = HERE / ".suite"
REPORT = HERE / ".report"
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
LATEST = VERSIONS[-1]
UNSET = "unset"  # leave the version to the namespace's __array_api_version__
EXAMPLES = {LATEST: 200}  # Hypothesis examples per test; the other versions get OTHER_EXAMPLES
OTHER_EXAMPLES = 50


@dataclass(frozen=True)
class Source:
    """A repository that the suite consists of: where it lives, what is pinned, where it goes."""

    url: str
    revision_file: Path
    folder: str

    @property
    def revision(self) -> str:
        """The pinned commit."""
        return self.revision_file.read_text().strip()


SOURCES = (
    Source(
        "https://github.com/data-apis/array-api-tests", HERE / "array-api-tests.rev", folder="."
    ),
    Source("https://github.com/data-apis/array-api", HERE / "array-api.rev", folder="array-api"),
)


@dataclass(frozen=True)
class Result:
    """What one version's run came to."""

    version: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    exit_code: int

    @property
    def ok(self) -> bool:
        """True if the run ended well and tested something."""
        return self.exit_code == 0 and self.failed == 0 and self.passed > 0


def git(folder: Path, *arguments: str) -> str:
    """Output of a git command run in `folder`."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)} failed in {folder}:\n{done.stderr.strip()}")
    return done.stdout.strip()


def clone() -> Path:
    """Clone what is pinned, without history, into the ignored folder; return it."""
    for source in SOURCES:
        target = CLONE / source.folder
        if not (target / ".git").exists():
            target.mkdir(parents=True, exist_ok=True)
            git(target, "init", "--quiet")
        has = subprocess.run(
            ["git", "-C", str(target), "cat-file", "-e", f"{source.revision}^{{commit}}"],
            capture_output=True,
            check=False,
        )
        if has.returncode:
            print(f"Fetching {source.url} at {source.revision[:12]} ...", flush=True)
            git(target, "fetch", "--quiet", "--depth", "1", source.url, source.revision)
        git(target, "checkout", "--quiet", "--detach", source.revision)
    return CLONE


def verify(suite: Path) -> None:
    """Refuse a checkout that is not what is pinned: a figure must say what it was measured on."""
    for source in SOURCES:
        folder = suite / source.folder
        if not (folder / ".git").exists():
            raise SystemExit(
                f"{folder} is not a git checkout of {source.url}.\n"
                f"Clone it there and check out {source.revision}, or name another folder with "
                "--suite."
            )
        found = git(folder, "rev-parse", "HEAD")
        if found != source.revision:
            raise SystemExit(
                f"{folder} is at {found},\nbut {source.revision_file.name} pins "
                f"{source.revision}.\nType: git -C {folder} fetch --depth 1 {source.url} "
                f"{source.revision} && git -C {folder} checkout {source.revision}"
            )
        if git(folder, "diff", "--stat", "HEAD", "--ignore-submodules"):
            raise SystemExit(f"{folder} has changed files: the suite must run as it was published.")


def check_lists() -> None:
    """Refuse an expected failure, and a skip without a reason right above it."""
    xfails = [line for line in lines_of("xfails.txt") if line and not line.startswith("#")]
    if xfails:
        raise SystemExit("conformance/xfails.txt stays empty: mend arraygrad instead.")
    previous = ""
    for line in lines_of("skips.txt"):
        if line and not line.startswith("#") and not previous.startswith("#"):
            raise SystemExit(f"conformance/skips.txt: {line} needs its reason in a comment above.")
        previous = line


def skips_for(version: str) -> list[str]:
    """Ids to skip for one version; ``until 2024.12: id`` is for that version and those before."""
    skips = []
    for line in lines_of("skips.txt"):
        if not line or line.startswith("#"):
            continue
        last, found, name = line.removeprefix("until ").partition(": ")
        if not found:
            skips.append(line)
        elif version != UNSET and version <= last:
            skips.append(name)
    return skips


def lines_of(name: str) -> list[str]:
    """Stripped lines of one of our lists."""
    return [line.strip() for line in (HERE / name).read_text().splitlines()]


def run(suite: Path, version: str, max_examples: int, extra: list[str]) -> Result:
    """Run the suite for one version of the standard."""
    REPORT.mkdir(exist_ok=True)
    report = REPORT / f"{version}.xml"
    report.unlink(missing_ok=True)
    environment = {**os.environ, "ARRAY_API_TESTS_MODULE": "arraygrad"}
    environment.pop("ARRAY_API_TESTS_VERSION", None)
    if version != UNSET:
        environment["ARRAY_API_TESTS_VERSION"] = version
    skips = REPORT / f"skips-{version}.txt"
    skips.write_text("\n".join(skips_for(version)) + "\n")
    roots = [str(HERE.parent), str(HERE.parent / "kernels"), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, roots))

    # a first call may compile a kernel, so Hypothesis must not time single examples
    command = [sys.executable, "-m", "pytest", "-c", str(suite / "pytest.ini")]
    command += [f"--rootdir={suite}", "-p", "no:cacheprovider", f"--junitxml={report}"]
    command += [f"--xfails-file={HERE / 'xfails.txt'}", f"--skips-file={skips}"]
    command += [f"--max-examples={max_examples}", "--disable-deadline"]
    # a path or test id among the arguments replaces the whole suite
    chosen = [a for a in extra if a.startswith("array_api_tests")]
    options = [a for a in extra if a not in chosen]
    command += [*options, *(str(suite / name) for name in chosen or ["array_api_tests"])]

    print(f"\n=== Array API {version}, {max_examples} examples a test ===", flush=True)
    started = time.perf_counter()
    exit_code = subprocess.run(command, cwd=REPORT, env=environment, check=False).returncode
    return summarise(version, report, exit_code, time.perf_counter() - started)


def summarise(version: str, report: Path, exit_code: int, seconds: float) -> Result:
    """Count the outcomes in pytest's report."""
    if not report.exists():
        return Result(version, 0, 0, 0, seconds, exit_code or 1)
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for suite in ET.parse(report).getroot().iter("testsuite"):
        for name in counts:
            counts[name] += int(suite.get(name, "0"))
    failed = counts["failures"] + counts["errors"]
    passed = counts["tests"] - failed - counts["skipped"]
    return Result(version, passed, failed, counts["skipped"], seconds, exit_code)


def table(results: list[Result]) -> str:
    """The summary, one row for each version."""
    lines = [f"{'version':>8} {'passed':>8} {'failed':>8} {'skipped':>8} {'seconds':>8}"]
    lines += [
        f"{r.version:>8} {r.passed:>8} {r.failed:>8} {r.skipped:>8} {r.seconds:>8.0f}"
        + ("" if r.ok else f"   pytest's exit code {r.exit_code}")
        for r in results
    ]
    return "\n".join(lines)


def parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our options, and the rest, which pytest gets."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance",
        description="Run the public Array API test-suite against arraygrad.",
        epilog="Everything else goes to pytest, such as -x, -n 2, -k NAME, --derandomize or "
        "array_api_tests/test_fft.py.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--suite",
        type=Path,
        default=os.environ.get("ARRAY_API_TESTS_DIR"),
        help="a checkout of array-api-tests with its submodule (default: ARRAY_API_TESTS_DIR, "
        "else the pinned revision is cloned)",
    )
    parser.add_argument(
        "--version",
        default=LATEST,
        choices=[*VERSIONS, UNSET, "all"],
        help=f"of the standard (default {LATEST}; `all`: each of them, and unset)",
    )
    parser.add_argument(
        "--max-examples",
        type=int,
        help=f"Hypothesis examples a test (default {EXAMPLES[LATEST]} for {LATEST}, "
        f"{OTHER_EXAMPLES} for the others)",
    )
    return parser.parse_known_args(arguments)


def main(arguments: list[str]) -> int:
    """Run what was asked for; 0 if nothing failed."""
    options, extra = parse(arguments)
    check_lists()
    suite = Path(options.suite).resolve() if options.suite else clone()
    verify(suite)
    versions = [*VERSIONS, UNSET] if options.version == "all" else [options.version]
    results = [
        run(suite, version, options.max_examples or EXAMPLES.get(version, OTHER_EXAMPLES), extra)
        for version in versions
    ]
    print(f"\n{table(results)}")
    return 0 if all(result.ok for result in results) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

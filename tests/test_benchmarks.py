"""The benchmark harness: it measures what it says and refuses contestants that disagree."""

import json
import time

import numpy as np
import pytest

from benchmarks import harness, report, targets


def spin(seconds: float) -> harness.Call:
    """A call that takes at least so long."""

    def call() -> object:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            pass
        return None

    return call


def workload(calls: dict[str, harness.Call], tolerance: float = 1e-6) -> harness.Workload:
    return harness.Workload("w", "g", lambda libraries: calls, tolerance)


def test_race_interleaves_and_calls_everyone_equally_often() -> None:
    seen: list[str] = []
    calls = {name: lambda name=name: seen.append(name) for name in ("arraygrad", "a", "b")}
    original, harness.BATCH_SECONDS = harness.BATCH_SECONDS, 0.0  # one call a batch
    try:
        timings = harness.race(calls, dict.fromkeys(calls, 1.0), rounds=3)
    finally:
        harness.BATCH_SECONDS = original
    assert seen[:3] == ["arraygrad", "a", "b"]  # calibration
    assert seen[3:] == ["arraygrad", "a", "b", "a", "b", "arraygrad", "b", "arraygrad", "a"]
    assert timings["arraygrad"].ratio is None
    assert timings["a"].first == 1.0


def test_ratio_is_theirs_over_ours() -> None:
    timing = harness.timing(0.0, [2.0, 4.0, 6.0], [1.0, 2.0, 2.0])
    assert timing.ratio == 2.0
    assert timing.ratio_low <= timing.ratio <= timing.ratio_high
    assert (timing.median, timing.best) == (4.0, 2.0)


def test_one_round_has_no_spread() -> None:
    timing = harness.timing(0.0, [4.0], [2.0])
    assert (timing.ratio_low, timing.ratio, timing.ratio_high) == (2.0, 2.0, 2.0)


def test_calibrate_fills_a_batch() -> None:
    number = harness.calibrate(spin(2e-5))
    assert number > 1
    assert number * 2e-5 < 20 * harness.BATCH_SECONDS


@pytest.mark.parametrize(
    ("theirs", "message"),
    [
        (np.ones(3) * 1.001, "differs from ours"),
        (np.ones(4), "gives"),
        (np.full(3, np.nan), "diff"),
    ],
)
def test_disagreement_is_refused(theirs: np.ndarray, message: str) -> None:
    calls = {"arraygrad": lambda: np.ones(3), "peer": lambda: theirs}
    with pytest.raises(SystemExit, match=message):
        harness.check(workload(calls), calls)


def test_agreement_passes() -> None:
    calls = {"arraygrad": lambda: np.ones(3), "peer": lambda: np.ones(3) + 1e-9}
    harness.check(workload(calls), calls)


def test_report_shows_ratios_and_dashes() -> None:
    ours = {"first": 0.5, "median": 2e-6, "best": 1e-6, "ratio": None}
    theirs = ours | {"ratio": 3.0, "ratio_low": 2.5, "ratio_high": 3.5}
    text = report.render(
        {
            "machine": {"cpu": "C", "cores": 2, "threads": 1, "system": "S", "python": "3"},
            "versions": {"arraygrad": "0"},
            "date": "D",
            "command": "python",
            "workloads": [
                {"name": "add", "row": "1a", "timings": {"arraygrad": ours, "numpy": theirs}}
            ],
        }
    )
    row = [cell.strip() for cell in text.splitlines()[-1].strip("|").split("|")]
    assert row == ["add", "2 us", "500 ms", "3.00 [2.50, 3.50]", "-", "-", "-", "-"]
    assert "3.00 [2.50, 3.50] >= 0.5 " in text
    assert "- (target 2.5)" in text


def test_every_workload_belongs_to_a_row_and_every_row_has_one() -> None:
    workloads = targets.workloads()
    assert {w.row for w in workloads} == {row.key for row in targets.ROWS}
    assert len({w.name for w in workloads}) == len(workloads)


def test_rows_are_selected_by_number() -> None:
    assert targets.numbers("1-3,9") == {1, 2, 3, 9}
    with pytest.raises(SystemExit, match="no selection"):
        targets.numbers("fast")
    with pytest.raises(SystemExit, match="no row 77"):
        targets.numbers("77")


def test_results_of_several_values_are_compared_part_by_part() -> None:
    calls = {
        "arraygrad": lambda: (np.ones(2), [np.zeros(3), np.ones(1)]),
        "peer": lambda: (np.ones(2), [np.zeros(3), np.full(1, 2.0)]),
    }
    with pytest.raises(SystemExit, match="peer differs from ours by 1"):
        harness.check(workload(calls), calls)


def test_saving_keeps_what_other_runs_measured(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(harness, "RESULTS", tmp_path)
    machine = {"threads": 1}
    for name in ("a", "b", "a"):
        report = harness.Report("D", "C", machine, {}, [{"name": name}])
        path = harness.save(report)
    assert [w["name"] for w in json.loads(path.read_text())["workloads"]] == ["b", "a"]

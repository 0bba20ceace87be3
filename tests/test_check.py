"""``python -m arraygrad check``: what it finds in NumPy programs, and its exit status."""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import __main__ as command, _answers, checking
from tests.fresh_process import environment
from tests.lift.corpus import filling

PROGRAMS = """
import math
import numpy as np

SCALE = np.array([1.0, 2.0, 3.0])


def loss(x, scale):
    out = np.zeros(3)
    for i in range(3):
        out[i] = math.exp(x[i]) * scale
    out += SCALE
    out[out < 1.5] = 0.0
    parts = [np.sin(v) for v in out]
    return np.array(parts).sum() + np.linalg.norm(x) + float(np.floor(x[0])) + out.max()


def masked(x):
    y = np.exp(x)
    return float(np.ma.array(y).sum() + x.sum())


def distances(x):
    d = x[:, None] - x[None, :]
    r = np.sqrt(d**2)
    r[r == 0] = 1.0
    return np.sum(np.triu(1 / r, 1))


def perhaps_an_array(x):
    y = np.sin(x)
    try:
        y[0] = 3.0
    except TypeError:
        y = y + 1.0
    return y * 2


def of_a_library(x):
    import random

    return random.choices([1.0] * 3, weights=x)[0] + x.sum()


def refused(x):
    return np.strings.upper(np.asarray(x, dtype=str)).size + np.datetime_as_string(x)


def integers(x):
    n = int(x.sum())
    return n + np.argmax(x) + np.round(x, 1).sum() + x[0]


def several(a, b):
    return a @ b, {"c": np.cumsum(a, axis=1)}


def tied(x):
    return np.max(x) + x.sum()


def single(x):
    return (x.astype(np.float32) ** 2).sum()


def draws(x):
    return x.sum() + np.random.normal()


def text(x):
    return f"{x}"


def infinite(x):
    return np.log(x * 0.0).sum()


def fails(x):
    return np.linalg.cholesky(x)


def exits(x):
    raise SystemExit(0)


def generates(x):
    yield x.sum()


async def waits(x):
    return x.sum()


def in_place(u):
    for _ in range(3):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u.copy()


def wrong(x):
    return np.tanh(x).sum() + np.sqrt(x * x + 1.0).sum()


def joined(x):
    return np.add.reduce(np.r_[x, 1.0] * np.hypot(2.0, x[0])) + np.square(x, out=np.empty(3)).sum()


class Model:
    def __init__(self):
        self.f = np.tanh

    def __call__(self, x):
        return self.f(x) @ x


model = Model()
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("check") / "programs_to_check.py"
    path.write_text(PROGRAMS, encoding="utf-8")
    return path


def report_on(path: Path, name: str, *args: object) -> checking.Report:
    return checking.check(checking.load(f"{path}:{name}"), args)


def by_text(report: checking.Report) -> dict[str, checking.CallReport]:
    return {call.site.text: call for call in report.calls}


def line_of(text: str) -> int:
    return PROGRAMS.splitlines().index(text) + 1


def values(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


def test_calls_of_a_differentiable_function(programs: Path) -> None:
    report = report_on(programs, "loss", values(3), 0.5)
    calls = by_text(report)
    assert report.ok
    derivatives = {text: call.derivative for text, call in calls.items()}
    assert derivatives["np.zeros(3)"] == "data"
    assert derivatives["np.floor(x[0])"] == "flat"
    assert derivatives["out < 1.5"] == "none"
    for text in (
        "x[i]", "math.exp(x[i])", "math.exp(x[i]) * scale", "out[i] = ...", "out += SCALE",
        "out[out < 1.5] = ...", "np.sin(v)", "np.array(parts)", "np.array(parts).sum()",
        "np.linalg.norm(x)", "out.max()",
    ):  # fmt: skip
        assert derivatives[text] == "yes", text
        assert calls[text].error < 1e-8
        assert calls[text].seconds > 0
        assert calls[text].numpy_seconds > 0
    assert calls["np.sin(v)"].site.calls == 3
    assert calls["out += SCALE"].site.line == line_of("    out += SCALE")
    assert [right for *_, right in report.gradients] == [True, True]
    assert report.seconds > 0


def test_lost_gradient_is_named_with_its_line(programs: Path) -> None:
    report = report_on(programs, "masked", values(3))
    assert not report.ok
    line = "    return float(np.ma.array(y).sum() + x.sum())"
    assert report.problems[0].startswith(f"{programs}:{line_of(line)}: ")
    assert "would lose the gradient" in report.problems[0]
    assert line.strip() in report.problems[0]
    assert "differs from finite differences" in report.problems[-1]


def test_loss_inside_of_a_library_is_named_with_the_line_that_called_it(programs: Path) -> None:
    report = report_on(programs, "of_a_library", values(3))
    line = "    return random.choices([1.0] * 3, weights=x)[0] + x.sum()"
    assert report.problems[0].startswith(f"{programs}:{line_of(line)}: ")
    assert "float() in random.Random.choices would lose the gradient" in report.problems[0]
    assert line.strip() in report.problems[0]


def test_refused_call_is_named_with_its_line(programs: Path) -> None:
    with pytest.raises(ag.errors.ArgumentError, match="itself fails"):
        report_on(programs, "refused", values(3))


def test_what_has_no_derivative_is_no_problem(programs: Path) -> None:
    report = report_on(programs, "integers", values(3))
    derivatives = {text: call.derivative for text, call in by_text(report).items()}
    assert report.ok
    assert derivatives["int(x.sum())"] == "none"
    assert derivatives["np.argmax(x)"] == "none"
    assert derivatives["np.round(x, 1)"] == "flat"


def test_kink_is_no_problem(programs: Path) -> None:
    report = report_on(programs, "tied", np.ones(3))
    assert report.ok
    assert by_text(report)["np.max(x)"].derivative == "kink"


def test_edge_of_a_domain_is_no_problem(programs: Path) -> None:
    report = report_on(programs, "distances", np.array([0.3, 1.0, -0.4]))
    assert report.ok
    assert by_text(report)["np.sqrt(d**2)"].derivative == "kink"


def test_assignment_that_a_number_refuses_is_no_problem(programs: Path) -> None:
    report = report_on(programs, "perhaps_an_array", 0.5)
    assert report.ok
    assert not any(call.why for call in report.calls)


def test_single_precision_has_its_tolerance(programs: Path) -> None:
    assert report_on(programs, "single", values(3)).ok
    assert report_on(programs, "loss", values(3).astype(np.float32), np.float32(0.5)).ok


def test_complex_arguments_and_several_results(programs: Path) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=s) + 1j * rng.normal(size=s) for s in ((2, 3), (3, 4)))
    report = report_on(programs, "several", a, b)
    assert report.ok
    assert [name for name, *_ in report.gradients] == ["argument 0", "argument 1"]


def test_arguments_and_user_objects_are_not_changed(programs: Path) -> None:
    u = values(6)
    before = u.copy()
    assert report_on(programs, "in_place", u).ok
    np.testing.assert_array_equal(u, before)
    model = checking.load(f"{programs}:model")
    assert checking.check(model, [values(3)]).ok
    assert model.f is np.tanh
    assert type(model).__name__ == "Model"
    assert type(model) is checking.load(f"{programs}:Model")


def test_objects_methods_and_out_are_watched(programs: Path) -> None:
    report = report_on(programs, "joined", values(3))
    derivatives = {text: call.derivative for text, call in by_text(report).items()}
    assert report.ok
    assert derivatives["np.r_[x, 1.0]"] == "yes"
    assert derivatives["np.hypot(2.0, x[0])"] == "yes"
    assert derivatives["np.square(x, out=np.empty(3))"] == "yes"
    assert derivatives["np.add.reduce(np.r_[x, 1.0] * np.hypot(2.0, x[0]))"] == "yes"


def test_wrong_derivative_is_found(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that is off by a factor, and a function that drops the gradient."""
    right = _answers.ANSWERS[np.tanh]
    wrong = {
        np.tanh: lambda x: right(x.detach()) + 0.5 * (right(x) - right(x).detach()),
        np.sqrt: lambda x: ag.sqrt(x.detach()),
    }
    for known in (_answers.ANSWERS, _answers.ASKED):  # earlier tests may have asked
        for function, rule in wrong.items():
            monkeypatch.setitem(known, function, rule)
    report = report_on(programs, "wrong", values(3))
    derivatives = {text: call.derivative for text, call in by_text(report).items()}
    assert derivatives["np.tanh(x)"] == "WRONG"
    assert derivatives["np.sqrt(x * x + 1.0)"] == "LOST"
    line = line_of("    return np.tanh(x).sum() + np.sqrt(x * x + 1.0).sum()")
    assert sum(p.startswith(f"{programs}:{line}: ") for p in report.problems) == 2


def test_script_that_exits_is_not_taken_for_success(tmp_path: Path) -> None:
    path = tmp_path / "script_that_exits.py"
    path.write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    with pytest.raises(ag.errors.ArgumentError, match="cannot be imported: SystemExit: 0"):
        checking.load(f"{path}:f")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exits", "itself fails on these arguments: SystemExit: 0"),
        ("generates", "name one that calls it"),
        ("draws", "other values each time"),
        ("text", "no floating-point number"),
        ("infinite", "not finite"),
        ("fails", "itself fails on these arguments: LinAlgError"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_function_that_cannot_be_checked(programs: Path, name: str, message: str) -> None:
    with pytest.raises(ag.errors.ArgumentError, match=message):
        report_on(programs, name, values(3))


def test_table_is_aligned(programs: Path) -> None:
    lines = report_on(programs, "loss", values(3), 0.5).text().splitlines()
    header = next(line for line in lines if line.startswith("where"))
    row = next(line for line in lines if "math.exp(x[i]) * scale" in line)
    assert row.index("yes") == header.index("derivative")
    assert row.rindex(" ") < len(header) == len(row)
    assert "ok: nothing is lost, every gradient is right" in lines


# -- the command -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["{}:loss", "--shapes", "(3,), ()"], 0),
        (["{}:loss", "--shapes", "(3,), ()", "--range", "0.5", "2", "--seed", "3"], 0),
        (["{}:loss", "--values", "[0.1, 0.2, 0.3], 0.5"], 0),
        (["{}:loss", "--shapes", "(3,), ()", "--dtype", "float32"], 0),
        (["{}:model", "--shapes", "(4,)"], 0),
        (["{}:masked", "--shapes", "(4,)"], 1),
        (["{}:fails", "--shapes", "(2, 3)"], 2),
        (["{}:missing", "--shapes", "(4,)"], 2),
        (["{}:SCALE", "--shapes", "(4,)"], 2),
        (["{}", "--shapes", "(4,)"], 2),
        (["nowhere.py:f", "--shapes", "(4,)"], 2),
        (["{}:masked"], 2),
        (["{}:masked", "--shapes", "(4,", "--seed", "1"], 2),
        (["{}:masked", "--shapes", "'a'"], 2),
        (["{}:masked", "--shapes", "(4,)", "--dtype", "int64"], 2),
        (["{}:masked", "--values", "3"], 2),
        (["{}:exits", "--shapes", "(3,)"], 2),
        (["{}:generates", "--shapes", "(3,)"], 2),
        (["{}:waits", "--shapes", "(3,)"], 2),
        (["{}:", "--shapes", "(3,)"], 2),
        (["{}:loss", "--shapes", "(3,), ()", "--range", "2", "1"], 2),
        (["{}:loss", "--shapes", "(3,), ()", "--range", "nan", "1"], 2),
        (["{}:loss", "--shapes", "(3,), ()", "--seed", "-1"], 2),
        (["{}:loss", "--shapes", "(3, 10**30), ()"], 2),
        (["{}:loss", "--shapes", "(3, 1000000000000000), ()"], 2),
        (["{}:loss", "--values", "open('x'), 0.5"], 2),
    ],
)
def test_exit_status(
    programs: Path, capsys: pytest.CaptureFixture[str], options: list[str], status: int
) -> None:
    assert command.main(["check", *(o.format(programs) for o in options)]) == status
    printed = capsys.readouterr()
    assert bool(printed.out) == (status < 2)
    assert printed.err.startswith("check: ") == (status == 2)


def test_file_of_a_package_is_imported_as_part_of_it() -> None:
    found = checking.load(f"{filling.__file__}:{_first_function(filling)}")
    assert found.__module__.endswith("corpus.filling")


def _first_function(module: object) -> str:
    return next(
        name for name, value in vars(module).items()
        if getattr(value, "__module__", "") == getattr(module, "__name__", None)
    )  # fmt: skip


def test_from_the_command_line(tmp_path: Path) -> None:
    source = """
        import numpy as np

        def f(x):
            return np.sum(np.sort(x) ** 2)
        """
    (tmp_path / "f.py").write_text(textwrap.dedent(source), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "arraygrad", "check", f"{tmp_path / 'f.py'}:f", "--shapes", "(5,)"],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "f.py:5  np.sort(x) " in done.stdout

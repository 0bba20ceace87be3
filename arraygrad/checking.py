"""``python -m arraygrad check FILE.py:function``: which calls of a NumPy function differentiate.

The function runs lifted, every NumPy call in it is watched, and each is then run again by itself:
its value against NumPy's, its gradient against finite differences of NumPy's, its time against
NumPy's. Last the same for the function as a whole.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import linecache
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ._apply import wrap
from ._detach import LIFTED_MARK, DetachWarning, set_detach_policy
from ._engine import alias
from ._errors import ArgumentError
from ._graph import GRAD_MODE
from .autograd.gradcheck import random_like
from .autograd.recorded import Recorded, lifted
from .lifting.replay import Array, Replay, array_of, floats_in, inner, precision_of, slopes_of
from .lifting.spying import Sample, Site, SpyRecord, Watch, watching

__all__ = ["CallReport", "Report", "arguments_from", "check", "load"]

# Largest relative error of a directional derivative, by the precision of the arguments.
TOLERANCE = {2: 1e-1, 4: 2e-3, 8: 1e-5, 16: 1e-5}
_DTYPES = ("float64", "float32", "float16", "complex128", "complex64")
_PROBLEMS = frozenset({"LOST", "WRONG", "VALUE"})
_LEGEND = """\
yes   the gradient agrees with finite differences     data  no argument carries a gradient
flat  locally constant: the derivative is zero        none  the result is not floating-point
kink  no derivative at this very point                ?     could not be run by itself
LOST  a derivative that does not arrive   WRONG  gradient differs   VALUE  value differs"""


@dataclass
class CallReport:
    """What was found about one call in the user's code.

    derivative : "yes", "flat", "kink", "none", "data", "?", or a problem: "LOST", "WRONG", "VALUE"
    """

    site: Site
    derivative: str
    error: float | None = None
    seconds: float | None = None
    numpy_seconds: float | None = None
    why: str = ""  # it could not be run by itself
    precision: int = 8  # bytes of the least precise number in it


@dataclass
class Report:
    """What was found about a function."""

    name: str
    arguments: str
    calls: list[CallReport] = field(default_factory=list)
    gradients: list[tuple[str, float, bool]] = field(default_factory=list)
    seconds: float | None = None
    numpy_seconds: float | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing is lost or wrong."""
        return not self.problems

    def text(self) -> str:
        """The report as aligned columns."""
        lines = [f"{self.name}({self.arguments})", ""]
        if self.calls:
            lines += [*_table(self.calls), "", _LEGEND, ""]
            unknown = [c for c in self.calls if c.why]
            lines += [f"? {c.site.line}: {_short(c.site.text)}: {c.why}" for c in unknown]
            lines += [""] * bool(unknown)
        for name, error, right in self.gradients:
            lines.append(f"gradient by {name:24} error {error:.1e}   {'ok' if right else 'WRONG'}")
        if self.seconds is not None and self.numpy_seconds:
            lines.append(
                f"time of the function {_time(self.numpy_seconds)}, with its gradient "
                f"{_time(self.seconds)} ({self.seconds / self.numpy_seconds:.1f} times)"
            )
        lines.append("")
        if self.ok:
            lines.append("ok: nothing is lost, every gradient is right")
        else:
            lines.append(f"{len(self.problems)} problem{'s' * (len(self.problems) != 1)}:")
            lines += [f"  {problem}" for problem in self.problems]
        return "\n".join(lines)


def _table(calls: Sequence[CallReport]) -> list[str]:
    rows = [("where", "call", "times", "derivative", "error", "arraygrad", "NumPy", "ratio")]
    for c in calls:
        both = c.seconds is not None and c.numpy_seconds
        rows.append(
            (f"{Path(c.site.file).name}:{c.site.line}", _short(c.site.text), str(c.site.calls))
            + (c.derivative, "" if c.error is None else f"{c.error:.0e}")
            + ("" if c.seconds is None else _time(c.seconds),)
            + ("" if c.numpy_seconds is None else _time(c.numpy_seconds),)
            + (f"{c.seconds / c.numpy_seconds:.1f}" if both else "",)  # type: ignore[operator]
        )
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    words = {0, 1, 3}
    lines = [
        "  ".join(
            cell.ljust(w) if k in words else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]


def _short(text: str, width: int = 44) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


# -- call by call ----------------------------------------------------------------------------------


def _judge(site: Site) -> CallReport:
    """Run the samples of a place again; the worst that is found."""
    order = ("?", "data", "none", "flat", "yes", "kink", "VALUE", "LOST", "WRONG")
    worst = CallReport(site, "?")
    for sample in site.samples:
        try:
            with np.errstate(all="ignore"):
                found = _judge_sample(site, sample)
        except Exception as error:  # noqa: BLE001 - outside of the user's code it may do anything
            if site.name == "__setitem__" and isinstance(error, TypeError):
                # The code tries whether it was given an array, and goes on if it was not.
                worst.derivative = "none"
            elif worst.derivative == "?":
                worst.why = f"{type(error).__name__}: {error}"
            continue
        if order.index(found.derivative) >= order.index(worst.derivative):
            worst = found
    return worst


def _judge_sample(site: Site, sample: Sample) -> CallReport:
    run = Replay(sample, site.name == "__setitem__")
    report = CallReport(site, "data", seconds=run.seconds(False))
    try:
        report.numpy_seconds = run.seconds(True)
    except Exception as error:  # noqa: BLE001 - it may call back into lifted code
        if site.name == "__setitem__" and isinstance(error, TypeError):
            report.derivative = "none"
            return report
        report.derivative = "?"
        report.why = f"by NumPy alone: {type(error).__name__}: {error}"
        return report
    if not run.moving or site.name.startswith("empty"):
        return report
    if not run.outputs:
        report.derivative = "none"
        return report
    floats = [f.array for f in sample.frozen if f.array.dtype.kind in "fc"]
    report.precision = precision_of([*floats, *map(array_of, run.outputs)])
    tolerance = TOLERANCE[report.precision]
    for ours, numpys in zip(run.outputs, run.values(wide=False), strict=True):
        if not np.allclose(array_of(ours), numpys, rtol=tolerance, atol=1e-8, equal_nan=True):
            report.derivative = "VALUE"
            return report
    edge = run.leave_out_edges()
    slopes = slopes_of(run.values, run.weights)
    if not run.reached():
        report.derivative = "flat" if slopes.is_flat or slopes.at_kink else "LOST"
        return report
    slope = run.slope()
    if slope == 0.0 and slopes.is_flat:
        report.derivative = "flat"
        return report
    report.error = slopes.error(slope)
    right = report.error < tolerance
    at_kink = edge if right else slopes.at_kink
    report.derivative = "kink" if at_kink else "yes" if right else "WRONG"
    return report


# -- the function as a whole -----------------------------------------------------------------------


def check(f: Callable[..., Any], args: Sequence[Any], names: Sequence[str] = ()) -> Report:
    """Run a NumPy function on tensors and report on each NumPy call and on the whole.

    Parameters
    ----------
    f : callable
        Plain NumPy code.
    args : sequence
        Its arguments; floating-point arrays and numbers are differentiated by.
    names : sequence of str, optional
        What the report calls them.

    Returns
    -------
    Report
        With ``text()``, ``ok`` and the findings.

    Raises
    ------
    ArgumentError
        The function itself fails on these arguments, returns no number, or gives other values each
        time.
    """
    names = [*names, *(f"argument {i}" for i in range(len(names), len(args)))]
    described = ", ".join(f"{n}: {_described(a)}" for n, a in zip(names, args, strict=True))
    report = Report(getattr(f, "__name__", "function"), described)
    moving = [i for i, a in enumerate(args) if _is_floating(a)]
    if not moving:
        raise ArgumentError("no argument is floating-point: there is nothing to differentiate by")
    _check_plain(f, args)
    watch = Watch()
    _watch_run(f, args, watch, report)
    report.calls = [_judge(site) for site in _in_order(watch)]
    for call in report.calls:
        if call.derivative in _PROBLEMS:
            report.problems.append(f"{call.site.file}:{call.site.line}: {_said(call)}")
    if not any("stopped" in p for p in report.problems):
        _check_whole(f, args, moving, names, report)
    report.problems = list(dict.fromkeys(report.problems))
    return report


def _in_order(watch: Watch) -> list[Site]:
    files = list(dict.fromkeys(site.file for site in watch.sites.values()))
    return sorted(watch.sites.values(), key=lambda s: (files.index(s.file), s.line))


def _said(call: CallReport) -> str:
    says = {
        "LOST": "the gradient is lost in",
        "WRONG": f"the gradient differs from finite differences (error {call.error or 0:.1e}) in",
        "VALUE": "the value differs from NumPy's in",
    }
    return f"{says[call.derivative]} {call.site.text}"


def _is_floating(x: Any) -> bool:
    return (
        isinstance(x, float | complex | np.ndarray | np.generic)
        and np.asarray(x).dtype.kind in "fc"
    )


def _described(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"{x.dtype} {x.shape}"
    return f"{type(x).__name__} {x!r}" if len(repr(x)) < 20 else type(x).__name__


def _copies(args: Sequence[Any]) -> list[Any]:
    return [np.array(a) if isinstance(a, np.ndarray) else a for a in args]


def _check_plain(f: Callable[..., Any], args: Sequence[Any]) -> None:
    if inspect.iscoroutinefunction(f) or inspect.isgeneratorfunction(f):
        raise ArgumentError(
            "the function is a generator or coroutine: name one that calls it and returns numbers"
        )
    try:
        first = floats_in(f(*_copies(args)))
        second = floats_in(f(*_copies(args)))
    except (Exception, SystemExit) as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = "" if where.filename == __file__ else f" ({where.filename}:{where.lineno})"
        raise ArgumentError(
            f"the function itself fails on these arguments: {type(error).__name__}: {error}{place}"
        ) from error
    if not first:
        raise ArgumentError("the function returns no floating-point number or array")
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True)):
        raise ArgumentError(
            "the function gives other values each time it is called; give its random numbers a seed"
        )
    if not all(np.all(np.isfinite(a)) for a in first):
        raise ArgumentError(
            "the function's value is not finite on these arguments; choose others with --values or "
            "--range"
        )


def _watch_run(f: Callable[..., Any], args: Sequence[Any], watch: Watch, report: Report) -> None:
    entered = [
        alias(wrap(np.array(a)[()] if not isinstance(a, np.ndarray) else a.copy()))
        if _is_floating(a) else a
        for a in args
    ]  # fmt: skip
    token = GRAD_MODE.set(True)
    try:
        with (
            warnings.catch_warnings(record=True) as caught,
            set_detach_policy("warn"),
            watching(watch),
        ):
            warnings.simplefilter("always", DetachWarning)
            SpyRecord(f, watch).run(tuple(entered), {}, False, False)
    except Exception as error:  # noqa: BLE001 - the user's code may raise anything
        place = _users_line(error)
        report.problems.append(f"{place}: stopped by {type(error).__name__}: {error}")
    finally:
        GRAD_MODE.reset(token)
    for warning in caught:
        if issubclass(warning.category, DetachWarning):
            lost = str(warning.message).partition(";")[0]
            line = linecache.getline(warning.filename, warning.lineno).strip()
            report.problems.append(f"{warning.filename}:{warning.lineno}: {lost}: {line}")


def _users_line(error: BaseException) -> str:
    place = "?"
    step = error.__traceback__
    while step is not None:
        if LIFTED_MARK in step.tb_frame.f_globals:
            place = f"{step.tb_frame.f_code.co_filename}:{step.tb_lineno}"
        step = step.tb_next
    return place


def _check_whole(
    f: Callable[..., Any],
    args: Sequence[Any],
    moving: Sequence[int],
    names: Sequence[str],
    report: Report,
) -> None:
    body = lifted(f)
    rng = np.random.default_rng(1)

    def run() -> tuple[list[Any], list[Any], list[Array]]:
        recorded = Recorded(body, _copies(args), {}, moving, False)
        outputs = [leaf for _, v in recorded.leaves for leaf in floats_in(v)]
        weights = [random_like(rng, array_of(o)) for o in outputs]
        remaining = iter(weights)
        cotangents = [wrap(next(remaining)) if floats_in(v) else None for _, v in recorded.leaves]
        return outputs, recorded.gradients(cotangents, False, True), weights

    with warnings.catch_warnings(), set_detach_policy("allow"):
        warnings.simplefilter("ignore")
        try:
            outputs, gradients, weights = run()
        except Exception as stop:  # noqa: BLE001 - the user's code may raise anything
            report.problems.append(f"{_users_line(stop)}: stopped by {type(stop).__name__}: {stop}")
            return
        report.numpy_seconds = _best(lambda: f(*_copies(args)))
        report.seconds = _best(run)
    precision = precision_of([np.asarray(args[i]) for i in moving])
    tolerance = TOLERANCE[min([precision, *(call.precision for call in report.calls)])]
    for ours, plain in zip(outputs, floats_in(f(*_copies(args))), strict=True):
        if not np.allclose(array_of(ours), plain, rtol=tolerance, atol=1e-8):
            report.problems.append(f"{report.name}: the value differs from NumPy's")
    for i, gradient in zip(moving, gradients, strict=True):
        error, right = _whole_error(f, args, i, array_of(gradient), weights, tolerance, rng)
        report.gradients.append((names[i], error, right))
        if not right:
            report.problems.append(
                f"{report.name}: the gradient by {names[i]} differs from finite differences "
                f"(error {error:.1e})"
            )


def _whole_error(
    f: Callable[..., Any], args: Sequence[Any], i: int, gradient: Array,
    weights: Sequence[Array], tolerance: float, rng: np.random.Generator,
) -> tuple[float, bool]:  # fmt: skip
    here = np.asarray(args[i])
    wide = np.result_type(here.dtype, np.float64)
    direction = random_like(rng, here.astype(wide))

    def values(h: float) -> list[Array]:
        moved = _copies(args)
        for k, a in enumerate(moved):
            if _is_floating(a):
                moved[k] = np.asarray(a).astype(np.result_type(np.asarray(a).dtype, np.float64))[()]
        moved[i] = (moved[i] + h * direction)[()]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return [np.asarray(v) for v in floats_in(f(*moved))]

    slopes = slopes_of(values, weights)
    error = slopes.error(inner(gradient, direction))
    return error, error < tolerance or slopes.at_kink


def _best(function: Callable[[], Any], rounds: int = 3) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


# -- the command -----------------------------------------------------------------------------------


def load(target: str) -> Callable[..., Any]:
    """The function that ``FILE.py:name`` names; the file is imported as Python would."""
    file, colon, name = target.rpartition(":")
    path = Path(file)
    if not colon or not name or path.suffix != ".py":
        raise ArgumentError(f"{target!r}: name the function as FILE.py:function")
    if not path.is_file():
        raise ArgumentError(f"{file}: there is no such file")
    path = path.resolve()
    root, module_name = path.parent, path.stem
    while (root / "__init__.py").exists():
        module_name = f"{root.name}.{module_name}"
        root = root.parent
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        found = _imported(module_name, path)
    except (Exception, SystemExit) as error:  # a script without `if __name__ == "__main__"` exits
        raise ArgumentError(
            f"{file} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise ArgumentError(f"{file} has no function {name!r}")
        found = getattr(found, part)
    if not callable(found):
        raise ArgumentError(f"{name} in {file} is a {type(found).__name__}, not a function")
    return found  # type: ignore[no-any-return]


def _imported(name: str, path: Path) -> Any:
    """The module of a file; that of a package, or imported before, under its own name."""
    known = sys.modules.get(name)
    if "." in name or (known is not None and getattr(known, "__file__", "") == str(path)):
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments_from(
    shapes: str | None, values: str | None, dtype: str, seed: int, limits: Sequence[float] | None
) -> list[Any]:
    """The arguments of the call, from what was typed on the command line."""
    if (shapes is None) == (values is None):
        raise ArgumentError("say either --shapes or --values, e.g. --shapes '(3,), (4, 2)'")
    kind = np.dtype(dtype) if dtype in _DTYPES else None
    if kind is None:
        raise ArgumentError(f"--dtype {dtype}: use one of {', '.join(_DTYPES)}")
    if values is not None:
        return [_value(v, kind) for v in _several(values, "--values")]
    if seed < 0:
        raise ArgumentError(f"--seed {seed}: use 0 or a positive number")
    low, high = limits or (0.0, 1.0)
    if not (np.isfinite([low, high]).all() and low <= high):
        raise ArgumentError(f"--range {low:g} {high:g}: use two finite numbers, the smaller first")
    rng = np.random.default_rng(seed)
    given = _literal(str(shapes), "--shapes")
    if isinstance(given, int) or (isinstance(given, tuple) and all(map(_is_int, given))):
        given = (given,)
    made = []
    for shape in given:
        size = (shape,) if _is_int(shape) else shape
        if not (isinstance(size, tuple) and all(_is_int(n) and n >= 0 for n in size)):
            raise ArgumentError(f"--shapes {shapes!r}: {shape!r} is not a shape, such as (4, 2)")
        try:
            array = random_like(rng, np.empty(size, np.result_type(kind, np.float64)))
        except (MemoryError, ValueError) as error:
            raise ArgumentError(f"--shapes {shapes!r}: {shape!r} is too large: {error}") from error
        if limits is not None:
            array = rng.uniform(low, high, size=size)
        made.append(np.asarray(array).astype(kind)[()])
    return made


def _is_int(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


def _literal(text: str, option: str) -> Any:
    try:
        return ast.literal_eval(text)
    except SyntaxError as error:
        raise ArgumentError(f"{option} {text!r} is not Python: {error.msg}") from error
    except ValueError as error:
        raise ArgumentError(
            f"{option} {text!r}: write numbers, tuples and lists, without names and calls"
        ) from error


def _several(text: str, option: str) -> tuple[Any, ...]:
    """Comma-separated Python values."""
    return _literal(f"({text},)", option)  # type: ignore[no-any-return]


def _value(value: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(value, list):
        array = np.asarray(value)
        return array.astype(dtype) if array.dtype.kind in "fc" else array
    return dtype.type(value) if isinstance(value, float | complex) else value


def main(
    target: str, shapes: str | None, values: str | None, dtype: str, seed: int,
    limits: Sequence[float] | None,
) -> int:  # fmt: skip
    """Print the report; 0 if all is right, 1 if there are problems, 2 if it could not be run."""
    try:
        f = load(target)
        args = arguments_from(shapes, values, dtype, seed, limits)
        names = getattr(getattr(f, "__code__", None), "co_varnames", ())
        count = getattr(getattr(f, "__code__", None), "co_argcount", 0)
        report = check(f, args, names[: min(count, len(args))])
    except ArgumentError as error:
        print(f"check: {error}", file=sys.stderr)
        return 2
    print(report.text())
    return 0 if report.ok else 1

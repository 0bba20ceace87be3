"""What later calls of lifted functions cost beside the same functions through NumPy's protocols.

``python -m benchmarks.lifted_calls`` prints, for each kind of function, the time of a call of
``ag.lift(f)`` and of ``f`` itself, both on tensors (on arrays in the last rows, where no gradient
is taken). All functions are so small that what calls cost shows; best of many rounds, interleaved.
"""

from __future__ import annotations

import dataclasses
import functools
import timeit
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import arraygrad as ag

ROUNDS, CALLS = 200, 100

FEATURES = np.linspace(0.0, 1.0, 50).reshape(10, 5)
TARGETS = np.linspace(0.0, 1.0, 10)
SCALE = 3.0
SETTINGS = {"slope": 2.0, "shift": 3.0}
COUNTS = {"calls": 0}
total = 0
REGISTRY: dict[str, Callable[..., Any]] = {}
HISTORY: list[Any] = []
TREE: dict[str, Any] = {"layer": {"weights": np.ones(5)}, "shifts": [np.ones(5), 2.0]}
SPACE = SimpleNamespace(scale=2.0, weights=np.ones(5))
DOUBLED = functools.partial(np.multiply, 2.0)


def _plain(x: Any) -> Any:
    return np.sin(x).sum()


def _helper(x: Any) -> Any:
    return np.exp(-x)


def _with_helper(x: Any) -> Any:
    return (_helper(x) * SCALE).sum()


def _with_global_arrays(x: Any) -> Any:
    return ((FEATURES @ x - TARGETS) ** 2).mean()


def _closure(features: Any, targets: Any) -> Callable[..., Any]:
    def loss(x: Any) -> Any:
        return ((features @ x - targets) ** 2).mean()

    return loss


class _Model:
    def __init__(self) -> None:
        self.features, self.targets, self.scale = FEATURES, TARGETS, 2.0

    def predicted(self, x: Any) -> Any:
        return self.features @ x

    def loss(self, x: Any) -> Any:
        return ((self.predicted(x) - self.targets) ** 2).mean()


@dataclasses.dataclass
class _Wave:
    phase: Any
    height: float


def _of_an_object(wave: _Wave) -> Any:
    return (np.sin(wave.phase) * wave.height).sum()


def _decorator(f: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    return wrapper


@_decorator
def _decorated(x: Any) -> Any:
    return (np.sin(x) * 2).sum()


def _registered(f: Callable[..., Any]) -> Callable[..., Any]:
    REGISTRY[f.__name__] = f
    return f


@_registered
def _squares(x: Any) -> Any:
    return (x**2).sum()


def _from_a_registry(x: Any) -> Any:
    return REGISTRY["_squares"](x)


def _counting(x: Any) -> Any:
    COUNTS["calls"] += 1
    return (x**2).sum()


def _with_settings(x: Any) -> Any:
    return (x * SETTINGS["slope"] + SETTINGS["shift"]).sum()


def _of_an_array(x: Any, features: Any) -> Any:
    return (features @ x).sum()


def _of_a_list(x: Any, numbers: list[float]) -> Any:
    return (x * numbers[0] + numbers[1]).sum()


def _with_keyword(x: Any, scale: float = 1.0) -> Any:
    return (x * scale).sum()


def _counting_in_a_global(x: Any) -> Any:
    global total
    total += 1
    return (x**2).sum()


def _counting_in_itself(x: Any) -> Any:
    _counting_in_itself.calls += 1  # type: ignore[attr-defined]
    return (x**2).sum()


_counting_in_itself.calls = 0  # type: ignore[attr-defined]


class _Rates:
    weights = np.linspace(0.0, 1.0, 5)
    table = {"slope": 2.0}  # noqa: RUF012 - what users write
    calls = 0


def _with_a_class(x: Any) -> Any:
    return (x * _Rates.weights * _Rates.table["slope"]).sum()


def _counting_in_a_class(x: Any) -> Any:
    _Rates.calls += 1
    return (x**2).sum()


def _with_defaults(x: Any, weights: Any = _Rates.weights, shifts: Any = (1.0, [2.0])) -> Any:
    return (x * weights + shifts[0]).sum()


@functools.lru_cache
def _grid(n: int) -> Any:
    return np.linspace(0.0, 1.0, n)


def _with_a_memo(x: Any) -> Any:
    return (x * _grid(5)).sum()


class _Pair(NamedTuple):
    values: Any
    scale: float


def _with_named_tuples(x: Any) -> Any:
    pair = _Pair(x, 2.0)
    return (pair.values * pair.scale).sum()


def _with_nested_arrays(x: Any) -> Any:
    return (x * TREE["layer"]["weights"] + TREE["shifts"][0]).sum()


def _with_a_namespace(x: Any) -> Any:
    return (x * SPACE.weights * SPACE.scale).sum()


def _with_a_partial(x: Any) -> Any:
    return DOUBLED(x).sum()


def _catching(x: Any) -> Any:
    try:
        return (x**2).sum()
    except ZeroDivisionError:
        return 0.0


def _of_a_function(x: Any, f: Callable[[Any], Any]) -> Any:
    return f(x).sum()


def _scaled(scale: float) -> Callable[[Any], Any]:
    return lambda x: x * scale


def _making_objects(x: Any) -> Any:
    return _of_an_object(_Wave(x, 2.0))


def _giving_a_dict(x: Any) -> Any:
    return {"loss": x.sum(), "doubled": x * 2}["loss"]


def _keeping_losses(x: Any) -> Any:
    loss = (x**2).sum()
    HISTORY.append(loss)
    del HISTORY[:-100]
    return loss


class _Layer:
    def __call__(self, x: Any) -> Any:
        self.before = x * 2
        self.after = np.tanh(self.before)
        return self.after.sum()


def _point() -> Any:
    return ag.tensor(np.linspace(0.1, 1.0, 5), requires_grad=True)


KINDS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "two operations": (_plain, (_point(),)),
    "with a helper": (_with_helper, (_point(),)),
    "with two global arrays": (_with_global_arrays, (_point(),)),
    "closure over two arrays": (_closure(FEATURES, TARGETS), (_point(),)),
    "method, two arrays in the object": (_Model().loss, (_point(),)),
    "of an object that holds a tensor": (_of_an_object, (_Wave(_point(), 2.0),)),
    "decorated": (_decorated, (_point(),)),
    "found in a registry": (_from_a_registry, (_point(),)),
    "that counts its calls": (_counting, (_point(),)),
    "with a dict of settings": (_with_settings, (_point(),)),
    "of a tensor and an array": (_of_an_array, (_point(), FEATURES)),
    "of a tensor and a list": (_of_a_list, (_point(), [1.0, 2.0])),
    "with a class's array and dict": (_with_a_class, (_point(),)),
    "that counts in a global": (_counting_in_a_global, (_point(),)),
    "that counts in its attribute": (_counting_in_itself, (_point(),)),
    "that counts in a class": (_counting_in_a_class, (_point(),)),
    "with arrays as defaults": (_with_defaults, (_point(),)),
    "with a memo (lru_cache)": (_with_a_memo, (_point(),)),
    "with named tuples": (_with_named_tuples, (_point(),)),
    "with arrays in dicts and lists": (_with_nested_arrays, (_point(),)),
    "with a namespace": (_with_a_namespace, (_point(),)),
    "with a partial": (_with_a_partial, (_point(),)),
    "catching ZeroDivisionError": (_catching, (_point(),)),
    "called with a keyword": (_with_keyword, (_point(),)),
    "of a tensor and a function": (_of_a_function, (_point(), np.negative)),
    "of a tensor and a closure": (_of_a_function, (_point(), _scaled(2.0))),
    "making an object": (_making_objects, (_point(),)),
    "making a dict": (_giving_a_dict, (_point(),)),
    "keeping a history of losses": (_keeping_losses, (_point(),)),
    "keeping what it computed": (_Layer(), (_point(),)),
    "two operations, on an array": (_plain, (np.ones(5),)),
    "two global arrays, on an array": (_with_global_arrays, (np.ones(5),)),
    "method, on an array": (_Model().loss, (np.ones(5),)),
}
KEYWORDS = {"called with a keyword": {"scale": 2.0}}


def measured() -> dict[str, tuple[float, float]]:
    """Microseconds of a lifted call and of a direct one, by kind."""
    calls: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {}
    for kind, (f, args) in KINDS.items():
        lifted, keywords = ag.lift(f), KEYWORDS.get(kind, {})
        for _ in range(40):  # kernels, and what is only looked at in early calls
            value = lifted(*args, **keywords)
        assert float(value.detach() if isinstance(value, ag.Tensor) else value) == float(
            ag.asarray(f(*args, **keywords)).detach()
        )
        calls[kind] = (
            functools.partial(lifted, *args, **keywords),
            functools.partial(f, *args, **keywords),
        )
    best = dict.fromkeys(calls, (np.inf, np.inf))
    for _ in range(ROUNDS):
        for kind, pair in calls.items():
            ours, direct = (timeit.timeit(call, number=CALLS) / CALLS * 1e6 for call in pair)
            best[kind] = min(best[kind][0], ours), min(best[kind][1], direct)
    return best


if __name__ == "__main__":
    ag.wait_for_compiler()
    print(f"{'function':34} {'lifted':>9} {'direct':>9} {'more':>9}")
    for kind, (ours, direct) in measured().items():
        print(f"{kind:34} {ours:6.2f} us {direct:6.2f} us {ours - direct:+6.2f} us")

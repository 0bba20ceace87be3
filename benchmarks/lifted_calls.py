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
from typing import Any

import numpy as np

import arraygrad as ag

ROUNDS, CALLS = 200, 100

FEATURES = np.linspace(0.0, 1.0, 50).reshape(10, 5)
TARGETS = np.linspace(0.0, 1.0, 10)
SCALE = 3.0
SETTINGS = {"slope": 2.0, "shift": 3.0}
COUNTS = {"calls": 0}
REGISTRY: dict[str, Callable[..., Any]] = {}


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
    "two operations, on an array": (_plain, (np.ones(5),)),
    "two global arrays, on an array": (_with_global_arrays, (np.ones(5),)),
    "method, on an array": (_Model().loss, (np.ones(5),)),
}


def measured() -> dict[str, tuple[float, float]]:
    """Microseconds of a lifted call and of a direct one, by kind."""
    calls: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {}
    for kind, (f, args) in KINDS.items():
        lifted = ag.lift(f)
        for _ in range(40):  # kernels, and what is only looked at in early calls
            value = lifted(*args)
        assert float(value.detach() if isinstance(value, ag.Tensor) else value) == float(
            ag.asarray(f(*args)).detach()
        )
        calls[kind] = functools.partial(lifted, *args), functools.partial(f, *args)
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

"""Memory for time: run a part of the computation again in the reverse pass."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from .._apply import node_of, scalar_class, wrap
from .._engine import alias
from .._errors import GradientError
from .._graph import GRAD_MODE, is_grad_enabled
from .._storage import TensorBase, mark_saved
from .hooks import saved_tensors_hooks
from .trees import flatten

__all__ = ["checkpoint"]


def checkpoint(
    f: Callable[..., Any], *args: Any, preserve_rng_state: bool = True, **kwargs: Any
) -> Any:
    """f(*args, **kwargs), keeping only its arguments for the derivative and not what it computes.

    When the reverse pass (or a forward pass) arrives, f runs again to get its intermediate values.

    Parameters
    ----------
    f : callable
        Must compute the same each time. It may write in place, to its arguments too.
    *args : any
        Arguments of f: tensors, arrays, containers of them, and anything else.
    preserve_rng_state : bool
        When f runs again, start from the same state: NumPy's and Python's global random state, and
        generators that f gets as arguments or reaches through its closure, defaults, global names,
        or attributes of its object, also by way of functions that it names.
    **kwargs : any
        Keyword arguments of f.

    Returns
    -------
    any
        What f returns.

    Notes
    -----
    Derivatives of any order flow as without the checkpoint, also by tensors that f uses without
    getting them as arguments; those must not be changed before the reverse pass.

    Examples
    --------
    >>> import arraygrad as ag
    >>> x = ag.tensor([1.0, 2.0], requires_grad=True)
    >>> y = ag.checkpoint(lambda t: (t * t * t).sum(), x)
    >>> y.backward()
    >>> x.grad
    tensor([ 3., 12.])
    """
    if not is_grad_enabled():
        return f(*args, **kwargs)
    region = _Region(f, args, kwargs, preserve_rng_state)
    with saved_tensors_hooks(region.pack, region.unpack):
        return f(*args, **kwargs)


class _Region:
    """What it takes to run f again, and the values that the last run gave.

    It holds arrays and not tensors: a gradient recorded on an argument would otherwise lead back
    to that argument, a cycle.
    """

    def __init__(
        self, f: Callable[..., Any], args: Any, kwargs: dict[str, Any], random: bool
    ) -> None:
        self.f = f
        leaves, self.rebuild = flatten((args, kwargs))
        # The user's code may draw from these; ours never does.
        self.random = _random_states(f) if random else None
        known = () if self.random is None else self.random.generators
        self.makers = [_maker(leaf, random and id(leaf) not in known) for _, leaf in leaves]
        self.likes: list[tuple[Any, Any]] = []
        self.values: dict[int, Any] = {}
        self.lock = threading.RLock()

    def pack(self, tensor: Any) -> int:
        """Forget the value; its number is enough."""
        self.likes.append((tensor._array.shape, tensor._array.dtype))
        return len(self.likes) - 1

    def unpack(self, number: int) -> Any:
        """The value with this number, from a new run if need be."""
        with self.lock:
            if number not in self.values:
                self._run_again()
            return self.values.pop(number)

    def _run_again(self) -> None:
        found: list[Any] = []

        def collect(tensor: Any) -> int:
            found.append(tensor)
            return 0

        args, kwargs = self.rebuild([make() for make in self.makers])
        token = GRAD_MODE.set(True)
        try:
            with self.random or nullcontext(), saved_tensors_hooks(collect, lambda piece: piece):
                self.f(*args, **kwargs)
        finally:
            GRAD_MODE.reset(token)
        likes = [(t._array.shape, t._array.dtype) for t in found]
        if likes != self.likes:
            raise GradientError(
                f"checkpoint: the function saved {len(self.likes)} values when it ran first and "
                f"{len(likes)}, or other ones, when it ran again; it must compute the same each "
                "time: pass what it depends on as arguments"
            )
        self.values = dict(enumerate(found))


def _random_states(f: Callable[..., Any]) -> Any:
    from .random_states import RandomStates  # loads numpy.random, which importing us does not

    return RandomStates(f)


def _maker(leaf: Any, random: bool) -> Callable[[], Any]:
    """A function that gives the leaf as it is now, however often it is asked."""
    if isinstance(leaf, TensorBase):
        array, tracked, kind = leaf._array, node_of(leaf) is not None, type(leaf)
        mark_saved(leaf)

        def make() -> Any:
            tensor = wrap(array[()] if issubclass(kind, scalar_class()) else array)
            tensor._array = array
            tensor._saved = True
            return alias(tensor) if tracked else tensor

        return make
    if isinstance(leaf, np.ndarray):
        kept = leaf.copy()
        return lambda: kept.copy()
    if random and isinstance(leaf, np.random.Generator | np.random.RandomState):
        generator = copy.deepcopy(leaf)
        return lambda: copy.deepcopy(generator)
    return lambda: leaf

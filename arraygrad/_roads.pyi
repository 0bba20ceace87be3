from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ._graph import Node
from ._op import Op

VERSION: int

def register_views(
    tensor: type,
    family: type,
    storage: type,
    functions: tuple[Callable[..., Any], ...],
    broadcast_to: tuple[Op, Callable[..., Any]],
) -> None: ...
def register_elementwise(
    op: type,
    state: tuple[Any, ...],
    limits: tuple[int, ...],
    functions: tuple[Callable[..., Any], ...],
) -> None: ...
def register_short(
    few: int, all_axes: list[tuple[int, ...]], functions: tuple[Callable[..., Any], ...]
) -> None: ...
def register_types(tensor: type, scalar: type) -> None: ...
def unary(op: Op, x: Any) -> Any: ...
def binary(op: Op, x1: Any, x2: Any) -> Any: ...
def operator(
    find: Callable[[], Op],
    method: Callable[..., Any],
    *,
    scalar: Any = ...,
    reflected: bool = ...,
    compares: bool = ...,
) -> Any: ...
def prefix_operator(find: Callable[[], Op], method: Callable[..., Any]) -> Any: ...
def viewed(
    op: Op,
    x: Any,
    array: Any,
    out: Any,
    name: str | None = ...,
    value: Any = ...,
    shape: str | None = ...,
) -> Any: ...
def reduction(op: Op, x: Any, axis: Any, keepdims: Any) -> Any: ...
def product(op: Op, x1: Any, x2: Any) -> Any: ...
def item_getter(find: Callable[[], Op], method: Callable[..., Any]) -> Any: ...
def register_protocols(
    asked: dict[Any, Callable[..., Any]],
    ours: set[type],
    raised: tuple[type[Exception], ...],
    functions: tuple[Callable[..., Any], ...],
) -> None: ...
def array_ufunc(*args: Any, **kwargs: Any) -> Any: ...
def array_function(x: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any: ...
def register_backward(
    op: type,
    tensor: type,
    heap: tuple[Callable[..., Any], ...],
    known: tuple[Any, ...],
    functions: tuple[Callable[..., Any], ...],
) -> None: ...
def fused_form(
    form: Callable[..., Any], table: dict[Any, Any], places: tuple[int, ...]
) -> Callable[[Node, Any], Sequence[Any] | None]: ...
def multiply_form(
    form: Callable[..., Any], both: Callable[..., Any], products: dict[Any, Any]
) -> Callable[[Node, Any], Sequence[Any] | None]: ...
def sum_form(
    form: Callable[..., Any], fill_up_to: int
) -> Callable[[Node, Any], Sequence[Any] | None]: ...
def walk(
    roots: Iterable[tuple[Node | None, Any]],
    keep: bool,
    wanted: dict[int, Node] | None,
    found: dict[int, Any] | None,
    arrived: list[tuple[Node, Any, bool]],
) -> None: ...
def accumulate(arrived: list[tuple[Node, Any, bool]], recording: bool) -> list[Node]: ...
def register_ufuncs(
    asked: dict[Any, Callable[..., Any]],
    constants: frozenset[type],
    refusals: tuple[type[Exception], ...],
    functions: tuple[Callable[..., Any], ...],
) -> None: ...

class QuickUfunc:
    def answers(self, ufunc: Any, count: int) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def register_lifting(
    standing: type,
    uses: type,
    layout: type,
    family: type,
    storage: type,
    known: tuple[Any, ...],
    functions: tuple[Callable[..., Any], ...],
) -> None: ...

class QuickLifted:
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def is_clear(record: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> bool: ...

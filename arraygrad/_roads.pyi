from collections.abc import Callable
from typing import Any

from ._op import Op

def register(
    classes: tuple[type, ...],
    state: tuple[Any, ...],
    limits: tuple[int, ...],
    functions: tuple[Callable[..., Any], ...],
) -> None: ...
def register_types(tensor: type, scalar: type) -> None: ...
def unary(op: Op, x: Any) -> Any: ...
def binary(op: Op, x1: Any, x2: Any) -> Any: ...
def operator(
    find: Callable[[], Op],
    method: Callable[..., Any],
    *,
    scalar: bool = ...,
    reflected: bool = ...,
    compares: bool = ...,
) -> Any: ...
def prefix_operator(find: Callable[[], Op], method: Callable[..., Any]) -> Any: ...

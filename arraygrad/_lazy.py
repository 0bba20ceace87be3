"""Names of a package that are imported when first asked for.

`import arraygrad` may cost little more than `import numpy`, so that only what every program needs
is imported at once. Type checkers see ordinary imports, in an ``if TYPE_CHECKING`` block beside
the table; a test holds the two equal.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from ._errors import MissingNameError


class LazyModule:
    """Stands for a module until one of its attributes is asked for, which it then keeps."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(importlib.import_module(self.__name__), attribute)
        setattr(self, attribute, value)
        return value


class LazyMethod:
    """A method or property whose class is imported when the first of its names is asked for."""

    __slots__ = ("load", "name")

    def __init__(self, name: str, load: Callable[[], type]) -> None:
        self.name = name
        self.load = load

    def __get__(self, instance: Any, owner: type) -> Any:
        return vars(self.load())[self.name].__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        self.load()
        setattr(instance, self.name, value)


def lazy_mixin(
    path: str, base: type, names: tuple[str, ...], prepare: Callable[[type], None]
) -> type:
    """A class that stands for a mix-in of another module, whose attributes it takes when asked.

    Parameters
    ----------
    path : str
        The mix-in: its module and its name.
    base : type
        The only base of the mix-in.
    names : tuple of str
        What the mix-in defines; a test holds the two equal.
    prepare : callable
        Called with the mix-in before its attributes are taken.
    """
    module, _, name = path.rpartition(".")

    def load() -> type:
        mixin: type = getattr(importlib.import_module(module), name)
        prepare(mixin)
        for attribute in names:
            setattr(stand_in, attribute, vars(mixin)[attribute])
        return mixin

    attributes: dict[str, Any] = {attribute: LazyMethod(attribute, load) for attribute in names}
    stand_in = type(name, (base,), {"__slots__": (), "__module__": module, **attributes})
    return stand_in


class Absent:
    """A name that a class has not, for which an error says what to type.

    A descriptor, as a class's ``__getattr__`` would be called for each of the names that NumPy
    looks for in vain.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        hint = importlib.import_module("arraygrad._hints").attribute_hint(self.name)
        raise MissingNameError(
            f"{owner.__name__!r} object has no attribute {self.name!r}{hint}", name=self.name,
            obj=owner if instance is None else instance,
        )  # fmt: skip


def lazy_attributes(
    package: str,
    modules: dict[str, tuple[str, ...]],
    hints: str | None = None,
) -> Callable[[str], Any]:
    """A module's ``__getattr__`` for names that live in `modules`.

    Parameters
    ----------
    package : str
        The package whose attributes they are.
    modules : dict
        Module, relative to the package -> names. A module without names is itself the attribute.
    hints : str, optional
        Module whose `hint(name)` says what to type for a name that is in none of them.
    """
    where = {name: module for module, names in modules.items() for name in names}
    where.update({module: "" for module, names in modules.items() if not names})

    def __getattr__(name: str) -> Any:
        module = where.get(name)
        if module is None:
            message = f"module {package!r} has no attribute {name!r}"
            if hints is not None and not name.startswith("_"):
                message += importlib.import_module(hints).hint(name)
            raise MissingNameError(message, name=name, obj=sys.modules[package])
        if module:
            value = getattr(importlib.import_module(f"{package}.{module}"), name)
        else:
            value = importlib.import_module(f"{package}.{name}")
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__

"""The layers: imports go down only, Numba and the kernels are imported in one module each."""

import ast
import importlib
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from arraygrad import _compiled
from tests import fresh_process


def folder_of(package: str) -> Path:
    """Where a package lies, without importing it."""
    (location,) = find_spec(package).submodule_search_locations
    return Path(location)


PACKAGE = folder_of("arraygrad")
KERNELS = folder_of("arraygrad_kernels")

# From the ground up. A module may import from its own line and from those above it in this list.
# A folder stands for all modules in it that have no line of their own.
LAYERS = (
    ("_errors", "_hints", "_lazy", "_warnings"),
    ("_dtypes", "_device", "_layout", "_answers", "_scopes"),
    ("_dispatch", "_aliases", "_compiled", "_roads"),
    ("_op", "_graph"),
    ("_storage",),
    ("_windows",),
    ("_apply",),
    ("_elementwise",),
    ("_short",),
    ("_cotangents", "_detach", "_history"),
    ("_texts",),
    ("_fused",),
    ("_formulas",),
    ("_engine",),
    ("_forward_pass",),
    ("_writes",),
    ("ops",),
    ("_scalars",),
    (
        "_flat_view",
        "_ndarray_memory",
        "_ndarray_methods",
        "_ndarray_options",
        "_special_methods",
        "autograd",
        "interop",
    ),
    ("_tensor",),  # its methods and protocol hooks are all of the above
    ("linalg", "fft", "extending"),
    ("numpy", "special"),
    ("scipy",),
    ("lifting",),
    ("checking",),
    ("__init__",),
    ("__main__", "ops.__main__"),
)
KERNEL_LAYERS = (
    ("_spec", "results", "threads", "vecmath"),
    ("scalars",),
    ("translate",),
    ("memory",),
    ("_jit", "nest"),
    ("reference",),
    ("cpu", "cuda"),
    ("__init__",),
)
KERNEL_IMPORTERS = {"_dispatch.py"}
# inner_loop.py and nest.py write the ABI of NumPy loops, translate.py and memory.py their bodies;
# all else under cpu/ may say which types it means.
NUMBA_IMPORTERS = {"_jit.py", "cpu/inner_loop.py", "memory.py", "nest.py", "translate.py"}
NUMBA_VOCABULARY = "numba.types"
HEAVY = ("numba", "llvmlite", "scipy", "ml_dtypes", "matplotlib", "torch")
# What `import arraygrad` runs: each module costs a program's start a tenth of a millisecond and
# more. Whatever some programs do without is imported when it is asked for.
EAGER = {
    "arraygrad",
    *(
        f"arraygrad.{name}"
        for name in (
            "_aliases",
            "_apply",
            "_compiled",
            "_device",
            "_dispatch",
            "_dtypes",
            "_errors",
            "_graph",
            "_layout",
            "_lazy",
            "_op",
            "_special_methods",
            "_storage",
            "_tensor",
        )
    ),
}
# How long that may take: in milliseconds, or on slow machines as a part of NumPy's own import.
MILLISECONDS, PART_OF_NUMPY = 10, 0.15


def modules(package: Path) -> list[Path]:
    """All source files of a package, as paths relative to it."""
    return sorted(path.relative_to(package) for path in package.rglob("*.py"))


def imports(package: Path, module: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, absolute dotted name) of all that a module imports when it runs."""
    tree = ast.parse((package / module).read_text(encoding="utf-8"))
    # type checkers alone read what stands under `if TYPE_CHECKING`
    skipped = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and "TYPE_CHECKING" in ast.unparse(test.test)
        for statement in test.body
        for node in ast.walk(statement)
    }
    here = [package.name, *module.with_suffix("").parts]
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: -node.level] if node.level else []
            stem = [*base, *(node.module.split(".") if node.module else [])]
            yield from ((node.lineno, ".".join([*stem, alias.name])) for alias in node.names)


def layer_of(layers: tuple[tuple[str, ...], ...], name: str) -> int | None:
    """Position of the longest listed name that `name`, dotted below the package, starts with."""
    found = [
        (len(entry), i)
        for i, entries in enumerate(layers)
        for entry in entries
        if f"{name}.".startswith(f"{entry}.")
    ]
    return max(found)[1] if found else None


def upward(package: Path, layers: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """Describe every import that goes up, and every module that has no layer."""
    for module in modules(package):
        own = layer_of(layers, ".".join(module.with_suffix("").parts))
        if own is None:
            yield f"{package.name}/{module} has no layer: add it to the list in this test"
            continue
        for line, name in imports(package, module):
            root, _, rest = name.partition(".")
            if root != package.name:
                continue
            theirs = layer_of(layers, rest)
            if theirs is None:  # `from package import name`, where __init__ defines the name
                theirs = layer_of(layers, "__init__")
            if theirs is None or theirs > own:
                yield f"{package.name}/{module}:{line} imports {name}, which is above it"


@pytest.mark.parametrize(
    ("package", "layers"), [(PACKAGE, LAYERS), (KERNELS, KERNEL_LAYERS)], ids=lambda x: None
)
def test_imports_go_down_only(package: Path, layers: tuple[tuple[str, ...], ...]) -> None:
    assert not list(upward(package, layers))


def test_architecture_page_names_every_layer() -> None:
    page = Path(__file__).parents[1] / "docs" / "architecture.md"
    if not page.exists():
        pytest.skip("the sources are not here: the wheel is tested")
    text = page.read_text(encoding="utf-8")
    names = {name for layer in LAYERS for name in layer if "__" not in name}
    assert not {name for name in names if f"  {name}" not in text and f" {name}.py" not in text}


def test_upward_import_is_found(tmp_path: Path) -> None:
    """The check itself: absolute, relative, nested and type-only imports are told apart."""
    package = tmp_path / "house"
    (package / "ops").mkdir(parents=True)
    (package / "__init__.py").write_text("from . import top\n")
    (package / "ground.py").write_text("def f():\n    from .ops import add\n")
    (package / "ops" / "__init__.py").write_text("from ..ground import f\nimport house.top\n")
    (package / "top.py").write_text(
        "from typing import TYPE_CHECKING\nfrom . import ground\n"
        "if TYPE_CHECKING:\n    from . import anything\n"
    )
    layers = (("ground",), ("ops",), ("top",), ("__init__",))
    assert list(upward(package, layers)) == [
        "house/ground.py:2 imports house.ops.add, which is above it",
        "house/ops/__init__.py:2 imports house.top, which is above it",
    ]


@pytest.mark.parametrize(
    ("package", "name", "allowed"),
    [
        (PACKAGE, "arraygrad_kernels", KERNEL_IMPORTERS),
        (PACKAGE, "numba", set()),
        (PACKAGE, "llvmlite", set()),
        (KERNELS, "numba", NUMBA_IMPORTERS),
        (KERNELS, "llvmlite", NUMBA_IMPORTERS),
        (KERNELS, "arraygrad", set()),
    ],
)
def test_one_importer(package: Path, name: str, allowed: set[str]) -> None:
    found = {
        module.as_posix()
        for module in modules(package)
        for _, imported in imports(package, module)
        if imported.split(".")[0] == name
        and not (module.parts[0] == "cpu" and imported.startswith(NUMBA_VOCABULARY))
    }
    assert found <= allowed


@pytest.mark.parametrize("package", [PACKAGE, KERNELS], ids=["arraygrad", "arraygrad_kernels"])
def test_no_star_import(package: Path) -> None:
    stars = [
        f"{module}:{line}"
        for module in modules(package)
        for line, name in imports(package, module)
        if name.endswith(".*")
    ]
    assert not stars


@pytest.mark.smoke
def test_import_is_light() -> None:
    """`import arraygrad` brings NumPy and nothing heavier."""
    code = f"import sys, arraygrad; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    environment_path = [str(PACKAGE.parent), str(KERNELS.parent)]
    code = f"import sys; sys.path[:0] = {environment_path!r}; {code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.smoke
def test_import_runs_few_modules() -> None:
    program = """
        import sys, arraygrad
        print(*[name for name in sys.modules if name.startswith("arraygrad")])
    """
    done = fresh_process.run(textwrap.dedent(program))
    compiled = {"arraygrad._roads"} if _compiled.ROADS is not None else set()
    assert set(done.stdout.split()) == EAGER | compiled, done.stderr


def test_first_operations_do_without_masked_arrays() -> None:
    """NumPy imports `numpy.ma` when it is first asked for, which takes longer than our import."""
    program = """
        import sys, numpy, arraygrad
        before = {*sys.modules}
        x = arraygrad.tensor(numpy.ones(3), requires_grad=True)
        (arraygrad.asarray(numpy.float64(2)) * numpy.exp(x[1:] * x[:2])).sum().backward()
        print(*sorted({*sys.modules} - before))
    """
    done = fresh_process.run(textwrap.dedent(program), ARRAYGRAD_COMPILE="off")  # without Numba
    assert "arraygrad.ops.arithmetic" in done.stdout, done.stderr
    assert "numpy.ma" not in done.stdout


def test_import_is_quick(tmp_path: Path) -> None:
    """Measured with byte code at hand; the best of several processes, so that load counts less."""
    program = f"""
        import sys, time
        started = time.perf_counter()
        import numpy
        sys.dont_write_bytecode, sys.pycache_prefix = False, {str(tmp_path)!r}
        between = time.perf_counter()
        import arraygrad
        print(between - started, time.perf_counter() - between)
    """
    outputs = [fresh_process.run(textwrap.dedent(program)).stdout.split() for _ in range(9)]
    theirs, ours = (
        min(float(time) * 1e3 for time in times) for times in zip(*outputs, strict=True)
    )
    assert ours < max(MILLISECONDS, PART_OF_NUMPY * theirs)


@pytest.mark.parametrize("package", ["arraygrad", "arraygrad.autograd"])
def test_lazy_names_are_those_that_type_checkers_see(package):
    """The table of names imported when first asked for, and the imports under TYPE_CHECKING."""
    module = importlib.import_module(package)
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    block = next(
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    seen = {}
    for statement in block.body:
        for alias in statement.names:
            if statement.module is None:
                seen.setdefault(alias.name, set())
            else:
                seen.setdefault(statement.module, set()).add(alias.name)
    assert {name: set(names) for name, names in module._LAZY.items()} == seen
    for names in module._LAZY.values():
        for name in names:
            assert getattr(module, name) is not None


@pytest.mark.parametrize("collects", [True, False])
def test_import_leaves_the_garbage_collector_as_it_was(collects: bool) -> None:
    """Collections pause while the modules load."""
    program = f"""
        import gc
        gc.enable() if {collects} else gc.disable()
        import arraygrad
        print(gc.isenabled())
    """
    assert fresh_process.run(textwrap.dedent(program)).stdout.split() == [str(collects)]


@pytest.mark.parametrize(
    ("module", "name"),
    [("_ndarray_methods", "NdarrayMethods"), ("_ndarray_memory", "NdarrayMemory")],
)
def test_lazy_methods_are_those_of_their_class(module, name):
    """What stands for a mix-in has its names, and takes its methods when asked for the first."""
    program = f"""
        import sys
        import arraygrad as ag
        stand_in = next(c for c in ag.Tensor.__mro__ if c.__name__ == "{name}")
        kinds = {{key: type(value).__name__ for key, value in vars(stand_in).items()}}
        names = {{key for key, kind in kinds.items() if kind == "LazyMethod"}}
        assert "arraygrad.{module}" not in sys.modules
        x = ag.tensor([1.0, 2.0])
        for key in names - {{"flat", "__class_getitem__"}}:
            try:
                setattr(x, key, 1)
            except AttributeError:
                continue
            raise AssertionError(f"{{key}} could be set")
        from arraygrad.{module} import {name}
        usual = vars(type("C", (object,), {{"__slots__": ()}})).keys() | {{
            "__firstlineno__", "__static_attributes__",  # of Python 3.13
        }}
        assert names == vars({name}).keys() - usual, names ^ vars({name}).keys()
        for key in names:
            assert vars(stand_in)[key] is vars({name})[key]
            method = vars({name})[key]
            if hasattr(method, "__qualname__") and not key.startswith("__class"):
                assert method.__qualname__ == f"Tensor.{{key}}", method
    """
    done = fresh_process.run(textwrap.dedent(program))
    assert done.returncode == 0, done.stderr


def test_first_methods_of_threads():
    """Many threads ask at once for the first method of all."""
    program = """
        import threading
        import arraygrad as ag
        x, start, out = ag.tensor([1.0, 2.0]), threading.Barrier(8), []
        def run():
            start.wait()
            out.append((float(x.sum()), x.base, ag.Tensor.mean.__name__))
        threads = [threading.Thread(target=run) for _ in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert out == [(3.0, None, "mean")] * 8, out
    """
    done = fresh_process.run(textwrap.dedent(program))
    assert done.returncode == 0, done.stderr

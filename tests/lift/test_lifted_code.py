"""What runs lifted: packages, modules, closures, callbacks, methods and code made by exec."""

import functools
import subprocess
import sys
import textwrap
import types
from dataclasses import dataclass

import numpy as np
import pytest

import arraygrad as ag
from tests.fresh_process import LIMIT, environment

from .test_lift import Model, filled


def write_package(tmp_path, name, **modules):
    package = tmp_path / name
    package.mkdir()
    for module, source in modules.items():
        (package / f"{module.replace('init', '__init__')}.py").write_text(textwrap.dedent(source))
    return package


def test_installed_packages_only_when_named(tmp_path, monkeypatch):
    site = tmp_path / "site-packages"
    site.mkdir()
    write_package(
        site,
        "installed_library",
        init="from .core import fill",
        core="""
            import numpy as np
            def fill(x):
                out = np.zeros(2)
                out[0] = x
                return out.sum()
        """,
    )
    monkeypatch.syspath_prepend(str(site))
    import installed_library

    def f(x):
        return installed_library.fill(x)

    with pytest.raises((TypeError, ValueError)) as caught:
        ag.grad(f)(1.0)
    assert "lifted code at" in "".join(caught.value.__notes__)
    x = ag.tensor(1.0, requires_grad=True)
    ag.lift(f, packages=["installed_library"])(x).backward()
    assert x.grad == 1.0
    # Handing over the function itself names its package.
    assert ag.grad(installed_library.fill)(1.0) == 1.0


def test_package_with_submodules_and_every_kind_of_import(tmp_path, monkeypatch):
    write_package(
        tmp_path,
        "users_library",
        init="",
        a="""
            import numpy as np
            import users_library.b
            import users_library.b as bee
            from . import b
            from .b import fill as renamed
            def f(x):
                import users_library.c as sea
                from users_library.c import late
                return (users_library.b.fill(x) + bee.fill(x) + b.fill(x) + renamed(x)
                        + sea.late(x) + late(x))
        """,
        b="""
            from numpy import zeros
            def fill(x):
                out = zeros(2)
                out[1] = x
                return out.sum()
        """,
        c="""
            import numpy
            def late(x):
                return numpy.array([x, x]).sum()
        """,
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import users_library.a

    assert ag.grad(users_library.a.f)(1.0) == 8.0


def test_modules_that_make_attributes_when_asked(tmp_path, monkeypatch):
    write_package(
        tmp_path,
        "lazy_library",
        init="""
            import sys, types
            class Lazy(types.ModuleType):
                def __getattr__(self, name):
                    if name == "fill":
                        from lazy_library.a import fill
                        return fill
                    raise AttributeError(name)
            lazy = Lazy(__name__)
            lazy.__path__, lazy.__file__, lazy.__spec__ = __path__, __file__, __spec__
            sys.modules[__name__] = lazy
        """,
        a="""
            import numpy as np
            def fill(x):
                out = np.zeros(2)
                out[1] = x
                return out.sum()
            def __getattr__(name):
                if name == "late":
                    return fill
                raise AttributeError(name)
        """,
        b="""
            import lazy_library.a
            def f(x):
                from lazy_library import fill
                return fill(x) + lazy_library.a.late(x)
        """,
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    from lazy_library.b import f

    assert ag.grad(f)(1.0) == 2.0


def test_code_made_by_exec():
    namespace = {}
    exec(
        "import numpy as np\ndef f(x):\n    o = np.zeros(2)\n    o[0] = x\n    return o.sum()",
        namespace,
    )
    assert ag.grad(namespace["f"])(1.0) == 1.0


def test_nested_recursive_and_mutual_closures():
    def even(n, x):
        return np.array([x]).sum() if n == 0 else odd(n - 1, x) * 2

    def odd(n, x):
        return np.array([0.0])[0] if n == 0 else even(n - 1, x) + x

    def f(x):
        return even(4, x)

    assert ag.grad(f)(1.0) == 10.0


def test_callback_in_an_argument():
    def callback(x):
        return filled(x) * 3

    def f(x, call, options):
        return call(x) + options["call"](x)

    assert ag.grad(f)(1.0, callback, {"call": callback}) == 6.0


def test_generator_and_partial_and_callable_object():
    @dataclass
    class Scale:
        k: float

        def __call__(self, x):
            out = np.empty(1)
            out[0] = x * self.k
            return out[0]

    assert ag.grad(Scale(4.0))(1.0) == 4.0
    assert ag.grad(functools.partial(lambda k, x: filled(x) * k, 5.0))(1.0) == 5.0
    assert ag.grad(lambda x: sum(filled(x) * i for i in range(3)))(1.0) == 3.0


def test_methods_of_an_object_made_outside_run_lifted():
    holder = types.SimpleNamespace(models=[Model([1.0]), Model([2.0])])
    holder.models[0].f = holder.models[1].f = lambda v: v
    assert ag.grad(lambda x: sum(m.loss(x) for m in holder.models))(1.0) == 3.0


def test_own_autograd_inside_lifted_code():
    def inner(x):
        out = np.zeros(2)
        out[0] = x**3
        return out.sum()

    def f(x):
        return np.array([ag.grad(inner)(x)]).sum()

    assert ag.grad(f)(2.0) == pytest.approx(12.0)
    assert ag.grad(ag.grad(inner))(2.0) == pytest.approx(12.0)


def test_compiled_function_runs_as_python():
    numba = pytest.importorskip("numba")

    @numba.njit
    def fill(x):
        out = np.zeros(2)
        out[0] = x * x
        return out.sum()

    assert ag.grad(lambda x: fill(x))(3.0) == 6.0
    assert ag.grad(lambda x: fill.py_func(x))(3.0) == 6.0


def test_random_generators_share_their_state():
    rng = np.random.default_rng(0)
    other = np.random.default_rng(0)
    gradient = ag.grad(lambda x: rng.normal(x, 1.0) * x)(2.0)
    value = 2.0 + other.standard_normal()
    assert gradient == pytest.approx(value + 2.0)
    assert rng.random() == other.random()


def test_a_module_beside_the_script_that_has_the_name_of_pythons(tmp_path):
    (tmp_path / "statistics.py").write_text(
        "import numpy as np\n\ndef mean(x):\n    return np.sum(x**3) / len(x)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\nimport statistics\nimport arraygrad as ag\n"
        "print(ag.grad(lambda x: statistics.mean(x))(np.array([1.0, 2.0])).tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], env=environment(ARRAYGRAD_COMPILE="off"),
        capture_output=True, text=True, check=False, timeout=LIMIT,
    )  # fmt: skip
    assert done.stdout.strip() == "[1.5, 6.0]", done.stderr

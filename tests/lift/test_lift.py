"""How lifting works: nothing of the user's changes, state is written back, lines stay visible."""

import array
import functools
import inspect
import pickle
import subprocess
import sys
import textwrap
import threading
import traceback
import types
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
import pytest

import arraygrad as ag
from tests.fresh_process import LIMIT, environment
from tests.lift.corpus import classes, helpers, styles

COUNT = 0
LOG = []
TABLE = {"scale": 2.0, "f": np.sin}
BUFFER = np.zeros(3)
CONSTANT = np.arange(3.0)


def leaf(*values):
    return ag.tensor(list(values) if len(values) > 1 else values[0], requires_grad=True)


def filled(x):
    out = np.zeros(3)
    out[0] = x
    return out.sum()


def counting(x):
    global COUNT
    COUNT += 1
    LOG.append(x * 2)
    return x * COUNT


def fails(x):
    out = np.zeros(3)
    out[1] = x
    raise ValueError("the user's own")


class Model:
    instances = 0

    def __init__(self, w):
        self.w = np.array(w)
        self.calls = 0
        self.child = None
        self.f = np.tanh

    def loss(self, x):
        self.calls += 1
        Model.instances += 1
        buffer = np.zeros(len(self.w))
        buffer[:] = self.w * x
        self.last = self.f(buffer)
        self.w[0] = 7.0
        return self.last.sum() + (0.0 if self.child is None else self.child.loss(x))


# -- what is the user's stays the user's ---------------------------------------------------------


def test_module_is_untouched():
    module = sys.modules[__name__]
    before = dict(vars(module))
    ag.grad(filled)(2.0)
    ag.lift(filled)(leaf(2.0))
    after = vars(module)
    assert before.keys() == after.keys()
    assert all(after[name] is before[name] for name in before)
    assert filled.__globals__["np"] is np


def test_code_object_is_the_users():
    seen = []

    def f(x):
        seen.append(sys._getframe().f_code)
        return np.array([x]).sum()

    ag.grad(f)(1.0)
    assert seen == [f.__code__]


def test_traceback_shows_the_users_line():
    with pytest.raises(ValueError, match="the user's own") as caught:
        ag.grad(fails)(1.0)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.filename == __file__
    assert last.line == 'raise ValueError("the user\'s own")'


def test_state_is_restored_after_an_error():
    model = Model([1.0, 2.0])
    model.f = lambda v: fails(v)
    f = model.f
    with pytest.raises(ValueError):
        ag.grad(model.loss)(1.0)
    assert type(model) is Model
    assert model.f is f
    assert type(model.w) is np.ndarray


def test_lifted_function_pickles_and_looks_like_the_original():
    lifted = pickle.loads(pickle.dumps(ag.lift(filled)))
    x = leaf(2.0)
    lifted(x).backward()
    assert x.grad == 1.0
    assert lifted.__name__ == "filled"
    assert inspect.signature(lifted) == inspect.signature(filled)
    assert lifted.__wrapped__ is filled


def test_functions_of_modules_are_lifted_once():
    assert ag.lift(filled) is ag.lift(filled)
    assert ag.lift(ag.lift(filled)) is ag.lift(filled)


def test_lift_refuses_what_cannot_be_called():
    with pytest.raises(TypeError, match="not callable"):
        ag.lift(3)


# -- state that lifted code writes ---------------------------------------------------------------


def test_globals_are_written_back():
    global COUNT
    COUNT = 0
    LOG.clear()
    log = LOG
    assert ag.grad(counting)(3.0) == 1.0
    assert COUNT == 1
    assert LOG is log
    assert LOG == [6.0]
    assert not isinstance(LOG[0], ag.Tensor)
    COUNT = 10  # and changes from outside are seen
    assert ag.grad(counting)(3.0) == 11.0
    assert COUNT == 11


def test_global_array_is_written_in_place():
    def f(x):
        BUFFER[1] = x * 5
        return BUFFER.sum()

    buffer = BUFFER
    assert ag.grad(f)(2.0) == 5.0
    assert BUFFER is buffer
    np.testing.assert_array_equal(BUFFER, [0.0, 10.0, 0.0])
    BUFFER[:] = 0


def test_global_array_that_is_only_read_keeps_its_memory():
    address = CONSTANT.__array_interface__["data"][0]
    assert ag.grad(lambda x: (CONSTANT * x).sum())(2.0) == 3.0
    assert CONSTANT.__array_interface__["data"][0] == address


def test_views_on_an_object_keep_pointing_into_its_array():
    holder = types.SimpleNamespace()
    holder.state = np.zeros(4)
    holder.position = holder.state[:2]

    def f(x):
        holder.position[:] = x
        return (holder.state**2).sum()

    np.testing.assert_allclose(ag.grad(f)(np.array([1.0, 2.0])), [2.0, 4.0])
    assert holder.position.base is holder.state
    np.testing.assert_array_equal(holder.state, [1.0, 2.0, 0.0, 0.0])


def test_monkeypatched_helper_is_used(monkeypatch):
    assert ag.grad(lambda v: helpers.weighted(v))(np.ones(3))[0] == 0.5
    monkeypatch.setattr(helpers, "weighted", lambda v: np.array([v[0] * 3]).sum())
    assert ag.grad(lambda v: helpers.weighted(v))(np.ones(3))[0] == 3.0


def test_object_keeps_class_identity_and_plain_state():
    model = Model([1.0, 2.0])
    model.child = Model([0.5])
    w, before = model.w, Model.instances
    f = model.loss
    gradient = ag.grad(f)(0.3)
    expected = sum(v * (1 - np.tanh(v * 0.3) ** 2) for v in (1.0, 2.0, 0.5))
    assert gradient == pytest.approx(expected)
    assert type(model) is Model
    assert type(model.child) is Model
    assert model.w is w
    assert w[0] == 7.0
    assert type(model.last) is np.ndarray
    assert model.f is np.tanh
    assert model.calls == 1
    assert Model.instances == before + 2
    pickle.dumps(model)


def test_objects_made_inside_have_the_users_class():
    def f(x):
        return Model([1.0, 2.0]), x

    model, _ = ag.lift(f)(1.0)
    assert type(model) is Model
    assert type(model.w) is np.ndarray


def test_lifted_objects_keep_tensors_when_tensors_come_in():
    model = Model([1.0, 2.0])
    x = leaf(0.5)
    ag.lift(model.loss)(x)
    assert isinstance(model.last, ag.Tensor)
    model.last.sum().backward()
    assert x.grad != 0


def test_nonlocal_variable_is_written_back():
    total = 0.0

    def f(x):
        nonlocal total
        total = total + x * 2
        return total

    assert ag.grad(f)(3.0) == 2.0
    assert total == 6.0
    assert not isinstance(total, ag.Tensor)


def test_containers_of_functions_are_restored():
    def f(x):
        return TABLE["f"](x) * TABLE["scale"]

    assert ag.grad(f)(0.5) == pytest.approx(2 * np.cos(0.5))
    assert TABLE["f"] is np.sin


def test_subclass_registry_does_not_hear_of_lifting():
    before = list(classes.Layer.registry)
    ag.grad(classes.network)(np.array([0.7, 1.3, 0.4]))
    assert classes.Layer.registry == before


def test_tracked_arguments_are_memoized_by_identity():
    def f(x):
        return styles.squared(x[0]) + styles.squared(x[1])

    np.testing.assert_allclose(ag.grad(f)(np.array([2.0, 2.0])), [4.0, 4.0])


def test_arguments_are_not_changed():
    x = np.array([1.0, 2.0])

    def f(v):
        v[0] = v[1] ** 2
        v += 1
        return v.sum()

    np.testing.assert_allclose(ag.grad(f)(x), [0.0, 5.0])
    np.testing.assert_array_equal(x, [1.0, 2.0])


# -- results -------------------------------------------------------------------------------------


def test_plain_arguments_give_plain_results():
    lifted = ag.lift(lambda x: {"a": np.zeros(3) + x, "b": [np.sum(x)], "c": (1, np.ones(2))})
    out = lifted(np.arange(3.0))
    assert type(out["a"]) is np.ndarray
    assert type(out["b"][0]) is np.float64
    assert type(out["c"][1]) is np.ndarray


def test_argument_returned_is_the_same_object():
    x = np.arange(3.0)
    assert ag.lift(lambda v: v)(x) is x


def test_tensors_give_tensors():
    out = ag.lift(filled)(leaf(2.0))
    assert isinstance(out, ag.Tensor)
    assert out.requires_grad


@pytest.mark.parametrize("f", [np.sin, functools.partial(np.multiply, 2.0)])
def test_numpy_functions_themselves(f):
    assert ag.grad(f)(0.0) == pytest.approx(1.0 if f is np.sin else 2.0)


# -- what is reached -----------------------------------------------------------------------------


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
    x = leaf(1.0)
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


# -- types and built-ins -------------------------------------------------------------------------


def test_type_checks_of_arrays_and_scalars():
    seen = {}

    def f(x):
        v = x[0]
        seen.update(
            array=isinstance(x, np.ndarray),
            scalar=isinstance(v, float) and isinstance(v, np.floating) and not isinstance(v, int),
            types=type(v) is np.float64 and type(x) is np.ndarray and float is float,
            sequence=not isinstance(x, (list, tuple)) and not hasattr(v, "__len__"),
            tensor=isinstance(x, ag.Tensor),
            dtype=x.dtype == np.float64 and x.dtype == float and np.dtype(float) == x.dtype,
            sub=issubclass(np.float64, np.floating) and np.issubdtype(np.float64, np.inexact),
            union=isinstance(v, int | float) and isinstance(3, (int, float)),
            plain=not isinstance(3, float) and isinstance(3.0, float) and float("1.5") == 1.5,
        )
        return v

    ag.grad(f)(np.array([1.0, 2.0]))
    assert all(seen.values()), seen


def test_float_and_complex_of_tensors():
    assert ag.grad(lambda x: float(x) * float(2))(3.0) == 2.0
    assert ag.grad(lambda x: (complex(x, 2 * x) ** 2).imag)(3.0) == pytest.approx(24.0)
    assert ag.grad(lambda x: np.float64(x) * np.float64("2"))(3.0) == 2.0


def test_domain_errors_of_math_are_raised_as_for_floats():
    def f(x):
        import math

        try:
            return math.log(x - 5)
        except ValueError:
            return math.exp(x)

    assert ag.grad(f)(0.0) == 1.0


def test_lost_gradient_is_refused_with_the_line():
    def f(x):
        return array.array("d", [x])[0] * 2.0  # compiled code, which takes Python floats

    with pytest.raises(TypeError, match="gradient") as caught:
        ag.grad(f)(1.0)
    assert 'array.array("d", [x])' in "".join(caught.value.__notes__)


# -- cost ----------------------------------------------------------------------------------------


def test_calls_after_the_first_cost_little():
    operations = 300

    def chain(x):
        for _ in range(operations):
            x = x * 1.01
        return x

    def calls(f):
        """How many Python functions run; counted, since times differ from run to run."""
        count = 0

        def note(frame, event, argument):
            nonlocal count
            count += event == "call"

        sys.setprofile(note)
        try:
            f(x)
        finally:
            sys.setprofile(None)
        return count

    x = leaf(2.0)
    lifted = ag.lift(chain)
    lifted(x)
    assert calls(lifted) - calls(chain) < 0.1 * operations


def test_closures_are_freed():
    import gc
    import weakref

    class Unmet(Model):
        """Its twin, made while f is lifted, kept what f had around it."""

    def make():
        data = Unmet(np.ones(1000))

        def f(x):
            return (data.w * x).sum()

        g = ag.grad(f)
        assert g(2.0) == 1000.0
        return weakref.ref(f), weakref.ref(data)

    first, second = make()
    gc.collect()
    assert first() is None
    assert second() is None


def test_threads():
    errors = []

    def work(k):
        try:
            for _ in range(20):
                g = ag.grad(lambda x: filled(np.sin(k * x)))(1.0)
                assert g == pytest.approx(k * np.cos(k))
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors


def test_long_chains_of_objects_need_no_deep_stack():
    head = None
    for _ in range(3000):
        head = classes.Chain(1.0, head)

    def f(x):
        total, node = 0.0, head
        while node is not None:
            total += np.array([node.k * x])[0]
            node = node.nxt
        return total

    assert ag.grad(f)(1.0) == 3000.0
    assert type(head.nxt) is classes.Chain


# -- what holds no tensors -----------------------------------------------------------------------


class Calibration(np.ndarray):
    def __new__(cls, values):
        values = np.asarray(values, float)
        return super().__new__(cls, values.shape, float, np.array(values))

    def total(self):
        return np.sqrt((self**2).sum())


class Buffered(np.ndarray):
    def __new__(cls, values):
        return super().__new__(cls, values.shape, float, values)


CALIBRATION = Calibration([1.0, 2.0, 2.0])


def test_constants_of_classes_derived_from_ndarray():
    def f(x):
        return (CALIBRATION * x).sum() * CALIBRATION.total() + np.arange(3.0).view(
            Calibration
        ).total() * x[0]

    expected = 3.0 * np.asarray(CALIBRATION) + [np.sqrt(5.0), 0.0, 0.0]
    np.testing.assert_allclose(ag.grad(f)(np.ones(3)), expected)
    assert type(CALIBRATION) is Calibration


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.view(Calibration).total(),
        lambda x: Calibration(x).total(),
        lambda x: Buffered(x).sum(),
        lambda x: x[0] * int(Decimal(x[1])),
        lambda x: float(Fraction(x[0])),
    ],
)
def test_classes_that_hold_no_tensors_are_refused(f):
    with pytest.raises(ag.errors.DetachError, match="would lose the gradient"):
        ag.grad(f)(np.ones(3))


def test_decimals_of_plain_numbers():
    def f(x):
        places = Decimal("2.5").quantize(Decimal(1), rounding=ROUND_HALF_UP)
        return x * int(places) * float(Fraction(1, 3)) if isinstance(places, Decimal) else x

    assert ag.grad(f)(2.0) == pytest.approx(1.0)


def test_errors_of_code_that_needs_numpys_memory_are_explained():
    with pytest.raises(TypeError) as caught:
        ag.grad(lambda x: np.sum(array.array("d", x)))(np.ones(3))
    assert "array.array" in caught.value.__notes__[0]


class Missing:
    """Stands for a package that is not there: each use of it raises."""

    def __getattribute__(self, name):
        if name == "__class__":
            return super().__getattribute__(name)
        raise ImportError("not installed")


missing = Missing()


def test_objects_are_looked_at_without_their_own_getattribute():
    holder = [missing]

    def f(x):
        return x * x if holder and missing is not None else x

    assert ag.grad(f)(3.0) == 6.0


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

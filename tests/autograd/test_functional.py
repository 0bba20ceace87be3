"""Functional calls: types, containers, errors, nesting, complex conventions."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

Point = namedtuple("Point", ["x", "y"])


@dataclasses.dataclass(frozen=True)
class Layer:
    weight: Any
    bias: Any
    name: str = "layer"


def cube_sum(x: Any) -> Any:
    return (x * x * x).sum()


# -- types are preserved ---------------------------------------------------------------------------


def test_array_gives_array() -> None:
    x = np.array([1.0, 2.0])
    value, gradient = ag.value_and_grad(cube_sum)(x)
    assert isinstance(value, float)
    assert type(gradient) is np.ndarray
    assert gradient.flags.writeable
    np.testing.assert_allclose(gradient, [3.0, 12.0])


def test_number_gives_number() -> None:
    for x in (3.0, 3, np.int64(3)):
        gradient = ag.grad(lambda t: t * t)(x)
        assert type(gradient) is float
        assert gradient == 6.0
    assert type(ag.grad(lambda t: t * t)(np.float32(3))) is np.float32
    assert type(ag.grad(lambda z: ag.real(z * ag.conj(z)))(1 + 2j)) is complex
    assert isinstance(ag.grad(lambda t: t * t)(np.array(3.0)), float)


@pytest.mark.parametrize("number", [2**64, 2**70, -(2**70)])
def test_integers_beyond_64_bits_are_floats(number: int) -> None:
    def f(x: Any) -> Any:
        return 3 * x

    assert ag.grad(f)(number) == 3.0
    assert ag.grad(lambda xs: f(xs[0]))([number]) == [3.0]
    assert ag.vjp(f, number)[0] == 3.0 * number
    assert ag.jvp(f, (1.0,), (number,))[1] == 3.0 * number
    for call in (
        lambda: ag.grad(f)(10**400),
        lambda: ag.vjp(f, 10**400),
        lambda: ag.jvp(f, (1.0,), (10**400,)),
        lambda: ag.vjp(f, 1.0)[1](10**400),
    ):
        with pytest.raises(ag.errors.IntegerOverflowError):
            call()


def test_tensor_gives_tensor() -> None:
    x = ag.asarray([1.0, 2.0])
    value, gradient = ag.value_and_grad(cube_sum)(x)
    assert isinstance(value, type(x.sum()))
    assert isinstance(gradient, type(x))
    assert not gradient.requires_grad
    assert not value.requires_grad
    np.testing.assert_allclose(gradient.numpy(), [3.0, 12.0])


def test_dtype_is_the_arguments() -> None:
    gradient = ag.grad(lambda x: (x * np.float64(2)).sum())(np.ones(3, np.float32))
    assert gradient.dtype == np.float32


@pytest.mark.parametrize("argnums", [0, 1, -1, (0, 1), (1, 0)])
def test_argnums(argnums: Any) -> None:
    f = ag.grad(lambda x, y: x * x * y, argnums)
    want = {0: 12.0, 1: 4.0, -1: 4.0, (0, 1): (12.0, 4.0), (1, 0): (4.0, 12.0)}[argnums]
    assert f(2.0, 3.0) == want


def test_containers() -> None:
    def f(p: Any) -> Any:
        return (p["w"] * p["w"]).sum() + p["rest"][0] * p["rest"][1] + p["point"].x * p["point"].y

    p = {"w": np.array([1.0, 2.0]), "rest": [2.0, (3.0)], "point": Point(4.0, 5.0), "tag": "a"}
    g = ag.grad(f)(p)
    np.testing.assert_allclose(g["w"], [2.0, 4.0])
    assert g["rest"] == [3.0, 2.0]
    assert g["point"] == Point(5.0, 4.0)
    assert g["tag"] is None


def test_dataclass_argument() -> None:
    layer = Layer(np.array([1.0, 2.0]), 3.0)
    g = ag.grad(lambda p: (p.weight * p.weight).sum() * p.bias)(layer)
    assert type(g) is Layer
    np.testing.assert_allclose(g.weight, [6.0, 12.0])
    assert g.bias == 5.0


def test_has_aux_is_plain() -> None:
    def f(x: Any) -> Any:
        y = x * x
        return y.sum(), {"y": y, "n": 3}

    gradient, aux = ag.grad(f, has_aux=True)(np.array([1.0, 2.0]))
    assert type(aux["y"]) is np.ndarray
    assert aux["n"] == 3
    (value, _), _ = ag.value_and_grad(f, has_aux=True)(np.array([1.0, 2.0]))
    assert value == 5.0
    np.testing.assert_allclose(gradient, [2.0, 4.0])


def test_keywords_and_names_pass_through() -> None:
    def scaled(x: Any, *, by: float) -> Any:
        """Scale."""
        return (x * by).sum()

    g = ag.grad(scaled)
    assert (g.__name__, g.__doc__) == ("scaled", "Scale.")
    np.testing.assert_allclose(g(np.ones(2), by=3.0), [3.0, 3.0])


def test_arguments_are_not_changed() -> None:
    def f(x: Any) -> Any:
        x[0] = 5.0
        x *= x
        return x.sum()

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(ag.grad(f)(x), [0.0, 4.0])
    np.testing.assert_allclose(x, [1.0, 2.0])
    t = ag.asarray([1.0, 2.0])
    np.testing.assert_allclose(ag.grad(f)(t).numpy(), [0.0, 4.0])
    np.testing.assert_allclose(t.numpy(), [1.0, 2.0])


def test_views_of_arguments_are_not_changed() -> None:
    x = np.arange(6.0)
    np.testing.assert_allclose(ag.grad(lambda v: overwritten(v))(x[::2]), [0.0, 4.0, 8.0])
    np.testing.assert_allclose(x, np.arange(6.0))


def overwritten(v: Any) -> Any:
    v[:1] = 7.0
    return (v * v).sum()


def test_gradients_do_not_share_memory() -> None:
    a, b = ag.grad(lambda x, y: (x + y).sum(), (0, 1))(np.ones(3), np.ones(3))
    a += 1
    np.testing.assert_allclose(b, np.ones(3))


def test_constant_result_has_zero_gradient() -> None:
    assert ag.grad(lambda x: 3.0)(2.0) == 0.0
    np.testing.assert_allclose(ag.grad(lambda x: 1)(np.ones((2, 0))), np.zeros((2, 0)))


def test_zero_size() -> None:
    value, gradient = ag.value_and_grad(lambda x: (x * x).sum())(np.zeros((0, 3)))
    assert value == 0.0
    assert gradient.shape == (0, 3)


def test_inside_no_grad() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    with ag.no_grad():
        gradient = ag.grad(cube_sum)(x)
    assert not gradient.requires_grad
    np.testing.assert_allclose(gradient.numpy(), [3.0, 12.0])


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ag.grad(lambda x: x * x)(np.ones(3)), ag.errors.GradientError, "jacobian"),
        (lambda: ag.grad(lambda x: (x, x))(1.0), ag.errors.GradientError, "has_aux"),
        (lambda: ag.grad(lambda x: "no")(1.0), ag.errors.GradientError, "returned a str"),
        (lambda: ag.grad(lambda x: x)(np.arange(3)), TypeError, "astype"),
        (lambda: ag.grad(lambda x: x)({"n": np.arange(3)}), TypeError, r"\['n'\]"),
        (lambda: ag.grad(lambda x: x)("text"), TypeError, "argnums"),
        (lambda: ag.grad(lambda x: x, 1)(1.0), ValueError, "argnums=1"),
        (lambda: ag.grad(lambda x: x, (0, 0))(1.0), ValueError, "different"),
        (lambda: ag.grad(lambda x: x)(x=1.0), ValueError, "position"),
        (lambda: ag.grad(lambda z: (z * z).sum())(np.ones(2) * 1j), ag.errors.GradientError,
         "holomorphic"),
        (lambda: ag.grad(lambda x: x, holomorphic=True)(1.0), ag.errors.GradientError, "complex"),
        (lambda: ag.grad(lambda x: ag.argmax(x))(np.ones(3)), ag.errors.GradientError, "int64"),
        (lambda: ag.jacobian(lambda z: z * z)(np.ones(2) * 1j), ag.errors.GradientError,
         "holomorphic"),
        (lambda: ag.grad(lambda x: x, has_aux=True)(1.0), TypeError, "pair"),
        (lambda: ag.vjp(lambda x: x * x, np.ones(3))[1](np.ones(2)), ValueError, "shape"),
        (lambda: ag.jvp(lambda x: x * x, (np.ones(3),), (np.ones(2),)), ValueError, "shape"),
        (lambda: ag.jvp(lambda x, y: x, (1.0, 2.0), (1.0,)), ValueError, "tangent"),
    ],
)  # fmt: skip
def test_error_says_what_to_type(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


# -- nesting ---------------------------------------------------------------------------------------


def test_perturbations_are_not_confused() -> None:
    """The classic: d/dx [x * d/dy (x + y)] is 1, not 2."""
    assert ag.grad(lambda x: x * ag.grad(lambda y: x + y)(1.0))(1.0) == 1.0
    assert ag.grad(lambda x: x * ag.jvp(lambda y: x + y, (1.0,), (1.0,))[1])(1.0) == 1.0
    inner = lambda x: ag.jvp(lambda y: x + y, (1.0,), (1.0,))[1]  # noqa: E731
    assert ag.jvp(lambda x: x * inner(x), (1.0,), (1.0,))[1] == 1.0
    assert ag.jvp(lambda x: x * ag.grad(lambda y: x * y)(1.0), (3.0,), (1.0,))[1] == 6.0


def test_inner_argument_is_the_outer_variable() -> None:
    """x is closed over and is the argument: only its part as argument counts inside."""
    x = ag.tensor(2.0, requires_grad=True)
    inner = ag.grad(lambda y: y * x * y)(x)  # 2 y x = 8
    np.testing.assert_allclose(inner.detach().numpy(), 8.0)
    inner.backward()
    np.testing.assert_allclose(x.grad.numpy(), 8.0)  # d(2 x x)/dx


def test_gradient_through_plain_argument_reaches_closed_over_tensor() -> None:
    w = ag.tensor(3.0, requires_grad=True)
    gradient = ag.grad(lambda x: w * x * x)(2.0)
    assert gradient.requires_grad
    gradient.backward()
    assert w.grad.item() == 4.0


def test_untracked_part_stays_plain_beside_a_tracked_one() -> None:
    w = ag.tensor(3.0, requires_grad=True)
    gx, gy = ag.grad(lambda x, y: w * x + y * y, (0, 1))(2.0, 5.0)
    assert gx.requires_grad
    assert gy == 10.0
    assert type(gy) is float


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_orders_in_reverse_mode(order: int) -> None:
    f = ag.sin
    for _ in range(order):
        f = ag.grad(f)
    want = [np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin][order - 1](0.7)
    np.testing.assert_allclose(f(0.7), want, rtol=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_orders_in_forward_mode(order: int) -> None:
    f = ag.sin
    for _ in range(order):
        f = derivative(f)
    want = [np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin][order - 1](0.7)
    np.testing.assert_allclose(f(0.7), want, rtol=1e-12)


def derivative(f: Any) -> Any:
    return lambda x: ag.jvp(f, (x,), (1.0,))[1]


@pytest.mark.parametrize("inner", ["grad", "jvp"])
@pytest.mark.parametrize("outer", ["grad", "jvp"])
@pytest.mark.parametrize("kind", [float, ag.asarray])
def test_four_compositions(inner: str, outer: str, kind: Any) -> None:
    modes = {"grad": ag.grad, "jvp": derivative}
    f = lambda x: ag.exp(x * x)  # noqa: E731
    got = modes[outer](modes[inner](f))(kind(0.6))
    np.testing.assert_allclose(
        getattr(got, "numpy", lambda: got)(), (2 + 4 * 0.36) * np.exp(0.36), rtol=1e-12
    )


def test_vjp_pull_keeps_the_graph_of_its_cotangent() -> None:
    """The run is older than the cotangent's graph: its derivative was lost once."""
    _, pull = ag.vjp(lambda x: x * x, 3.0)
    assert ag.grad(lambda g: pull(g)[0])(1.0) == 6.0
    assert ag.jvp(lambda g: pull(g)[0], (1.0,), (2.0,))[1] == 12.0


def test_vjp_can_be_pulled_after_the_argument_was_written() -> None:
    x = np.array([1.0, 2.0])
    _, pull = ag.vjp(lambda v: v * v, x)
    x[:] = 100.0
    np.testing.assert_allclose(pull(np.ones(2))[0], [2.0, 4.0])
    np.testing.assert_allclose(pull(np.ones(2))[0], [2.0, 4.0])


def test_vjp_and_linearize_of_several_in_containers() -> None:
    def f(p: Any, y: Any) -> Any:
        return {"a": p[0] * y, "b": [p[1] + y, 4]}

    args = ([np.array([1.0, 2.0]), np.ones(2)], np.array([3.0, 4.0]))
    out, pull = ag.vjp(f, *args)
    assert type(out["a"]) is np.ndarray
    gp, gy = pull({"a": np.ones(2), "b": [2 * np.ones(2), None]})
    np.testing.assert_allclose(gp[0], [3.0, 4.0])
    np.testing.assert_allclose(gp[1], [2.0, 2.0])
    np.testing.assert_allclose(gy, [3.0, 4.0])
    _, push = ag.linearize(f, *args)
    t = push([np.ones(2), np.zeros(2)], np.ones(2))
    np.testing.assert_allclose(t["a"], [4.0, 6.0])
    np.testing.assert_allclose(t["b"][0], [1.0, 1.0])


# -- jacobians -------------------------------------------------------------------------------------

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize("jacobian", [ag.jacobian, ag.jacrev, ag.jacfwd])
class TestJacobian:
    def test_values(self, jacobian: Any) -> None:
        J = jacobian(lambda x: (ag.asarray(A) * x).sum(axis=1) ** 2)(np.array([1.0, 0.5, -1.0]))
        s = A @ np.array([1.0, 0.5, -1.0])
        assert type(J) is np.ndarray
        np.testing.assert_allclose(J, 2 * s[:, None] * A)

    def test_shapes(self, jacobian: Any) -> None:
        J = jacobian(lambda x: x.T[:, :1] * 2)(np.ones((2, 3)))
        assert J.shape == (3, 1, 2, 3)
        assert jacobian(lambda x: x * x)(3.0) == 6.0
        assert jacobian(lambda x: x * np.ones(2))(3.0).shape == (2,)
        assert jacobian(lambda x: x.sum())(np.ones((0, 2))).shape == (0, 2)

    def test_containers(self, jacobian: Any) -> None:
        J = jacobian(lambda p: (p["a"] * 2, p["b"] * p["a"]))({"a": np.ones(2), "b": 3.0})
        np.testing.assert_allclose(J[0]["a"], 2 * np.eye(2))
        np.testing.assert_allclose(J[1]["b"], np.ones(2))
        assert J[0]["b"].shape == (2,)

    def test_several_arguments(self, jacobian: Any) -> None:
        Jx, Jy = jacobian(lambda x, y: x * y, (0, 1))(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        np.testing.assert_allclose(Jx, np.diag([3.0, 4.0]))
        np.testing.assert_allclose(Jy, np.diag([1.0, 2.0]))

    def test_complex_result_of_real_argument(self, jacobian: Any) -> None:
        J = jacobian(lambda x: ag.exp(x * 1j))(np.array([0.3, 0.4]))
        np.testing.assert_allclose(J, np.diag(1j * np.exp(1j * np.array([0.3, 0.4]))))

    def test_real_result_of_complex_argument(self, jacobian: Any) -> None:
        z = np.array([3 + 4j, 1 - 1j])
        J = jacobian(lambda z: ag.abs(z) ** 2)(z)
        np.testing.assert_allclose(J, np.diag(2 * z))

    def test_holomorphic(self, jacobian: Any) -> None:
        z = np.array([3 + 4j, 1 - 1j])
        np.testing.assert_allclose(
            jacobian(lambda z: z * z * 1j, holomorphic=True)(z), np.diag(2j * z)
        )

    def test_nested_in_a_gradient(self, jacobian: Any) -> None:
        g = ag.grad(lambda w: (jacobian(lambda x: w * x * x)(np.array([1.0, 2.0])) ** 2).sum())(3.0)
        np.testing.assert_allclose(g, 2 * 3.0 * (4 + 16))


def test_hessian_and_hvp() -> None:
    x = np.array([1.0, 2.0, 3.0])
    f = lambda v: v[0] * v[1] * v[2] + (v * v * v).sum()  # noqa: E731
    H = ag.hessian(f)(x)
    want = 6 * np.diag(x) + np.array([[0, 3, 2], [3, 0, 1], [2, 1, 0]])
    np.testing.assert_allclose(H, want)
    v = np.array([1.0, -1.0, 0.5])
    np.testing.assert_allclose(ag.hvp(f)(x, v), want @ v)
    np.testing.assert_allclose(ag.hessian(lambda v: v.sum())(x), np.zeros((3, 3)))
    np.testing.assert_allclose(ag.hvp(lambda v: v.sum())(x, v), np.zeros(3))


def test_hessian_by_two_arguments() -> None:
    H = ag.hessian(lambda x, y: x * x * y, (0, 1))(2.0, 3.0)
    assert H == ((6.0, 4.0), (4.0, 0.0))


def test_hvp_with_further_arguments() -> None:
    assert ag.hvp(lambda x, a, *, b: a * b * x * x * x)(2.0, 1.0, 3.0, b=0.5) == 18.0


def test_elementwise_grad() -> None:
    x = np.array([0.1, 0.2])
    np.testing.assert_allclose(ag.elementwise_grad(ag.sin)(x), np.cos(x))
    second = ag.elementwise_grad(ag.elementwise_grad(ag.sin))
    np.testing.assert_allclose(second(x), -np.sin(x))
    assert ag.elementwise_grad(lambda x: x * x)(3.0) == 6.0


# -- complex ---------------------------------------------------------------------------------------


def test_complex_gradient_is_steepest_ascent() -> None:
    z = np.array([3 + 4j, 1 - 1j])
    np.testing.assert_allclose(ag.grad(lambda z: (ag.abs(z) ** 2).sum())(z), 2 * z)
    np.testing.assert_allclose(ag.grad(lambda z: ag.abs(z).sum())(z), z / abs(z))
    np.testing.assert_allclose(ag.grad(lambda z: ag.abs(z).sum())(0 * z), 0 * z)


def test_holomorphic_gradient_is_the_derivative() -> None:
    assert ag.grad(lambda z: z * z * 1j, holomorphic=True)(3 + 1j) == 2j * (3 + 1j)


def test_scipy_minimize() -> None:
    from scipy.optimize import minimize

    def rosen(x: Any) -> Any:
        return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    start = np.array([-1.2, 1.0, 0.8])
    for method in ("BFGS", "L-BFGS-B", "Newton-CG"):
        r = minimize(ag.value_and_grad(rosen), start, jac=True, method=method)
        np.testing.assert_allclose(r.x, np.ones(3), atol=5e-3)
    for second in ({"hess": ag.hessian(rosen)}, {"hessp": ag.hvp(rosen)}):
        r = minimize(rosen, start, jac=ag.grad(rosen), method="trust-ncg", **second)
        np.testing.assert_allclose(r.x, np.ones(3), atol=1e-4)


# -- types -----------------------------------------------------------------------------------------


def _wave(x: Any) -> Any:
    return np.sum(np.sin(x) * x)


TRANSFORMS: dict[str, Any] = {
    "grad": lambda x, t: (ag.grad(_wave)(x),),
    "value_and_grad": lambda x, t: ag.value_and_grad(_wave)(x),
    "vjp": lambda x, t: (ag.vjp(_wave, x)[0], *ag.vjp(_wave, x)[1](1.0)),
    "jvp": lambda x, t: ag.jvp(_wave, (x,), (t,)),
    "linearize": lambda x, t: (ag.linearize(_wave, x)[0], ag.linearize(_wave, x)[1](t)),
    "jacobian": lambda x, t: (ag.jacobian(_wave)(x),),
    "jacrev": lambda x, t: (ag.jacrev(_wave)(x),),
    "jacfwd": lambda x, t: (ag.jacfwd(_wave)(x),),
    "hessian": lambda x, t: (ag.hessian(_wave)(x),),
    "hvp": lambda x, t: (ag.hvp(_wave)(x, t),),
    "elementwise_grad": lambda x, t: (ag.elementwise_grad(np.sin)(x),),
    "aux": lambda x, t: (
        ag.grad(lambda x: (_wave(x), 2 * x), has_aux=True)(x)[1] / 2,
        ag.grad(lambda x: (_wave(x), 2 * x), has_aux=True)(x)[0],
    ),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_give_what_they_got(name: str) -> None:
    """The push of linearize gave np.float64 where grad gave float."""
    for x, t in ((2.0, 1.0), (2, 1)):
        assert [type(r) for r in TRANSFORMS[name](x, t)] == [float] * len(TRANSFORMS[name](x, t))
    for dtype in (np.float32, np.float64):
        for result in TRANSFORMS[name](dtype(2), dtype(1)):
            assert type(result) is dtype
    for result in TRANSFORMS[name](np.ones(3), np.ones(3)):
        assert type(result) is (np.ndarray if result.ndim else np.float64)
    for result in TRANSFORMS[name](ag.asarray(np.ones(3)), ag.asarray(np.ones(3))):
        assert isinstance(result, ag.Tensor)
        assert not result.requires_grad


def cube(x, k=2.0):
    return k * (x**3).sum()


@ag.grad
def slope_of_square(x):
    return x * x


class Spring:
    stiffness = 3.0

    def energy(self, x):
        return self.stiffness * x**2

    force = ag.grad(energy, argnums=1)


@pytest.mark.parametrize(
    "make",
    [ag.grad, ag.jacobian, ag.jacrev, ag.jacfwd, ag.hessian, ag.elementwise_grad,
     lambda f: ag.grad(f, argnums=(0, 1))],
)  # fmt: skip
def test_derivatives_pickle_and_look_like_the_function(make):
    derivative = make(cube)
    again = pickle.loads(pickle.dumps(derivative))
    x = np.array([1.0, 2.0])
    for ours, theirs in zip(derivative(x, 2.0), again(x, 2.0), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert derivative.__name__ == "cube"
    assert inspect.signature(derivative) == inspect.signature(cube)
    assert "cube" in repr(derivative)


def test_value_and_grad_and_hvp_pickle():
    x = np.array([1.0, 2.0])
    value, gradient = pickle.loads(pickle.dumps(ag.value_and_grad(cube)))(x)
    assert value == 18.0
    np.testing.assert_array_equal(gradient, 6 * x**2)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ag.hvp(cube)))(x, x), 12 * x**2)


def test_decorated_functions_and_methods_pickle():
    assert pickle.loads(pickle.dumps(slope_of_square)) is slope_of_square
    assert slope_of_square(3.0) == 6.0
    spring = Spring()
    assert spring.force(2.0) == 12.0
    assert pickle.loads(pickle.dumps(spring.force))(2.0) == 12.0
    assert pickle.loads(pickle.dumps(ag.grad(spring.energy)))(2.0) == 12.0
    assert copy.deepcopy(ag.grad(cube))(np.ones(1)) == 6.0

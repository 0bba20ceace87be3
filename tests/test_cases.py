"""Small inputs that were reported against libraries of this kind, with their right values.

Each stands for a kind of mistake. The letters group them: A conversions that may lose a gradient,
B in-place writes and indexing, C numerical edges, D linear algebra, E complex numbers, G memory,
threads and other libraries.
"""

import gc
import math
import threading
import weakref

import numpy as np
import pytest
import scipy.special as sp
from scipy.optimize import minimize

import arraygrad as ag


def val(t):
    """Plain ndarray view of a result."""
    detach = getattr(t, "detach", None)
    return np.asarray(detach() if callable(detach) else t)


def close(got, want, tol=1e-7, rtol=1e-7):
    np.testing.assert_allclose(val(got), val(want), rtol=rtol, atol=tol)


def FD(f, x, h=1e-5):
    """Finite differences: the same code on plain ndarrays."""
    x = np.array(x, float)
    g = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        p, m = x.copy(), x.copy()
        p[i] += h
        m[i] -= h
        g[i] = (f(p) - f(m)) / (2 * h)
    return g


def right_or_loud(thunk, want, tol=1e-7):
    """ "right", or how it was refused: a silent wrong answer is the only failure."""
    try:
        got = val(thunk())
    except ag.errors.ArraygradError as error:
        return type(error).__name__
    close(got, want, tol=tol)
    return "right"


def test_a1_block_assignment_into_a_fresh_np_zeros():
    """Block assignment into a fresh np.zeros. The classic: allocate with np.zeros, write computed
    pieces into slices. NumPy owns the target, so the write goes through `__array__` and the
    derivative either vanishes or the user sees "setting an array element with a sequence".

    Reported as HIPS/autograd#58, #375, #515, #559.
    """

    def f(A):
        B = np.zeros((4, 4))
        B[:2, :2] = A  # target is a plain ndarray
        B[2, 3] = A[0, 0] ** 2  # scalar write goes through __float__
        return B.sum()

    A = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert right_or_loud(lambda: ag.grad(f)(A), [[3.0, 1.0], [1.0, 1.0]]) == "right"


def test_a3_np_array_t0_t1_from_scalar_tensors():
    """np.array([t0, t1]) from scalar tensors. A list of tracked scalars turned into an array.
    `np.array` is not dispatched by `__array_function__` (numpy#12028) unless `like=` is given;
    torch returns a constant, autograd special-cases it.

    Reported as HIPS/autograd#304, #571; jcmgray/quimb#118; pytorch#61410.
    """

    def f(th):
        M = np.array([[th[0], th[1]], [th[2], th[3]]])
        return (M @ M).sum()

    def g(th):
        M = np.array([[th[0], th[1]], [th[2], th[3]]], like=th)
        return (M @ M).sum()

    def h(th):
        M = np.stack([np.stack([th[0], th[1]]), np.stack([th[2], th[3]])])
        return (M @ M).sum()

    th = np.array([1.0, 2.0, 3.0, 4.0])
    want = [7.0, 11.0, 9.0, 13.0]
    assert right_or_loud(lambda: ag.grad(f)(th), want) == "right"
    close(ag.grad(g)(th), want)
    close(ag.grad(h)(th), want)


def test_a4_reductions_handed_a_python_list_of_tensors():
    """Reductions handed a Python list of tensors. np.mean([x, x+2]), np.linalg.norm([x, 2*x]),
    np.max([x, 0]) do not trigger dispatch (only the list is inspected), so each element is
    coerced.

    Reported as HIPS/autograd PR#757.
    """
    x0 = 3.0
    assert right_or_loud(lambda: ag.grad(lambda x: np.mean([x, x + 2]))(x0), 1.0) == "right"
    assert (
        right_or_loud(lambda: ag.grad(lambda x: np.linalg.norm([x, 2 * x]))(x0), 5**0.5) == "right"
    )
    assert right_or_loud(lambda: ag.grad(lambda x: np.max([x, 0.0]))(x0), 1.0) == "right"
    assert right_or_loud(lambda: ag.grad(lambda x: np.diag([x, x * x]).sum())(x0), 7.0) == "right"


def test_a5_np_full_like_np_copyto_np_put_with_a_tracked_value():
    """np.full_like / np.copyto / np.put with a tracked value. np.full_like(ndarray, t) dispatches
    only its inner np.copyto to the tensor. A stub that ignores copyto hands the user
    uninitialised memory. np.put, ndarray.fill, np.add.at and np.fill_diagonal on an ndarray
    target share the hazard.

    Reported as field observation on NumPy 2.4.6 (cf. numpy#12028, cupy#1650).
    """
    s = ag.tensor(3.0, requires_grad=True)
    for op in (
        lambda: np.full_like(np.zeros(3), s),
        lambda: np.copyto(np.zeros(3), s),
        lambda: np.put(np.zeros(3), [0], s),
        lambda: np.add.at(np.zeros(3), [0, 1], s),
        lambda: np.zeros(3).fill(s),
        lambda: np.fill_diagonal(np.zeros((2, 2)), s),
    ):
        with pytest.raises((TypeError, ValueError)):
            op()


def test_a8_asarray_must_not_strip_or_mutate_the_tracking_flag():
    """asarray must not strip or mutate the tracking flag. Array-API consumers canonicalise inputs
    with xp.asarray. torch returned the same object with requires_grad switched off, so
    everything after it was a constant.

    Reported as pytorch#170819; scipy#24186.
    """
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    xp = x.__array_namespace__()
    y = xp.asarray(x)
    assert x.requires_grad
    assert y.requires_grad
    z = xp.astype(xp.asarray(x * 1.0, copy=True), xp.float64)
    (z * y).sum().backward()
    close(x.grad, [2.0, 4.0])


def test_a9_math_and_float_on_a_tracked_tensor():
    """math.* and float() on a tracked tensor. math.exp(x) silently yields a Python float. torch
    went from silent to a one-time warning; the request was for an error.

    Reported as pytorch#143071, PR#143261.
    """
    x = ag.tensor(2.0, requires_grad=True)
    for fn in (math.exp, float, lambda t: math.pow(t, 3), "%f".__mod__):
        with pytest.raises(TypeError, match="grad"):
            fn(x)
    with ag.no_grad():
        assert math.exp(x) == math.exp(2.0)
    assert bool(x > 1) is True  # control flow on values stays legal


def test_a10_np_asarray_inside_no_grad():
    """np.asarray inside no_grad. Inside a no-grad block the user has already said no gradient is
    wanted, yet conversion still raised. Logging/plotting code hits this constantly.

    Reported as pytorch#37000; zhuangdizhu/FedGen#1.
    """
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    with ag.no_grad():
        a = np.asarray(y)
    assert type(a) is np.ndarray
    close(a, [2.0, 4.0])
    close(y.detach(), [2.0, 4.0])


def test_b2_writing_through_a_view_of_a_view():
    """Writing through a view of a view. fill_diagonal(fliplr(y)) and reshape->transpose->row
    writes must reach the base tensor. Copy-on-write implementations turn this into a no-op.

    Reported as rsokl/MyGrad#296, PR#318.
    """
    W = np.arange(9.0).reshape(3, 3)

    def f(x):
        y = np.zeros((3, 3), like=x)
        np.fill_diagonal(np.fliplr(y), x)
        return (W * y).sum()

    close(ag.grad(f)(np.array([1.0, 2.0, 3.0])), [2.0, 4.0, 6.0])

    def g(x):
        y = 1.0 * x
        v = y.reshape(2, 2).T[0]
        v *= 3.0
        v[1:] += x[0] * x[3]
        return (y * np.array([1.0, 10.0, 100.0, 1000.0])).sum()

    close(ag.grad(g)(np.array([1.0, 2.0, 3.0, 4.0])), [3 + 400, 10.0, 300.0, 1000 + 100])


def test_b3_in_place_on_rows_obtained_by_iterating():
    """In-place on rows obtained by iterating. `for row in y: row *= 2` mutates y in NumPy. torch
    forbids it for some multi-view ops and for a while gave a wrong gradient when a further view
    was taken.

    Reported as pytorch#36608, #49824, PR#56093.
    """

    def f(x):
        y = x * 1.0
        for i, row in enumerate(y):
            row *= i + 2
            row[:1] -= 1.0
        return (y**2).sum()

    x0 = np.array([[1.0, 2.0], [3.0, 4.0]])
    close(ag.grad(f)(x0), FD(f, x0))
    close(FD(f, x0), [[4.0, 16.0], [48.0, 72.0]])


def test_b4_clobbering_a_saved_output():
    """Clobbering a saved output. exp/tanh/sqrt/sigmoid keep their output for the backward rule.
    Overwriting it in place must be detected or versioned away; using the new contents is
    silently wrong.

    Reported as pytorch#9391; NLESC-JCER/QMCTorch#30.
    """

    def f(x):
        b = np.exp(x)
        c = np.tanh(b)
        b[1] = 2.0
        c *= x
        s = np.sqrt(x)
        s += 1.0
        return b.sum() + c.sum() + s.sum()

    x0 = np.array([0.1, 0.2, 0.3])
    assert right_or_loud(lambda: ag.grad(f)(x0), FD(f, x0), tol=1e-5) == "right"


def test_b6_assignment_with_repeated_indices():
    """Assignment with repeated indices. NumPy keeps the last write. Gradients that gather the
    cotangent for every write over-count.

    Reported as pytorch#473, #146299, #57006; tensorflow#56961.
    """
    w = np.array([1.0, 10.0, 100.0])

    def f(v):
        y = np.zeros(3, like=v)
        y[[0, 0, 1]] = v
        return (w * y).sum()

    close(ag.grad(f)(np.array([1.0, 2.0, 3.0])), [0.0, 1.0, 10.0])

    def g(s):
        y = np.zeros(3, like=s)
        y[[2, 2]] = s
        return (w * y).sum()

    close(ag.grad(g)(np.array(1.5)), 100.0)

    def h(v):
        y = np.zeros(3, like=v)
        np.add.at(y, [0, 0, 1], v)
        return (w * y).sum()

    close(ag.grad(h)(np.array([1.0, 2.0, 3.0])), [1.0, 1.0, 10.0])

    def m(v):
        y = v * 1.0
        y[[0, 0]] += 1.0 * v[:2]
        return (w * y).sum()

    close(ag.grad(m)(np.array([1.0, 2.0, 3.0])), [1.0, 11.0, 100.0])


def test_b7_gather_with_repeated_indices():
    """Gather with repeated indices. Backward of fancy indexing must accumulate, not assign.

    Reported as pytorch#1631, #1528.
    """
    close(ag.grad(lambda x: (x[[0, 0]] * np.array([0.2, 0.3])).sum())(np.array([0.1])), [0.5])
    close(
        ag.grad(
            lambda x: (
                np.take(x, [[0, 1], [1, 1]], axis=0) * np.array([[1.0, 2.0], [3.0, 4.0]])
            ).sum()
        )(np.array([5.0, 6.0])),
        [1.0, 9.0],
    )
    close(
        ag.grad(lambda x: x[np.array([True, False, True])][::-1][0])(np.array([1.0, 2.0, 3.0])),
        [0.0, 0.0, 1.0],
    )


def test_c1_norms_at_zero():
    """Norms at zero. norm(x)**2 has gradient 2x, yet the chain rule through 1/norm gives NaN at
    the origin. The single most re-reported numeric complaint.

    Reported as HIPS/autograd#151, #183, #570, #586, #617, #370;
    pytorch#2421; jax#21723; rsokl/MyGrad#378.
    """
    z3 = np.zeros(3)
    close(ag.grad(lambda x: np.linalg.norm(x) ** 2)(z3), z3)
    close(ag.grad(lambda x: np.exp(-(np.linalg.norm(x) ** 2)))(z3), z3)
    close(
        ag.grad(lambda x: np.sum(np.linalg.norm(x, axis=-1) ** 2))(np.zeros((1, 2))),
        np.zeros((1, 2)),
    )
    close(ag.grad(np.linalg.norm)(z3), z3)  # minimum-norm subgradient
    close(
        ag.grad(lambda x: np.sum(np.linalg.norm(x[1:] - x[:-1], axis=1) ** 2))(
            np.array([[1.0], [0.0], [0.0], [1.0]])
        ),
        [[2.0], [-2.0], [-2.0], [2.0]],
    )


@pytest.mark.filterwarnings("ignore:(invalid|overflow|divide):RuntimeWarning")
def test_c4_unselected_branch_of_np_where():
    """Unselected branch of np.where. The discarded branch contributes 0*inf = NaN. Everyone
    documents the double-where workaround; unmodified NumPy code does not have it.

    Reported as jax#347, #1052; pytorch#52248, #68425, #156212; tensorflow#38349;
    tinygrad PR#15806; HIPS/autograd#396.
    """
    close(
        ag.grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)))(np.array([-1.0, 4.0])),
        [0.0, 0.25],
    )
    close(ag.grad(lambda a: np.where(a <= 0, np.exp(a), 1 + a))(1000.0), 1.0)
    close(
        ag.grad(lambda x: np.sum(np.where(x <= 10, np.exp(x), 1.0)))(np.array([1.0, 1e10])),
        [np.e, 0.0],
    )
    close(
        ag.grad(lambda x: np.sum(np.where(x != 0, np.sin(x) / x, 1.0)))(np.array([0.0, 1.0])),
        [0.0, np.cos(1) - np.sin(1)],
    )
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]])

    def g(x):
        r = np.sqrt(np.sum(x**2, axis=1))
        return np.sum(np.where(r > 0.5, r, 1.0))

    close(ag.grad(g)(rows), [[1 / 5**0.5, 2 / 5**0.5], [0.6, 0.8], [0.0, 0.0]])


def test_c5_std_of_constant_data():
    """std of constant data. sqrt(var) at var=0. Zero is a valid subgradient and what norm returns;
    NaN poisons batch statistics.

    Reported as jax#11716; pytorch#4320; tensorflow#56830.
    """
    close(ag.grad(np.std)(np.array([1.0, 1.0, 1.0])), [0.0, 0.0, 0.0])
    close(ag.grad(np.var)(np.array([1.0, 1.0, 1.0])), [0.0, 0.0, 0.0])
    close(
        ag.grad(lambda x: np.sum(np.std(x, axis=0)))(np.array([[1.0, 1.0], [1.0, 3.0]])),
        [[0.0, -0.5], [0.0, 0.5]],
    )


def test_c6_products_containing_zeros():
    """Products containing zeros. prod(x)/x is 0/0. Also a shape bug when the reduced axis has
    length one. Second derivatives need the pairwise products.

    Reported as tinygrad PR#17404; pytorch#82644.
    """
    close(ag.grad(np.prod)(np.array([0.0, 2.0, 3.0])), [6.0, 0.0, 0.0])
    close(ag.grad(np.prod)(np.array([0.0, 0.0, 3.0])), [0.0, 0.0, 0.0])
    close(ag.grad(lambda x: np.sum(np.prod(x, axis=0)))(np.array([[0.0]])), [[1.0]])
    close(
        ag.grad(lambda x: np.sum(np.prod(x, axis=1)))(np.array([[0.0, 5.0], [2.0, 3.0]])),
        [[5.0, 0.0], [3.0, 2.0]],
    )
    close(
        ag.hessian(np.prod)(np.array([0.0, 2.0, 3.0])),
        [[0.0, 3.0, 2.0], [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
        tol=1e-4,
    )


def test_c8_ties_in_max_min():
    """Ties in max / min. Giving every tied entry the full cotangent doubles the gradient of max(x,
    x). Even split and first-only are both defensible; total must be 1 and the spelling must not
    matter.

    Reported as HIPS/autograd#212, PR#141; jax#13600; pytorch#56734, #146667; onnxruntime PR#7217.
    """
    close(ag.grad(lambda x: np.maximum(x, x))(1.0), 1.0)
    close(ag.grad(lambda x: np.max(np.stack([x, x, x])))(1.0), 1.0)
    t = np.array([1.0, 1.0, 0.0])
    ga, gb, gc = (
        val(ag.grad(f)(t))
        for f in (
            np.max,
            lambda x: np.max(x, axis=0),
            lambda x: np.amax(x, axis=0, keepdims=True)[0],
        )
    )
    assert abs(ga.sum() - 1) < 1e-6
    assert (ga > -1e-9).all()
    close(ga, gb)
    close(ga, gc)
    s = val(ag.grad(lambda x: np.sum(np.sort(x)[::-1][:2]))(np.array([3.0, 1.0, 3.0, 2.0])))
    close(s, [1.0, 0.0, 1.0, 0.0])


def test_c11_log_space_zero():
    """log-space zero. Two impossible paths: logaddexp(-inf, -inf + x). The weight of x is
    exp(-inf) = 0.

    Reported as jax#6811; pytorch#31829.
    """
    g = val(ag.grad(lambda x: np.exp(np.logaddexp(-np.inf, -np.inf + x)))(1.0))
    assert np.isfinite(g), g
    close(g, 0.0)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_c13_tails_that_round_to_a_constant():
    """Tails that round to a constant. tanh backward from the saved output (1-y^2) is exactly 0
    once y rounds to 1 although the true slope is an ordinary number; exp2 backward multiplies
    an overflowed output.

    Reported as pytorch#195527, #195685, #192407.
    """
    close(ag.grad(np.tanh)(20.0), 1.6993417021166355e-17, tol=0, rtol=1e-9)
    close(ag.grad(np.tanh)(-20.0), 1.6993417021166355e-17, tol=0, rtol=1e-9)
    x = ag.tensor(np.float32(-9.010913848876953), requires_grad=True)
    np.tanh(x).backward()
    close(x.grad, 5.960458e-08, tol=0, rtol=1e-3)
    # stretch: forward overflows, derivative does not
    close(ag.grad(np.exp2)(1024.0), 1.2460659279417838e308, tol=0, rtol=1e-9)


def test_c15_nan_aware_reductions():
    """NaN-aware reductions. The whole point of nan* functions is that the NaN entry does not
    matter; its gradient must be 0 and must not infect the others, also when an elementwise op
    precedes.

    Reported as HIPS/autograd#395; jax#8128, #8126, #9040.
    """
    x0 = np.array([np.nan, 1.0, 2.0, 3.0, 4.0])
    close(ag.grad(np.nanmean)(x0), [0.0, 0.25, 0.25, 0.25, 0.25])
    close(
        ag.grad(np.nanstd)(x0),
        [0.0, -0.3354101966, -0.1118033989, 0.1118033989, 0.3354101966],
        tol=1e-8,
    )
    close(ag.grad(lambda x: np.nanmean(x**2))(x0), [0.0, 0.5, 1.0, 1.5, 2.0])
    close(ag.grad(np.nanmax)(x0), [0.0, 0.0, 0.0, 0.0, 1.0])


def test_d1_determinant_of_a_singular_matrix():
    """Determinant of a singular matrix. det(A) inv(A)^T needs an inverse that does not exist; the
    cofactor matrix always does. Second derivatives are polynomial too.

    Reported as HIPS/autograd#549; jax#2380, #2821; tensorflow#119477.
    """
    close(ag.grad(np.linalg.det)(np.array([[1.0, 2.0], [2.0, 4.0]])), [[4.0, -2.0], [-2.0, 1.0]])
    close(ag.grad(np.linalg.det)(np.zeros((4, 4))), np.zeros((4, 4)))
    S = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    close(
        ag.grad(np.linalg.det)(S),
        [[-3.0, 6.0, -3.0], [6.0, -12.0, 6.0], [-3.0, 6.0, -3.0]],
        tol=1e-7,
    )
    H = val(ag.hessian(np.linalg.det)(np.zeros((2, 2)))).reshape(4, 4)
    close(H, [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]], tol=1e-4)


def test_d3_cholesky_gradient_symmetry():
    """Cholesky gradient symmetry. log det through Cholesky should give inv(X). Variants return
    only a triangle, double the off-diagonals, or leak a "ghost" entry.

    Reported as HIPS/autograd PR#56; pytorch#18825; jax#10815, #40421.
    """
    X = np.array([[4.0, 1.0], [1.0, 3.0]])
    g = val(ag.grad(lambda M: 2 * np.sum(np.log(np.diagonal(np.linalg.cholesky(M)))))(X))
    close(g + g.T, 2 * np.linalg.inv(X))  # any documented triangle convention passes this
    B = np.array([[2.0, 1.0], [0.5, 1.5]])  # through a symmetric parametrisation it is unambiguous

    def f(P):
        return np.sum(np.linalg.cholesky(P @ P.T + np.eye(2)))

    close(ag.grad(f)(B), FD(f, B))


@pytest.mark.filterwarnings("ignore::arraygrad._errors.GradientWarning")
def test_d4_repeated_singular_eigen_values():
    """Repeated singular/eigen values. 1/(s_i - s_j) blows up although the composite is smooth.
    Masking the denominator removes the NaN but is silently wrong for general weights, so this
    case separates three designs.

    Reported as jax#8732, #2311; pytorch#49886, PR#50942; invenia/Nabla.jl#183.
    """

    def recon(A):
        U, s, Vh = np.linalg.svd(A, full_matrices=False)
        return (U * s) @ Vh

    A = np.diag(np.array([1.0, 1.0, 2.0, 3.0]))
    close(
        ag.grad(lambda M: np.linalg.svd(M, compute_uv=False).sum())(2 * np.eye(3)), np.eye(3)
    )  # nuclear norm
    close(ag.grad(lambda M: np.sum(np.linalg.eigvalsh(M) ** 2))(np.eye(3)), 2 * np.eye(3))
    assert right_or_loud(lambda: ag.grad(lambda M: np.linalg.norm(recon(M)))(A), A / 15**0.5) in (
        "right",
        "GradientError",
    )
    W = np.arange(16.0).reshape(4, 4)
    assert right_or_loud(lambda: ag.grad(lambda M: np.sum(W * recon(M)))(A), W) in (
        "right",
        "GradientError",
    )  # recon is the identity map

    def tr_expm(M):
        w, V = np.linalg.eigh((M + M.T) / 2)
        return np.trace(np.ones((3, 3)) @ ((V * np.exp(w)) @ V.T))

    assert right_or_loud(lambda: ag.grad(tr_expm)(np.eye(3)), np.e * np.ones((3, 3))) in (
        "right",
        "GradientError",
    )  # masking gives e*I


def test_e1_real_parameters_complex_intermediates():
    """Real parameters, complex intermediates. The imaginary contribution must not be dropped when
    the parameter is real, and conjugates matter inside matmul/einsum/fft rules.

    Reported as HIPS/autograd#27; tensorflow#3850, #37307; pymc-devs/pytensor#969.
    """
    x0 = np.array([0.3, 1.1, 2.0, -0.7])
    close(ag.grad(lambda x: np.sum(np.real(np.exp(1j * x))))(x0), -np.sin(x0))
    close(ag.grad(lambda x: np.sum(np.imag(np.exp(1j * x))))(x0), np.cos(x0))
    Hm = np.array([[1 + 2j, 0.5], [-1j, 2 - 1j]])
    for f in (
        lambda x: np.abs(np.sum((x[0] * Hm) @ (x[1] * Hm))),
        lambda x: np.abs(np.sum(np.einsum("ab,bc->ac", x[0] * Hm, np.conj(x[1] * Hm)))),
        lambda x: np.sum(np.abs(np.fft.rfft(x)) ** 2 * np.array([1.0, 2.0, 3.0])),
        lambda x: np.sum(np.abs(np.fft.fft(x, n=6)[1:4])),
    ):
        close(ag.grad(f)(x0), FD(f, x0), tol=1e-5)


def test_e2_complex_input_convention_and_non_real_outputs():
    """Complex-input convention and non-real outputs. For a real loss of a complex variable the
    useful object is the ascent direction df/dRe + i df/dIm. Libraries differ by a conjugate;
    norm had it wrong. Asking for the gradient of a complex output should be refused, not
    answered.

    Reported as HIPS/autograd#361, #577, PR#393; jax#4891, #3293; pytorch#46144; tensorflow#3348.
    """
    z0 = np.array([3 + 4j, 1 - 1j])
    close(ag.grad(lambda z: np.sum(np.abs(z) ** 2))(z0), 2 * z0)
    close(ag.grad(lambda z: np.sum(np.abs(z)))(z0), z0 / np.abs(z0))
    close(ag.grad(np.linalg.norm)(z0), z0 / np.linalg.norm(z0))
    close(ag.grad(lambda z: np.sum(np.abs(z)))(np.zeros(2, complex)), np.zeros(2))
    with pytest.raises(ag.errors.GradientError, match="complex"):
        ag.grad(lambda z: np.sum(z * z))(z0)


def test_g2_no_reference_cycles():
    """No reference cycles. backward(create_graph=True) makes leaf -> grad -> graph -> leaf.
    Without a cycle collector pass memory only grows. Dropping the output must free the graph
    immediately.

    Reported as pytorch#7343, #4661, #3818, #25340; rsokl/MyGrad PR#313, #309; HIPS/autograd#219.
    """
    gc.collect()
    gc.disable()
    try:
        x = ag.tensor(np.ones(1000), requires_grad=True)
        y = np.tanh(x) ** 2
        r = weakref.ref(y)
        s = y.sum()
        s.backward()
        del y, s
        assert r() is None
        g = ag.grad(lambda t: np.sum(np.tanh(t) ** 2))(x)
        h = ag.grad(lambda t: np.sum(ag.grad(lambda u: np.sum(np.tanh(u) ** 2))(t)))(x)
        rx = weakref.ref(x)
        del x, g, h
        assert rx() is None
    finally:
        gc.enable()


def test_g3_threads():
    """Threads. A recording switch kept in a module global lets one thread disable gradients for
    all, or a tracer stack mix two threads' graphs.

    Reported as pytorch#20528, #18333; HIPS/autograd PR#659.
    """
    out, stop = {}, threading.Event()

    def silent():
        with ag.no_grad():
            stop.wait(5)

    t = threading.Thread(target=silent)
    t.start()

    def work(k):
        out[k] = val(ag.grad(lambda x: np.sum(np.sin(k * x)))(np.ones(50)))

    ts = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [u.start() for u in ts]
    [u.join() for u in ts]
    stop.set()
    t.join()
    for k in range(8):
        close(out[k], k * np.cos(k) * np.ones(50))


def test_g6_scipy_optimize_with_jac_true():
    """scipy.optimize with jac=True. SciPy needs a real float and a float64 ndarray back; returning
    library scalars gave Fortran intent errors.

    Reported as jax#2031; pytorch#105730; scipy#13842; probml/pyprobml#6.
    """

    def rosen(x):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    for method in ("BFGS", "L-BFGS-B", "trust-constr", "Newton-CG"):
        r = minimize(ag.value_and_grad(rosen), np.array([-1.2, 1.0, 0.8]), jac=True, method=method)
        close(r.x, np.ones(3), tol=5e-3)
    r = minimize(
        rosen,
        np.array([-1.2, 1.0, 0.8]),
        jac=ag.grad(rosen),
        hess=ag.hessian(rosen),
        method="trust-exact",
    )
    close(r.x, np.ones(3), tol=1e-5)


def test_g7_scipy_special_through_array_ufunc():
    """scipy.special through __array_ufunc__. scipy.special functions are NumPy ufuncs, so a tensor
    with `__array_ufunc__` receives them unmodified. Wanted derivatives: shape parameters of
    incomplete gamma/beta, xlogy at 0.

    Reported as jax#38610, #15487; pytorch#67763, #80770; CamDavidsonPilon/autograd-gamma#5;
    pymc-devs/pytensor PR#412.
    """
    close(ag.grad(lambda x: sp.xlogy(x, 2.0))(0.0), np.log(2.0))
    close(
        ag.grad(
            lambda x: np.sum(sp.expit(x) + sp.erf(x) + sp.gammaln(x) + sp.digamma(x) + sp.j0(x))
        )(np.array([0.5, 2.0])),
        FD(
            lambda x: np.sum(sp.expit(x) + sp.erf(x) + sp.gammaln(x) + sp.digamma(x) + sp.j0(x)),
            np.array([0.5, 2.0]),
        ),
        tol=1e-5,
    )
    close(
        ag.grad(lambda p: sp.gammainc(p[0], p[1]))(np.array([1.5, 2.0])),
        [-0.2774335642, 0.2159638661],
        tol=1e-6,
    )
    close(
        ag.grad(lambda p: sp.betainc(p[0], p[1], p[2]))(np.array([1.0, 2.0, 0.5])),
        [-0.2698603854, 0.1732867951, 1.0],
        tol=1e-6,
    )


def test_g8_blame_the_right_line_for_nan():
    """Blame the right line for NaN. Anomaly modes point at the last backward op that saw a NaN,
    not at the forward op that made it, and stay silent when the loss itself is NaN.

    Reported as pytorch#160016, #43405, #86362, #143658; rsokl/MyGrad#378.
    """
    with ag.detect_anomaly(), np.errstate(invalid="ignore"):
        x = ag.tensor([1.0], requires_grad=True)
        with pytest.raises(ag.errors.AnomalyError, match=r"sqrt[\s\S]*(x - 2|line)"):
            np.sqrt(np.sqrt(x - 2)).sum().backward()  # the first NaN is born in the inner one

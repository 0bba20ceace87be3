"""Linear algebra where the samples do not reach: shapes, errors, degenerate matrices, conventions.

Values against NumPy and derivatives at ordinary matrices are rows of tests/samples/linalg.py.
"""

from typing import Any

import numpy as np
import pytest

import arraygrad as ag
from arraygrad import linalg
from arraygrad._apply import wrap
from arraygrad._engine import gradients
from arraygrad._errors import (
    ArgumentError,
    AxisError,
    GradientError,
    GradientWarning,
    LinAlgError,
    ShapeError,
)

HERMITIAN = np.array([[2.0, 1.0 + 1.0j], [1.0 - 1.0j, 3.0]])


def gradient(function, *values):
    """Gradients of the sum of function(*values)."""
    tensors = [ag.tensor(np.asarray(v), requires_grad=True) for v in values]
    out = function(*tensors)
    out.backward(wrap(np.ones(out.shape, out.dtype)))
    found = [x.grad._array for x in tensors]
    return found[0] if len(found) == 1 else found


def hessian(function, value):
    """Second derivatives of a real function of an array, (size, size)."""
    x = ag.tensor(np.asarray(value), requires_grad=True)
    (first,) = gradients([function(x)], [wrap(np.array(1.0))], [x], True, True)
    rows = []
    for direction in np.eye(x.size):
        (row,) = gradients([first], [wrap(direction.reshape(x.shape))], [x], False, True)
        rows.append(row._array.ravel())
    return np.array(rows)


def tangent(function, value, direction):
    _, out = ag.jvp(function, (np.asarray(value),), (np.asarray(direction),))
    return np.asarray(out)


def symmetric(x):
    return (x + x.mT) * 0.5


def rebuilt(x):
    u, s, vh = linalg.svd(x, full_matrices=False)
    return (u * s) @ vh


def sum_of_function(function):
    """The sum of the elements of function(x), made from eigenvectors."""

    def call(x):
        values, vectors = linalg.eigh(symmetric(x))
        return ag.sum((vectors * function(values)) @ vectors.mT)

    return call


# -- products ------------------------------------------------------------------------------------


def test_matmul_refuses_what_does_not_fit():
    with pytest.raises(ShapeError, match="size 3 of the last axis of x1 meets size 2"):
        ag.matmul(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ShapeError, match="argument 1 is 0-d"):
        ag.matmul(np.float64(2.0), np.ones(2))
    with pytest.raises(ShapeError, match="broadcast"):
        ag.matmul(np.ones((2, 1, 1)), np.ones((3, 1, 1)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_products_are_rounded_once(dtype):
    dtype = ag.asarray(1.0, dtype=dtype).dtype
    x = np.full((1, 3000), 1.0).astype(dtype)
    out = ag.matmul(x, np.ascontiguousarray(x.T))
    assert out.dtype == dtype
    assert out._array.astype(float) == np.float32(3000).astype(dtype).astype(float)


def test_matmul_of_integers_and_booleans_keeps_the_dtype():
    x = np.array([[1, 2], [3, 4]], np.int8)
    assert ag.matmul(x, x).dtype == np.int8
    assert ag.matmul(x > 2, x > 1).dtype == np.bool_
    assert ag.matmul(x, x.astype(np.uint8)).dtype == np.int16


def test_gradient_of_a_small_matrix_that_meets_a_stack_has_its_shape():
    stack, matrix = np.random.default_rng(0).standard_normal((2, 4, 3, 3))[0], np.eye(3)
    first, second = gradient(lambda a, b: a @ b, matrix, stack)
    np.testing.assert_allclose(first, np.broadcast_to(stack.sum((0, 2)), (3, 3)))
    assert second.shape == stack.shape


def test_real_factor_of_a_complex_product_has_a_real_gradient():
    z = np.array([[1 + 2j, 0.5], [-1j, 2 - 1j]])
    found = gradient(lambda x: ag.real(ag.sum(x @ z)), np.eye(2))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, np.broadcast_to(z.sum(1).real, (2, 2)))


def test_vecdot_conjugates_its_first_argument():
    z = np.array([1 + 1j, 2j])
    assert ag.vecdot(z, z) == 6
    with pytest.raises(ShapeError, match="do not broadcast"):
        ag.vecdot(np.ones(1), np.ones(3))


def test_tensordot_refuses_bad_axes():
    x = np.ones((2, 3))
    with pytest.raises(ShapeError, match="axis 0 of x1 has size 2, axis 1 of x2 has size 3"):
        ag.tensordot(x, x, axes=((0,), (1,)))
    with pytest.raises(ArgumentError, match="one axis twice"):
        ag.tensordot(x, x, axes=((0, 0), (0, 1)))
    with pytest.raises(ArgumentError, match="axes=3"):
        ag.tensordot(x, x, axes=3)
    with pytest.raises(AxisError):
        ag.tensordot(x, x, axes=((2,), (0,)))


def test_cross_needs_three_elements():
    with pytest.raises(ShapeError, match="size 2 along axis -1"):
        linalg.cross(np.ones(2), np.ones(2))
    with pytest.raises(ShapeError, match="argument 2 has size 1"):
        linalg.cross(np.ones(3), np.ones(1))


def test_diagonal_is_a_view_that_can_be_written():
    x = ag.tensor(np.zeros((2, 3, 3)))
    linalg.diagonal(x)[...] = 2.0
    np.testing.assert_array_equal(x._array, 2 * np.broadcast_to(np.eye(3), (2, 3, 3)))


# -- determinants --------------------------------------------------------------------------------


def test_gradient_of_det_of_singular_matrices_is_the_cofactor_matrix():
    np.testing.assert_allclose(
        gradient(linalg.det, [[1.0, 2.0], [2.0, 4.0]]), [[4, -2], [-2, 1]], atol=1e-12
    )
    np.testing.assert_array_equal(gradient(linalg.det, np.zeros((4, 4))), np.zeros((4, 4)))
    found = gradient(linalg.det, np.arange(1.0, 10.0).reshape(3, 3))
    np.testing.assert_allclose(found, [[-3, 6, -3], [6, -12, 6], [-3, 6, -3]], atol=1e-12)


def test_hessian_of_det_at_zero():
    found = hessian(linalg.det, np.zeros((2, 2)))
    want = [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]]
    np.testing.assert_allclose(found, want, atol=1e-14)


def test_hessian_of_det_of_rank_one_is_made_of_the_remaining_elements():
    """det of [[0, a], [b, c]] bordered: the second derivatives are single elements."""
    x = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 5.0]])
    found = hessian(linalg.det, x).reshape(3, 3, 3, 3)
    want = np.zeros((3, 3, 3, 3))
    want[0, 0, 1, 1] = want[1, 1, 0, 0] = 5
    want[0, 1, 1, 0] = want[1, 0, 0, 1] = -5
    np.testing.assert_allclose(found, want, atol=1e-13)


def test_third_derivative_of_det():
    x = ag.tensor(np.diag([1.0, 2.0, 4.0]), requires_grad=True)
    one = wrap(np.array(1.0))
    (first,) = gradients([linalg.det(x)], [one], [x], True, True)
    (second,) = gradients([first[0, 0]], [one], [x], True, True)
    (third,) = gradients([second[1, 1]], [one], [x], False, True)
    want = np.zeros((3, 3))
    want[2, 2] = 1
    np.testing.assert_allclose(third._array, want, atol=1e-14)


def test_third_derivative_of_det_of_a_singular_matrix_is_refused():
    x = ag.tensor(np.zeros((3, 3)), requires_grad=True)
    one = wrap(np.array(1.0))
    (first,) = gradients([linalg.det(x)], [one], [x], True, True)
    (second,) = gradients([first[0, 0]], [one], [x], True, True)
    with pytest.raises(GradientError, match="third derivatives"):
        gradients([second[1, 1]], [one], [x], False, True)


def test_slogdet_of_a_singular_matrix():
    x = ag.tensor(np.ones((2, 2)), requires_grad=True)
    sign, logabsdet = linalg.slogdet(x)
    assert sign == 0
    assert logabsdet == -np.inf
    with pytest.raises(GradientError, match=r"use ag\.linalg\.det"):
        logabsdet.backward()


# -- systems -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: linalg.inv(np.ones((2, 2))), "pinv"),
        (lambda: linalg.solve(np.ones((2, 2)), np.ones(2)), "lstsq"),
        (lambda: linalg.cholesky(-np.eye(2)), "positive definite"),
        (lambda: linalg.matrix_power(np.zeros((2, 2)), -1), "singular"),
        (lambda: linalg.det(np.ones((2, 3))), "must be square"),
        (lambda: linalg.eigh(np.ones(3)), "at least two dimensions"),
    ],
)
def test_failures_of_lapack_say_what_to_use_instead(call, advice):
    with pytest.raises(LinAlgError, match=advice) as caught:
        call()
    assert isinstance(caught.value, np.linalg.LinAlgError)


def test_solve_takes_one_dimension_as_a_vector_only():
    """Two dimensions are always a matrix, as in NumPy 2 and the standard."""
    x1, x2 = np.broadcast_to(np.eye(3) * 2, (3, 3, 3)), np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(linalg.solve(x1, x2)._array, np.broadcast_to(x2 / 2, (3, 3, 3)))
    assert linalg.solve(x1, x2[0]).shape == (3, 3)
    with pytest.raises(ShapeError, match="do not fit"):
        linalg.solve(np.eye(3), np.ones(2))


def test_gradient_of_log_det_through_cholesky_is_the_inverse():
    x = np.array([[4.0, 1.0], [1.0, 3.0]])
    found = gradient(lambda m: 2 * ag.sum(ag.log(linalg.diagonal(linalg.cholesky(m)))), x)
    np.testing.assert_allclose(found, np.linalg.inv(x), rtol=1e-14)


def test_gradient_of_cholesky_is_hermitian_for_a_hermitian_matrix():
    x = np.array([[4.0, 1.0], [1.0, 3.0]])
    found = gradient(lambda m: ag.sum(linalg.cholesky(m)), x)
    np.testing.assert_array_equal(found, found.T)
    upper = gradient(lambda m: ag.sum(linalg.cholesky(m, upper=True)), x)
    np.testing.assert_allclose(upper, found, rtol=1e-14)


def test_gradient_of_cholesky_lies_in_the_triangle_that_is_read():
    lower = np.array([[4.0, np.nan], [1.0, 3.0]])
    whole = gradient(lambda m: ag.sum(linalg.cholesky(m)), np.array([[4.0, 1.0], [1.0, 3.0]]))
    want = np.tril(whole) + np.triu(whole, 1).T
    found = gradient(lambda m: ag.sum(linalg.cholesky(m)), lower)
    np.testing.assert_allclose(found, want, rtol=1e-14)
    upper = gradient(lambda m: ag.sum(linalg.cholesky(m, upper=True)), lower.T)
    np.testing.assert_allclose(upper, want.T, rtol=1e-14)


def test_pinv_counts_small_singular_values_as_zero():
    x = np.diag([1.0, 1e-3])
    np.testing.assert_allclose(linalg.pinv(x, rtol=0.01)._array, np.diag([1.0, 0.0]))
    stack = np.stack([x, x])
    found = linalg.pinv(stack, rtol=ag.asarray([1e-2, 1e-6]))._array
    np.testing.assert_allclose(found, [np.diag([1.0, 0.0]), np.diag([1.0, 1e3])], atol=1e-12)
    assert linalg.matrix_rank(stack, rtol=np.array([1e-2, 1e-6]))._array.tolist() == [1, 2]


def test_gradient_of_pinv_of_zero_is_zero():
    np.testing.assert_array_equal(gradient(linalg.pinv, np.zeros((2, 3))), np.zeros((2, 3)))


def test_matrix_power_zero_has_a_gradient_of_zero():
    found = gradient(lambda x: linalg.matrix_power(x, 0), np.full((2, 2), np.inf))
    np.testing.assert_array_equal(found, np.zeros((2, 2)))


def test_lstsq_of_dependent_columns_has_no_residuals():
    x1, x2 = np.ones((3, 2)), np.arange(3.0)
    found = linalg.lstsq(x1, x2)
    np.testing.assert_allclose(found.solution._array, [0.5, 0.5])
    assert found.residuals.shape == (0,)
    assert found.rank == 1


# -- equal eigenvalues and singular values -------------------------------------------------------


def test_values_alone_have_exact_gradients_where_they_are_equal():
    np.testing.assert_allclose(
        gradient(lambda x: ag.sum(linalg.svdvals(x)), 2 * np.eye(3)), np.eye(3), atol=1e-14
    )
    np.testing.assert_allclose(
        gradient(lambda x: ag.sum(linalg.eigvalsh(x) ** 2), np.eye(3)), 2 * np.eye(3), atol=1e-14
    )
    np.testing.assert_allclose(
        gradient(lambda x: ag.real(ag.sum(linalg.eigvals(x) ** 2)), np.eye(3)), 2 * np.eye(3)
    )


def test_largest_of_equal_eigenvalues_has_the_minimum_norm_subgradient():
    found = gradient(lambda x: linalg.eigvalsh(x)[-1], np.eye(2))
    np.testing.assert_allclose(found, np.eye(2) / 2, atol=1e-15)
    found = gradient(lambda x: linalg.matrix_norm(x, ord=2), 3 * np.eye(2))
    np.testing.assert_allclose(found, np.eye(2) / 2, atol=1e-15)


def test_difference_of_equal_eigenvalues_has_the_gradient_zero():
    found = gradient(lambda x: linalg.eigvalsh(x)[1] - linalg.eigvalsh(x)[0], np.eye(2))
    np.testing.assert_allclose(found, np.zeros((2, 2)), atol=1e-15)


@pytest.mark.parametrize("matrix", [np.eye(3), np.diag([1.0, 1.0 + 1e-15, 2.0])])
def test_function_of_a_matrix_from_vectors_of_equal_eigenvalues_is_refused(matrix):
    """Leaving out the equal pairs would give e * I instead of e * ones."""
    with pytest.raises(GradientError, match=r"eigenvalues \[0, 1\] are equal.*linalg\.expm"):
        gradient(sum_of_function(ag.exp), matrix)


def test_expm_has_the_gradient_that_eigenvectors_cannot_give():
    found = gradient(lambda x: ag.sum(linalg.expm(x)), np.eye(3))
    np.testing.assert_allclose(found, np.full((3, 3), np.e), rtol=1e-13)


def test_function_that_is_zero_at_equal_eigenvalues_warns():
    """log(1) = 0 hides from the cotangent that the vectors are coupled."""
    with pytest.warns(GradientWarning, match="some eigenvalues are equal"):
        gradient(sum_of_function(ag.log), np.eye(3))


def test_rebuilding_from_equal_singular_values():
    x, weights = np.diag([1.0, 1.0, 2.0, 3.0]), np.arange(16.0).reshape(4, 4)
    with pytest.warns(GradientWarning):
        found = gradient(lambda m: linalg.vector_norm(rebuilt(m)), x)
    np.testing.assert_allclose(found, x / 15**0.5, atol=1e-14)
    with pytest.raises(GradientError, match=r"singular values \[2, 3\]"):
        gradient(lambda m: ag.sum(weights * rebuilt(m)), x)


def test_vector_of_a_simple_eigenvalue_beside_equal_ones():
    x = np.diag([0.0, 0.0, 1.0])
    direction = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 2.0, 0.0]])

    def share(m):
        return linalg.eigh(symmetric(m))[1][0, -1] * linalg.eigh(symmetric(m))[1][2, -1]

    with pytest.warns(GradientWarning):
        found = gradient(share, x)
    assert np.sum(found * direction) == pytest.approx(1.0)  # first-order perturbation


@pytest.mark.parametrize("direction", [[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 2.0]]])
def test_tangents_at_equal_eigenvalues(direction):
    """Values move by the mean, as in the reverse mode; how vectors turn is not determined."""

    def vectors(x):
        return linalg.eigh(x).eigenvectors

    def values(x):
        return linalg.eigh(x).eigenvalues

    assert np.isnan(tangent(vectors, np.eye(2), direction)).any()
    mean = np.trace(direction) / 2
    np.testing.assert_array_equal(tangent(values, np.eye(2), direction), [mean, mean])
    np.testing.assert_array_equal(tangent(vectors, np.eye(2), np.eye(2)), np.zeros((2, 2)))


def test_singular_value_zero_has_the_subgradient_zero():
    np.testing.assert_array_equal(
        gradient(lambda x: ag.sum(linalg.svdvals(x)), np.zeros((2, 3))), np.zeros((2, 3))
    )


def test_defective_matrix_has_no_eigenvalue_gradient():
    with pytest.raises(GradientError, match="defective"):
        gradient(lambda x: ag.real(ag.sum(linalg.eigvals(x))), [[1.0, 1.0], [0.0, 1.0]])


def test_dependent_columns_have_no_gradient_of_qr():
    with pytest.raises(GradientError, match="linearly dependent"):
        gradient(lambda x: ag.sum(linalg.qr(x).R), np.ones((3, 2)))


@pytest.mark.parametrize("seed", range(4))
def test_columns_dependent_up_to_rounding_have_no_gradient_of_qr(seed):
    x = np.random.default_rng(seed).normal(size=(4, 2)) @ [[1.0, 2.0, 3.0], [0.5, -1.0, 1.0]]
    for part in (0, 1):
        with pytest.raises(GradientError, match="linearly dependent"):
            gradient(lambda x, part=part: ag.sum(linalg.qr(x)[part]), x)
    # Columns of very different sizes are independent all the same.
    scaled = gradient(lambda x: ag.sum(linalg.qr(x).Q[:, 0]), [[1.0, 1e-20], [1.0, -1e-20]])
    assert np.isfinite(scaled).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: linalg.eigh(x).eigenvectors,
        lambda x: linalg.eig(x + np.array([[0, 1], [0, 0]])).eigenvectors,
        lambda x: linalg.svd(x).U,
    ],
)
def test_result_that_depends_on_the_phase_of_complex_vectors_is_refused(call):
    with pytest.raises(GradientError, match="phase"):
        gradient(lambda x: ag.real(ag.sum(call(x))), HERMITIAN)


@pytest.mark.parametrize(
    "call", [lambda x: linalg.svd(x).U, lambda x: linalg.qr(x, mode="complete").Q]
)
def test_result_that_depends_on_the_basis_of_the_complement_is_refused(call):
    x = np.arange(8.0).reshape(4, 2) + np.eye(4, 2)
    with pytest.raises(GradientError, match="orthogonal complement"):
        gradient(lambda m: ag.sum(call(m)), x)


def test_eigenvalues_of_a_real_rotation_are_complex_and_its_gradient_real():
    x = np.array([[0.0, -2.0], [2.0, 0.0]])
    values = linalg.eigvals(x)
    assert values.dtype == np.complex128
    found = gradient(lambda m: ag.sum(ag.abs(linalg.eigvals(m))), x)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [[0.0, -1.0], [1.0, 0.0]], atol=1e-15)


@pytest.mark.parametrize("UPLO", ["L", "U"])
def test_eigh_reads_one_triangle(UPLO):
    x = np.array([[2.0, 1.0], [1.0, 3.0]])
    given = np.tril(x) if UPLO == "L" else np.triu(x)
    np.testing.assert_allclose(linalg.eigh(given, UPLO=UPLO)[0]._array, np.linalg.eigvalsh(x))
    found = gradient(lambda m: ag.sum(linalg.eigvalsh(m, UPLO=UPLO) ** 2), given)
    twice = np.array([[4.0, 4.0], [4.0, 6.0]])  # what is read stands for two elements
    np.testing.assert_allclose(found, np.tril(twice) if UPLO == "L" else np.triu(twice), atol=1e-14)
    found = gradient(lambda m: ag.sum(linalg.eigvalsh(m, UPLO=UPLO) ** 2), x)
    np.testing.assert_allclose(found, 2 * x, atol=1e-14)
    with pytest.raises(ArgumentError, match="UPLO='X'"):
        linalg.eigh(x, UPLO="X")


def test_results_have_the_standards_field_names():
    x = np.eye(2)
    assert linalg.eigh(x)._fields == ("eigenvalues", "eigenvectors")
    assert linalg.eig(x)._fields == ("eigenvalues", "eigenvectors")
    assert linalg.svd(x)._fields == ("U", "S", "Vh")
    assert linalg.qr(x)._fields == ("Q", "R")
    assert linalg.slogdet(x)._fields == ("sign", "logabsdet")


@pytest.mark.parametrize("shape", [(0, 0), (0, 2, 2), (2, 0, 0)])
def test_empty_matrices(shape):
    x = np.zeros(shape)
    np.testing.assert_array_equal(linalg.det(x)._array, np.linalg.det(x))
    assert linalg.inv(x).shape == shape
    assert linalg.eigh(x).eigenvectors.shape == shape
    assert linalg.svdvals(x).shape == shape[:-1]
    assert gradient(linalg.det, x).shape == shape
    assert gradient(lambda m: ag.sum(linalg.eigvalsh(m)), x).shape == shape


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_matrices_keep_their_dtype(dtype):
    x = ag.asarray(np.eye(2) * 2).astype(dtype)
    for function in (linalg.inv, linalg.det, linalg.cholesky, linalg.svdvals, linalg.matrix_norm):
        assert function(x).dtype == x.dtype, function.__name__


def test_integers_become_float64():
    x = np.array([[2, 1], [1, 3]])
    assert linalg.det(x).dtype == np.float64
    assert linalg.solve(x, np.array([1, 2])).dtype == np.float64
    assert linalg.solve(x.astype(np.float32), x).dtype == np.float64


# -- norms ---------------------------------------------------------------------------------------


def test_gradients_of_norms_at_zero_are_zero():
    zero = np.zeros(3)
    np.testing.assert_array_equal(gradient(linalg.norm, zero), zero)
    np.testing.assert_array_equal(gradient(lambda x: linalg.norm(x) ** 2, zero), zero)
    np.testing.assert_array_equal(gradient(lambda x: ag.exp(-(linalg.norm(x) ** 2)), zero), zero)
    rows = np.zeros((1, 2))
    found = gradient(lambda x: ag.sum(linalg.norm(x, axis=-1) ** 2), rows)
    np.testing.assert_array_equal(found, rows)
    x = np.array([[1.0], [0.0], [0.0], [1.0]])
    found = gradient(lambda m: ag.sum(linalg.norm(m[1:] - m[:-1], axis=1) ** 2), x)
    np.testing.assert_array_equal(found, [[2.0], [-2.0], [-2.0], [2.0]])


def test_zero_elements_absorb_what_is_not_finite_in_the_cotangent_of_a_norm():
    x = ag.tensor([3.0, 0.0, 4.0], requires_grad=True)
    linalg.vector_norm(x).backward(wrap(np.array(np.nan)))
    np.testing.assert_array_equal(x.grad._array, [np.nan, 0.0, np.nan])


@pytest.mark.parametrize("ord", [1, 2, 3, 1.5, np.inf])
def test_gradients_of_vector_norms_at_zero_are_zero(ord):
    found = gradient(lambda x: linalg.vector_norm(x, ord=ord), np.zeros(3))
    np.testing.assert_array_equal(found, np.zeros(3))
    found = gradient(lambda x: linalg.vector_norm(x, ord=ord), np.zeros(2, complex))
    np.testing.assert_array_equal(found, np.zeros(2))


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, 2, np.inf])
def test_gradients_of_matrix_norms_at_zero_are_zero(ord):
    found = gradient(lambda x: linalg.matrix_norm(x, ord=ord), np.zeros((2, 3)))
    np.testing.assert_array_equal(found, np.zeros((2, 3)))


def test_gradient_of_a_complex_norm_is_the_direction_of_steepest_ascent():
    z = np.array([3 + 4j, 1 - 1j])
    np.testing.assert_allclose(gradient(linalg.norm, z), z / np.linalg.norm(z), rtol=1e-15)


def test_ties_in_the_largest_element_split_evenly():
    found = gradient(lambda x: linalg.vector_norm(x, ord=np.inf), [2.0, -2.0, 1.0])
    np.testing.assert_array_equal(found, [0.5, -0.5, 0.0])


@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize("ord", [2, 3])
def test_vector_norm_of_huge_and_tiny_elements(scale, ord):
    x = scale * np.array([3.0, 4.0])
    want = scale * np.linalg.norm([3.0, 4.0], ord)
    assert linalg.vector_norm(x, ord=ord) == pytest.approx(want, rel=1e-14, abs=0)
    np.testing.assert_allclose(
        gradient(lambda v: linalg.vector_norm(v, ord=ord), x),
        gradient(lambda v: linalg.vector_norm(v, ord=ord), [3.0, 4.0]),
        rtol=1e-14,
    )


def test_gradient_of_many_norms():
    """Results above a mebibyte are written into pooled memory, which may hold old values."""
    x = np.zeros((200_000, 2))
    x[1] = [3.0, 4.0]
    found = gradient(lambda v: linalg.vector_norm(v, axis=-1), x)
    np.testing.assert_allclose(found[:3], [[0, 0], [0.6, 0.8], [0, 0]])
    assert not found[3:].any()


def test_norms_of_infinity_and_nan():
    assert linalg.vector_norm(np.array([np.inf, 1.0])) == np.inf
    assert np.isnan(linalg.vector_norm(np.array([np.nan, 1.0])))
    assert linalg.vector_norm(np.zeros(0)) == 0


def test_norm_picks_vectors_or_matrices_as_numpy_does():
    x = np.arange(24.0).reshape(2, 3, 4)
    for ord, axis in ((None, None), (1, 0), ("nuc", (0, 2)), (2, (2, 1)), (None, (0, 1))):
        found = linalg.norm(x, ord, axis, keepdims=True)._array
        np.testing.assert_allclose(found, np.linalg.norm(x, ord, axis, keepdims=True))
    with pytest.raises(ShapeError, match="one axis"):
        linalg.norm(x, 2)
    with pytest.raises(ArgumentError, match="for matrices"):
        linalg.norm(x, "fro", 0)
    with pytest.raises(ArgumentError, match="ord=3"):
        linalg.matrix_norm(x, ord=3)


# -- functions of matrices -----------------------------------------------------------------------


def test_logarithm_of_a_matrix_with_negative_eigenvalues_is_complex():
    out = linalg.logm(-np.eye(2))
    assert out.dtype == np.complex128
    np.testing.assert_allclose(out._array, np.pi * 1j * np.eye(2), atol=1e-15)


def test_logm_undoes_expm_with_its_gradient():
    x = np.array([[0.1, 0.4], [-0.3, 0.2]])
    found = gradient(lambda m: ag.sum(linalg.logm(linalg.expm(m))), x)
    np.testing.assert_allclose(found, np.ones((2, 2)), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.float32])
@pytest.mark.parametrize("shape", [(150, 150), (2, 65, 65), (3, 5, 5), (0, 0), (2, 0, 0)])
def test_cholesky_backward_by_blocks_is_the_formula_of_whole_matrices(
    shape: tuple[int, ...], dtype: Any
) -> None:
    rng = np.random.default_rng(5)

    def drawn() -> Any:
        real = rng.normal(size=shape)
        whole = real + 1j * rng.normal(size=shape) if dtype is np.complex128 else real
        return whole.astype(dtype)

    n = shape[-1]
    factor, g = drawn(), drawn()
    matrix = factor @ np.conj(np.swapaxes(factor, -1, -2)) + np.eye(n, dtype=dtype) * n
    x = ag.tensor(matrix, requires_grad=True)
    ag.linalg.cholesky(x).backward(ag.asarray(g))
    assert x.grad is not None
    lower = np.linalg.cholesky(matrix.astype(np.complex128))
    upper = np.conj(np.swapaxes(lower, -1, -2))
    middle = np.tril(upper @ g)
    middle = (middle + np.conj(np.swapaxes(middle, -1, -2))) * (1 - np.eye(n) / 2)
    expected = np.linalg.inv(upper) @ middle @ np.linalg.inv(lower) / 2
    tolerance = 1e-5 if dtype is np.float32 else 1e-12
    size = np.max(np.abs(expected), initial=0.0)
    assert x.grad.dtype == dtype
    np.testing.assert_allclose(np.asarray(x.grad), expected, rtol=tolerance, atol=tolerance * size)


@pytest.mark.parametrize("upper", [False, True])
def test_second_derivative_of_log_det_by_cholesky_of_many_blocks(upper: bool) -> None:
    rng = np.random.default_rng(6)
    matrix, v = rng.normal(size=(70, 70)), rng.normal(size=(70, 70))
    matrix = matrix @ matrix.T + 70 * np.eye(70)
    v = v + v.T

    def log_det(x: Any) -> Any:
        return 2 * np.sum(np.log(np.diagonal(ag.linalg.cholesky(x, upper=upper))))

    inverse = np.linalg.inv(matrix)
    np.testing.assert_allclose(ag.grad(log_det)(matrix), inverse, rtol=1e-10, atol=1e-14)
    expected = -inverse @ v @ inverse
    np.testing.assert_allclose(ag.hvp(log_det)(matrix, v), expected, rtol=1e-9, atol=1e-14)

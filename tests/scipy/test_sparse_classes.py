"""Classes, entries and their order of tracked sparse matrices: those of SciPy's own.

``*`` has another meaning for matrices than for arrays, and a function of ``.data`` depends on which
entries are stored: a wrong class or an entry too many would be wrong values without an error.
"""

import warnings

import numpy as np
import pytest
from scipy import sparse

import arraygrad as ag

X = np.array([[1.0, 2.0, 3.0], [0.0, 4.0, 0.0], [5.0, 0.0, 6.0]])
V = np.array([1.0, 2.0, 3.0])
FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]
KINDS = [f"{name}_{kind}" for name in FORMATS for kind in ("array", "matrix")]

UNARY = {
    "T": lambda A: A.T,
    "conj().T": lambda A: A.conj().T,
    "T.tocsr()": lambda A: A.T.tocsr(),
    "copy": lambda A: A.copy(),
    "2 * A": lambda A: 2 * A,
    "A / 2": lambda A: A / 2,
    "-A": lambda A: -A,
    "abs": abs,
    "power": lambda A: A.power(2),
    "multiply by a row": lambda A: A.multiply(V),
    "multiply dense": lambda A: A.multiply(X),
    "tocsr": lambda A: A.tocsr(),
    "tocsc": lambda A: A.tocsc(),
    "tocsc, tocsr": lambda A: A.tocsc().tocsr(),
    "A + A": lambda A: A + A,
    "csr_array": sparse.csr_array,
    "coo_matrix": sparse.coo_matrix,
    "vstack": lambda A: sparse.vstack([A, A]),
}
BINARY = {
    "A + B": lambda A, B: A + B,
    "A - B": lambda A, B: A - B,
    "multiply": lambda A, B: A.multiply(B),
    "A @ B": lambda A, B: A @ B,
    "A * B": lambda A, B: A * B,
    "kron": sparse.kron,
    "kron in rows": lambda A, B: sparse.kron(A, B, "csr"),
    "kron in blocks": lambda A, B: sparse.kron(A, B, format="bsr"),
}
# SciPy sorts the entries of products in one version and not in another, lists those of diagonals
# and of dictionaries in the order in which they came to be, and those of blocks by blocks.
IN_ORDER = {
    (o, k) for o in UNARY for k in KINDS if k[:3] in ("coo", "csc", "csr", "lil")
} - {("vstack", k) for k in KINDS}  # fmt: skip


def plain(x):
    return np.asarray(x.detach() if isinstance(x, ag.Tensor) else x)


def described(A, in_order):
    """What a program may see of a matrix, and the answer of `*` and `@`."""
    listed, rows = A.tocoo(), A.tocsr()
    v = np.arange(1.0, A.shape[1] + 1)
    product = (A * v).sum()
    squares = (rows.data**2).sum(), (listed.data**2).sum()
    places = (
        (listed.data, listed.row, listed.col, rows.data, rows.indices, rows.indptr)
        if in_order
        else (np.sort(plain(listed.data)), np.sort(plain(listed.row)), A.toarray())
    )
    names = type(A).__name__, A.format, isinstance(A, sparse.csr_array), sparse.isspmatrix(A)
    return [product, *squares], [plain(x) for x in (*names, A.nnz, A.shape, *places)]


def check(make, in_order=False):
    """Compare a matrix that `make` makes of tracked entries with SciPy's."""
    seen = []

    def f(x):
        values, facts = described(make(x), in_order)
        seen.append(facts)
        return sum(values)

    expected = f(X)
    value, gradient = ag.value_and_grad(f)(X)
    assert value == pytest.approx(expected)
    for found, wanted in zip(seen[1], seen[0], strict=True):
        np.testing.assert_array_equal(found, wanted)
    i, j = np.nonzero(X)
    step = 1e-5
    numbers = []
    for place in zip(i, j, strict=True):
        change = np.zeros_like(X)
        change[place] = step
        numbers.append((f(X + change) - f(X - change)) / (2 * step))
    np.testing.assert_allclose(gradient[i, j], numbers, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operation", UNARY)
def test_results_are_of_the_class_of_scipys(operation, kind):
    cls = getattr(sparse, kind)
    check(lambda x: UNARY[operation](cls(x)), (operation, kind) in IN_ORDER)


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("operation", BINARY)
@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", ["csc_matrix", "coo_array"])
def test_results_of_two_are_of_the_class_of_scipys(operation, first, second):
    make = getattr(sparse, first), getattr(sparse, second)
    check(lambda x: BINARY[operation](make[0](x), make[1](1.5 * x)))


@pytest.mark.parametrize("kind", ["coo_array", "csc_array", "csr_matrix"])
def test_entries_of_one_place_add_up_where_scipy_adds_them(kind):
    cls = getattr(sparse, kind)
    places = [2, 0, 1, 0], [0, 1, 2, 1]
    check(lambda x: cls((x[0, 0] * np.array([7.0, 8.0, 9.0, 10.0]), places), shape=(3, 3)), True)


@pytest.mark.parametrize("format", [None, "bsr", "coo", "csc", "csr"])
@pytest.mark.parametrize("with_dense", [
    lambda x: (x, x), lambda x: (sparse.eye(2), x), lambda x: (sparse.csr_array(x), V[:, None]),
    lambda x: (x, sparse.eye(2)),
])  # fmt: skip
def test_products_of_dense_matrices_are_matrices_as_scipys(with_dense, format):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`kron` is switching", DeprecationWarning)
        check(lambda x: sparse.kron(*with_dense(x), format), False)


def test_products_of_dense_matrices_warn_where_scipy_does():
    """From 1.18 on: they will be arrays."""

    def warned(f):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            f(X)
        return [(w.category, str(w.message)) for w in found]

    def f(x):
        return sparse.kron(x, x).toarray().sum()

    assert warned(ag.grad(f)) == warned(ag.lift(f)) == warned(f)


def test_blocks_keep_their_zeros():
    check(lambda x: sparse.bsr_array(x[:2, :2], blocksize=(2, 2)))
    check(lambda x: sparse.kron(sparse.csr_array(x), np.eye(2), "bsr"))
    check(lambda x: sparse.bsr_array(sparse.csr_array(x[:2, :2]), blocksize=(2, 1)).T)

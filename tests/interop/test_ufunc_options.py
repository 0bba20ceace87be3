"""Every option of ufuncs and their methods: values, dtypes and errors are NumPy's own."""

import itertools
import warnings

import numpy as np
import pytest

import arraygrad as ag

A = np.random.default_rng(0).normal(size=(3, 4))
B = np.random.default_rng(1).uniform(0.5, 2, size=(3, 4))
V = np.random.default_rng(2).normal(size=4)
WHOLE = np.arange(12).reshape(3, 4) % 5
MASK = A > 0

UNARY = (
    np.exp, np.sqrt, np.negative, np.abs, np.isfinite, np.sign, np.floor, np.logical_not, np.square,
    np.conjugate,
)  # fmt: skip
BINARY = (
    np.add, np.divide, np.power, np.maximum, np.equal, np.arctan2, np.floor_divide, np.logical_and,
    np.bitwise_or, np.left_shift, np.ldexp, np.copysign, np.heaviside,
)  # fmt: skip
REDUCED = (
    np.add, np.multiply, np.maximum, np.logaddexp, np.logaddexp2, np.hypot, np.subtract, np.divide,
    np.fmax, np.power, np.arctan2, np.logical_and, np.logical_xor, np.equal, np.bitwise_and, np.gcd,
    np.float_power, np.remainder, np.fmod, np.left_shift,
)  # fmt: skip

OPTIONS = (
    {"dtype": np.float32}, {"dtype": "f4", "casting": "unsafe"}, {"dtype": complex},
    {"dtype": int}, {"casting": "no"}, {"casting": "equiv", "dtype": np.float32},
    {"casting": "bogus"}, {"order": "F"}, {"order": "X"}, {"subok": False},
    {"signature": "d->d"}, {"signature": "f->f", "casting": "same_kind"}, {"sig": "d->d"},
    {"signature": "zz"}, {"bogus": 1}, {"where": True}, {"where": MASK.astype(float)},
    {"axis": 1}, {"keepdims": True}, {"dtype": np.float64, "signature": "d->d"}, {"dtype": "S3"},
)  # fmt: skip
REDUCTIONS = (
    {}, {"axis": 1}, {"axis": (0, 1)}, {"axis": None}, {"keepdims": True}, {"axis": ()},
    {"initial": 2.0}, {"axis": 1, "initial": 1.5}, {"dtype": np.float32}, {"dtype": complex},
    {"where": MASK}, {"where": MASK, "initial": 1.25}, {"where": MASK[:1], "initial": 1.5},
    {"where": False, "initial": 1.0}, {"axis": 5}, {"axis": (0, 0)}, {"initial": None},
)  # fmt: skip
OPERANDS = (
    2, 2.5, 1j, True, V, V.astype("f4"), np.arange(4), np.float32(2), np.int8(3), np.float64(1.5),
)  # fmt: skip
ARRAYS = (B, B.astype("f4"), WHOLE, WHOLE.astype("u1"), WHOLE > 2, B + 1j, B.astype("f2"))


def outcome(call, *arguments):
    """The arrays that a call returns, or the exception that it raises."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            out = call(*arguments)
    except (TypeError, ValueError, IndexError, RuntimeError) as error:
        return error
    return [
        np.asarray(r.detach() if isinstance(r, ag.Tensor) else r)
        for r in (out if isinstance(out, tuple) else (out,))
    ]


def same(call, *arguments, label=""):
    """Assert that tensors, tracked or not, give what arrays give."""
    want = outcome(call, *[np.array(a) for a in arguments])
    for tracked in (False, True):
        tensors = [
            ag.tensor(a, requires_grad=True) if tracked and a.dtype.kind in "fc"
            else ag.asarray(a.copy())
            for a in arguments
        ]  # fmt: skip
        got = outcome(call, *tensors)
        if isinstance(want, Exception):
            assert isinstance(got, Exception), (label, want, got)
            kinds = [
                k for k in (TypeError, ValueError, IndexError, RuntimeError) if isinstance(want, k)
            ]
            assert isinstance(got, tuple(kinds)), (label, want, got)
            continue
        assert not isinstance(got, Exception), (label, want, got)
        for g, w in zip(got, want, strict=True):
            assert (g.dtype, g.shape) == (w.dtype, w.shape), (label, g.dtype, w.dtype)
            if w.dtype.kind in "fc":
                rtol = {2: 3e-3, 4: 1e-5, 8: 1e-10 if w.dtype.kind == "f" else 1e-5}
                if any(name in label for name in ("float32", "f4", "f->f")):
                    rtol[8] = 1e-5  # computed in single precision, whatever holds the result
                np.testing.assert_allclose(
                    g, w, rtol=rtol.get(w.dtype.itemsize, 1e-10), atol=1e-12, err_msg=label
                )
            else:
                np.testing.assert_array_equal(g, w, err_msg=label)


@pytest.mark.parametrize("ufunc", UNARY, ids=lambda u: u.__name__)
def test_options_of_one_argument(ufunc):
    for options in OPTIONS:
        same(lambda x, o=options: ufunc(x, **o), B, label=str(options))
        same(lambda x, o=options: ufunc(x, out=np.zeros_like(x), **o), B, label=f"out {options}")
    same(lambda x: ufunc(x, out=np.ones_like(x), where=MASK), B)
    same(lambda x: ufunc(x, out=np.ones_like(x), where=x > 1), B)
    for array in ARRAYS:
        same(ufunc, array, label=str(array.dtype))


@pytest.mark.parametrize("ufunc", UNARY, ids=lambda u: u.__name__)
def test_where_results_go(ufunc):
    for shape, dtype in (
        ((3, 4), "f4"), ((3, 4), int), ((2, 3, 4), float), ((4,), float), ((3, 4), complex),
        ((3, 4), bool),
    ):  # fmt: skip
        for place in (
            lambda x, out: ufunc(x, out=out), lambda x, out: ufunc(x, out),
            lambda x, out: ufunc(x, out=(out,)),
        ):  # fmt: skip
            same(
                lambda x, s=shape, d=dtype, p=place: p(x, np.zeros_like(x, shape=s, dtype=d)),
                B, label=f"{shape} {dtype}",
            )  # fmt: skip
    for out in (None, (None,), (), (None, None), "a", [1.0]):
        same(lambda x, o=out: ufunc(x, out=o), B, label=str(out))
    same(lambda x: ufunc(x, np.zeros_like(x), out=np.zeros_like(x)), B)
    same(lambda x: ufunc(x, x, x), B)


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda u: u.__name__)
def test_two_arguments(ufunc):
    for array, other in itertools.product(ARRAYS, OPERANDS):
        label = f"{array.dtype} {getattr(other, 'dtype', type(other))}"
        same(lambda x, o=other: ufunc(x, o), array, label=label)
    for options in (
        {"dtype": np.float32}, {"casting": "no"}, {"casting": "safe", "dtype": "f4"},
        {"signature": "dd->d"}, {"signature": (None, None, np.float32)},
        {"signature": ("f", "d", None)}, {"dtype": int, "casting": "unsafe"},
    ):  # fmt: skip
        same(lambda x, v, o=options: ufunc(x, v, **o), B, V, label=str(options))
    same(lambda x: (lambda y: ufunc(y[1:], y[:-1], out=y[1:]))(x * 1), B)


@pytest.mark.parametrize("ufunc", REDUCED, ids=lambda u: u.__name__)
def test_methods(ufunc):
    for options in REDUCTIONS:
        same(lambda x, o=options: ufunc.reduce(x, **o), B, label=f"reduce {options}")
    for options in ({}, {"axis": 1}, {"axis": -1, "dtype": np.float32}, {"axis": 3}):
        same(lambda x, o=options: ufunc.accumulate(x, **o), B, label=f"accumulate {options}")
    for indices, axis in (([0, 2], 0), ([0, 3, 1], 1), ([2, 2, 0], 0), ([0, 9], 0), ([], 0),
                          ([-1], 0)):  # fmt: skip
        same(lambda x, i=indices, a=axis: ufunc.reduceat(x, i, axis=a), B, label=f"at {indices}")
    for array in (WHOLE, WHOLE > 2, B[:0], B[0, 0]):
        same(ufunc.reduce, array, label=f"{array.dtype} {array.shape}")
        same(ufunc.accumulate, array, label=f"{array.dtype} {array.shape}")
    same(ufunc.outer, B, V)
    same(lambda x, v: ufunc.outer(x, v, dtype=np.float32), B, V)


ADDED = (
    np.add, np.subtract, np.multiply, np.divide, np.maximum, np.power, np.hypot, np.arctan2,
    np.logaddexp, np.fmin, np.copysign,
)  # fmt: skip


@pytest.mark.parametrize("ufunc", ADDED, ids=lambda u: u.__name__)
def test_at(ufunc):
    def at(indices, take=slice(None)):
        def call(x, v):
            target = x * 1.0
            ufunc.at(target, indices, v[take])
            return target

        return call

    grid = np.array([[0], [2]]), np.array([1, 3])
    for indices, take in (
        ([0, 2, 0], slice(None)), ((slice(None), [1, 1, 3]), slice(3)), (grid, 0), (..., 0),
        (MASK, 0), (1, slice(None)), ((None, 1), slice(None)), ([7], 0), ([0, 1], slice(3)),
    ):  # fmt: skip
        same(at(indices, take), B, V, label=str(indices))


def test_indices_may_be_tensors():
    same(lambda x, i: (lambda t: (np.add.at(t, i, 1.0), t)[1])(x * 1.0), V[:1].repeat(6), WHOLE)
    same(lambda x, i: np.add.reduceat(x, i), B, np.array([0, 2]))


TWO = {
    "divmod": lambda x, **o: np.divmod(x, 0.7, **o),
    "modf": np.modf,
    "frexp": np.frexp,
}


@pytest.mark.parametrize("name", TWO)
def test_ufuncs_with_two_results(name):
    call = TWO[name]
    second = int if name == "frexp" else float
    same(call, B)
    for first, where in (("one", True), ("none", True), ("one", MASK)):
        same(
            lambda x, f=first, w=where: call(
                x, where=w,
                out=(np.ones_like(x) if f == "one" else None, np.ones_like(x, dtype=second)),
            ),
            B,
        )  # fmt: skip
    same(lambda x: call(x, out=np.zeros_like(x)), B)


M, N = A.reshape(1, 3, 4) * np.ones((2, 1, 1)), B.reshape(1, 4, 3) * np.ones((2, 1, 1))
W = A[:2] + 1j * B[:2]
GENERALIZED = {
    "matmul": (np.matmul, M, N, [
        {}, {"axes": [(-2, -1), (-2, -1), (0, 1)]}, {"axis": 0}, {"keepdims": True},
        {"dtype": "f4"}, {"axes": [(0, 1)]}, {"casting": "no"},
    ]),
    "vecdot": (np.vecdot, W, W, [
        {}, {"axis": 0}, {"keepdims": True}, {"axis": 0, "keepdims": True}, {"axes": [0, 0]},
        {"axes": [0, 0, ()]}, {"dtype": "c8"}, {"axis": 2},
    ]),
    "matvec": (getattr(np, "matvec", None), M, V, [{}, {"axes": [(1, 2), 0, 0]}, {"axis": 0}]),
    "vecmat": (getattr(np, "vecmat", None), W, W.T, [{}, {"axes": [1, (0, 1), 1]}, {"axis": 0}]),
}  # fmt: skip


@pytest.mark.parametrize("name", GENERALIZED)
def test_generalized(name):
    ufunc, x, y, every = GENERALIZED[name]
    if ufunc is None:
        pytest.skip(f"NumPy {np.__version__} has no {name}")
    for options in every:
        same(lambda x, y, o=options: ufunc(x, y, **o), x, y, label=str(options))
    same(lambda x, y: ufunc(x, y[..., :1]), x, y)
    same(lambda x, y: ufunc.reduce(x), x, y)
    same(lambda x, y: ufunc.outer(x, y), x, y)


def test_methods_that_a_ufunc_does_not_have():
    same(lambda x: np.exp.reduce(x), B)
    same(lambda x: np.exp.outer(x, x), B)
    same(lambda x: np.divmod.reduce(x), B)
    same(lambda x: np.add.at(x * 1, [0]), B)
    same(lambda x: np.exp.at(x * 1, [0], 1.0), B)


def test_operands_that_are_no_numbers():
    for other in ("a", None, np.datetime64("2020"), np.zeros(4, [("a", float)]), [[1], [2, 3]], {}):
        same(lambda x, o=other: np.add(x, o), B, label=str(other))
    with pytest.raises(TypeError, match="object"):
        np.add(ag.asarray(B), np.array([1, 2, 3, 4], object))
    same(lambda x: np.add([[1.0] * 4] * 3, x), B)

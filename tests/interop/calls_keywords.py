"""Calls with the keywords that no other table passes: memory, dtypes, casting, rare modes.

Results go to memory made by ``np.zeros_like``, which makes tensors of tensors. Float32 where a
dtype is asked for has values of order 0: its differences would be noise.
"""

import numpy as np

from .calls import call, complexes, distinct, gappy, normal, positive
from .calls_reducing import MASK

W = positive(3, 4)


def into(function, *given, axis=0, **options):
    """The call with a result in memory of its own, of the right shape."""
    made = np.zeros_like(function(*given, axis=axis, **options))
    out = function(*given, axis=axis, out=made, **options)
    return out + made


def flat_into(function, *given, **options):
    """The same for functions without an axis."""
    made = np.zeros_like(function(*given, **options))
    return function(*given, out=made, **options) + made


def reductions(name):
    """A reduction's keywords, each with the others' defaults."""
    f = getattr(np, name)
    sample = gappy if name.startswith("nan") else distinct
    return (
        call(lambda x: into(f, x), sample(3, 4)),
        call(lambda x: into(f, x, axis=1), sample(3, 4)),
        call(lambda x: f(x, axis=1, keepdims=True), sample(3, 4)),
    )


def of_type(name):
    """A reduction or scan in another type."""
    f = getattr(np, name)
    return (
        call(lambda x: f(x, axis=0, dtype=np.complex128), normal(3, 4)),
        call(lambda x: f(x, axis=0, dtype=np.float32), normal(3, 4), order=0),
        call(lambda x: f(x, dtype=np.float64, axis=0), normal(3, 4).astype(np.float32), order=0),
    )


def bounded(name):
    """An extreme among some elements, with a bound."""
    f = getattr(np, name)
    end = -9.0 if "max" in name else 9.0
    sample = gappy if name.startswith("nan") else distinct
    return (
        call(lambda x: f(x, axis=0, initial=end, where=MASK), sample(3, 4)),
        call(lambda x: f(x, initial=0.15), sample(3, 4)),
    )


def transforms(name, *others):
    """A Fourier transform: result in given memory, and the options that are missing elsewhere."""
    f = getattr(np.fft, name)
    # NumPy 2 takes `out` in these without writing to it.
    given = f if name not in ("ifft2", "hfft", "irfft2") else lambda x, out=None: f(x, out=out)
    made = flat_into if given is f else lambda g, x: g(x, out=np.zeros_like(g(x)))
    return (
        call(lambda x: made(given, x), normal(4, 6) if name[0] == "r" else complexes(4, 6)),
        *(call(lambda x, o=o: f(x, **o), normal(4, 6)) for o in others),
    )


def nan_spread(name):
    f = getattr(np, name)
    return (
        call(lambda x: f(x, axis=0, dtype=np.float64), gappy(3, 4)),
        call(lambda x: f(x, axis=0, where=MASK), gappy(3, 4)),
        call(lambda x: f(x, axis=0, correction=1), gappy(3, 4)),
        call(lambda x: f(x, axis=0, mean=np.nanmean(x, axis=0, keepdims=True)), gappy(3, 4)),
    )


def of_type_with_gaps(name):
    f = getattr(np, name)
    return (
        call(lambda x: f(x, axis=0, dtype=np.float64), gappy(3, 4)),
        call(lambda x: f(x, axis=0, dtype=np.float32), gappy(3, 4), order=0),
    )


def quantiles(name):
    f = getattr(np, name)
    q = 0.3 if "quantile" in name else 30.0
    sample = gappy if name.startswith("nan") else distinct
    return (
        call(lambda x: into(f, x, q), sample(3, 4)),
        call(lambda x: f(x + 0.0, q, overwrite_input=True), sample(3, 4)),
        call(lambda x: f(x, q, axis=1, keepdims=True, method="hazen"), sample(3, 4)),
        call(lambda x: f(x, q, axis=0, weights=W, method="inverted_cdf"), sample(3, 4)),
    )


FUNCTIONS = vars(np)
CALLS = {
    **{
        name: reductions(name) + bounded(name)
        for name in ("max", "min", "amax", "amin", "nanmax", "nanmin")
    },
    "sum": reductions("sum"),
    "prod": reductions("prod") + of_type("prod"),
    "mean": reductions("mean") + of_type("mean"),
    "std": (
        *reductions("std"),
        call(lambda x: np.std(x, axis=0, dtype=np.float64), normal(3, 4)),
        call(lambda x: np.std(x, axis=0, correction=1), normal(3, 4)),
        call(lambda x, m: np.std(x, axis=0, mean=m), normal(3, 4), normal(1, 4)),
    ),
    "var": (
        *reductions("var"),
        call(lambda x: np.var(x, axis=0, dtype=np.float64), normal(3, 4)),
        call(lambda x: np.var(x, axis=0, correction=1.5), normal(3, 4)),
    ),
    "ptp": reductions("ptp"),
    "median": (
        *reductions("median"),
        call(lambda x: np.median(x + 0.0, overwrite_input=True), distinct(5)),
    ),
    "nanmedian": (
        *reductions("nanmedian"),
        call(lambda x: np.nanmedian(x + 0.0, overwrite_input=True), gappy(5)),
    ),
    "nansum": (
        *reductions("nansum"),
        *of_type_with_gaps("nansum"),
        call(lambda x: np.nansum(x, axis=0, initial=2.0, where=MASK), gappy(3, 4)),
    ),
    "nanprod": (
        *reductions("nanprod"),
        *of_type_with_gaps("nanprod"),
        call(lambda x: np.nanprod(x, axis=0, initial=2.0, where=MASK), gappy(3, 4)),
    ),
    "nanmean": (*reductions("nanmean"), *of_type_with_gaps("nanmean")),
    "nanstd": (*reductions("nanstd"), *nan_spread("nanstd")),
    "nanvar": (*reductions("nanvar"), *nan_spread("nanvar")),
    **{
        name: quantiles(name) for name in ("percentile", "quantile", "nanpercentile", "nanquantile")
    },
    **{
        name: (call(lambda x, f=FUNCTIONS[name]: into(f, x), normal(3, 4)), *of_type(name))
        for name in ("cumsum", "cumprod")
    },
    **{
        name: (
            call(lambda x, f=FUNCTIONS[name]: into(f, x), normal(3, 4)),
            call(lambda x, f=FUNCTIONS[name]: f(x, axis=0, dtype=np.complex128), normal(3, 4)),
        )
        for name in ("cumulative_sum", "cumulative_prod")
    },
    **{
        name: (
            call(lambda x, f=FUNCTIONS[name]: into(f, x), gappy(3, 4)),
            *of_type_with_gaps(name),
        )
        for name in ("nancumsum", "nancumprod")
    },
    "trace": (
        call(lambda x: flat_into(np.trace, x, axis1=1, axis2=2), normal(2, 3, 3)),
        call(lambda x: np.trace(x, dtype=np.complex128), normal(3, 3)),
    ),
    "linalg.trace": (call(lambda x: np.linalg.trace(x, dtype=np.complex128), normal(3, 3)),),
    # -- arrays of arrays
    "array": (
        call(lambda x: np.array(x, like=x, order="F", subok=True, ndmin=3), normal(2, 3)),
        call(lambda x: np.array(x, like=x, dtype=np.complex128, copy=True), normal(2, 3)),
    ),
    "asarray": (
        call(lambda x: np.asarray(x, like=x, order="F", device="cpu", copy=True) * x, normal(2, 3)),
        call(lambda x: np.asarray(x, like=x, dtype=np.complex128, copy=None), normal(2, 3)),
    ),
    "asanyarray": (
        call(lambda x: np.asanyarray(x, like=x, dtype=np.complex128, order="C"), normal(2, 3)),
        call(lambda x: np.asanyarray(x, like=x, device="cpu", copy=True) * x, normal(2, 3)),
    ),
    "asfortranarray": (
        call(lambda x: np.asfortranarray(x, like=x, dtype=np.complex128), normal(2, 3)),
    ),
    "astype": (
        call(lambda x: np.astype(x, np.complex128, copy=True), normal(2, 3)),
        call(lambda x: np.astype(x, np.float64, copy=False, device="cpu") * x, normal(2, 3)),
    ),
    "copy": (call(lambda x: np.copy(x, order="F", subok=True), normal(2, 3)),),
    "broadcast_to": (call(lambda x: np.broadcast_to(x, (2, 3), subok=True), normal(3)),),
    "broadcast_arrays": (
        call(lambda x, y: np.broadcast_arrays(x, y, subok=True), normal(3), normal(2, 1)),
    ),
    "copyto": (
        call(lambda x: copied(x, casting="same_kind"), normal(2, 3)),
        call(
            lambda x: copied(x, casting="unsafe", where=np.array([True, False, True])), normal(2, 3)
        ),
    ),
    "nan_to_num": (
        call(lambda x: np.nan_to_num(x, copy=True, nan=2.0), gappy(3, 4)),
        call(lambda x: np.nan_to_num(x * 1.0, copy=False, posinf=1.0, neginf=-1.0), gappy(3, 4)),
    ),
    "reshape": (
        call(lambda x: np.reshape(x, (3, 2), copy=True), normal(2, 3)),
        call(lambda x: np.reshape(x, (3, 2), order="F", copy=None), normal(2, 3)),
    ),
    "meshgrid": (call(lambda x, y: np.meshgrid(x, y, copy=False), normal(2), normal(3)),),
    "full": (
        call(lambda x: np.full((2, 3), x, order="F", device="cpu", like=x), normal()),
        call(lambda x: np.full((2, 3), x, dtype=np.complex128, like=x), normal(3)),
    ),
    "full_like": (
        call(lambda x: np.full_like(np.ones((2, 3)) * x, x, order="F", subok=True), normal()),
        call(
            lambda x: np.full_like(x, x[0], dtype=np.complex128, shape=(2, 3), device="cpu"),
            normal(3),
        ),
    ),
    **{
        name: (
            call(
                lambda x, f=FUNCTIONS[name]: (
                    f(x, order="F", subok=True, shape=(2, 3), device="cpu") + x[0]
                ),
                normal(3),
            ),
        )
        for name in ("ones_like", "zeros_like")
    },
    "arange": (call(lambda x: np.arange(3, dtype=float, device="cpu", like=x) * x, normal(3)),),
    "linspace": (
        call(lambda x: np.linspace(x, 2.0, 4, dtype=np.complex128), normal()),
        call(lambda x: np.linspace(x, 2.0, 4, axis=1, device="cpu"), normal(3)),
    ),
    "logspace": (
        call(lambda x: np.logspace(x, 1.0, 4, dtype=np.complex128), normal()),
        call(lambda x: np.logspace(x, 1.0, 4, base=2.0, axis=1), normal(3)),
    ),
    "geomspace": (
        call(lambda x: np.geomspace(x, 4.0, 4, endpoint=False), positive()),
        call(lambda x: np.geomspace(x, 4.0, 4, axis=1), positive(3)),
        call(lambda x: np.geomspace(x, 4.0, 4, dtype=np.complex128), positive()),
    ),
    # -- joins and selections
    "concatenate": (
        call(lambda x, y: into(np.concatenate, (x, y)), normal(2, 3), normal(1, 3)),
        call(
            lambda x, y: np.concatenate((x, y), dtype=np.complex64, casting="same_kind"),
            complexes(3),
            complexes(2),
            order=0,
        ),
        call(lambda x, y: np.concatenate((x, y), dtype=np.complex128), normal(3), normal(2)),
    ),
    "stack": (
        call(lambda x, y: into(np.stack, (x, y)), normal(3), normal(3, seed=1)),
        call(
            lambda x, y: np.stack((x, y), axis=1, dtype=np.complex128, casting="safe"),
            normal(3),
            normal(3, seed=1),
        ),
    ),
    "hstack": (
        call(
            lambda x, y: np.hstack((x, y), dtype=np.complex128, casting="safe"),
            normal(3),
            normal(2),
        ),
    ),
    "vstack": (
        call(
            lambda x, y: np.vstack((x, y), dtype=np.complex128, casting="safe"),
            normal(3),
            normal(3, seed=1),
        ),
    ),
    "choose": (
        call(
            lambda x, y: flat_into(np.choose, np.array([0, 1, 1]), (x, y)),
            normal(3),
            normal(3, seed=1),
        ),
    ),
    "clip": (call(lambda x: flat_into(np.clip, x, -0.5, 0.7), distinct(3, 4)),),
    "compress": (
        call(lambda x: into(np.compress, np.array([True, False, True]), x), normal(3, 4)),
    ),
    "take": (
        call(lambda x: into(np.take, x, np.array([0, 2, 0])), normal(3, 4)),
        call(lambda x: into(np.take, x, np.array([0, 5, -1]), mode="wrap"), normal(3, 4)),
    ),
    "trim_zeros": (call(lambda x: np.trim_zeros(x * np.array([0.0, 1, 1, 0])), normal(4)),),
    "sort": (
        call(lambda x: np.sort(x, kind="stable"), distinct(3, 4)),
        call(lambda x: np.sort(x, axis=0, stable=True), distinct(3, 4)),
        call(lambda x: np.sort(x, kind="heapsort", order=None), distinct(3, 4)),
    ),
    "partition": (
        call(lambda x: np.partition(x, 1, kind="introselect", order=None)[1], distinct(5)),
    ),
    "unique": (
        call(lambda x: np.unique(x, equal_nan=True), distinct(5)),
        call(lambda x: np.unique(x, axis=0, equal_nan=False), distinct(3, 2)),
    ),
    "intersect1d": (call(lambda x: np.intersect1d(x, x[::-1], assume_unique=True), distinct(5)),),
    "lib.stride_tricks.sliding_window_view": (
        call(
            lambda x: np.lib.stride_tricks.sliding_window_view(
                x, 2, axis=0, subok=True, writeable=False
            ),
            normal(4, 3),
        ),
    ),
    # -- arithmetic
    **{
        name: (call(lambda x, f=FUNCTIONS[name]: flat_into(f, x) + x, distinct(3)),)
        for name in ("fix", "round", "around")
    },
    "real_if_close": (
        call(lambda x: np.real_if_close(x + 1e-15j, tol=1000.0), normal(3)),
        call(lambda x: np.real_if_close(x + 1e-3j, tol=1e-2), normal(3)),
    ),
    "dot": (call(lambda x, y: flat_into(np.dot, x, y), normal(2, 3), normal(3, 2)),),
    "outer": (call(lambda x, y: flat_into(np.outer, x, y), normal(2), normal(3)),),
    "einsum": (
        call(lambda x, y: flat_into(np.einsum, "ij,jk->ik", x, y), normal(2, 3), normal(3, 2)),
        call(
            lambda x, y: np.einsum(
                "ij,jk",
                x,
                y,
                dtype=np.complex128,
                casting="safe",
                order="F",
                optimize=np.lib.NumpyVersion(np.__version__) >= "2.4.0",  # older ones lose dtype
            ),
            normal(2, 3),
            normal(3, 2),
        ),
    ),
    "linalg.multi_dot": (
        call(lambda x, y: flat_into(np.linalg.multi_dot, [x, y, x]), normal(2, 3), normal(3, 2)),
    ),
    "linalg.pinv": (
        call(lambda x: np.linalg.pinv(x, rcond=1e-9), normal(4, 3)),
        call(
            lambda x: np.linalg.pinv(x @ x.T + np.eye(3), hermitian=True, rtol=1e-9), normal(3, 3)
        ),
    ),
    "polyfit": (call(lambda y: np.polyfit(np.arange(5.0), y, 2, rcond=1e-10), normal(5)),),
    "cov": (
        call(lambda x: np.cov(x, dtype=np.float64), normal(3, 4)),
        call(lambda x: np.cov(x, dtype=np.complex128, bias=True), normal(3, 4)),
    ),
    "corrcoef": (call(lambda x: np.corrcoef(x, dtype=np.float64), normal(3, 4)),),
    "histogram": (
        call(lambda w: np.histogram(np.arange(5.0), 3, range=(0.5, 4.0), weights=w)[0], normal(5)),
    ),
    "histogram2d": (
        call(
            lambda w: np.histogram2d(
                np.arange(5.0), np.arange(5.0), 2, range=((0, 3), (1, 4)), weights=w
            )[0],
            normal(5),
        ),
    ),
    "histogramdd": (
        call(
            lambda w: np.histogramdd(
                np.arange(10.0).reshape(5, 2), 2, range=((0, 3), (1, 4)), weights=w
            )[0],
            normal(5),
        ),
    ),
    "histogram_bin_edges": (
        call(lambda x: np.histogram_bin_edges(x, 3, weights=None), distinct(5)),
        call(lambda x: np.histogram_bin_edges(x, 3, weights=np.ones(5)), distinct(5)),
    ),
    # -- transforms
    "fft.fft": transforms("fft"),
    "fft.ifft": transforms("ifft"),
    "fft.ifft2": transforms("ifft2"),
    "fft.ifftn": transforms("ifftn"),
    "fft.rfft": transforms("rfft"),
    "fft.fft2": transforms("fft2", {"norm": "ortho"}),
    "fft.fftn": transforms("fftn", {"s": (3, 5), "axes": (0, 1), "norm": "forward"}),
    "fft.hfft": transforms("hfft", {"axis": 0, "norm": "ortho"}),
    "fft.ihfft": (
        call(lambda x: flat_into(np.fft.ihfft, x), normal(4, 6)),
        call(lambda x: np.fft.ihfft(x, axis=0), normal(4, 6)),
    ),
    "fft.irfft": transforms("irfft", {"axis": 0}),
    "fft.irfft2": transforms("irfft2", {"axes": (1, 0), "norm": "forward"}),
    "fft.irfftn": transforms("irfftn", {"norm": "ortho"}),
    "fft.rfft2": transforms("rfft2", {"s": (3, 5), "axes": (1, 0)}),
    "fft.rfftn": transforms("rfftn", {"norm": "ortho"}),
}


def copied(x, **options):
    """An array like x, written by ``copyto``."""
    out = np.zeros_like(x)
    np.copyto(out, x, **options)
    return out

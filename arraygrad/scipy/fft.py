"""Stand-ins for ``scipy.fft``: Fourier transforms of ``arraygrad.fft``, cosine and sine transforms.

Arguments about memory and threads (``overwrite_x``, ``workers``, ``plan``) are accepted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._op import Linear
from ._rule import constant, plain, primitive_op, rule, scipy_object, tensor, xp


def _one_axis(name: str, x: Any, n: Any, axis: int, norm: Any) -> Any:
    return getattr(xp.fft, name)(tensor(x, f"scipy.fft.{name}"), n, axis, norm)


def _several_axes(name: str, x: Any, s: Any, axes: Any, norm: Any) -> Any:
    x = tensor(x, f"scipy.fft.{name}")
    s = None if s is None else _listed(s)
    if axes is not None:
        axes = _listed(axes)
    elif s is not None:  # NumPy deprecates lengths without axes, SciPy means the last ones
        axes = list(range(-len(s), 0))
    return getattr(xp.fft, name)(x, s, axes, norm)


def _listed(value: Any) -> list[Any]:
    """Lengths or axes, of which one may be given as a number."""
    value = plain(value)
    return [value] if np.ndim(value) == 0 else list(value)


@rule("scipy.fft.fft")
def fft(
    x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Discrete Fourier transform."""
    return _one_axis("fft", x, n, axis, norm)


@rule("scipy.fft.ifft")
def ifft(
    x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Inverse of `fft`."""
    return _one_axis("ifft", x, n, axis, norm)


@rule("scipy.fft.rfft")
def rfft(
    x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Discrete Fourier transform of a real signal, without the redundant half."""
    return _one_axis("rfft", x, n, axis, norm)


@rule("scipy.fft.irfft")
def irfft(
    x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Inverse of `rfft`."""
    return _one_axis("irfft", x, n, axis, norm)


@rule("scipy.fft.hfft")
def hfft(
    x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Transform of a signal that is its own conjugate reversed, which is real."""
    return _one_axis("hfft", x, n, axis, norm)


@rule("scipy.fft.ihfft")
def ihfft(
    x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Inverse of `hfft`."""
    return _one_axis("ihfft", x, n, axis, norm)


@rule("scipy.fft.fft2")
def fft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Discrete Fourier transform in two axes."""
    return _several_axes("fft2", x, s, axes, norm)


@rule("scipy.fft.ifft2")
def ifft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Inverse of `fft2`."""
    return _several_axes("ifft2", x, s, axes, norm)


@rule("scipy.fft.rfft2")
def rfft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Discrete Fourier transform of a real array in two axes."""
    return _several_axes("rfft2", x, s, axes, norm)


@rule("scipy.fft.irfft2")
def irfft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Inverse of `rfft2`."""
    return _several_axes("irfft2", x, s, axes, norm)


@rule("scipy.fft.fftn")
def fftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Discrete Fourier transform in several axes."""
    return _several_axes("fftn", x, s, axes, norm)


@rule("scipy.fft.ifftn")
def ifftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Inverse of `fftn`."""
    return _several_axes("ifftn", x, s, axes, norm)


@rule("scipy.fft.rfftn")
def rfftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Discrete Fourier transform of a real array in several axes."""
    return _several_axes("rfftn", x, s, axes, norm)


@rule("scipy.fft.irfftn")
def irfftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Inverse of `rfftn`."""
    return _several_axes("irfftn", x, s, axes, norm)


# -- transforms that are real, in several axes -----------------------------------------------------

# Those of Hermitian signals are the others backwards: their norms change places.
_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


@rule("scipy.fft.hfftn")
def hfftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Transform in several axes of a signal that is its own conjugate reversed, which is real."""
    return _several_axes("irfftn", xp.conj(tensor(x, "scipy.fft.hfftn")), s, axes, _SWAPPED[norm])


@rule("scipy.fft.ihfftn")
def ihfftn(
    x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Inverse of `hfftn`."""
    return xp.conj(_several_axes("rfftn", x, s, axes, _SWAPPED[norm]))


@rule("scipy.fft.hfft2")
def hfft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """`hfftn` in two axes."""
    return hfftn(x, s, axes, norm)


@rule("scipy.fft.ihfft2")
def ihfft2(
    x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: bool = False,
    workers: Any = None, *, plan: Any = None,
) -> Any:  # fmt: skip
    """Inverse of `hfft2`."""
    return ihfftn(x, s, axes, norm)


@rule("scipy.fft.fftshift")
def fftshift(x: Any, axes: Any = None) -> Any:
    """Frequency zero moved to the middle."""
    return xp.fft.fftshift(x, axes)


@rule("scipy.fft.ifftshift")
def ifftshift(x: Any, axes: Any = None) -> Any:
    """Inverse of `fftshift`."""
    return xp.fft.ifftshift(x, axes)


# -- cosine and sine transforms --------------------------------------------------------------------

# The type whose matrix is, up to one row's or column's factor, the transpose.
_TRANSPOSED = {1: 1, 2: 3, 3: 2, 4: 4}


def _scaled_ends(x: Any, first: float, last: float) -> Any:
    """The last axis with its first and last elements multiplied."""
    weights = np.ones(x.shape[-1])
    weights[0] *= first
    weights[-1] *= last
    return x * weights


def _transpose(g: Any, kind: str, type: int, norm: str) -> Any:
    """The transpose of an unnormalized or orthonormal transform along the last axis."""
    settings = {"kind": kind, "type": _TRANSPOSED[type], "norm": norm}
    if norm == "ortho" or type == 4 or (kind == "dst" and type == 1):
        return _transform(g, **settings)
    if type == 1:
        return _scaled_ends(_transform(_scaled_ends(2.0 * g, 2.0, 2.0), **settings), 0.5, 0.5) * 0.5
    at = (2.0, 1.0) if kind == "dct" else (1.0, 2.0)
    if type == 2:
        return _transform(_scaled_ends(g, *at), **settings)
    return _scaled_ends(_transform(g, **settings), 1 / at[0], 1 / at[1])


_transform = primitive_op(
    "fft.real_transform", ("x",),
    Linear(x=_transpose),
    lambda x, *, kind, type, norm: scipy_object(f"scipy.fft.{kind}")(x, type, axis=-1, norm=norm),
)  # fmt: skip


def _length(kind: str, type: int, n: int) -> int:
    """The length that normalizes: the transform with its inverse multiplies by it."""
    if type != 1:
        return 2 * n
    return 2 * (n - 1) if kind == "dct" else 2 * (n + 1)


def _real(
    kind: str, inverse: bool, x: Any, type: int, n: Any, axis: int, norm: Any, orthogonalize: Any
) -> Any:
    x = xp.moveaxis(tensor(x, f"scipy.fft.{kind}"), axis, -1)
    if n is not None:
        missing = max(int(n) - x.shape[-1], 0)
        padding = xp.zeros((*x.shape[:-1], missing), dtype=x.dtype)
        x = xp.concatenate((x[..., : int(n)], padding), axis=-1)
    type = _TRANSPOSED[type] if inverse else type
    length = _length(kind, type, x.shape[-1])
    ortho = norm == "ortho"
    if orthogonalize is None or bool(orthogonalize) == ortho:
        out = _transform(x, kind=kind, type=type, norm="ortho" if ortho else "backward")
    else:
        out = _half_orthogonal(x, kind, type, bool(orthogonalize))
        out = out / np.sqrt(length) if ortho else out
    if norm == "forward" if not inverse else norm in (None, "backward"):
        out = out / length
    return xp.moveaxis(out, -1, axis)


def _half_orthogonal(x: Any, kind: str, type: int, orthogonalize: bool) -> Any:
    """A transform whose matrix is orthogonal up to a factor, or that is not though it is scaled."""
    root = float(np.sqrt(2.0))
    before, after = {
        ("dct", 1): ((root, root), (1 / root, 1 / root)),
        ("dct", 2): ((1.0, 1.0), (1 / root, 1.0)),
        ("dct", 3): ((root, 1.0), (1.0, 1.0)),
        ("dst", 2): ((1.0, 1.0), (1.0, 1 / root)),
        ("dst", 3): ((1.0, root), (1.0, 1.0)),
    }.get((kind, type), ((1.0, 1.0), (1.0, 1.0)))
    if not orthogonalize:
        return _transform(x, kind=kind, type=type, norm="backward")
    out = _transform(_scaled_ends(x, *before), kind=kind, type=type, norm="backward")
    return _scaled_ends(out, *after)


def _make(name: str, kind: str, inverse: bool, summary: str) -> Callable[..., Any]:
    def transform(
        x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None,
        overwrite_x: bool = False, workers: Any = None, orthogonalize: Any = None,
    ) -> Any:  # fmt: skip
        return _real(kind, inverse, x, type, n, axis, norm, orthogonalize)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = summary
    return rule(f"scipy.fft.{name}")(transform)


dct = _make("dct", "dct", False, "Discrete cosine transform; its transpose is one, too.")
idct = _make("idct", "dct", True, "Inverse of `dct`.")
dst = _make("dst", "dst", False, "Discrete sine transform; its transpose is one, too.")
idst = _make("idst", "dst", True, "Inverse of `dst`.")


def _make_several(name: str, one: Any, summary: str) -> Callable[..., Any]:
    def transform(
        x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None,
        overwrite_x: bool = False, workers: Any = None, *, orthogonalize: Any = None,
    ) -> Any:  # fmt: skip
        x = tensor(x, f"scipy.fft.{name}")
        s = None if s is None else _listed(s)
        if axes is not None:
            axes = _listed(axes)
        else:
            axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
        lengths = [None] * len(axes) if s is None else s
        return functools.reduce(
            lambda y, pair: one(y, type, pair[1], pair[0], norm, orthogonalize=orthogonalize),
            zip(axes, lengths, strict=True), x,
        )  # fmt: skip

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = summary
    return rule(f"scipy.fft.{name}")(transform)


dctn = _make_several("dctn", dct, "Discrete cosine transform in several axes.")
idctn = _make_several("idctn", idct, "Inverse of `dctn`.")
dstn = _make_several("dstn", dst, "Discrete sine transform in several axes.")
idstn = _make_several("idstn", idst, "Inverse of `dstn`.")

next_fast_len = constant("scipy.fft.next_fast_len", "The next length that is fast: plain.")
prev_fast_len = constant("scipy.fft.prev_fast_len", "The last length that is fast: plain.")

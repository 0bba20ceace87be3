"""Every function that has a stand-in is called in a test; here those that no other file calls."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.fft as sf
import scipy.linalg as sl
import scipy.optimize as so
import scipy.signal as ss
import scipy.sparse as sp
import scipy.sparse.linalg as spl
import scipy.stats as st
from scipy import integrate, interpolate, ndimage, special

import arraygrad as ag
from arraygrad.scipy import _registry

from .checking import SCIPY, check

RNG = np.random.default_rng(3)
X = RNG.normal(size=(3, 4))
SQUARE = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
LINE = np.array([0.3, -1.2, 0.7, 2.0])
ONES = sp.coo_matrix(np.ones((4, 4)))


def seeded(n):
    return {"rng" if SCIPY >= (1, 15) else "seed": n}


ROWS = {
    "fft of several axes": (
        lambda x: [
            part for z in (
                sf.rfft2(x), sf.rfftn(x, norm="ortho"), sf.hfft(x), sf.ihfft(x), sf.irfft2(x),
                sf.irfftn(x, s=(2, 5)), sf.ifftshift(x, axes=1), sf.dstn(x, type=3),
                sf.idctn(x, norm="ortho"), sf.idstn(x, axes=[0]),
            ) for part in (z.real, z.imag)
        ],
        (X,),
    ),
    "linalg": (
        lambda a: (
            sl.pinvh(a @ a.T), sl.sinhm(0.2 * a), sl.solve_lyapunov(a, a.T),
            sl.null_space(a[:2]) @ sl.null_space(a[:2]).T,
        ),
        (SQUARE,),
    ),
    "integrate.tplquad": (
        lambda a: integrate.tplquad(
            lambda z, y, x: a * x * y + z**2, 0, a, 0, 1, lambda x, y: 0.0, lambda x, y: 1.0
        )[0],
        (1.3,),
    ),
    "interpolate.pchip_interpolate": (
        lambda y, at: interpolate.pchip_interpolate([0.0, 1.0, 2.0, 4.0], y, at),
        (np.array([0.0, 1.0, 3.0, 3.5]), np.array([0.4, 2.7])),
    ),
    "ndimage.spline_filter1d": (lambda x: ndimage.spline_filter1d(x, 3, axis=1), (X,)),
    "signal.oaconvolve": (lambda x, y: ss.oaconvolve(x, y, mode="same"), (LINE, LINE[:3])),
    "optimize": (
        lambda a: (
            so.brenth(lambda x: x**3 - a, 0.0, 3.0), so.ridder(lambda x: x**3 - a, 0.0, 3.0),
            so.rosen([a, a**2, 1.0]),
        ),
        (1.3,),
    ),
    "sparse": (
        lambda x: (
            sp.hstack([sp.identity(4), sp.tril(ONES)]) @ np.concatenate((x, x)), sp.triu(ONES) @ x,
            sp.spdiags([[1, 2, 3, 4]], [0], 4, 4) @ x,
            sp.bmat([[sp.eye(2), None], [None, sp.kronsum(sp.eye(1), sp.eye(2))]]) @ x,
            sp.block_array([[sp.eye_array(4)]]) @ x, sp.coo_matrix(np.eye(4)) @ x,
            sp.bsr_matrix(np.eye(4)) @ x, sp.dia_matrix(np.eye(4)) @ x,
            sp.dok_matrix((4, 4)) @ x, sp.bsr_array(np.eye(4)) @ x, sp.dok_array((4, 4)) @ x,
            sp.random_array((4, 4), **seeded(1)) @ x if SCIPY >= (1, 15) else x,
            spl.bicg(sp.eye(4) * 2.0, x, rtol=1e-12)[0],
        ),
        (LINE,),
    ),
    "special with derivatives": (
        lambda x: [
            special.legendre_p(3, x), special.legendre_p([2, 3, 0, 1], x, diff_n=2)[:2],
            special.legendre_p_all(3, x), special.legendre_p_all(2, x, diff_n=1),
            special.assoc_legendre_p(3, 1, x, branch_cut=2, norm=True),
            special.assoc_legendre_p(3, 1, x, diff_n=1),
            special.assoc_legendre_p_all(2, 1, x, diff_n=1),
            special.assoc_legendre_p_all(2, 1, x, branch_cut=2, norm=True),
            special.sph_legendre_p(3, 2, x), special.sph_legendre_p(2, 1, x, diff_n=2)[:2],
            special.sph_legendre_p_all(2, 2, x, diff_n=1),
            *(y.real for y in special.sph_harm_y(2, 1, x, 2 * x, diff_n=2)),
            special.sph_harm_y_all(2, 1, x, 0.3).imag,
            special.sph_harm_y_all(2, 2, 0.3, x, diff_n=1)[1].real,
        ] if SCIPY >= (1, 15) else x,
        (np.array([0.3, -0.6, 0.7, 0.1]),),
    ),
    "stats.erlang": (lambda x: (st.erlang.logpdf(x, 2), st.erlang.cdf(x, 3)), (LINE**2 + 0.1,)),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_value_and_gradient(name):
    f, arguments = ROWS[name]
    check(f, *arguments, order=1, value_rtol=1e-8)


def test_a_global_search():
    def f(a):
        return so.dual_annealing(
            lambda x: np.sum((x - a) ** 2), [(-2, 2)], maxiter=20, **seeded(1)
        ).x

    check(f, 0.4, order=1, value_rtol=1e-5, rtol=1e-4, step=1e-3)


def test_results_that_are_whole_numbers_are_plain():
    x = ag.tensor([0.0, 2.0, 1.0, 3.0, 0.5], requires_grad=True)
    same = {
        "rank": lambda x: st.rankdata(x),
        "low": lambda x: ss.argrelmin(x)[0],
        "high": lambda x: ss.argrelextrema(x, np.greater)[0],
        "label": lambda x: ndimage.label(x)[0],
        "matrix": lambda x: sp.isspmatrix(sp.eye(2)),
        "length": lambda x: sf.next_fast_len(target=len(x) + 2, real=True),
        "less": lambda x: sf.prev_fast_len(len(x), True) if SCIPY >= (1, 15) else 5,
    }
    for f in same.values():
        out = ag.lift(f)(x)
        assert not getattr(out, "requires_grad", False)
        np.testing.assert_array_equal(np.asarray(out), f(x.detach().numpy()))


def test_every_name_is_called_in_a_test():
    text = "\n".join(p.read_text() for p in Path(__file__).parent.glob("*.py"))
    every = [n for names in _registry.NAMES.values() for n in names] + [*_registry.DISTRIBUTIONS]
    assert [n for n in every if not re.search(rf"\b{n}\b", text)] == []

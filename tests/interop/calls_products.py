"""Calls of NumPy's products, finite differences, polynomials and elementwise functions."""

import numpy as np

from .calls import call, complexes, normal, ordered, positive

PERIODIC = np.array([0.3, 1.9, 2.9, 4.1])

CALLS = {
    "dot": (
        call(np.dot, normal(3), normal(3, seed=1)),
        call(np.dot, normal(2, 3), normal(3, 2)),
        call(np.dot, normal(2, 3), normal(4, 3, 2)),
        call(np.dot, complexes(2, 3), normal(3)),
        call(np.dot, normal(), normal(3)),
    ),
    "vdot": (
        call(np.vdot, normal(2, 3), normal(2, 3, seed=1)),
        call(np.vdot, complexes(3), complexes(3, seed=1)),
    ),
    "inner": (
        call(np.inner, normal(3), normal(3, seed=1)),
        call(np.inner, normal(2, 3), normal(4, 3)),
        call(np.inner, normal(), normal(2, 2)),
        call(np.inner, complexes(2, 3), complexes(3)),
    ),
    "outer": (call(np.outer, normal(2), normal(3)), call(np.outer, normal(2, 2), complexes(2))),
    "kron": (
        call(np.kron, normal(2), normal(3)),
        call(np.kron, normal(2, 2), normal(1, 3)),
        call(np.kron, normal(2), complexes(2, 2)),
        call(np.kron, normal(), normal(2)),
    ),
    "cross": (
        call(np.cross, normal(3), normal(3, seed=1)),
        call(np.cross, normal(4, 3), normal(3)),
        call(lambda x, y: np.cross(x, y, axis=0), normal(3, 2), normal(3, 2, seed=1)),
        call(lambda x, y: np.cross(x, y, axisa=0, axisb=1, axisc=0), normal(3, 2), normal(2, 3)),
    ),
    "tensordot": (
        call(lambda x, y: np.tensordot(x, y), normal(2, 3), normal(2, 3, seed=1)),
        call(lambda x, y: np.tensordot(x, y, 1), normal(2, 3), normal(3, 4)),
        call(lambda x, y: np.tensordot(x, y, ([0, 1], [1, 0])), normal(2, 3, 2), normal(3, 2)),
        call(lambda x, y: np.tensordot(x, y, 0), complexes(2), normal(2)),
    ),
    "einsum": (
        call(lambda x: np.einsum("ii", x), normal(3, 3)),
        call(lambda x: np.einsum("ij->ji", x), normal(2, 3)),
        call(lambda x: np.einsum("ijj->i", x), normal(2, 3, 3)),
        call(lambda x: np.einsum("ijj->ij", x), normal(2, 3, 3)),
        call(lambda x: np.einsum("...j->...", x), normal(2, 2, 3)),
        call(lambda x, y: np.einsum("ij,jk", x, y), normal(2, 3), normal(3, 4)),
        call(lambda x, y: np.einsum("ij,jk->ki", x, y), complexes(2, 3), normal(3, 4)),
        call(lambda x, y: np.einsum("bij,bjk->bik", x, y), normal(2, 2, 3), normal(2, 3, 2)),
        call(lambda x, y: np.einsum("...ij,...j->...i", x, y), normal(4, 2, 3), normal(3)),
        call(lambda x, y: np.einsum("i,j->ij", x, y), normal(2), normal(3)),
        call(lambda x, y: np.einsum("ij,ij->", x, y), normal(2, 3), normal(1, 3)),
        call(lambda x, y: np.einsum("ij,k->i", x, y), normal(2, 3), normal(2)),
        call(
            lambda x, y, z: np.einsum("ij,jk,kl->il", x, y, z),
            normal(2, 3),
            normal(3, 2),
            normal(2, 2),
        ),
        call(
            lambda x, y, z: np.einsum("i,i,i->", x, y, z, optimize=True),
            normal(3),
            normal(3, seed=1),
            normal(3, seed=2),
        ),
        call(lambda x, y: np.einsum(x, [0, 1], y, [1, 2]), normal(2, 3), normal(3, 2)),
        call(
            lambda x, y: np.einsum(x, [0, Ellipsis], y, [0, Ellipsis], [Ellipsis, 0]),
            normal(2, 3),
            normal(2, 3, seed=1),
        ),
        call(lambda x: np.einsum("ij,kj,ik->", x, x, np.eye(2), optimize="optimal"), normal(2, 3)),
    ),
    "convolve": (
        *[
            call(lambda x, y, m=m: np.convolve(x, y, m), normal(6), normal(3))
            for m in ("full", "same", "valid")
        ],
        *[
            call(lambda x, y, m=m: np.convolve(x, y, m), normal(3), normal(6))
            for m in ("full", "same", "valid")
        ],
        call(lambda x, y: np.convolve(x, y, "same"), normal(5), normal(4)),
        call(np.convolve, complexes(4), complexes(2)),
    ),
    "correlate": (
        *[
            call(lambda x, y, m=m: np.correlate(x, y, m), normal(6), normal(3))
            for m in ("full", "same", "valid")
        ],
        *[
            call(lambda x, y, m=m: np.correlate(x, y, m), normal(3), normal(6))
            for m in ("full", "same", "valid")
        ],
        call(lambda x, y: np.correlate(x, y, "same"), normal(5), normal(4)),
        call(lambda x, y: np.correlate(x, y, "same"), normal(4), normal(5)),
        call(lambda x, y: np.correlate(x, y, "full"), complexes(4), complexes(2)),
    ),
    "cov": (
        call(np.cov, normal(2, 5)),
        call(np.cov, normal(5)),
        call(lambda x, y: np.cov(x, y, bias=True), normal(4), normal(4, seed=1)),
        call(lambda x: np.cov(x, rowvar=False, ddof=0), normal(5, 2)),
        call(lambda x, w: np.cov(x, aweights=w, fweights=[1, 2, 1, 3]), normal(2, 4), positive(4)),
        call(np.cov, complexes(2, 4)),
    ),
    "corrcoef": (
        call(np.corrcoef, normal(2, 5)),
        call(lambda x, y: np.corrcoef(x, y), normal(4), normal(4, seed=1)),
        call(lambda x: np.corrcoef(x, rowvar=False), normal(5, 3)),
    ),
    "diff": (
        call(np.diff, normal(4)),
        call(lambda x: np.diff(x, n=2, axis=0), normal(4, 2)),
        call(lambda x, y: np.diff(x, prepend=0.0, append=y), normal(4), normal(2)),
    ),
    "ediff1d": (
        call(np.ediff1d, normal(2, 3)),
        call(lambda x, y: np.ediff1d(x, to_begin=y, to_end=[1.0, 2.0]), normal(4), normal()),
    ),
    "gradient": (
        call(np.gradient, normal(5)),
        call(lambda x: np.gradient(x, 0.5), normal(3, 4)),
        call(lambda x: np.gradient(x, axis=1, edge_order=2), normal(3, 4)),
        call(lambda x, h: np.gradient(x, h), normal(5), positive()),
        call(lambda x, t: np.gradient(x, t), normal(5), ordered(5)),
        call(lambda x, t: np.gradient(x, t, 0.3, edge_order=2), normal(5, 3), ordered(5)),
        call(np.gradient, complexes(4)),
    ),
    "trapezoid": (
        call(np.trapezoid, normal(5)),
        call(lambda y, x: np.trapezoid(y, x), normal(2, 5), ordered(5)),
        call(lambda y: np.trapezoid(y, dx=0.5, axis=0), complexes(3, 2)),
        call(lambda y, x: np.trapezoid(y, x, axis=0), normal(3, 2), normal(3, 2, seed=1)),
    ),
    "unwrap": (
        call(np.unwrap, np.array([0.1, 2.9, -2.8, 0.5, 4.0])),
        call(lambda x: np.unwrap(x, axis=0, period=2.0), 3 * normal(4, 2)),
        call(lambda x: np.unwrap(x, discont=4.0), 4 * normal(5)),
    ),
    "interp": (
        call(
            lambda x, xp, fp: np.interp(x, xp, fp),
            np.array([-0.6, 0.11, 0.5]),
            ordered(6),
            normal(6),
        ),
        call(
            lambda x, xp, fp: np.interp(x, xp, fp),
            np.array([[-9.0, 9.0], [0.2, 0.3]]),
            ordered(6),
            normal(6),
        ),
        call(
            lambda x, fp, lo: np.interp(x, ordered(4), fp, left=lo, right=7.0),
            np.array([-9.0, 0.05, 9.0]),
            complexes(4),
            normal(),
        ),
        call(
            lambda x, fp: np.interp(x, PERIODIC, fp, period=4.0),
            np.array([-0.9, 0.05, 3.3, 6.6]),
            normal(4),
        ),
        call(lambda x: np.interp(x, [0.0, 1.0, 2.0], [1.0, 3.0, 2.0]), np.array(0.4)),
    ),
    "poly": (
        call(np.poly, normal(3)),
        call(np.poly, normal(2, 2) + np.diag([3.0, 0])),
        call(np.poly, complexes(2)),
    ),
    "polyadd": (
        call(np.polyadd, normal(3), normal(2)),
        call(np.polyadd, complexes(2), normal(4)),
    ),
    "polysub": (
        call(np.polysub, normal(3), normal(2)),
        call(np.polysub, normal(2), complexes(4)),
    ),
    "polymul": (call(np.polymul, normal(3), normal(2)), call(np.polymul, complexes(2), normal(2))),
    "polydiv": (
        call(np.polydiv, normal(4), positive(2)),
        call(np.polydiv, normal(5), 1 + positive(3)),
        call(np.polydiv, normal(2), normal(3)),
    ),
    "polyder": (call(np.polyder, normal(4)), call(lambda p: np.polyder(p, 2), normal(4))),
    "polyint": (
        call(np.polyint, normal(3)),
        call(lambda p, k: np.polyint(p, 2, k), normal(3), normal(2)),
    ),
    "polyval": (
        call(np.polyval, normal(3), normal(4)),
        call(np.polyval, normal(3), normal()),
        call(np.polyval, complexes(3), normal(2, 2)),
        call(lambda x: np.polyval([1, 2, 3], x), normal(2)),
    ),
    "polynomial.polynomial.polyval2d": (
        call(np.polynomial.polynomial.polyval2d, normal(3), normal(3), normal(2, 4)),
        call(np.polynomial.polynomial.polyval2d, normal(2, 2), complexes(2, 2), normal(3, 2, 2)),
    ),
    "polynomial.polynomial.polygrid2d": (
        call(np.polynomial.polynomial.polygrid2d, normal(3), normal(2), normal(2, 4)),
        call(np.polynomial.polynomial.polygrid2d, normal(2), complexes(3), complexes(2, 2)),
    ),
    "polynomial.polynomial.polyvalnd": (
        call(
            lambda x, y, c: np.polynomial.polynomial.polyvalnd((x, y), c),
            normal(3),
            normal(3),
            normal(2, 4),
        ),
        call(
            lambda x, c: np.polynomial.polynomial.polyvalnd((x, x**2, 2 * x), c),
            normal(3),
            normal(2, 2, 3),
        ),
    ),
    "polyfit": (
        call(lambda x, y: np.polyfit(x, y, 2), ordered(6), normal(6)),
        call(lambda x, y, w: np.polyfit(x, y, 1, w=w), ordered(6), normal(6, 2), positive(6)),
        call(lambda y: np.polyfit(ordered(6), y, 1, cov=True), normal(6)),
        call(lambda y: np.polyfit(ordered(6), y, 2, full=True)[:2], normal(6)),
    ),
    "roots": (
        call(np.roots, np.array([1.0, -6.0, 11.2, -6.1])),
        call(np.roots, np.array([1.0, 0.3, 2.0])),
        call(lambda p: np.roots(np.concatenate([p, [0.0]])), np.array([1.0, -3.0, 1.0])),
    ),
    "vander": (
        call(np.vander, normal(3)),
        call(lambda x: np.vander(x, 4, increasing=True), normal(3)),
        call(lambda x: np.vander(x, 2), complexes(3)),
    ),
    "round": (call(np.round, 3 * normal(4)), call(lambda x: np.round(x, 1), normal(3))),
    "around": (
        call(lambda x: np.around(x, 2), normal(3)),
        call(lambda x: np.around(x, -1), 40 * normal(2, 3)),
        call(lambda x: np.around(x, decimals=1), complexes(3)),
    ),
    "fix": (
        call(np.fix, 3 * normal(4)),
        call(lambda x: np.fix(x), -3 * positive(2, 2)),
    ),
    "i0": (
        call(np.i0, normal(4)),
        call(np.i0, np.array([0.0, 9.5, -12.0, 7.9])),
    ),
    "sinc": (call(np.sinc, np.array([0.0, 0.3, -1.7])), call(np.sinc, complexes(2))),
    "nan_to_num": (
        call(np.nan_to_num, np.array([1.0, np.nan, -np.inf]), order=0),
        call(
            lambda x: np.nan_to_num(x / np.array([1.0, 0.0, 2.0]), posinf=5.0, neginf=-4.0),
            positive(3),
        ),
        call(lambda x: np.nan_to_num(np.where([True, False], x, np.nan), nan=3.0), normal(2)),
        call(np.nan_to_num, complexes(3)),
    ),
    "real_if_close": (
        call(np.real_if_close, normal(3) + 0j, order=0),
        call(np.real_if_close, complexes(3)),
        call(lambda x: np.real_if_close(x * (1 + 0j)), normal(3)),
    ),
    "lib.scimath.sqrt": (
        call(np.emath.sqrt, np.array([-2.0, 3.0])),
        call(np.emath.sqrt, positive(2)),
        call(np.emath.sqrt, complexes(2)),
    ),
    "lib.scimath.log": (call(np.emath.log, np.array([-2.0, 3.0])), call(np.emath.log, positive(2))),
    "lib.scimath.log2": (
        call(np.emath.log2, np.array([-2.0, 3.0])),
        call(np.emath.log2, positive(2)),
    ),
    "lib.scimath.log10": (
        call(np.emath.log10, np.array([-2.0, 3.0])),
        call(np.emath.log10, positive(2)),
    ),
    "lib.scimath.logn": (
        call(lambda x: np.emath.logn(3, x), np.array([-2.0, 3.0])),
        call(lambda n, x: np.emath.logn(n, x), np.array(2.5), positive(2)),
    ),
    "lib.scimath.power": (
        call(lambda x: np.emath.power(x, 3), np.array([-2.0, 3.0])),
        call(lambda x, p: np.emath.power(x, p), np.array([-2.0, 3.0]), np.array([0.4, 1.5])),
    ),
    "lib.scimath.arccos": (
        call(np.emath.arccos, np.array([0.3, -0.2])),
        call(np.emath.arccos, np.array([0.3, 1.7])),
    ),
    "lib.scimath.arcsin": (
        call(np.emath.arcsin, np.array([0.3, -0.2])),
        call(np.emath.arcsin, np.array([0.3, 1.7])),
    ),
    "lib.scimath.arctanh": (
        call(np.emath.arctanh, np.array([0.3, -0.2])),
        call(np.emath.arctanh, np.array([0.3, 1.7])),
    ),
}

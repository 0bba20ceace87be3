"""Calls of multivariate distributions of ``scipy.stats`` with each of their methods."""

import numpy as np
import scipy.stats as st

from .checking import refused

RNG = np.random.default_rng(23)
ROOT = RNG.normal(size=(3, 3)) + 2 * np.eye(3)
POINT = np.array([0.4, -0.2, 0.7])
POINTS = RNG.normal(size=(2, 3))
SHARES = np.array([0.2, 0.3, 0.5])
ALPHA = np.array([0.7, 1.6, 2.3])
SIDES = np.array([[0.2, 0.6], [0.5, 0.3], [0.3, 0.1]])
FROZEN = {
    "t": st.multivariate_t(POINT, ROOT @ ROOT.T, 4.0),
    "dirichlet": st.dirichlet(ALPHA),
    "wishart": st.wishart(5.0, ROOT @ ROOT.T),
    "invwishart": st.invwishart(5.0, ROOT @ ROOT.T),
    "matrix": st.matrix_normal(POINTS, np.eye(2), ROOT @ ROOT.T),
    "normal": st.multivariate_normal(POINT, ROOT @ ROOT.T),
    "multinomial": st.multinomial(4, SHARES),
}


def unit(v):
    return v / np.linalg.norm(v)


def whole(p):
    return p / np.sum(p)


# name: (arguments, calls)
CALLS = {
    "Student's t": (
        (POINTS, POINT, ROOT, 4.5),
        [
            *[
                lambda x, m, r, v, f=f: getattr(st.multivariate_t, f)(x, m, r @ r.T, v)
                for f in ("pdf", "logpdf")
            ],
            lambda x, m, r, v: st.multivariate_t.logpdf(x, shape=r @ r.T, df=v),
            lambda x, m, r, v: st.multivariate_t.logpdf(x, m),
            lambda x, m, r, v: st.multivariate_t.logpdf(x[:, 0], m[0], r[0, 0] ** 2, v),
            lambda x, m, r, v: st.multivariate_t.logpdf(x, m, r @ r.T, np.inf),
            lambda x, m, r, v: st.multivariate_t(m, r @ r.T, v, seed=1).logpdf(x),
            lambda x, m, r, v: st.multivariate_t(m, r @ r.T, df=v, allow_singular=True).pdf(x),
            lambda x, m, r, v: st.multivariate_t.entropy(m, r @ r.T, v),
            lambda x, m, r, v: st.multivariate_t(m, r @ r.T, v).entropy(),
            lambda x, m, r, v: st.multivariate_t.rvs(m, np.eye(3), 4, size=2, random_state=1),
            lambda x, m, r, v: st.multivariate_t(m, np.eye(3), 4).rvs(2, random_state=1),
            lambda x, m, r, v: FROZEN["t"].logpdf(x),
            lambda x, m, r, v: FROZEN["normal"].logpdf(x),
            refused(lambda x, m, r, v: st.multivariate_t.cdf(x, m, r @ r.T, v)),
            refused(lambda x, m, r, v: st.multivariate_t.rvs(m, r @ r.T, v, random_state=1)),
            refused(lambda x, m, r, v: st.multivariate_t.logpdf(x, m, np.ones((3, 3)), v)),
        ],
    ),
    "Dirichlet": (
        (SHARES, ALPHA, SIDES),
        [
            lambda x, a, s: st.dirichlet.logpdf(whole(x), a),
            lambda x, a, s: st.dirichlet.pdf(x[:2], a),
            lambda x, a, s: st.dirichlet.pdf(s / np.sum(s, axis=0), a),
            lambda x, a, s: st.dirichlet(a, seed=1).logpdf(whole(x)),
            lambda x, a, s: FROZEN["dirichlet"].logpdf(whole(x)),
            *[lambda x, a, s, f=f: getattr(st.dirichlet, f)(a) for f in ("mean", "var", "entropy")],
            lambda x, a, s: st.dirichlet(a).mean(),
            refused(lambda x, a, s: st.dirichlet.rvs(a, random_state=1)),
            refused(lambda x, a, s: st.dirichlet(a).rvs(2, 1)),
        ],
    ),
    "counts": (
        (SHARES, ALPHA),
        [
            lambda p, a: st.multinomial.logpmf([1, 2, 1], 4, whole(p)),
            lambda p, a: st.multinomial.logpmf([[1, 2, 1], [4, 0, 1]], 4, whole(p))[:1],
            lambda p, a: st.multinomial.pmf([[1, 2, 1], [4, 0, 1]], [4, 5], whole(p)),
            lambda p, a: st.multinomial(4, whole(p), seed=1).pmf([1, 2, 1]),
            lambda p, a: st.multinomial(4, whole(p)).mean(),
            lambda p, a: st.multinomial.mean(4, whole(p)),
            lambda p, a: st.multinomial.cov([4, 2], whole(p)),
            lambda p, a: st.multinomial.entropy(4, whole(p)),
            lambda p, a: st.multinomial(4, whole(p)).p,
            lambda p, a: st.dirichlet_multinomial.logpmf([1, 2, 1], a, 4),
            lambda p, a: st.dirichlet_multinomial.pmf([[1, 2, 1], [0, 3, 1]], a, 4),
            lambda p, a: st.dirichlet_multinomial(a, 4, seed=1).logpmf([1, 2, 1]),
            *[
                lambda p, a, f=f: getattr(st.dirichlet_multinomial, f)(a, 4)
                for f in ("mean", "var", "cov")
            ],
            refused(lambda p, a: st.multinomial.rvs(4, whole(p), random_state=1) + 0 * p),
            refused(lambda p, a: st.multinomial.entropy([4, 2], whole(p))),
        ],
    ),
    "matrices": (
        (ROOT, ROOT.T + 0.3, 6.3),
        [
            *[
                lambda x, s, v, d=d, f=f: getattr(d, f)(x @ x.T, v, s @ s.T)
                for d in (st.wishart, st.invwishart)
                for f in ("pdf", "logpdf")
            ],
            *[
                lambda x, s, v, d=d, f=f: getattr(d, f)(v, s @ s.T)
                for d in (st.wishart, st.invwishart)
                for f in ("mean", "var", "mode", "entropy")
            ],
            lambda x, s, v: st.wishart(v, s @ s.T, seed=1).logpdf(x @ x.T),
            lambda x, s, v: st.wishart(v, s @ s.T).mean(),
            lambda x, s, v: st.wishart.logpdf(np.stack([x @ x.T, s @ s.T], axis=2), v, np.eye(3)),
            lambda x, s, v: st.wishart.logpdf(x[0] ** 2, v, 1.3 + s[0, 0] ** 2),
            lambda x, s, v: st.wishart.logpdf(x[0] ** 2, v, s[0] ** 2 + 0.1),
            lambda x, s, v: FROZEN["wishart"].logpdf(x @ x.T),
            lambda x, s, v: FROZEN["invwishart"].logpdf(x @ x.T),
            lambda x, s, v: st.matrix_normal.logpdf(x, s, s @ s.T, x @ x.T),
            lambda x, s, v: st.matrix_normal.pdf(x[:2], rowcov=v * np.eye(2), colcov=s @ s.T),
            lambda x, s, v: st.matrix_normal.logpdf(np.stack([x, s]), x, s[0] ** 2, 2.0),
            lambda x, s, v: st.matrix_normal(x, s @ s.T, seed=1).logpdf(s),
            lambda x, s, v: FROZEN["matrix"].logpdf(x[:2]),
            *(
                [lambda x, s, v: st.matrix_normal.entropy(s @ s.T, x[:2, :2] @ x[:2, :2].T)]
                if hasattr(st.matrix_normal, "entropy")
                else []
            ),
            *(
                [
                    lambda x, s, v: st.matrix_t.logpdf(x, s, s @ s.T, x @ x.T, v),
                    lambda x, s, v: st.matrix_t(s[:2], np.eye(2), x @ x.T, v).pdf(x[:2]),
                ]
                if hasattr(st, "matrix_t")
                else []
            ),
            refused(lambda x, s, v: st.wishart.rvs(v, s @ s.T, random_state=1)),
            refused(lambda x, s, v: st.matrix_normal.rvs(s, random_state=1)),
        ],
    ),
    "directions": (
        (POINT, np.array([0.3, 1.2, -0.4]), 2.3),
        [
            *[
                lambda x, m, k, f=f: getattr(st.vonmises_fisher, f)(unit(x), unit(m), 2.0)
                for f in ("pdf", "logpdf")
            ],
            lambda x, m, k: st.vonmises_fisher(unit(m), 2.0, seed=1).logpdf(unit(x)),
            lambda x, m, k: st.vonmises_fisher.logpdf([1.0, 0.0], [0.6, 0.8], k),
            lambda x, m, k: st.vonmises_fisher.entropy([0.6, 0.8], k),
            refused(lambda x, m, k: st.vonmises_fisher.rvs(unit(m), 2.0, random_state=1)),
            refused(lambda x, m, k: st.random_correlation.rvs(3 * whole(x**2), random_state=1)),
            *(
                [
                    lambda x, m, k: st.normal_inverse_gamma.logpdf(x, m**2, k, 1.3, 2.4, k),
                    lambda x, m, k: st.normal_inverse_gamma.pdf(x, 0.7, x, k, 2 * k, m**2),
                    lambda x, m, k: st.normal_inverse_gamma.mean(m, k, 2 * k, k),
                    lambda x, m, k: st.normal_inverse_gamma.var(m, k, 2 * k, k),
                    lambda x, m, k: st.normal_inverse_gamma(m, k, 2 * k, k).mean(),
                ]
                if hasattr(st, "normal_inverse_gamma")
                else []
            ),
        ],
    ),
}

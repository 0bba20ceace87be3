"""Multivariate distributions of ``scipy.stats`` other than the normal: by their formulas.

A family states functions of its parameters; SciPy itself checks the arguments, on plain values, and
gives the shape of the result, so that its errors are SciPy's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from math import log, pi
from typing import Any

import numpy as np

from .. import linalg as core
from . import linalg
from ._rule import (
    needs_rule,
    plain,
    policed,
    refuse,
    refused_while_tracked,
    scipy_module,
    tensor,
    tensors,
    xp,
)

Function = Callable[..., Any]
_LOG_2, _LOG_PI, _LOG_2PI = log(2), log(pi), log(2 * pi)
_UNKNOWN: Any = object()


def _special() -> Any:
    return import_module("arraygrad.special")  # it imports SciPy


class Multivariate:
    """A stand-in for one of SciPy's multivariate distributions, such as ``scipy.stats.dirichlet``.

    Parameters
    ----------
    name : str
        SciPy's.
    **functions : callable
        ``logpdf`` or ``logpmf`` of the points and parameters; ``mean``, ``var``, ``mode``, ``cov``
        and ``entropy`` of the parameters.
    """

    def __init__(self, name: str, **functions: Function) -> None:
        self._name = name
        self._functions = functions
        for kind in ("pdf", "pmf"):
            if f"log{kind}" in functions:
                functions[kind] = _exponential(functions[f"log{kind}"])

    @property
    def _real(self) -> Any:
        return getattr(scipy_module("scipy.stats"), self._name)

    def __reduce__(self) -> Any:
        return _by_name, (self._name,)

    def __call__(self, *args: Any, **kwds: Any) -> Any:
        bound = inspect.signature(type(self._real).__call__).bind(self._real, *args, **kwds)
        bound.apply_defaults()
        given = dict(bound.arguments)
        given.pop("self")
        return FrozenMultivariate(self, given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        real = getattr(self._real, name)
        if name in self._functions:
            return lambda *args, **kwds: self._evaluated(name, args, kwds)
        return refused_while_tracked(real, f"{self._name}.{name}") if callable(real) else real

    @policed
    def _evaluated(
        self, method: str, args: tuple[Any, ...], kwds: dict[str, Any], expected: Any = _UNKNOWN
    ) -> Any:
        """A function of the table; `expected` is SciPy's result, where it is known already."""
        real = getattr(self._real, method)
        if expected is _UNKNOWN:
            expected = real(*plain(args), **plain(kwds))
        if not needs_rule(args, kwds):
            return tensors(expected)
        bound = inspect.signature(real).bind(*args, **kwds)
        bound.apply_defaults()
        given = [v if v is None else tensor(v, f"scipy.stats.{self._name}.{method}")
                 for v in bound.arguments.values()]  # fmt: skip
        with np.errstate(all="ignore"):  # SciPy's own call has warned
            out = self._functions[method](*given)
        if out is None:
            return None
        if not isinstance(out, tuple):
            return self._as_scipys(method, out, expected)
        return tuple(self._as_scipys(method, *pair) for pair in zip(out, expected, strict=True))

    def _as_scipys(self, method: str, out: Any, expected: Any) -> Any:
        """What a formula gives, in the shape of SciPy's value and constant where that is one.

        Constant are what does not exist (a NaN), what is infinite, and a density of zero: formulas
        go on outside of the domain that they are stated for.
        """
        out, shape = xp.asarray(out), np.shape(expected)
        whole = out.size == np.size(expected)
        out = xp.reshape(out, shape) if whole else xp.broadcast_to(out, shape)
        constant = ~np.isfinite(expected)
        if method in ("pdf", "pmf"):
            constant |= np.equal(expected, 0)
        if not (constant | np.isclose(plain(out), expected, 1e-3, 1e-6)).all():
            raise refuse(f"scipy.stats.{self._name}.{method}", "for these parameters",
                         "write its formula with NumPy functions")  # fmt: skip
        return xp.where(constant, expected, out) if constant.any() else out


class FrozenMultivariate:
    """A multivariate distribution with its parameters, as ``dirichlet(alpha)`` gives."""

    def __init__(self, dist: Multivariate, given: dict[str, Any]) -> None:
        self._dist = dist
        self._seed = given.pop("seed", None)
        self._options = {k: given.pop(k) for k in ("allow_singular",) if k in given}
        self._given = given
        # SciPy looks at the parameters when it freezes them.
        dist._real(**plain(given), **plain(self._options), seed=plain(self._seed))

    def __reduce__(self) -> Any:
        return FrozenMultivariate, (self._dist, {**self._given, **self._options})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._given and name not in self._dist._functions:
            return self._given[name]
        method = getattr(self._dist, name)
        frozen = self._dist._real(**plain(self._given), **self._options, seed=plain(self._seed))
        real = getattr(frozen, name)
        if name in self._dist._functions:
            parameters = self._passed(getattr(self._dist._real, name))
            return lambda *points, **more: self._dist._evaluated(
                name, points, {**parameters, **more}, real(*plain(points), **plain(more))
            )
        if not callable(method):
            return real
        if name == "rvs" and "rvs" in vars(type(self._dist)):
            return lambda size=1, random_state=None: method(
                **self._given, size=size, random_state=self._seed or random_state
            )
        if needs_rule(self._given):
            return lambda *args, **kwds: method(*args, **self._given, **kwds)
        return lambda *args, **kwds: tensors(real(*plain(args), **plain(kwds)))

    def _passed(self, real: Any) -> dict[str, Any]:
        names = inspect.signature(real).parameters
        return {k: v for k, v in self._given.items() if k in names}


def _by_name(name: str) -> Any:
    return getattr(import_module("arraygrad.scipy.stats"), name)


def frozen_of(real: Any) -> Any:
    """Ours for a frozen multivariate distribution that was made outside of lifted code."""
    name = type(real).__name__.removesuffix("_frozen")
    ours = _by_name(name)
    if name == "multivariate_normal":
        options = (real.allow_singular, None, real.maxpts, real.abseps, real.releps)
        return ours(real.mean, real.cov, *options)
    names = list(inspect.signature(type(ours._real).__call__).parameters)[1:]
    held = getattr(real, "_shapes", None)
    given = {} if held is None else dict(zip(names, held, strict=False))
    given.update((n, getattr(real, n)) for n in names if n not in given and hasattr(real, n))
    if name == "multivariate_t":  # SciPy does not say whether it allowed a singular shape
        given["allow_singular"] = True
    return ours(**given)


def _exponential(logarithm: Function) -> Function:
    count = len(inspect.signature(logarithm).parameters)  # SciPy may know options besides them
    return lambda *args: xp.exp(logarithm(*args[:count]))


def _log_determinant(matrix: Any) -> Any:
    return core.slogdet(matrix)[1]


# -- Student's t -----------------------------------------------------------------------------------


def _square(value: Any, size: int) -> Any:
    """A matrix in full: None is the identity, a number or a vector its diagonal."""
    if value is None:
        return xp.eye(size)
    if value.ndim < 2:
        return value * xp.eye(size) if value.ndim == 0 or size == 1 else xp.diag(value)
    return value


def _size_of(*values: Any) -> int:
    return int(max([1, *(v.shape[-1] for v in values if v is not None and v.ndim)]))


def _not_singular(shape: Any, method: str) -> Any:
    size = shape.shape[-1]
    if np.linalg.matrix_rank(plain(shape), hermitian=True) < size:
        raise refuse(f"scipy.stats.multivariate_t.{method}", "for a singular shape",
                     "leave out the dimensions that follow from others")  # fmt: skip
    return shape


def _t_logpdf(x: Any, loc: Any, shape: Any, df: Any) -> Any:
    size = _size_of(loc, shape)
    shape = _not_singular(_square(shape, size), "logpdf")
    if np.isinf(plain(df)).any():
        return _by_name("multivariate_normal").logpdf(x, loc, shape)
    gammaln = _special().gammaln
    if size == 1 and (x.ndim == 0 or x.shape[-1] != 1):
        x = x[..., None]
    deviation = x if loc is None else x - loc
    factor = core.cholesky(shape)
    rows = xp.reshape(deviation, (-1, size)).T
    white = linalg.solve_triangular(factor, rows, lower=True)
    half = 0.5 * (df + size)
    norm = gammaln(half) - gammaln(0.5 * df) - 0.5 * size * (xp.log(df) + _LOG_PI)
    norm = norm - xp.sum(xp.log(xp.diag(factor)))
    return norm - half * xp.log1p(xp.sum(white * white, axis=0) / df)


def _t_entropy(loc: Any, shape: Any, df: Any) -> Any:
    size = _size_of(loc, shape)
    shape = _not_singular(_square(shape, size), "entropy")
    if np.isinf(plain(df)).any():
        return _by_name("multivariate_normal").entropy(None, shape)
    special = _special()
    half, tail = 0.5 * (size + df), 0.5 * df
    norm = special.gammaln(tail) - special.gammaln(half) + 0.5 * size * (xp.log(df) + _LOG_PI)
    turned = half * (special.psi(half) - special.psi(tail))
    return norm + turned + 0.5 * _log_determinant(shape)


class _StudentT(Multivariate):
    @policed
    def rvs(
        self, loc: Any = None, shape: Any = 1, df: Any = 1, size: Any = 1, random_state: Any = None
    ) -> Any:
        """Random points loc + L z, differentiable by loc and shape; z counts as constant."""
        points = self._real.rvs(*plain((loc, shape, df, size, random_state)))
        if not needs_rule(loc, shape, df):
            return tensors(points)
        if needs_rule(df):
            raise refuse("scipy.stats.multivariate_t.rvs", "by df",
                         "draw normal and chi-square values by its quantile function")  # fmt: skip
        loc = None if loc is None else tensor(loc, "scipy.stats.multivariate_t.rvs")
        shape = tensor(shape, "scipy.stats.multivariate_t.rvs", 2)
        n = _size_of(loc, shape)
        factor = core.cholesky(_square(shape, n))
        middle = xp.zeros(n) if loc is None else xp.atleast_1d(loc)
        deviation = np.reshape(points, (-1, n)) - plain(middle)
        white = np.linalg.solve(plain(factor), deviation.T).T
        return xp.reshape(middle + xp.asarray(white) @ factor.T, np.shape(points))


multivariate_t = _StudentT("multivariate_t", logpdf=_t_logpdf, entropy=_t_entropy)

# -- Dirichlet and counts --------------------------------------------------------------------------


def _of_simplex(x: Any, alpha: Any) -> Any:
    """Points with their last element, which may be left out; elements are in the first axis."""
    if x.shape[0] == alpha.shape[0]:
        return x
    return xp.concatenate((x, 1 - xp.sum(x, axis=0, keepdims=True)))


def _dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    special = _special()
    powers = special.xlogy(alpha - 1, _of_simplex(x, alpha).T)
    norm = special.gammaln(xp.sum(alpha)) - xp.sum(special.gammaln(alpha))
    return norm + xp.sum(powers, axis=-1)


def _dirichlet_var(alpha: Any) -> Any:
    total = xp.sum(alpha)
    return alpha * (total - alpha) / (total**2 * (total + 1))


def _dirichlet_cov(alpha: Any) -> Any:
    total = xp.sum(alpha)
    share = alpha / total
    return (xp.diag(share) - xp.outer(share, share)) / (total + 1)


def _dirichlet_entropy(alpha: Any) -> Any:
    special = _special()
    total = xp.sum(alpha)
    norm = xp.sum(special.gammaln(alpha)) - special.gammaln(total)
    spread = (total - alpha.shape[0]) * special.psi(total)
    return norm + spread - xp.sum((alpha - 1) * special.psi(alpha))


dirichlet = Multivariate(
    "dirichlet", logpdf=_dirichlet_logpdf, mean=lambda alpha: alpha / xp.sum(alpha),
    var=_dirichlet_var, cov=_dirichlet_cov, entropy=_dirichlet_entropy,
)  # fmt: skip


def _probabilities(p: Any) -> Any:
    """Probabilities; where they do not add up to 1 SciPy takes the last one from the others."""
    rest = 1 - xp.sum(p[..., :-1], axis=-1)
    off = np.abs(plain(rest) - plain(p[..., -1])) > 10 * np.finfo(float).eps
    last = xp.where(off, rest, p[..., -1])
    return xp.concatenate((p[..., :-1], last[..., None]), axis=-1)


def _whole(n: Any) -> Any:
    """Numbers of trials, of which SciPy takes the whole part."""
    return np.asarray(plain(n)).astype(int)


def _multinomial_logpmf(x: Any, n: Any, p: Any) -> Any:
    special = _special()
    p = _probabilities(p)
    counts = plain(x)
    impossible = (counts > 0) & (plain(p) == 0)  # SciPy's value, minus infinity, is put in there
    safe = xp.where(impossible, 1.0, p)
    each = special.xlogy(counts, safe) - special.gammaln(np.maximum(counts, 0) + 1)
    return special.gammaln(_whole(n) + 1) + xp.sum(each, axis=-1)


def _multinomial_cov(n: Any, p: Any) -> Any:
    p = _probabilities(p)
    n = _whole(n)[..., None, None]
    return n * (p[..., :, None] * np.eye(p.shape[-1]) - p[..., :, None] * p[..., None, :])


def _multinomial_entropy(n: Any, p: Any) -> Any:
    special = _special()
    p, n = _probabilities(p), _whole(n)
    if np.ndim(n):
        raise refuse("scipy.stats.multinomial.entropy", "for several n", "call it for each n")
    k = np.arange(1, int(n) + 1)[:, None]
    choices = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    wide = p[..., None, :]
    chance = xp.exp(choices + special.xlogy(k, wide) + special.xlog1py(n - k, -wide))
    own = xp.sum(chance * special.gammaln(k + 1.0), axis=(-2, -1))
    return n * xp.sum(special.entr(p), axis=-1) - special.gammaln(n + 1) + own


multinomial = Multivariate(
    "multinomial", logpmf=_multinomial_logpmf,
    mean=lambda n, p: _whole(n)[..., None] * _probabilities(p), cov=_multinomial_cov,
    entropy=_multinomial_entropy,
)  # fmt: skip


def _mixed_logpmf(x: Any, alpha: Any, n: Any) -> Any:
    gammaln = _special().gammaln
    x, n = plain(x), plain(n)
    alpha = xp.broadcast_to(alpha, np.broadcast_shapes(alpha.shape, x.shape))
    total = xp.sum(alpha, axis=-1)
    whole = gammaln(total) + gammaln(n + 1) - gammaln(n + total)
    return whole + xp.sum(gammaln(x + alpha) - gammaln(alpha) - gammaln(x + 1), axis=-1)


def _mixed_moments(alpha: Any, n: Any) -> tuple[Any, Any, Any]:
    """Shares, sizes, and the factor by which variances exceed those of the multinomial."""
    total = xp.sum(alpha, axis=-1, keepdims=True)
    n = plain(n)[..., None]
    return alpha / total, n, n * (n + total) / (1 + total)


def _mixed_cov(alpha: Any, n: Any) -> Any:
    share, _, factor = _mixed_moments(alpha, n)
    spread = share[..., :, None] * (np.eye(share.shape[-1]) - share[..., None, :])
    return factor[..., None] * spread


def _mixed_var(alpha: Any, n: Any) -> Any:
    share, _, factor = _mixed_moments(alpha, n)
    return factor * share * (1 - share)


dirichlet_multinomial = Multivariate(
    "dirichlet_multinomial", logpmf=_mixed_logpmf, var=_mixed_var, cov=_mixed_cov,
    mean=lambda alpha, n: _mixed_moments(alpha, n)[0] * plain(n)[..., None],
)  # fmt: skip

# -- matrices --------------------------------------------------------------------------------------


def _quantiles(x: Any, scale: Any) -> Any:
    """Matrices along the first axis; SciPy has them along the last one."""
    n = scale.shape[-1]
    if x.ndim == 0:
        return x * xp.eye(n)[None]
    if x.ndim == 1:
        return xp.reshape(x, (-1, 1, 1)) if n == 1 else xp.diag(x)[None]
    return x[None] if x.ndim == 2 else xp.moveaxis(x, -1, 0)


def _scale(scale: Any) -> Any:
    return scale.reshape(1, 1) if scale.ndim == 0 else xp.diag(scale) if scale.ndim == 1 else scale


def _trace_of_solution(a: Any, b: Any) -> Any:
    return xp.sum(xp.diagonal(core.solve(a, b), axis1=-2, axis2=-1), axis=-1)


def _wishart_norm(df: Any, scale: Any) -> Any:
    n = scale.shape[-1]
    return 0.5 * df * n * _LOG_2 + _special().multigammaln(0.5 * df, n)


def _wishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    scale = _scale(scale)
    n = scale.shape[-1]
    x = _quantiles(x, scale)
    shape = 0.5 * (df - n - 1) * _log_determinant(x) - 0.5 * _trace_of_solution(scale, x)
    return shape - _wishart_norm(df, scale) - 0.5 * df * _log_determinant(scale)


def _inverse_logpdf(x: Any, df: Any, scale: Any) -> Any:
    scale = _scale(scale)
    n = scale.shape[-1]
    x = _quantiles(x, scale)
    shape = -0.5 * (df + n + 1) * _log_determinant(x) - 0.5 * _trace_of_solution(x, scale)
    return shape - _wishart_norm(df, scale) + 0.5 * df * _log_determinant(scale)


def _squares(scale: Any) -> tuple[Any, Any]:
    diagonal = xp.diagonal(scale)
    return scale**2, xp.outer(diagonal, diagonal)


def _wishart_var(df: Any, scale: Any) -> Any:
    own, crossed = _squares(_scale(scale))
    return df * (own + crossed)


def _wishart_mode(df: Any, scale: Any) -> Any:
    scale = _scale(scale)
    n = scale.shape[-1]
    return (df - n - 1) * scale if plain(df) >= n + 1 else None


def _wishart_entropy(df: Any, scale: Any) -> Any:
    special = _special()
    scale = _scale(scale)
    n = scale.shape[-1]
    psi = sum(special.psi(0.5 * (df - i)) for i in range(n))
    spread = 0.5 * (n + 1) * _log_determinant(scale) + 0.5 * n * (n + 1) * _LOG_2
    return spread + special.multigammaln(0.5 * df, n) - 0.5 * (df - n - 1) * psi + 0.5 * df * n


wishart = Multivariate(
    "wishart", logpdf=_wishart_logpdf, mean=lambda df, scale: df * _scale(scale),
    var=_wishart_var, mode=_wishart_mode, entropy=_wishart_entropy,
)  # fmt: skip


def _inverse_mean(df: Any, scale: Any) -> Any:
    scale = _scale(scale)
    n = scale.shape[-1]
    return scale / (df - n - 1) if plain(df) > n + 1 else None


def _inverse_var(df: Any, scale: Any) -> Any:
    own, crossed = _squares(_scale(scale))
    n = own.shape[-1]
    if plain(df) <= n + 3:
        return None
    low = df - n
    return ((low + 1) * own + (low - 1) * crossed) / (low * (low - 1) ** 2 * (low - 3))


def _inverse_entropy(df: Any, scale: Any) -> Any:
    special = _special()
    scale = _scale(scale)
    n = scale.shape[-1]
    psi = sum(special.psi(0.5 * (df - n + i)) for i in range(1, n + 1))
    spread = 0.5 * (n + 1) * (_log_determinant(scale) - _LOG_2)  # SciPy's value, with one log(2)
    return special.multigammaln(0.5 * df, n) + 0.5 * df * n + spread - 0.5 * (df + n + 1) * psi


invwishart = Multivariate(
    "invwishart", logpdf=_inverse_logpdf, mean=_inverse_mean, var=_inverse_var,
    mode=lambda df, scale: _scale(scale) / (df + scale.shape[-1] + 1 if scale.ndim else df + 2),
    entropy=_inverse_entropy,
)  # fmt: skip


def _whitened(x: Any, mean: Any, rows: Any, columns: Any) -> tuple[Any, Any, Any]:
    """Deviations L^-1 (x - mean) R^-H, and the log-determinants of both covariances."""
    deviation = x if mean is None else x - mean
    m, n = x.shape[-2:]
    left, right = core.cholesky(_square(rows, m)), core.cholesky(_square(columns, n))
    half = core.solve(left, deviation)
    white = core.solve(right, xp.swapaxes(half, -1, -2))
    logs = (2 * xp.sum(xp.log(xp.diag(factor))) for factor in (left, right))
    return (xp.swapaxes(white, -1, -2), *logs)


def _matrix_logpdf(x: Any, mean: Any, rows: Any, columns: Any) -> Any:
    white, of_rows, of_columns = _whitened(x, mean, rows, columns)
    m, n = x.shape[-2:]
    return -0.5 * (
        m * n * _LOG_2PI + n * of_rows + m * of_columns + xp.sum(white * white, axis=(-2, -1))
    )


def _matrix_entropy(rows: Any, columns: Any) -> Any:
    m, n = (1 if v is None or v.ndim == 0 else v.shape[-1] for v in (rows, columns))
    of_rows, of_columns = (_log_determinant(_square(v, k)) for v, k in ((rows, m), (columns, n)))
    return 0.5 * (m * n * (1 + _LOG_2PI) + n * of_rows + m * of_columns)


matrix_normal = Multivariate("matrix_normal", logpdf=_matrix_logpdf, entropy=_matrix_entropy)


def _matrix_t_logpdf(x: Any, mean: Any, rows: Any, columns: Any, df: Any) -> Any:
    gamma = _special().multigammaln
    white, of_rows, of_columns = _whitened(x, mean, rows, columns)
    m, n = x.shape[-2:]
    whole = 0.5 * (df + m + n - 1)
    norm = gamma(whole, m) - gamma(0.5 * (df + m - 1), m) - 0.5 * m * n * _LOG_PI
    inner = xp.eye(m) + white @ xp.swapaxes(white, -1, -2)
    return norm - 0.5 * n * of_rows - 0.5 * m * of_columns - whole * _log_determinant(inner)


matrix_t = Multivariate("matrix_t", logpdf=_matrix_t_logpdf)

# -- directions, and pairs of a mean and a variance ------------------------------------------------


def _direction_norm(kappa: Any, size: int) -> Any:
    bessel = _special().ive(0.5 * size - 1, kappa)
    return 0.5 * (size - 2) * xp.log(kappa) - 0.5 * size * _LOG_2PI - xp.log(bessel) - kappa


def _direction_logpdf(x: Any, mu: Any, kappa: Any) -> Any:
    return _direction_norm(kappa, mu.shape[-1]) + kappa * (x @ mu)


def _direction_entropy(mu: Any, kappa: Any) -> Any:
    size = mu.shape[-1]
    ive = _special().ive
    length = ive(0.5 * size, kappa) / ive(0.5 * size - 1, kappa)
    return -_direction_norm(kappa, size) - kappa * length


vonmises_fisher = Multivariate(
    "vonmises_fisher", logpdf=_direction_logpdf, entropy=_direction_entropy
)


def _pair_logpdf(x: Any, s2: Any, mu: Any, lmbda: Any, a: Any, b: Any) -> Any:
    norm = 0.5 * (xp.log(lmbda) - _LOG_2PI) + a * xp.log(b) - _special().gammaln(a)
    return norm - (a + 1.5) * xp.log(s2) - (2 * b + lmbda * (x - mu) ** 2) / (2 * s2)


normal_inverse_gamma = Multivariate(
    "normal_inverse_gamma", logpdf=_pair_logpdf,
    mean=lambda mu, lmbda, a, b: (mu, b / (a - 1)),
    var=lambda mu, lmbda, a, b: (b / ((a - 1) * lmbda), b**2 / ((a - 1) ** 2 * (a - 2))),
)  # fmt: skip

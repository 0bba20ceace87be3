"""Continuous and discrete distributions on tensors: what all families share.

A family states its functions in standard form; location, scale, the support and frozen
distributions are dealt with here, once. Where nothing is tracked SciPy's own object answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

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

_ONE_ARGUMENT = (
    "pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf",
)  # fmt: skip
_NO_ARGUMENT = ("mean", "var", "std", "median", "entropy", "rvs", "support")


class Family:
    """A distribution's functions in standard form, of x and the shape parameters.

    Parameters
    ----------
    name : str
        SciPy's.
    support : tuple or callable
        (low, high), or a function of the shapes that gives it.
    ends : bool
        The ends of the support belong to it: there are formulas that hold there.
    **functions : callable
        ``logpdf`` (or ``logpmf``) at least; ``cdf``, ``sf``, ``logcdf``, ``logsf``, ``ppf``,
        ``isf`` where there is a formula that keeps its precision in the tails; ``mean``, ``var``,
        ``entropy`` of the shapes.
    """

    def __init__(
        self, name: str, support: Any = (-np.inf, np.inf), ends: Any = True, **functions: Function
    ) -> None:
        self.name = name
        self.ends = ends
        self.support = support
        self.functions = functions

    def bounds(self, shapes: tuple[Any, ...]) -> tuple[Any, Any]:
        """Ends of the support in standard form."""
        found = self.support(*shapes) if callable(self.support) else self.support
        return found[0], found[1]

    def inside(self, shapes: tuple[Any, ...], z: Any) -> Any:
        """Which elements of z lie in the support; z is moved inside elsewhere."""
        low, high = (plain(bound) for bound in self.bounds(shapes))
        values = plain(z)
        if not self.ends:
            return (values > low) & (values < high), low, high
        return (values >= low) & (values <= high), low, high


class Distribution:
    """A stand-in for one of SciPy's distribution objects, such as ``scipy.stats.norm``."""

    def __init__(self, family: Family) -> None:
        self._family = family

    @property
    def _real(self) -> Any:
        return getattr(scipy_module("scipy.stats"), self._family.name)

    def __call__(self, *args: Any, **kwds: Any) -> Frozen:
        return Frozen(self, args, kwds)

    freeze = __call__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        real = getattr(self._real, name)
        return (
            refused_while_tracked(real, f"{self._family.name}.{name}") if callable(real) else real
        )

    def stats(self, *args: Any, moments: str = "mv", **kwds: Any) -> Any:
        """Mean and variance; skewness and kurtosis are refused while a parameter is tracked."""
        if not needs_rule(args, kwds) or set(moments) - set("mv"):
            real = refused_while_tracked(self._real.stats, f"{self._family.name}.stats")
            return real(*args, moments=moments, **kwds)
        found = {"m": self.mean, "v": self.var}
        out = tuple(found[m](*args, **kwds) for m in "mv" if m in moments)
        return out if len(out) > 1 else out[0]

    if TYPE_CHECKING:  # of both kinds

        def mean(self, *args: Any, **kwds: Any) -> Any: ...

        def var(self, *args: Any, **kwds: Any) -> Any: ...

    def __reduce__(self) -> Any:
        return _distribution, (self._family.name,)

    def _parsed(self, args: Any, kwds: dict[str, Any]) -> tuple[tuple[Any, ...], Any, Any]:
        """Shapes, location and scale from what was passed, as SciPy reads it."""
        shapes, loc, scale = self._real._parse_args(*args, **kwds)
        return tuple(tensor(s, self._family.name) for s in shapes), loc, scale

    @policed
    def _evaluated(self, method: str, x: Any, args: Any, kwds: dict[str, Any]) -> Any:
        if not needs_rule(x, args, kwds):
            return tensors(getattr(self._real, method)(plain(x), *plain(args), **plain(kwds)))
        shapes, loc, scale = self._parsed(args, kwds)
        rule = getattr(self, f"_{method}")
        return self._where_defined(lambda: rule(tensor(x, method), shapes, loc, scale), shapes,
                                   scale)  # fmt: skip

    def _where_defined(self, formula: Callable[[], Any], shapes: Any, scale: Any) -> Any:
        """What a formula gives, and NaN, as SciPy, where parameters are outside of their domain."""
        if not shapes and type(scale) in (int, float) and scale > 0:
            return formula()
        defined = np.logical_and(self._real._argcheck(*plain(shapes)), np.greater(plain(scale), 0))
        if defined.all():
            return formula()
        with np.errstate(all="ignore"):  # SciPy does not evaluate it there
            return xp.where(defined, formula(), np.nan)

    # -- in standard form --------------------------------------------------------------------------

    def _formula(self, name: str, z: Any, shapes: tuple[Any, ...]) -> Any:
        """A function of the family, from the others where it is not stated."""
        functions = self._family.functions
        found = functions.get(name)
        if found is not None:
            return found(z, *shapes)
        if name == "pdf":
            return xp.exp(functions["logpdf"](z, *shapes))
        if name == "sf" and "cdf" in functions:
            return 1 - functions["cdf"](z, *shapes)
        if name == "cdf" and "sf" in functions:
            return 1 - functions["sf"](z, *shapes)
        if name in ("logcdf", "logsf"):
            return xp.log(self._formula(name[3:], z, shapes))
        raise refuse(f"scipy.stats.{self._family.name}.{name}", "rule")

    def _in_support(
        self, name: str, x: Any, shapes: Any, loc: Any, scale: Any, below: float, above: float
    ) -> Any:
        z = (x - loc) / scale
        inside, low, high = self._family.inside(shapes, z)
        if inside.all():
            return self._formula(name, z, shapes)
        # Any point of the support will do: its value and its gradient are not selected.
        low, high = (np.where(np.isfinite(b), b, o) for b, o in ((low, high), (high, low)))
        safe = xp.where(inside, z, 0.5 * (low + high) + (low == high))
        value = self._formula(name, safe, shapes)
        return xp.where(inside, value, np.where(np.isnan(plain(z)), np.nan, np.where(
            plain(z) <= low, below, above)))  # fmt: skip


class Continuous(Distribution):
    """A continuous distribution; all methods take ``*shapes, loc=0, scale=1``.

    Notes
    -----
    Derivatives follow from the density's and the distribution function's formulas; that of ``ppf``
    is implicit: cdf(ppf(q)) = q. Outside of the support densities are constant.
    """

    def pdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Density."""
        return self._evaluated("pdf", x, args, kwds)

    def logpdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Logarithm of the density."""
        return self._evaluated("logpdf", x, args, kwds)

    def cdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Distribution function; its derivative by x is the density."""
        return self._evaluated("cdf", x, args, kwds)

    def logcdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Logarithm of the distribution function."""
        return self._evaluated("logcdf", x, args, kwds)

    def sf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Survival function, 1 - cdf."""
        return self._evaluated("sf", x, args, kwds)

    def logsf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Logarithm of the survival function."""
        return self._evaluated("logsf", x, args, kwds)

    def ppf(self, q: Any, *args: Any, **kwds: Any) -> Any:
        """Quantile function, the inverse of ``cdf``."""
        return self._evaluated("ppf", q, args, kwds)

    def isf(self, q: Any, *args: Any, **kwds: Any) -> Any:
        """Inverse of the survival function."""
        return self._evaluated("isf", q, args, kwds)

    def mean(self, *args: Any, **kwds: Any) -> Any:
        """Mean."""
        return self._moment("mean", args, kwds, lambda m, loc, scale: loc + scale * m)

    def var(self, *args: Any, **kwds: Any) -> Any:
        """Variance."""
        return self._moment("var", args, kwds, lambda v, loc, scale: scale * scale * v)

    def std(self, *args: Any, **kwds: Any) -> Any:
        """Standard deviation."""
        return xp.sqrt(self.var(*args, **kwds))

    def median(self, *args: Any, **kwds: Any) -> Any:
        """Median."""
        return self.ppf(0.5, *args, **kwds)

    def support(self, *args: Any, **kwds: Any) -> Any:
        """Ends of the support, which move with location and scale."""
        if not needs_rule(args, kwds):
            return tensors(self._real.support(*plain(args), **plain(kwds)))
        shapes, loc, scale = self._parsed(args, kwds)
        return tuple(loc + scale * end for end in self._family.bounds(shapes))

    def entropy(self, *args: Any, **kwds: Any) -> Any:
        """Differential entropy."""
        return self._moment("entropy", args, kwds, lambda h, loc, scale: h + xp.log(scale))

    def interval(self, confidence: Any, *args: Any, **kwds: Any) -> Any:
        """Ends of the range around the median with a given probability."""
        tail = (1 - xp.asarray(confidence)) / 2
        return self.ppf(tail, *args, **kwds), self.ppf(1 - tail, *args, **kwds)

    @policed
    def rvs(self, *args: Any, **kwds: Any) -> Any:
        """Random values, differentiable by location and scale: loc + scale * standard value."""
        if not needs_rule(args, kwds):
            return tensors(self._real.rvs(*plain(args), **plain(kwds)))
        shapes, loc, scale, size = self._real._parse_args_rvs(
            *args, **{k: v for k, v in kwds.items() if k != "random_state"}
        )
        if needs_rule(shapes):
            raise refuse(f"scipy.stats.{self._family.name}.rvs", "by its shapes",
                         "draw uniform values and pass them to ppf")  # fmt: skip
        if size is None:
            size = np.broadcast_shapes(*(np.shape(plain(v)) for v in (*shapes, loc, scale)))
        state = {k: plain(v) for k, v in kwds.items() if k == "random_state"}
        values = self._real.rvs(*plain(shapes), size=size or None, **state)
        return loc + scale * xp.asarray(values)

    def nnlf(self, theta: Any, x: Any) -> Any:
        """Negative log-likelihood of data x for theta = (*shapes, loc, scale)."""
        *shapes, loc, scale = theta
        return -xp.sum(self.logpdf(x, *shapes, loc=loc, scale=scale))

    # -- rules: shapes are tensors, loc and scale anything -----------------------------------------

    def _pdf(self, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._in_support("pdf", x, shapes, loc, scale, 0.0, 0.0) / scale

    def _logpdf(self, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        value = self._in_support("logpdf", x, shapes, loc, scale, -np.inf, -np.inf)
        return value - xp.log(scale)

    def _cdf(self, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._in_support("cdf", x, shapes, loc, scale, 0.0, 1.0)

    def _logcdf(self, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._in_support("logcdf", x, shapes, loc, scale, -np.inf, 0.0)

    def _sf(self, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._in_support("sf", x, shapes, loc, scale, 1.0, 0.0)

    def _logsf(self, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._in_support("logsf", x, shapes, loc, scale, 0.0, -np.inf)

    def _ppf(self, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return loc + scale * self._inverse("ppf", "cdf", q, shapes)

    def _isf(self, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return loc + scale * self._inverse("isf", "sf", q, shapes)

    def _inverse(self, name: str, of: str, q: Any, shapes: Any) -> Any:
        if name in self._family.functions:
            return self._family.functions[name](q, *shapes)
        value = np.asarray(getattr(self._real, name)(plain(q), *plain(shapes)))
        # Two Newton steps from the solution: derivatives up to the third order are exact.
        sign = 1 if of == "cdf" else -1
        z = xp.asarray(value)
        for _ in range(2):
            z = z - sign * (self._formula(of, z, shapes) - q) / self._formula("pdf", z, shapes)
        return z + (value - plain(z))

    @policed
    def _moment(self, name: str, args: Any, kwds: dict[str, Any], placed: Function) -> Any:
        if not needs_rule(args, kwds):
            return tensors(getattr(self._real, name)(*plain(args), **plain(kwds)))
        shapes, loc, scale = self._parsed(args, kwds)
        formula = self._family.functions.get(name)
        if formula is None:
            raise refuse(f"scipy.stats.{self._family.name}.{name}", "rule")
        return self._where_defined(lambda: placed(formula(*shapes), loc, scale), shapes, scale)


class Discrete(Distribution):
    """A distribution on integers; derivatives are by its parameters."""

    def pmf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Probability of k."""
        return self._evaluated("pmf", k, args, kwds)

    def logpmf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Logarithm of the probability of k."""
        return self._evaluated("logpmf", k, args, kwds)

    def cdf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Probability of values up to k."""
        return self._evaluated("cdf", k, args, kwds)

    def sf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Probability of values above k."""
        return self._evaluated("sf", k, args, kwds)

    def mean(self, *args: Any, **kwds: Any) -> Any:
        """Mean."""
        return self._moment("mean", args, kwds, 1)

    def var(self, *args: Any, **kwds: Any) -> Any:
        """Variance."""
        return self._moment("var", args, kwds, 0)

    def std(self, *args: Any, **kwds: Any) -> Any:
        """Standard deviation."""
        return xp.sqrt(self.var(*args, **kwds))

    def logcdf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Logarithm of the probability of values up to k."""
        return self._evaluated("logcdf", k, args, kwds)

    def logsf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Logarithm of the probability of values above k."""
        return self._evaluated("logsf", k, args, kwds)

    def _logcdf(self, k: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return _logarithm(self._cdf(k, shapes, loc, scale))

    def _logsf(self, k: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return _logarithm(self._sf(k, shapes, loc, scale))

    @policed
    def _moment(self, name: str, args: Any, kwds: dict[str, Any], moved: int) -> Any:
        if not needs_rule(args, kwds):
            return tensors(getattr(self._real, name)(*plain(args), **plain(kwds)))
        shapes, loc, _ = self._parsed(args, kwds)
        formula = self._family.functions.get(name)
        if formula is None:
            raise refuse(f"scipy.stats.{self._family.name}.{name}", "rule")
        return self._where_defined(lambda: formula(*shapes) + moved * loc, shapes, 1)

    def _pmf(self, k: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return xp.exp(self._logpmf(k, shapes, loc, scale))

    def _logpmf(self, k: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        value = plain(k) - plain(loc)
        out = self._in_support("logpmf", xp.asarray(value), shapes, 0, 1, -np.inf, -np.inf)
        whole = (value == np.floor(value)) | np.isnan(value)
        return xp.where(whole, out, -np.inf)

    def _cdf(self, k: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        value = xp.asarray(np.floor(plain(k) - plain(loc)))
        return self._in_support("cdf", value, shapes, 0, 1, 0.0, 1.0)

    def _sf(self, k: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        value = xp.asarray(np.floor(plain(k) - plain(loc)))
        return self._in_support("sf", value, shapes, 0, 1, 1.0, 0.0)


def _logarithm(p: Any) -> Any:
    """Logarithm of probabilities; -inf, without a gradient, where one is 0."""
    zero = plain(p) == 0
    return xp.where(zero, -np.inf, xp.log(xp.where(zero, 1.0, p)))


class Frozen:
    """A distribution with its parameters, as ``norm(0, 1)`` gives."""

    def __init__(self, dist: Distribution, args: Any, kwds: dict[str, Any]) -> None:
        self.dist = dist
        self.args = args
        self.kwds = kwds

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        method = getattr(self.dist, name)
        if name in _ONE_ARGUMENT or name == "interval":
            return lambda x, **more: method(x, *self.args, **{**self.kwds, **more})
        if name in _NO_ARGUMENT or name == "stats":
            return lambda *given, **more: method(*self.args, **self._sized(given), **more)
        return getattr(self.dist._real(*plain(self.args), **plain(self.kwds)), name)

    def _sized(self, given: tuple[Any, ...]) -> dict[str, Any]:
        """Keywords, with the size that ``rvs`` takes by position."""
        return {**self.kwds, **dict(zip(("size", "random_state"), given, strict=False))}


def _distribution(name: str) -> Any:
    from . import stats

    return getattr(stats, name)


def stand_in_for(frozen: Any) -> Any:
    """Ours for a frozen distribution that was made outside of lifted code."""
    from . import _other_families, stats

    ours = getattr(stats, frozen.dist.name, None)
    if isinstance(ours, Distribution):
        return Frozen(ours, frozen.args, frozen.kwds)
    return _other_families.frozen_of(frozen)

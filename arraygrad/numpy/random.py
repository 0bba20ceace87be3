"""NumPy's random on tensors: the same values for the same seed, with gradients by parameters.

A distribution whose parameters only move and scale it (normal, uniform, exponential, laplace,
logistic, gumbel, rayleigh, lognormal, gamma's scale, multivariate normal), or that is a function of
a standard variate (weibull, pareto, power), is drawn in its standard form by NumPy and transformed
by tensor functions: gradients flow to the parameters (reparameterisation). Other parameters have no
such form; tracked ones are refused by name (as ``ag.set_detach_policy`` says).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg
from .._detach import lose
from .._graph import is_grad_enabled
from .._storage import TensorBase
from .._writes import assign
from ..interop.plain import is_tracked, plain, tensors
from ..ops import arithmetic, conversion, exponential, indexing, matrix_functions, products
from . import _namespace

_random = np.random

__all__ = list(_random.__all__)


def _tracked(*values: Any) -> bool:
    return is_grad_enabled() and is_tracked(values)


def _standard(draw: Callable[..., Any], size: Any, *parameters: Any) -> Any:
    """Standard variates of the shape that the distribution's parameters and `size` ask for."""
    if size is None:
        size = np.broadcast_shapes(*(np.shape(plain(p)) for p in parameters)) or None
    return draw(size=size)


class _Draws:
    """Methods of Generator and RandomState; `_real` holds NumPy's object, which keeps the state."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        if name == "_real":
            raise AttributeError(name)
        return _method(getattr(self._real, name), name)

    def __repr__(self) -> str:
        return f"arraygrad.numpy.random over {self._real!r}"

    def __reduce__(self) -> Any:
        return type(self)._over, (self._real,)

    @classmethod
    def _over(cls, real: Any) -> Any:
        made = object.__new__(cls)
        made._real = real
        return made

    # -- moved and scaled -------------------------------------------------------------------------

    def _location_scale(self, name: str, loc: Any, scale: Any, size: Any) -> Any:
        real = getattr(self._real, name)
        if not _tracked(loc, scale):
            return tensors(real(plain(loc), plain(scale), plain(size)))
        z = _standard(lambda size: real(0.0, 1.0, size), plain(size), loc, scale)
        return arithmetic.add(loc, arithmetic.multiply(scale, z))

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Loc + scale * standard normal."""
        return self._location_scale("normal", loc, scale, size)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Loc + scale * standard Laplace."""
        return self._location_scale("laplace", loc, scale, size)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Loc + scale * standard logistic."""
        return self._location_scale("logistic", loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Loc + scale * standard Gumbel."""
        return self._location_scale("gumbel", loc, scale, size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Low + (high - low) * uniform on [0, 1)."""
        if not _tracked(low, high):
            return tensors(self._real.uniform(plain(low), plain(high), plain(size)))
        u = _standard(lambda size: self._real.uniform(0.0, 1.0, size), plain(size), low, high)
        return arithmetic.add(low, arithmetic.multiply(arithmetic.subtract(high, low), u))

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        """exp(normal)."""
        if not _tracked(mean, sigma):
            return tensors(self._real.lognormal(plain(mean), plain(sigma), plain(size)))
        return exponential.exp(self.normal(mean, sigma, size))

    def _scaled(self, name: str, scale: Any, size: Any) -> Any:
        real = getattr(self._real, name)
        if not _tracked(scale):
            return tensors(real(plain(scale), plain(size)))
        return arithmetic.multiply(
            scale, _standard(lambda size: real(1.0, size), plain(size), scale)
        )

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Scale * standard exponential."""
        return self._scaled("exponential", scale, size)

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Scale * standard Rayleigh."""
        return self._scaled("rayleigh", scale, size)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        """Scale * standard gamma; no gradient by the shape."""
        _refuse("gamma", shape)
        if not _tracked(scale):
            return tensors(self._real.gamma(plain(shape), plain(scale), plain(size)))
        shape = plain(shape)
        z = _standard(lambda size: self._real.gamma(shape, 1.0, size), plain(size), shape, scale)
        return arithmetic.multiply(scale, z)

    # -- functions of a standard variate ----------------------------------------------------------

    def _of_standard(
        self, name: str, a: Any, size: Any, transform: Callable[[Any, Any], Any]
    ) -> Any:
        real = getattr(self._real, name)
        if not _tracked(a):
            return tensors(real(plain(a), plain(size)))
        return transform(_standard(lambda size: real(1.0, size), plain(size), a), a)

    def weibull(self, a: Any, size: Any = None) -> Any:
        """E ** (1 / a) for a standard exponential E."""
        return self._of_standard("weibull", a, size, lambda e, a: e ** (1.0 / a))

    def power(self, a: Any, size: Any = None) -> Any:
        """U ** (1 / a) for U uniform."""
        return self._of_standard("power", a, size, lambda u, a: u ** (1.0 / a))

    def pareto(self, a: Any, size: Any = None) -> Any:
        """expm1(E / a) for a standard exponential E."""
        return self._of_standard("pareto", a, size, lambda p, a: exponential.expm1(np.log1p(p) / a))

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None, **kwargs: Any) -> Any:
        """Mean + standard normal variates by the factor of the covariance that NumPy takes."""
        draw = self._real.multivariate_normal
        if not _tracked(mean, cov):
            return tensors(draw(plain(mean), plain(cov), plain(size), **kwargs))
        zero = np.zeros(np.shape(plain(mean)))
        if not _tracked(cov):
            return arithmetic.add(mean, draw(zero, plain(cov), plain(size), **kwargs))
        other = copy.deepcopy(self._real)  # NumPy's checks, and what it warns of
        other.multivariate_normal(plain(mean), plain(cov), **kwargs)
        z = draw(zero, np.eye(len(zero)), plain(size))
        factor = _factor(conversion.asarray(cov), kwargs.get("method", "svd"))
        return arithmetic.add(mean, products.matmul(z, factor))

    # -- rearrangements ---------------------------------------------------------------------------

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """The slices of x in random order, in the graph."""
        if not isinstance(x, TensorBase) or not x._array.ndim:
            return tensors(self._real.permutation(plain(x)))
        order = self._real.permutation(x._array.shape[axis])
        return indexing.take(x, order, axis=axis)  # type: ignore[arg-type]

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the slices of x in random order, in place and in the graph."""
        if not isinstance(x, TensorBase):
            self._real.shuffle(x)
            return
        order = np.arange(x._array.shape[axis])
        self._real.shuffle(order)
        assign(x, indexing.take(x, order, axis=axis), "shuffle")  # type: ignore[arg-type]

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, *args: Any,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Elements of a drawn at random, in the graph."""
        _refuse("choice", p)
        p = plain(p)
        axis = kwargs.get("axis", 0)
        if not isinstance(a, TensorBase) or not a._array.ndim:
            if _tracked(a):
                a = conversion.asarray(a)
            else:
                return tensors(
                    self._real.choice(plain(a), plain(size), replace, p, *args, **kwargs)
                )
        kwargs.pop("axis", None)
        picked = self._real.choice(a._array.shape[axis], plain(size), replace, p, *args, **kwargs)
        if np.ndim(picked) == 0 and a._array.ndim == 1:
            return a[int(picked)]
        return indexing.take(a, conversion.asarray(picked), axis=axis)


def _factor(cov: Any, method: str) -> Any:
    """What NumPy multiplies standard variates by, from the right."""
    if method == "cholesky":
        return linalg.cholesky(cov).T
    values, vectors = linalg.eigh(cov)
    if np.any(np.diff(values._array) <= 1e-9 * values._array[-1]):
        # Vectors of equal variances are any basis: one that stays, times the symmetric root.
        basis = vectors if method == "eigh" else linalg.svd(cov.detach())[0]
        return products.matmul(basis.detach().T, matrix_functions.sqrtm(cov))
    if method != "eigh":
        vectors, values, _ = linalg.svd(cov)
    return (vectors * exponential.sqrt(values)).T


def _refuse(name: str, parameters: Any, instead: str = "") -> None:
    """By policy: the variates are no differentiable function of these parameters."""
    if _tracked(parameters):
        lose(f"np.random.{name} has no derivative by this parameter and", instead)


def _method(real: Any, name: str) -> Any:
    """A method without parameters to differentiate by: NumPy's, giving tensors."""
    if not callable(real):
        return real

    def method(*args: Any, **kwargs: Any) -> Any:
        _refuse(name, (args, kwargs))
        if "out" in kwargs and isinstance(kwargs["out"], TensorBase):
            out = kwargs.pop("out")
            value = real(*plain(args), size=out._array.shape, **plain(kwargs))
            assign(out, tensors(value), name)
            return out
        return tensors(real(*plain(args), **plain(kwargs)))

    method.__name__ = name
    return method


class Generator(_Draws):
    """NumPy's Generator, giving tensors."""

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(_random.Generator(bit_generator))

    def spawn(self, n_children: int) -> list[Generator]:
        """New independent generators."""
        return [Generator._over(g) for g in self._real.spawn(n_children)]


class RandomState(_Draws):
    """NumPy's RandomState, giving tensors."""

    def __init__(self, seed: Any = None) -> None:
        super().__init__(_random.RandomState(plain(seed)))


def default_rng(seed: Any = None) -> Generator:
    """A Generator of ours over NumPy's of the same seed."""
    if isinstance(seed, Generator):
        return seed
    return Generator._over(_random.default_rng(plain(seed)))  # type: ignore[no-any-return]


# The state that np.random.seed and np.random.normal share with NumPy's own functions.
_SHARED = RandomState._over(_random.mtrand._rand)


def legacy(real: Any) -> Any:
    """Our method for one of the functions of NumPy's global state."""
    name = getattr(real, "__name__", "")  # a tester has none
    return getattr(_SHARED, name, None) if hasattr(_random.RandomState, name) else None


def over(real: Any) -> Any:
    """Our generator over one of NumPy's: both move the same state."""
    return (Generator if isinstance(real, _random.Generator) else RandomState)._over(real)


# NumPy's module ``mtrand``, which this one stands for, too, has the global state by this name.
_rand = _SHARED

TWINS: dict[Any, Any] = {
    _random.Generator: Generator,
    _random.RandomState: RandomState,
    _random.default_rng: default_rng,
    _random.ranf: _SHARED.random_sample,
    _random.sample: _SHARED.random_sample,
}


def __getattr__(name: str) -> Any:
    found = _namespace.attribute(_random, name, __name__)
    if not name.startswith("__"):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*dir(_random), *globals()})

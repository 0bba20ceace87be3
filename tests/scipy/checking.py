"""Plain SciPy code against its lifted self: values, and gradients against finite differences."""

import re

import numpy as np
import pytest
import scipy

import arraygrad as ag
from arraygrad.scipy import _registry

SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))
TESTED = (1, 17)  # the version that the tables of calls are written for
KINDS = (ag.errors.DetachError, ag.errors.GradientError)


def skip_if_older_than_the_call(f, *arguments):
    """Skip what an older SciPy refuses itself."""
    if SCIPY < TESTED:
        try:
            f(*arguments)
        except Exception as error:  # noqa: BLE001 - it says so in any way
            pytest.skip(f"SciPy {SCIPY}: {error}")


def check_or_refused(f, *args, **options):
    """Check; skip if the code of another SciPy, for which we state no rule, is refused by name."""
    try:
        check(f, *args, **options)
    except KINDS as error:
        name = re.search(r"scipy\.([\w.]+) has no derivative rule", str(error))
        if SCIPY == TESTED or name is None or has_rule(name[1]):
            raise
        pytest.skip(f"SciPy {SCIPY} computes {name[1]} in code that is refused")


def has_rule(name):
    """Whether a rule is stated for a function of SciPy, by its name without "scipy."."""
    module, _, function = name.rpartition(".")
    return function in _registry.NAMES.get(module, ())


def flat(out):
    """The floating-point arrays in a result, as one vector."""
    if isinstance(out, tuple | list):
        return np.concatenate([flat(item) for item in out])
    return np.ravel(out)


def summed(f):
    """A number that depends on every element of what f returns."""

    def scalar(*args):
        vector = flat(f(*args))
        return np.sum(np.real(vector) * np.cos(np.arange(vector.size)))

    return scalar


def inner(xs, ys):
    """Sum of the products of all elements."""
    return sum(np.sum(x * y) for x, y in zip(xs, ys, strict=True))


def moved(args, step, direction):
    """The arguments, moved along a direction."""
    return [a + step * d for a, d in zip(args, direction, strict=True)]


def check(f, *args, order=2, rtol=1e-6, value_rtol=1e-9, symmetric=False, step=1e-6):
    """Assert that f, written with SciPy, has the right value and derivatives when lifted."""
    args = [np.asarray(a, float) if np.ndim(a) else float(a) for a in args]
    rng = np.random.default_rng(7)
    directions = []
    for _ in range(2):
        made = [rng.normal(size=np.shape(a)) for a in args]
        directions.append([m + m.T for m in made] if symmetric else made)
    first, second = directions
    scalar = summed(f)
    positions = tuple(range(len(args)))
    lifted_value = ag.lift(f)(*(ag.tensor(a, requires_grad=True) for a in args))
    lifted_flat = np.concatenate([plain.ravel() for plain in leaves(lifted_value)])
    np.testing.assert_allclose(lifted_flat, flat(f(*args)), rtol=value_rtol, atol=1e-10)
    gradient = ag.grad(scalar, positions)
    found = inner(gradient(*args), first)
    h = step
    expected = (scalar(*moved(args, h, first)) - scalar(*moved(args, -h, first))) / (2 * h)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)
    if order == 2:

        def along(*xs):
            return inner(ag.grad(scalar, positions)(*xs), first)

        found = inner(ag.grad(along, positions)(*args), second)
        h = 1e-5
        expected = (along(*moved(args, h, second)) - along(*moved(args, -h, second))) / (2 * h)
        np.testing.assert_allclose(found, expected, rtol=10 * rtol, atol=10 * rtol)


def leaves(out):
    """The values below the tensors of a result."""
    if isinstance(out, tuple | list):
        return [leaf for item in out for leaf in leaves(item)]
    return [np.asarray(out.detach()) if isinstance(out, ag.Tensor) else np.asarray(out)]


def refused(f):
    """Marks a call of the tables in ``keywords_*`` that has no derivative."""
    f.refused = True
    return f

"""arraygrad.numpy.random: NumPy's values for a seed, gradients by parameters."""

import pickle

import numpy as onp
import pytest

import arraygrad as ag
import arraygrad.numpy as np

# name -> parameters, each with the derivative of a draw by them from finite differences
DISTRIBUTIONS = {
    "normal": (0.5, 2.0),
    "uniform": (0.5, 2.0),
    "laplace": (0.5, 2.0),
    "logistic": (0.5, 2.0),
    "gumbel": (0.5, 2.0),
    "lognormal": (0.5, 0.3),
    "exponential": (2.0,),
    "rayleigh": (2.0,),
    "weibull": (1.7,),
    "power": (1.7,),
    "pareto": (1.7,),
}


def generators():
    return {
        "generator": (np.random.default_rng, onp.random.default_rng),
        "state": (np.random.RandomState, onp.random.RandomState),
    }


@pytest.mark.parametrize("kind", ["generator", "state"])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_values_and_gradients(name, kind):
    ours, theirs = generators()[kind]
    parameters = DISTRIBUTIONS[name]
    tracked = [ag.tensor(p, requires_grad=True) for p in parameters]
    draw = getattr(ours(3), name)(*tracked, size=4)
    onp.testing.assert_allclose(
        onp.asarray(draw.detach()), getattr(theirs(3), name)(*parameters, size=4), rtol=1e-12
    )
    draw.sum().backward()
    for i, t in enumerate(tracked):
        h = 1e-6
        up = [p + h * (i == k) for k, p in enumerate(parameters)]
        down = [p - h * (i == k) for k, p in enumerate(parameters)]
        difference = (
            getattr(theirs(3), name)(*up, size=4) - getattr(theirs(3), name)(*down, size=4)
        ).sum() / (2 * h)
        assert float(t.grad) == pytest.approx(difference, rel=1e-5)


@pytest.mark.parametrize(
    "draw",
    [
        lambda r: r.normal(1.0, 2.0, 3),
        lambda r: r.integers(10, size=3),
        lambda r: r.random((2, 2)),
        lambda r: r.choice(5, 3, replace=False),
        lambda r: r.permutation(5),
        lambda r: r.standard_normal(),
        lambda r: r.gamma(2.0, 3.0, 2),
        lambda r: r.multivariate_normal([0.0, 1.0], [[1.0, 0.2], [0.2, 2.0]]),
    ],
)
def test_plain_parameters_give_numpys_values(draw):
    ours, theirs = draw(np.random.default_rng(7)), draw(onp.random.default_rng(7))
    onp.testing.assert_array_equal(onp.asarray(ours), theirs)
    if onp.ndim(theirs):
        assert isinstance(ours, ag.Tensor)


COVARIANCES = {
    "varied": lambda p: [[p[0], p[1]], [p[1], p[2]]],
    "of equal variances": lambda p: [[p[0], 0.0], [0.0, p[0]]],
}


@pytest.mark.parametrize("method", [None, "svd", "eigh", "cholesky"])
@pytest.mark.parametrize("name", COVARIANCES)
def test_gradients_by_a_covariance(name, method):
    chosen = {} if method is None else {"method": method}

    def make(module):
        return module.random.RandomState(3) if method is None else module.random.default_rng(3)

    def draw(module, p):
        cov = module.asarray(np.stack(COVARIANCES[name](p))) if module is np else None
        cov = onp.array(COVARIANCES[name](p)) if cov is None else cov
        return make(module).multivariate_normal([0.1, 0.2], cov, 4, **chosen)

    weights = onp.arange(1.0, 9.0).reshape(4, 2)
    p = onp.array([1.2, 0.3, 0.8])
    tracked = ag.tensor(p, requires_grad=True)
    drawn = draw(np, [np.stack([t])[0] for t in tracked])
    onp.testing.assert_allclose(drawn.detach(), draw(onp, p), rtol=1e-12)
    (drawn * weights).sum().backward()
    step = 1e-6 * onp.eye(3)
    rise = [onp.sum(weights * (draw(onp, p + h) - draw(onp, p - h))) / 2e-6 for h in step]
    onp.testing.assert_allclose(tracked.grad, rise, rtol=1e-6, atol=1e-8)


def test_legacy_functions_give_numpys_values():
    np.random.seed(5)
    first = [np.random.rand(2), np.random.randint(9), np.random.normal(size=2)]
    legacy = onp.random.RandomState(5)
    second = [legacy.rand(2), legacy.randint(9), legacy.normal(size=2)]
    for a, b in zip(first, second, strict=True):
        onp.testing.assert_array_equal(onp.asarray(a), b)


def test_broadcast_parameters_draw_one_variate_each():
    loc = ag.tensor([0.0, 1.0, 2.0], requires_grad=True)
    draw = np.random.default_rng(1).normal(loc, 1.0)
    onp.testing.assert_allclose(
        onp.asarray(draw.detach()), onp.random.default_rng(1).normal([0.0, 1.0, 2.0], 1.0)
    )


def test_rearrangements_stay_in_the_graph():
    weights = onp.array([1.0, 10.0, 100.0])
    for method in ("permutation", "shuffle", "choice"):
        x = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
        rng, plain = np.random.default_rng(2), onp.random.default_rng(2)
        values = onp.array([1.0, 2.0, 3.0])
        if method == "shuffle":
            y = x * 1.0
            rng.shuffle(y)
            plain.shuffle(values)
        elif method == "permutation":
            y, values = rng.permutation(x), plain.permutation(values)
        else:
            y, values = rng.choice(x, 3), plain.choice(values, 3)
        onp.testing.assert_array_equal(onp.asarray(y.detach()), values)
        (y * weights).sum().backward()
        want = [weights[values == v].sum() for v in (1.0, 2.0, 3.0)]
        onp.testing.assert_allclose(onp.asarray(x.grad), want)


def test_parameters_without_a_reparameterisation_are_refused():
    t = ag.tensor(2.0, requires_grad=True)
    for draw in (
        lambda r: r.gamma(t, 1.0),
        lambda r: r.beta(t, 1.0),
        lambda r: r.poisson(t),
        lambda r: r.choice(2, p=np.array([t / 4, t / 4])),
    ):
        with pytest.raises(TypeError, match="no derivative by this parameter"):
            draw(np.random.default_rng(0))
    assert np.random.default_rng(0).gamma(2.0, t).requires_grad


def test_generators_pickle_and_spawn():
    rng = np.random.default_rng(4)
    again = pickle.loads(pickle.dumps(rng))
    assert rng.random() == again.random()
    assert isinstance(rng.spawn(2)[0], np.random.Generator)


def test_numpys_modules_below_random():
    """Code that is older than ``default_rng`` takes the global state from ``mtrand``."""

    def f(x):
        rng = onp.random.default_rng(3)
        assert isinstance(rng, onp.random._generator.Generator)
        assert isinstance(onp.random.mtrand._rand, onp.random.mtrand.RandomState)
        onp.random.seed(5)  # noqa: NPY002 - the state that is asked for
        return onp.random.mtrand._rand.normal(x[0], x[1]) + rng.uniform(0.0, x[2])

    standard = onp.random.RandomState(5).normal(), onp.random.default_rng(3).uniform()
    x = onp.array([0.3, 2.0, 3.0])
    onp.testing.assert_allclose(ag.grad(f)(x), [1.0, *standard])

"""What NumPy calls back, classes with unusual names, numbers said as text: as published."""

import numpy as np

from .cases import table_with_points

CASES, case = table_with_points()


LAGS = np.linspace(0.0, 3.0, 9)


@case()
def variogram(p):
    """Branches that are functions of the lag alone; the parameters come from around them."""
    sill, reach, nugget = (float(v) for v in p)

    def spherical(h):
        return nugget + sill * (1.5 * h / reach - 0.5 * (h / reach) ** 3)

    return np.sum(np.piecewise(LAGS, [reach >= LAGS, reach < LAGS], [spherical, nugget + sill]))


@case()
def branches_of_closures_alone(p):
    inside = LAGS < 1.1
    values = np.piecewise(LAGS, [inside, ~inside], [lambda h: p[0] * h, lambda h: p[1] + p[2] * h])
    return np.sum(values * LAGS)


@case()
def branches_of_a_number(p):
    rate = np.piecewise(1.5, [False], [lambda h: h * p[0], lambda h: h**2 * p[1]])
    return rate * p[2]


@case()
def branches_with_arguments(p):
    def hill(x, k, n=2):
        return x**n / (k**n + x**n)

    return np.sum(np.piecewise(p, [p < 1.0, p >= 1.0], [hill, -0.5], p[2], n=3))


@case()
def rows_by_a_closure(p):
    table = np.arange(12.0).reshape(4, 3)
    scores = np.apply_along_axis(lambda row: np.dot(row, p), 1, table)
    softened = np.apply_along_axis(lambda row: np.exp(-row * p[0]), 0, table)
    return np.sum(np.log(scores + 1.0)) + np.sum(softened)


@case()
def counted_rows(p):
    """Integers stay integers: what the callback returns decides."""
    table = np.array([[0, 1, 1], [2, 2, 0]])
    counts = np.apply_along_axis(np.bincount, 1, table, minlength=3)
    assert counts.dtype == np.int64
    return np.sum(counts * p)


@case()
def sums_over_axes(p):
    cube = np.arange(8.0).reshape(2, 2, 2)
    return np.sum(np.apply_over_axes(lambda a, axis: np.sum(a * p[0] ** a, axis), cube, [0, 2]))


class Proposal:
    """Samplers name what they propose; the class has a name of its own besides."""

    def __init__(self, inverse_mass):
        self.inverse_mass = inverse_mass
        self.title = "leapfrog"
        self.factor = np.zeros(np.shape(inverse_mass))
        self.factor[:] = np.linalg.cholesky(inverse_mass)

    @property
    def __name__(self):
        return self.title

    def energy(self, momentum):
        scaled = np.array([float(v) for v in self.factor @ momentum])
        return 0.5 * float(np.sum(scaled**2))


class Damped(Proposal):
    def energy(self, momentum):
        return 0.9 * super().energy(momentum)


@case()
def names_as_properties(p):
    mass = np.diag(p) + np.outer(p, p)
    proposals = [Proposal(mass), Damped(mass)]
    assert [proposal.__name__ for proposal in proposals] == ["leapfrog"] * 2
    assert Proposal.__name__ == "Proposal"
    return sum(proposal.energy(np.ones(3)) for proposal in proposals)


@case()
def written_as_text(p):
    """'nan' as a string, which NumPy reads as a number where it is written."""
    table = np.outer(p, p)
    np.fill_diagonal(table, "nan")
    rows = np.zeros((2, 3))
    rows[0] = "0.5"
    rows[1, 2] = p[0]
    return np.nansum(table) + np.sum(rows * p)

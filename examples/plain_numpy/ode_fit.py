"""Hares and lynxes in plain NumPy: the Lotka-Volterra equations fitted to a century-old record.

The counts are the Hudson's Bay Company's pelts of 1900 to 1920, in thousands (E. P. Odum,
Fundamentals of Ecology, 1953, after D. A. MacLulich, 1937).
"""

import math

import numpy as np

YEARS = np.arange(1900, 1921)
HARES = np.array(
    [30.0, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22.0, 25.4, 27.1]
    + [40.3, 57.0, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6, 16.2, 24.7]
)
LYNXES = np.array(
    [4.0, 6.1, 9.8, 35.2, 59.4, 41.7, 19.0, 13.0, 8.3, 9.1, 7.4]
    + [8.0, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6]
)
STEPS_PER_YEAR = 8
FEWEST = 1e-3  # thousands of animals: nobody dies out


def initial_parameters():
    """Logarithms of: birth, predation, death, growth, first hares, first lynxes."""
    return np.log(np.array([0.6, 0.025, 0.7, 0.02, 30.0, 5.0]))


def rate(state, birth, predation, death, growth):
    """The right-hand side of the Lotka-Volterra equations."""
    hares, lynxes = state
    return np.array(
        [
            birth * hares - predation * hares * lynxes,
            growth * hares * lynxes - death * lynxes,
        ]
    )


def runge_kutta_step(state, h, coefficients):
    """One step of the classical fourth-order method."""
    k1 = rate(state, *coefficients)
    k2 = rate(state + 0.5 * h * k1, *coefficients)
    k3 = rate(state + 0.5 * h * k2, *coefficients)
    k4 = rate(state + h * k3, *coefficients)
    k2 += k3
    k2 *= 2.0
    k2 += k1
    k2 += k4
    return state + h / 6.0 * k2


def simulate(parameters, n_years=len(YEARS), steps_per_year=STEPS_PER_YEAR):
    """Hares and lynxes at the start of each year, shape (years, 2)."""
    coefficients = [math.exp(p) for p in parameters[:4]]
    trajectory = np.zeros((n_years, 2))
    trajectory[0, 0] = math.exp(parameters[4])
    trajectory[0, 1] = math.exp(parameters[5])
    for year in range(1, n_years):
        state = trajectory[year - 1].copy()
        for _ in range(steps_per_year):
            state = runge_kutta_step(state, 1.0 / steps_per_year, coefficients)
            state[state < FEWEST] = FEWEST
        trajectory[year] = state
    return trajectory


def loss(parameters, hares, lynxes):
    """Mean squared error of the logarithms: counts have relative, not absolute, errors."""
    trajectory = simulate(parameters, len(hares))
    misfits = []
    for column, counts in enumerate([hares, lynxes]):
        misfits.append(np.log(trajectory[:, column]) - np.log(counts))
    return float(np.mean(np.array(misfits) ** 2))

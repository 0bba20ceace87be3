"""Heat flowing along a rod, in plain NumPy: conductivities from thermometers.

The rod consists of pieces of unknown conductivity. Its left end is heated, its right end kept
cold; thermometers along it are read from time to time.
"""

import numpy as np

N_CELLS = 32
N_STEPS = 600
DT = 0.2
LARGEST = 0.5 / DT  # the scheme is stable up to this conductivity, with cells of unit width
SENSORS = np.array([4, 10, 16, 22, 28])
READ_EVERY = 100
LEFT, RIGHT = 1.0, 0.0


def initial_parameters(n_pieces):
    """Logarithms of the conductivities: all equal to one half at first."""
    return np.full(n_pieces, np.log(0.5))


def conductivity_profile(parameters):
    """One conductivity per cell: each piece of the rod filled with its own, the joints welded."""
    profile = np.empty(N_CELLS)
    edges = np.linspace(0, N_CELLS, len(parameters) + 1).astype(int)
    for k in range(len(parameters)):
        profile[edges[k] : edges[k + 1]] = np.exp(parameters[k])
    profile[1:-1] = 0.25 * profile[:-2] + 0.5 * profile[1:-1] + 0.25 * profile[2:]
    profile[profile > LARGEST] = LARGEST
    return profile


def step(temperature, at_faces, flux):
    """One explicit Euler step, in place; `flux` is scratch memory."""
    flux[:] = temperature[1:] - temperature[:-1]
    flux *= at_faces
    temperature[1:-1] += DT * (flux[1:] - flux[:-1])
    temperature[0] = LEFT
    temperature[-1] = RIGHT


def simulate(parameters):
    """The thermometers' readings, shape (readings, sensors)."""
    profile = conductivity_profile(parameters)
    # the harmonic mean carries the flux between two different materials
    at_faces = 2.0 * profile[1:] * profile[:-1] / (profile[1:] + profile[:-1])
    temperature = np.zeros(N_CELLS)
    temperature[0] = LEFT
    flux = np.zeros(N_CELLS - 1)
    readings = []
    for i in range(1, N_STEPS + 1):
        step(temperature, at_faces, flux)
        if i % READ_EVERY == 0:
            readings.append(temperature[SENSORS])
    return np.stack(readings)


def loss(parameters, measured, noise):
    """Half the mean squared misfit, in units of the thermometers' noise."""
    misfit = (simulate(parameters) - measured) / noise
    return float(0.5 * np.mean(misfit * misfit))


def measurements(parameters, noise, seed=0):
    """Readings of a rod with known conductivities, with the thermometers' noise added."""
    readings = simulate(parameters)
    readings += np.random.default_rng(seed).normal(0.0, noise, readings.shape)
    return readings

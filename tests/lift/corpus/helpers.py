"""Helpers that the other modules import in every way there is."""

import numpy as np

GRAVITY = 9.81
WEIGHTS = np.array([0.5, 0.3, 0.2])
SCRATCH = np.zeros(4)
CALLS = 0
ACTIVATIONS = {
    "tanh": np.tanh,
    "relu": lambda v: np.maximum(v, 0.0),
    "soft": lambda v: np.log1p(np.exp(v)),
}
STEPS = [np.sin, lambda v: v * v, np.exp]


def skew(v):
    out = np.zeros((3, 3))
    out[0, 1], out[0, 2] = -v[2], v[1]
    out[1, 0], out[1, 2] = v[2], -v[0]
    out[2, 0], out[2, 1] = -v[1], v[0]
    return out


def weighted(v):
    return float(np.dot(WEIGHTS, v))


def counted(v):
    global CALLS
    CALLS += 1
    return np.array([v[0] * CALLS * 0 + v[0], v[1]])


def into_scratch(v):
    SCRATCH[:] = 0
    SCRATCH[: len(v)] = v
    return SCRATCH


def check_vector(v, size=3):
    v = np.asarray(v, dtype=float)
    if v.ndim != 1 or not isinstance(v, np.ndarray):
        raise ValueError("not a vector")
    if not np.issubdtype(v.dtype, np.floating):
        raise TypeError("not floats")
    return v[:size]

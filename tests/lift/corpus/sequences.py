"""Lists of computed numbers handed to NumPy functions that NumPy writes in Python."""

from collections import deque

import numpy as np


def roots_of_a_list(x):
    return np.abs(np.roots([1.0, x[0], x[1] + 2.0])).sum() + np.poly([x[0], x[2]])[1]


def sums_of_polynomials(x):
    return (np.polyadd([x[0], 1.0], [x[1], x[2], 2.0]) ** 2).sum() + np.polysub([x[1]], [x[0]])[0]


def dot_with_a_list(x):
    rotation = np.array([[np.cos(x[0]), -np.sin(x[0])], [np.sin(x[0]), np.cos(x[0])]])
    turned = np.dot(rotation, [x[1], x[2] ** 2])
    return turned[0] * 3 + np.dot([x[0], x[1]], [x[2], 2.0]) * turned[1]


def correlation_of_lists(x):
    return np.corrcoef([x[0], x[1], x[2]], [1.0, 3.0, x[0]])[0, 1]


def percentiles_of_a_list(x):
    return np.percentile(x, [100 * x[0] / 2, 30.0]).sum() + np.resize([x[0], x[1]], 5).sum()


def broadcast_lists(x):
    a, b = np.broadcast_arrays([x[0], x[1]], [[2.0], [3.0]])
    return (a * b).sum()


def gradient_over_a_list(x):
    return (np.gradient([x[0] ** 2, x[1], x[2]], [0.0, x[0], 2.0]) ** 2).sum()


def window_of_a_shape(x):
    return (np.kaiser(5, x[0] * 3) * np.arange(5.0)).sum()


def frequencies_of_a_step(x):
    wave = np.exp(-(np.fft.fftfreq(6, x[0]) ** 2)) * np.fft.fft(x, 6)
    return np.abs(wave).sum() + (np.fft.rfftfreq(5, d=x[1] * 2) * x).sum()


def powers_in_a_range(x):
    return (
        np.power(x[0], range(4)).sum()
        + np.dot(x, range(3))
        + np.multiply(x, deque([1.0, 2.0, 3.0]))[2]
    )

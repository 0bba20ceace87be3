"""Integers that come out of arrays where plain ones are expected: sizes, axes, counts, places."""

import numpy as np
from numpy.lib.stride_tricks import as_strided


def shape_filled_in_place(x):
    shape = np.ones(2, dtype=int)
    shape[1] = len(x)
    return (x.reshape(shape) * np.reshape(np.arange(3.0), shape) ** 2).sum()


def axes_in_an_array(x):
    order = np.array([2, 0, 1])
    a = x.reshape(1, 3, 1) * np.ones((2, 3, 2))
    return (a.transpose(order) * np.arange(12.0).reshape(2, 2, 3)).sum()


def axis_from_an_array(x):
    axis = np.array([0, 1])[1]
    a = np.outer(x, x**2)
    moved = np.expand_dims(np.moveaxis(a, 0, axis), axis)
    return (a.sum(axis=axis) * np.linalg.norm(a, axis=axis)).sum() + moved[0, 0, 1]


def shift_from_an_array(x):
    shift = np.argmax(x)
    return (np.roll(x, shift) * x + np.roll(x, np.array([2])[0])).sum()


def cuts_in_an_array(x):
    first, second = np.split(x, np.array([1]))
    halves = np.array_split(x, np.array([2, 5])[0])
    return first[0] * second.sum() + halves[0][1] ** 2


def repeated_list(x):
    count = np.array([3, 1])[0]
    numbers = [x[0], 2.0] * count
    return sum(v * k for k, v in enumerate(numbers)) + len([0] * (count + 1)) * x[1]


def places_drawn_at_random(x):
    order = np.random.RandomState(0).permutation(np.array([3])[0])
    return (x[order] * np.arange(3.0)).sum()


def windows_by_strides(x):
    step = x.strides[0]
    windows = as_strided(x, shape=(2, 2), strides=(step, step))
    return (windows**2 * np.array([[1.0, 2.0], [3.0, 4.0]])).sum()


def frames_by_strides(x):
    padded = np.concatenate([x, np.zeros(2)])
    step = padded.strides[0]
    frames = np.lib.stride_tricks.as_strided(
        padded, shape=np.array([3, 3]), strides=(step, step), writeable=False
    )
    return (frames * np.hanning(5)[1:4]).std()


def other_types_in_a_membership_test(x):
    return x[0] if "odd" in x else (x**2).sum()

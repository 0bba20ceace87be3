"""A multi-layer perceptron in plain NumPy."""

import math

import numpy as np

LEAK = 0.01


def initial_parameters(layer_sizes, seed=0):
    """He's normal initialisation, flattened: weights then bias of each layer."""
    rng = np.random.default_rng(seed)
    pieces = []
    for n_in, n_out in zip(layer_sizes[:-1], layer_sizes[1:], strict=True):
        pieces.append(rng.normal(0.0, math.sqrt(2.0 / n_in), n_in * n_out))
        pieces.append(np.zeros(n_out))
    return np.concatenate(pieces)


def unpack(parameters, layer_sizes):
    """Views of the flat vector: a list of (weights, bias), one for each layer."""
    layers = []
    start = 0
    for n_in, n_out in zip(layer_sizes[:-1], layer_sizes[1:], strict=True):
        weights = parameters[start : start + n_in * n_out].reshape(n_in, n_out)
        start += n_in * n_out
        bias = parameters[start : start + n_out]
        start += n_out
        layers.append((weights, bias))
    return layers


def scores(parameters, features, layer_sizes):
    """Unnormalised class scores, shape (samples, classes)."""
    *hidden_layers, (weights_out, bias_out) = unpack(parameters, layer_sizes)
    activation = features
    for weights, bias in hidden_layers:
        activation = activation @ weights
        activation += bias
        activation[activation < 0.0] *= LEAK  # the leaky rectifier, as NumPy people write it
    return np.dot(activation, weights_out) + bias_out


def one_hot(labels, n_classes):
    """Rows of the unit matrix, by allocating and filling."""
    encoded = np.zeros((len(labels), n_classes))
    for i, label in enumerate(labels):
        encoded[i, label] = 1.0
    return encoded


def loss(parameters, features, targets, layer_sizes, decay=1e-4):
    """Mean cross-entropy against one-hot `targets` plus weight decay."""
    logits = scores(parameters, features, layer_sizes)
    largest = np.amax(logits, axis=1)
    normaliser = largest + np.log(np.sum(np.exp(logits - largest[:, np.newaxis]), axis=1))
    cross_entropy = np.mean(normaliser - np.sum(targets * logits, axis=1))
    penalties = []
    for weights, _ in unpack(parameters, layer_sizes):
        penalties.append(np.sum(weights**2))
    return cross_entropy + 0.5 * decay * np.sum(penalties)


def predict(parameters, features, layer_sizes):
    """The class with the highest score, for each sample."""
    return scores(parameters, features, layer_sizes).argmax(axis=1)

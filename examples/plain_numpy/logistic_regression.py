"""Multinomial logistic regression in plain NumPy."""

import numpy as np

LOWEST_SCORE = -50.0  # below the best one; what is less likely has no logarithm worth the name


def initial_parameters(n_features, n_classes):
    """Zeros: the problem is convex, so any start will do."""
    return np.zeros(n_features * n_classes + n_classes)


def unpack(parameters, n_features, n_classes):
    """Split the flat vector into the weight matrix and the bias."""
    split = n_features * n_classes
    return parameters[:split].reshape(n_features, n_classes), parameters[split:]


def log_probabilities(parameters, features, n_classes):
    """Log of the softmax of the class scores, shape (samples, classes)."""
    weights, bias = unpack(parameters, features.shape[1], n_classes)
    scores = features @ weights
    scores += bias
    scores -= scores.max(axis=1, keepdims=True)  # exp cannot overflow
    np.maximum(scores, LOWEST_SCORE, out=scores)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return scores


def loss(parameters, features, labels, n_classes, ridge=1e-3):
    """Mean negative log-likelihood of the labels plus a ridge penalty on the weights."""
    log_probability = log_probabilities(parameters, features, n_classes)
    likelihoods = []
    for k in range(n_classes):
        of_class = log_probability[labels == k]
        likelihoods.append(of_class[:, k].sum())
    penalised = parameters.copy()
    penalised[-n_classes:] = 0.0  # the bias is free
    return 0.5 * ridge * np.sum(penalised**2) - np.sum(likelihoods) / len(labels)


def predict(parameters, features, n_classes):
    """The most probable class of each sample."""
    return np.argmax(log_probabilities(parameters, features, n_classes), axis=1)

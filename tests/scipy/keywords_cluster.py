"""Calls of ``scipy.cluster.vq``."""

import numpy as np
import scipy.cluster.vq as vq

from .checking import SCIPY

RNG = np.random.default_rng(5)
POINTS = RNG.normal(size=(12, 2)) + np.repeat([[0.0, 0.0], [5.0, 1.0], [1.0, 6.0]], 4, axis=0)
STARTS = np.array([[0.5, 0.2], [4.0, 1.0], [1.0, 5.0]])
FLAT = np.stack((POINTS[:, 0], np.full(12, 3.0)), axis=1)


def seeded(n):
    return {"rng" if SCIPY >= (1, 15) else "seed": n}


# name: (arguments, calls)
CALLS = {
    "vq": (
        (POINTS, STARTS),
        [
            lambda x, b: vq.whiten(x, check_finite=True),
            lambda x, b: vq.whiten(x[:, 0]),
            lambda x, b: vq.whiten(np.stack((x[:, 0], 0 * x[:, 1] + 3), 1), check_finite=False)
            if SCIPY >= (1, 15) else x,
            lambda x, b: vq.vq(x, b, check_finite=False)[1],
            lambda x, b: vq.vq(x[:, 0], b[:, 0])[1],
            lambda x, b: vq.vq(np.concatenate((x, b)), b)[1][:12],
            lambda x, b: vq.kmeans2(x, b, minit="matrix", iter=5, thresh=1e-5, check_finite=True),
            lambda x, b: vq.kmeans2(x, STARTS, missing="raise", seed=None)[0]
            if SCIPY < (1, 17) else vq.kmeans2(x, STARTS, missing="raise", rng=None)[0],
            lambda x, b: vq.kmeans2(x[:, 0], b[:2, 0], minit="matrix")[0],
            *[
                lambda x, b, m=m: vq.kmeans2(x, 3, minit=m, **seeded(2))[0]
                for m in ("points", "++")
            ],
            lambda x, b: vq.kmeans(x, b, iter=3, thresh=1e-9, check_finite=True),
            lambda x, b: vq.kmeans(x, 3, **seeded(1)),
            lambda x, b: vq.kmeans(obs=x, k_or_guess=STARTS, rng=None, seed=None)[0]
            if SCIPY < (1, 15) else vq.kmeans(obs=x, k_or_guess=STARTS)[0],
        ],
    ),
}  # fmt: skip

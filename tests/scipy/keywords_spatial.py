"""Calls of ``scipy.spatial`` with each keyword that makes trees, rotations and Slerp."""

import numpy as np
from scipy.spatial import KDTree, cKDTree
from scipy.spatial.transform import Rotation, Slerp

RNG = np.random.default_rng(8)
POINTS = RNG.uniform(0.0, 2.0, size=(9, 2))
ASKED = RNG.uniform(-0.5, 2.5, size=(4, 2))
QUATS = np.array([[0.1, 0.2, 0.3, 0.9], [0.7, -0.2, 0.1, -0.4], [0.5, 0.9, -0.1, 0.05]])

CALLS = {
    "trees": (
        (POINTS, ASKED),
        [
            *[
                lambda t, x, tree=tree: tree(
                    t, leafsize=2, compact_nodes=False, copy_data=True, balanced_tree=False
                ).query(x, k=2)[0]
                for tree in (KDTree, cKDTree)
            ],
            *[
                lambda t, x, tree=tree, box=box, p=p: tree(t, boxsize=box).query(x, k=3, p=p)[0]
                for tree in (KDTree, cKDTree)
                for box in (2.1, [2.1, 2.3], [0.0, 2.1])
                for p in (1.0, 2.0, np.inf)
            ],
            lambda t, x: KDTree(t, boxsize=np.max(x) + 1.0).query(x)[0],
            lambda t, x: KDTree(t).query(x, 2, eps=0.0, distance_upper_bound=4.0, workers=1)[0],
        ],
    ),
    "rotations": (
        (QUATS,),
        [
            *[
                lambda q, s=s: Rotation(
                    quat=q, normalize=True, copy=True, scalar_first=s
                ).as_matrix()
                for s in (False, True)
            ],
            lambda q: Rotation(q, normalize=False).as_quat(),
            lambda q: Rotation(q / np.linalg.norm(q, axis=1)[:, None], normalize=False).as_matrix(),
            lambda q: Slerp(times=[0.0, 1.0, 2.0], rotations=Rotation(q))(0.4).as_matrix(),
            lambda q: Slerp(np.cumsum(q[:, 3] ** 2), Rotation(q))(times=[0.9, 0.95]).as_rotvec(),
        ],
    ),
}

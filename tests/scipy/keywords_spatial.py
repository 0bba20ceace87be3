"""Calls of ``scipy.spatial`` with each keyword that makes trees, rotations and Slerp."""

import numpy as np
from scipy.spatial import (
    ConvexHull,
    Delaunay,
    HalfspaceIntersection,
    KDTree,
    Voronoi,
    cKDTree,
    tsearch,
)
from scipy.spatial.transform import Rotation, Slerp

from .checking import SCIPY, refused

RNG = np.random.default_rng(8)
POINTS = RNG.uniform(0.0, 2.0, size=(9, 2))
ASKED = RNG.uniform(-0.5, 2.5, size=(4, 2))
QUATS = np.array([[0.1, 0.2, 0.3, 0.9], [0.7, -0.2, 0.1, -0.4], [0.5, 0.9, -0.1, 0.05]])

CLOUD = RNG.uniform(0.0, 1.0, size=(10, 2))
SPACE = RNG.normal(size=(9, 3))
SIDES = np.array([[-1.0, 0.1, 0.0], [0.0, -1.0, 0.0], [1.0, 1.2, -1.0], [0.9, 0.1, -0.8]])
MIDDLE = np.array([0.2, 0.2])
HULL, CELLS, CORNERS = ConvexHull(CLOUD), Voronoi(CLOUD), HalfspaceIntersection(SIDES, MIDDLE)


def added(hull, points):
    hull.add_points(points)
    return hull


CALLS = {
    "hulls": (
        (CLOUD, SPACE, SIDES),
        [
            lambda p, s, h: (ConvexHull(p).volume, ConvexHull(p).area),
            lambda p, s, h: (ConvexHull(s).volume, ConvexHull(s, qhull_options="QJ").area),
            lambda p, s, h: (ConvexHull(p).min_bound, ConvexHull(points=p).max_bound),
            lambda p, s, h: ConvexHull(p).points[ConvexHull(p).vertices],
            lambda p, s, h: p * HULL.volume + HULL.area,
            lambda p, s, h: added(ConvexHull(p, incremental=True), p + 0.3).volume,
            lambda p, s, h: Delaunay(p).points[Delaunay(p).simplices],
            lambda p, s, h: (
                Delaunay(
                    points=p, furthest_site=False, incremental=False, qhull_options=None
                ).points
            ),
            lambda p, s, h: p[Delaunay(CLOUD).find_simplex(0.5 + 0.1 * p)],
            *(
                [lambda p, s, h: p[tsearch(tri=Delaunay(CLOUD), xi=0.5 + 0.1 * p)]]
                if SCIPY < (1, 18)
                else []
            ),  # it is deprecated
            lambda p, s, h: Voronoi(p).vertices,
            lambda p, s, h: (
                Voronoi(s, furthest_site=False, incremental=False, qhull_options=None).vertices
            ),
            lambda p, s, h: p * np.sum(CELLS.vertices) + np.sum(CORNERS.intersections),
            lambda p, s, h: HalfspaceIntersection(h, MIDDLE).intersections,
            lambda p, s, h: (
                HalfspaceIntersection(
                    halfspaces=h, interior_point=MIDDLE, incremental=False, qhull_options=None
                ).halfspaces
            ),
            refused(lambda p, s, h: ConvexHull(p).equations),
            refused(lambda p, s, h: Delaunay(p).transform),
            refused(lambda p, s, h: Delaunay(p).plane_distance(p)),
            refused(lambda p, s, h: HalfspaceIntersection(h, MIDDLE).dual_points),
        ],
    ),
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

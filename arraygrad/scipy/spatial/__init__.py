"""Stand-ins for ``scipy.spatial``."""

from . import distance as distance, transform as transform
from ._hulls import (
    ConvexHull as ConvexHull,
    Delaunay as Delaunay,
    HalfspaceIntersection as HalfspaceIntersection,
    Voronoi as Voronoi,
    hull_of as hull_of,
    tsearch as tsearch,
)
from ._trees import KDTree as KDTree, cKDTree as cKDTree, tree_of as tree_of

__all__ = [
    "ConvexHull", "Delaunay", "HalfspaceIntersection", "KDTree", "Voronoi", "cKDTree", "distance",
    "transform", "tsearch",
]  # fmt: skip

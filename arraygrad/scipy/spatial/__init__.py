"""Stand-ins for ``scipy.spatial``."""

from . import distance as distance, transform as transform
from ._trees import KDTree as KDTree, cKDTree as cKDTree, tree_of as tree_of

__all__ = ["KDTree", "cKDTree", "distance", "transform"]

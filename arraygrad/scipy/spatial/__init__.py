"""Stand-ins for ``scipy.spatial``."""

from . import distance as distance, transform as transform

__all__ = ["distance", "transform"]

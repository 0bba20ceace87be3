"""Stand-ins for ``scipy.spatial``."""

from . import distance as distance

__all__ = ["distance"]

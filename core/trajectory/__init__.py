"""Motion as arrays: in and out of files, at other times, for a model, and from what was seen of one."""

from .completion import Completed, completed
from .errors import TrajectoryError
from .observation import Observed, of_poses
from .reading import read_trajectory
from .resampling import resampled
from .trajectory import Trajectory
from .writing import SUFFIXES

__all__ = [
    "SUFFIXES",
    "Completed",
    "Observed",
    "Trajectory",
    "TrajectoryError",
    "completed",
    "of_poses",
    "read_trajectory",
    "resampled",
]

"""Motion as arrays: in and out of files, at other times, for a model, and from what was seen of one."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .completion import Completed, completed
    from .errors import TrajectoryError
    from .observation import Observed, of_poses
    from .reading import read_trajectory
    from .resampling import resampled
    from .trajectory import Trajectory
    from .writing import SUFFIXES
else:
    from ..late import late

    __getattr__ = late(
        __name__,
        {
            "completion": "Completed completed",
            "errors": "TrajectoryError",
            "observation": "Observed of_poses",
            "reading": "read_trajectory",
            "resampling": "resampled",
            "trajectory": "Trajectory",
            "writing": "SUFFIXES",
        },
    )

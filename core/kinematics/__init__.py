"""From joint coordinates to link poses."""

from .forward import forward_kinematics, link_poses, write_link_poses
from .work import Work, make_work

__all__ = ["Work", "forward_kinematics", "link_poses", "make_work", "write_link_poses"]

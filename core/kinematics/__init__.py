"""Between joint coordinates and the poses and twists of links."""

from .coordinates import Coordinates, Gap, coordinates_at, joint_coordinates, rates_at, relative_pose
from .forward import forward_kinematics, link_poses, place_links, write_link_poses
from .inverse import Reacher, Solution, compile_for_posing, inverse_kinematics
from .jacobian import link_jacobian
from .joint_motion import JointMotion
from .measured import coordinates_of_links, state_of_links
from .mobility import Mobility, Redundancy, mobility
from .posing import Poser
from .targets import Miss, Reach, Target
from .view import Articulation, ArticulationView, articulations
from .work import Work, make_work

__all__ = [
    "Articulation",
    "ArticulationView",
    "Coordinates",
    "Gap",
    "JointMotion",
    "Miss",
    "Mobility",
    "Poser",
    "Reach",
    "Reacher",
    "Redundancy",
    "Solution",
    "Target",
    "Work",
    "articulations",
    "compile_for_posing",
    "coordinates_at",
    "coordinates_of_links",
    "forward_kinematics",
    "inverse_kinematics",
    "joint_coordinates",
    "link_jacobian",
    "link_poses",
    "make_work",
    "mobility",
    "place_links",
    "rates_at",
    "relative_pose",
    "state_of_links",
    "write_link_poses",
]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Between joint coordinates and the poses and twists of links.

Functions that take a state require it to satisfy loops, mimics, couplings and equal limits, and raise StateError
otherwise. `closed_state` computes such a state. Functions named `tree_…` use only the spanning tree, and take any
state.
"""

from .allowed_velocities import free_motions
from .checked import forward_kinematics, link_jacobian
from .configurations import difference, integrate, is_within_limits, random_configuration
from .coordinates import Coordinates, Gap, coordinates_at, joint_coordinates, motion_subspace, rates_at, relative_pose
from .forward import place_links, tree_kinematics, tree_poses, write_link_poses
from .frames import jacobian, transform
from .freedom.mobility import Mobility, Redundancy, mobility
from .inverse.closing import closed_state, link_poses
from .inverse.inverse import Reacher, Solution, compile_for_posing, inverse_kinematics
from .inverse.measured import coordinates_of_links, state_of_links
from .inverse.posing import Poser
from .inverse.targets import Miss, Reach, Target
from .jacobians import tree_jacobian
from .joint_limits import JointLimits, joint_limits
from .joint_motion import JointMotion
from .view import Articulation, ArticulationView, articulations
from .violations import dependence_clauses, require_satisfied, require_split
from .work import Work, make_work

__all__ = [
    "Articulation",
    "ArticulationView",
    "Coordinates",
    "Gap",
    "JointLimits",
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
    "closed_state",
    "compile_for_posing",
    "coordinates_at",
    "coordinates_of_links",
    "dependence_clauses",
    "difference",
    "forward_kinematics",
    "free_motions",
    "integrate",
    "inverse_kinematics",
    "is_within_limits",
    "jacobian",
    "joint_coordinates",
    "joint_limits",
    "link_jacobian",
    "link_poses",
    "make_work",
    "mobility",
    "motion_subspace",
    "place_links",
    "random_configuration",
    "rates_at",
    "relative_pose",
    "require_satisfied",
    "require_split",
    "state_of_links",
    "transform",
    "tree_jacobian",
    "tree_kinematics",
    "tree_poses",
    "write_link_poses",
]

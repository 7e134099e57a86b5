"""Models as a user edits them, and as kernels read them."""

from .compile import compile_model
from .compiled import CompiledModel, JointSpan, LoopJoint, coordinate_names, parts_of_state
from .couplings import COUPLING_TYPES, Coupling, Equation, Gearbox
from .editing import add_coupling, add_joint, add_link, freeze_joint, rename_joint, rename_link, replace_joint
from .elements import WORLD, Axis, Joint, Link, Mimic, ModelError, StateError
from .furniture import Frame, Light
from .grafting import graft, re_root, remove_link
from .graph import Branch, Tree
from .mirroring import (
    mirror_signs,
    mirrored_coordinates,
    mirrored_inertia,
    mirrored_joint,
    mirrored_mimic,
    mirrored_point,
    mirrored_pose,
)
from .model import Loop, Model
from .placing import set_dh, set_frames
from .presets import PRESETS, Preset, with_preset
from .properties import Setting, density_of, set_property
from .screws import joint_pose
from .zeroing import zero_at_home

__all__ = [
    "COUPLING_TYPES",
    "PRESETS",
    "WORLD",
    "Axis",
    "Branch",
    "CompiledModel",
    "Coupling",
    "Equation",
    "Frame",
    "Gearbox",
    "Joint",
    "JointSpan",
    "Light",
    "Link",
    "Loop",
    "LoopJoint",
    "Mimic",
    "Model",
    "ModelError",
    "Preset",
    "Setting",
    "StateError",
    "Tree",
    "add_coupling",
    "add_joint",
    "add_link",
    "compile_model",
    "coordinate_names",
    "density_of",
    "freeze_joint",
    "graft",
    "joint_pose",
    "mirror_signs",
    "mirrored_coordinates",
    "mirrored_inertia",
    "mirrored_joint",
    "mirrored_mimic",
    "mirrored_point",
    "mirrored_pose",
    "parts_of_state",
    "re_root",
    "remove_link",
    "rename_joint",
    "rename_link",
    "replace_joint",
    "set_dh",
    "set_frames",
    "set_property",
    "with_preset",
    "zero_at_home",
]

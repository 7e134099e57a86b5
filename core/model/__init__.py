"""Models as a user edits them, and as kernels read them."""

from .compile import compile_model
from .compiled import CompiledModel, JointSpan, LoopJoint, coordinate_names
from .couplings import COUPLING_TYPES, Coupling, Equation, Gearbox
from .edit import set_joint_property
from .elements import WORLD, Axis, Joint, Link, Mimic, ModelError, StateError
from .graph import Branch, Tree
from .model import Loop, Model
from .screws import joint_pose

__all__ = [
    "COUPLING_TYPES",
    "WORLD",
    "Axis",
    "Branch",
    "CompiledModel",
    "Coupling",
    "Equation",
    "Gearbox",
    "Joint",
    "JointSpan",
    "Link",
    "Loop",
    "LoopJoint",
    "Mimic",
    "Model",
    "ModelError",
    "StateError",
    "Tree",
    "compile_model",
    "coordinate_names",
    "joint_pose",
    "set_joint_property",
]

"""Models as a user edits them, and as kernels read them."""

from .compiled import CompiledModel, compile_model
from .edit import set_joint_property
from .elements import WORLD, Axis, Joint, Link, Mimic, Model, ModelError, StateError

__all__ = [
    "WORLD",
    "Axis",
    "CompiledModel",
    "Joint",
    "Link",
    "Mimic",
    "Model",
    "ModelError",
    "StateError",
    "compile_model",
    "set_joint_property",
]

"""Models as a user edits them, and as kernels read them."""

from .compiled import CompiledModel, compile_model
from .elements import WORLD, Axis, Joint, Link, Mimic, Model, ModelError

__all__ = ["WORLD", "Axis", "CompiledModel", "Joint", "Link", "Mimic", "Model", "ModelError", "compile_model"]

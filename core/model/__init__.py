"""Models as a user edits them, and as kernels read them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
else:
    from ..late import late

    __getattr__ = late(
        __name__,
        {
            "compile": "compile_model",
            "compiled": "CompiledModel JointSpan LoopJoint coordinate_names parts_of_state",
            "couplings": "COUPLING_TYPES Coupling Equation Gearbox",
            "editing": "add_coupling add_joint add_link freeze_joint rename_joint rename_link replace_joint",
            "elements": "WORLD Axis Joint Link Mimic ModelError StateError",
            "furniture": "Frame Light",
            "grafting": "graft re_root remove_link",
            "graph": "Branch Tree",
            "mirroring": "mirror_signs mirrored_coordinates mirrored_inertia mirrored_joint mirrored_mimic "
            "mirrored_point mirrored_pose",
            "model": "Loop Model",
            "placing": "set_dh set_frames",
            "presets": "PRESETS Preset with_preset",
            "properties": "Setting density_of set_property",
            "screws": "joint_pose",
            "zeroing": "zero_at_home",
        },
    )

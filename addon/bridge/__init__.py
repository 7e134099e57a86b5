# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place where a Blender scene and a core `Model` are translated into each other."""

from typing import TYPE_CHECKING

from ..late import late_modules

if TYPE_CHECKING:
    from . import (
        collisions,
        dials,
        driving,
        fields,
        fitting,
        frames,
        gravity,
        impacts,
        joining,
        keyed_motion,
        live,
        mass,
        mirroring,
        motion,
        motion_ranges,
        moved_bakes,
        named_poses,
        numbers,
        on_bones,
        parts,
        picking,
        poses,
        posing,
        posing_cache,
        problems,
        pulling,
        rays,
        read,
        read_joints,
        recognition,
        remedies,
        rig,
        rigging,
        settling,
        shapes,
        shifting,
        silhouettes,
        snapshot,
        store,
        tagging,
        touching,
        turning,
        wires,
        write,
    )

__getattr__ = late_modules(__name__)

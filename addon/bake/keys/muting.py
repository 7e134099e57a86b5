# SPDX-License-Identifier: GPL-3.0-or-later
"""Switch constraints off by keys for the frames of a bake, so that they do not override its keys.

Outside of these frames the constraints act as before. So the bones of their armature have their former channels there.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ...nodes import Node, model_name, owner_of, parts_among
from ...nodes.animation import path_in
from ...nodes.bones import InverseKinematics, chain_of
from ...nodes.muting import armature_of, bone_of, obstacle_to_muting, overriding_constraints, switch_of
from ..errors import BakeError
from ..receipts.restore import curves_without_bake, values_without_bake
from .fcurves import BakeAction
from .former_curves import Outside, hold_outside, outside_of


class Muting:
    """The constraints that a bake of links switches off.

    Attributes:
        constraints: on bones of the links' armatures.
    """

    def __init__(self, links: Iterable[Node]):
        self._bones = parts_among(links)
        self.constraints = overriding_constraints(self._bones)
        self._armatures = {armature_of(constraint) for constraint in self.constraints}

    def require_possible(self, kinematic: Iterable[Node]) -> None:
        """Raise `BakeError` if keys cannot switch a constraint off, or if that would stop a kinematic link.

        Args:
            kinematic: links that follow their animation.
        """
        kinematic = set(kinematic)
        for constraint in self.constraints:
            if reason := obstacle_to_muting(constraint):
                raise BakeError(reason)
            led = next((bone for bone in _moved_by(constraint) if bone in kinematic), None)
            if led is not None:
                raise BakeError(
                    f"constraint '{constraint.name}' moves the kinematic bone '{model_name(led)}', and links that are "
                    "simulated: make all bones of its chain Kinematic, or none"
                )

    def write(self, scene: bpy.types.Scene, bake: BakeAction, frames: np.ndarray) -> None:
        """Write the keys of the constraints' switches, and the keys of their bones outside of the frames.

        Args:
            bake: with the keys of the motion. frames: of the motion, shape (F,).
        """
        outside, first = outside_of(scene, frames), float(frames[0])
        switching = ((outside.before, 1), (first, 0), (outside.after, 1))
        for constraint in self.constraints:
            bake.fill_switch(armature_of(constraint), switch_of(constraint), switching)
        for bone in filter(self.affects, self._bones):
            _restore_outside(bake, bone, outside)

    def affects(self, node: Node) -> bool:
        """Return whether a constraint of the node's armature is switched off."""
        return owner_of(node) in self._armatures

    def note(self, first: int, last: int) -> list[str]:
        """Return a note about constraints that were switched off; none if there were none."""
        if not self.constraints:
            return []
        count = len(self.constraints)
        what = f"{count} constraints were" if count > 1 else "a constraint was"
        return [f"{what} switched off by keys in frames {first}–{last}, since they would override the motion"]


def _moved_by(constraint: bpy.types.Constraint) -> list[Node]:
    """Return the bones that a constraint moves."""
    bone = bone_of(constraint)
    return [bone, *chain_of(bone, constraint)] if isinstance(constraint, InverseKinematics) else [bone]


def _restore_outside(bake: BakeAction, bone: Node, outside: Outside) -> None:
    """Give the channels of a bone their former values outside of the bake."""
    former = {(path_in(bone, curve), curve.array_index): curve for curve in curves_without_bake(bone)}
    values = values_without_bake(bone)
    for curve in bake.curves_of(bone):
        path, index = path_in(bone, curve), curve.array_index
        if path in values:
            hold_outside(
                bake.channelbag(owner_of(bone)), curve, former.get((path, index)), values[path][index], outside
            )
            bake.remember(curve)

# SPDX-License-Identifier: GPL-3.0-or-later
"""`PreviewBake`: bake the motion of a preview."""

from __future__ import annotations

import bpy

from ..bake.simulation_bake import SimulationBake
from .preview_motion import PreviewMotion


class PreviewBake(SimulationBake):
    """A bake of a preview's motion with all of its pulls. Frames that are missing are computed first. See `Bake`.

    The links must have their own poses again.
    """

    def __init__(self, scene: bpy.types.Scene, motion: PreviewMotion, **changes):
        self._preview_motion = motion
        if motion.is_pulled:
            self.source = "a preview"
        super().__init__(scene, **changes)
        shown = motion.frames[max(motion.done - 1, 0)]
        if shown > motion.last:
            self.notes.append(
                f"the preview went on to frame {shown:g}, and is kept up to {motion.last}: extend the range"
            )

    def _make_simulation(self, initial):
        return self._preview_motion.inputs, self._preview_motion.simulation

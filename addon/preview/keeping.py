# SPDX-License-Identifier: GPL-3.0-or-later
"""`KeptRun`: what a preview has shown, baked as a simulation is."""

from __future__ import annotations

import bpy

from ..bake.session import BakeRun
from .motion import PreviewMotion


class KeptRun(BakeRun):
    """A preview's motion, every pull in it; what of the range it has not come to yet is computed first. See `Bake`.

    The links must be where they were before the preview.
    """

    def __init__(self, scene: bpy.types.Scene, motion: PreviewMotion, **changes):
        self._motion_kept = motion
        if motion.is_pulled:
            self.source = "a preview"
        super().__init__(scene, **changes)
        shown = motion.frames[max(motion.done - 1, 0)]
        if shown > motion.last:
            self.notes.append(
                f"the preview went on to frame {shown:g}, and is kept up to {motion.last}: extend the range"
            )

    def _begun(self, initial):
        return self._motion_kept.course, self._motion_kept.simulation

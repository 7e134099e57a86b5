# SPDX-License-Identifier: GPL-3.0-or-later
"""Import a trajectory file as a bake, and export the motion of links to one."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ....core.model import ModelError
from ....core.trajectory import SUFFIXES
from ....core.trajectory.errors import TrajectoryError
from ... import bake, ids
from ..report import fail, succeed
from ..selection import OnLinks

PATTERN = ";".join(f"*{suffix}" for suffix in SUFFIXES)


class LIMBERJACK_OT_import_trajectory(OnLinks, bpy.types.Operator, ImportHelper):
    """Read a motion of links or joints, and bake it: a .npz or .csv of ours, or a table of joint positions"""

    bl_idname = ids.OP_IMPORT_TRAJECTORY
    bl_label = "Import Trajectory"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".csv"
    filter_glob: StringProperty(default=PATTERN, options={"HIDDEN"})
    overwrite: BoolProperty(
        name="Replace Animation",
        description="Replace the links' animation with the motion; their actions are kept",
        options={"SKIP_SAVE"},
    )

    def execute(self, context):
        from ....core.trajectory.files.reading import read_trajectory

        path = Path(self.filepath)
        try:
            motion = read_trajectory(path)
            result = bake.replay_bake.ReplayBake(context.scene, motion, path.name, overwrite=self.overwrite).run()
        except (ModelError, TrajectoryError) as error:
            return fail(self, context, error)
        except OSError as error:
            return fail(self, context, f"{path}: cannot be read: {(error.strerror or str(error)).lower()}")
        return succeed(self, context, f"{path.name}: {result.summary}", result.notes)


class LIMBERJACK_OT_export_trajectory(OnLinks, bpy.types.Operator, ExportHelper):
    """Write the motion of the links over the frames, baked or animated, with the values of all joints"""

    bl_idname = ids.OP_EXPORT_TRAJECTORY
    bl_label = "Export Trajectory"
    bl_options = {"REGISTER", "PRESET"}

    filter_glob: StringProperty(default=PATTERN, options={"HIDDEN"})
    kind: EnumProperty(
        name="Contents",
        description="What the file holds",
        items=(
            ("JOINTS", "Joint Curves (.csv)", "A table of time and joint positions, as robot controllers take it", 0),
            ("CSV", "Joints and Links (.csv)", "A table of joint positions and velocities and of link poses", 1),
            ("NPZ", "Joints and Links (.npz)", "Joint positions and velocities and link poses, as NumPy arrays", 2),
        ),
    )

    @property
    def filename_ext(self) -> str:
        """Suffix for the file dialog, which warns of existing files."""
        return ".npz" if self.kind == "NPZ" else ".csv"

    def execute(self, context):
        path = Path(self.filepath)
        if path.suffix.lower() != self.filename_ext:
            path = path.with_name(path.name + self.filename_ext)
        try:
            observed, notes = bake.record.recorded(context.scene)
            observed.trajectory.save(path, only_joints=self.kind == "JOINTS")
        except ModelError as error:
            return fail(self, context, error)
        except OSError as error:
            return fail(self, context, f"{path}: cannot be written: {(error.strerror or str(error)).lower()}")
        frames = len(observed.trajectory)
        return succeed(self, context, f"Written: {path}, {frames} frames", notes)


CLASSES = (LIMBERJACK_OT_import_trajectory, LIMBERJACK_OT_export_trajectory)

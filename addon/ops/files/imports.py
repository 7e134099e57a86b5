# SPDX-License-Identifier: GPL-3.0-or-later
"""Import models of every format that core reads, from the menu or by dropping files into the 3D view."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatVectorProperty, StringProperty
from bpy_extras.io_utils import ImportHelper
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d

from ....core.formats.registry import FORMATS, alternatives, suffixes
from ....core.model.text import counted
from ... import ids
from ...bridge.values.numbers import unit_length
from ..report import fail, in_object_mode, succeed

if TYPE_CHECKING:
    from ....core.formats import Reading
    from ....core.model import Model

NAMES = alternatives(entry.name for entry in FORMATS)


class LIMBERJACK_OT_import_model(bpy.types.Operator, ImportHelper):
    __doc__ = f"Read {NAMES} files as links and joints, each in a collection of its own"

    bl_idname = ids.OP_IMPORT
    bl_label = f"Import {NAMES}"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = FORMATS[0].suffixes[0]
    filter_glob: StringProperty(default=";".join(f"*{suffix}" for suffix in suffixes()), options={"HIDDEN"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    search: StringProperty(
        name="Search In",
        description="Folders with meshes and models that the files refer to, separated by :, or by ; on Windows",
    )
    fixed_base: EnumProperty(
        name="Fixed Base",
        description="Fix the base link of a model to the world if its file does not",
        items=(
            (
                "AUTO",
                "Automatic",
                "Fix it if it is named base, base_link, world or pedestal, or has no mass",
                0,
            ),
            ("FIXED", "Fixed", "Fix it, whatever its name: its Motion becomes Static", 1),
            ("FREE", "Free", "Let it float and fall, as in the file", 2),
        ),
    )
    use_place: BoolProperty(
        name="Place Where Dropped",
        description="Place models on the ground where they are dropped; otherwise at the position in their files",
        default=True,
    )
    place: FloatVectorProperty(
        name="Place", description="Position of the models' origin", subtype="TRANSLATION", options={"SKIP_SAVE"}
    )
    is_dropped: BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return in_object_mode(cls, context)

    def invoke(self, context, event):
        if self.properties.is_property_set("filepath") and (point := _ground_under(context, event)):
            self.place, self.is_dropped = point, True
        return self.invoke_popup(context)

    def draw(self, _context):
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        self.layout.prop(self, "search")
        self.layout.prop(self, "fixed_base")
        if self.is_dropped:
            self.layout.prop(self, "use_place")
        place = self.layout.column()
        place.enabled = self.use_place or not self.is_dropped
        place.prop(self, "place")

    def execute(self, context):
        from ....core.formats import UnreadableError, read
        from ...bridge.scene.write import write_scene

        search = [folder for folder in self.search.split(os.pathsep) if folder]
        readings = []
        for path in self._paths():  # read all before any is written
            try:
                reading = read(path, search)
            except (UnreadableError, OSError) as error:
                return fail(self, context, error)
            errors = [issue for issue in reading.issues if issue.severity == "error"]
            if errors:
                return fail(self, context, f"{path.name}: {errors[0].subject}: {errors[0].message}")
            readings.append(reading)
        for obj in context.selected_objects:
            obj.select_set(False)
        notes, counts = [], []
        for reading in readings:
            fixed = self._fix(reading)
            self._move(reading.model, context.scene)
            objects, changes = write_scene(reading.model, context.scene)
            for obj in objects.values():  # so that the user can move the model at once
                obj.select_set(True)
            context.view_layer.objects.active = objects[reading.model.links[0].name]
            notes += [f"{issue.subject}: {issue.message}" for issue in reading.issues] + [*reading.notes, *changes]
            model = reading.model
            parts = [counted(model.links, "link"), counted(model.joints, "joint"), *fixed]
            counts.append(f"{model.name}: {', '.join(parts)}")
        return succeed(self, context, "; ".join(counts), notes)

    def _paths(self) -> list[Path]:
        named = [Path(self.directory) / item.name for item in self.files if item.name]
        return named or [Path(self.filepath)]

    def _fix(self, reading: "Reading") -> list[str]:
        """Fix bases to the world, which then need no mass. Return a message about each of them."""
        from ....core.model.editing.editing import fix_base, proposed_bases

        proposed = _nothing if reading.format and reading.format.says_what_floats else proposed_bases
        model, floating = reading.model, {"AUTO": proposed, "FIXED": _roots, "FREE": _nothing}[self.fixed_base]
        fixed = [fix_base(model, name).child for name in floating(model)]
        settled = {("massless", f"link '{name}'") for name in fixed}
        reading.issues = [issue for issue in reading.issues if (issue.code, issue.subject) not in settled]
        return [f"base '{name}' fixed" for name in fixed]

    def _move(self, model: "Model", scene: bpy.types.Scene) -> None:
        if any(self.place) and (self.use_place or not self.is_dropped):
            from ...bridge.scene.moving import move_model

            move_model(model, tuple(part * unit_length(scene) for part in self.place))


def _roots(model: "Model") -> tuple[str, ...]:
    return model.tree().roots


def _nothing(_model: "Model") -> tuple[str, ...]:
    return ()


def _ground_under(context, event) -> tuple[float, float, float] | None:
    """Return the point of the ground, z = 0, under the mouse; None if the ground is not visible there."""
    region, view = context.region, context.region_data
    if context.area is None or context.area.type != "VIEW_3D" or region is None or view is None:
        return None
    at = (event.mouse_region_x, event.mouse_region_y)
    start, direction = region_2d_to_origin_3d(region, view, at), region_2d_to_vector_3d(region, view, at)
    if abs(direction.z) < 1e-6:
        return None
    way = -start.z / direction.z
    if view.is_perspective and way < 0.0:
        return None
    point = start + way * direction
    return round(point.x, 3), round(point.y, 3), 0.0


class LIMBERJACK_FH_model(bpy.types.FileHandler):
    """Drag and drop of model files into the 3D view"""

    bl_idname = ids.FILE_HANDLER
    bl_label = NAMES
    bl_import_operator = ids.OP_IMPORT
    bl_file_extensions = ";".join(suffixes())

    @classmethod
    def poll_drop(cls, context):
        return context.area is not None and context.area.type == "VIEW_3D"


CLASSES = (LIMBERJACK_OT_import_model, LIMBERJACK_FH_model)

"""Models leave as SDF and come in as SDF or URDF."""

from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ...core.model import ModelError
from .. import ids
from ..bridge import scan_scene, store_weights, write_scene
from ..props import is_link
from .report import fail, in_object_mode, succeed

SUFFIXES = (".sdf", ".world", ".urdf")


class LIMBERJACK_OT_export_sdf(bpy.types.Operator, ExportHelper):
    """Write the scene's links and joints as SDF, with their meshes beside it"""

    bl_idname = ids.OP_EXPORT_SDF
    bl_label = "Export SDF"
    bl_options = {"REGISTER"}

    filename_ext = ".sdf"
    filter_glob: StringProperty(default="*.sdf", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        if not any(is_link(obj) for obj in context.scene.objects):
            cls.poll_message_set("There are no links: select objects and tag them as links")
            return False
        return in_object_mode(cls, context)

    def execute(self, context):
        from ...core.formats import UnwritableError, write

        try:
            reading = scan_scene(context.scene, with_shapes=True)
            losses = write(reading.model, Path(self.filepath))
        except (ModelError, UnwritableError, OSError) as error:
            return fail(self, context, error)
        store_weights(reading)
        return succeed(self, context, f"Written: {self.filepath}", [*reading.notes, *losses])


class LIMBERJACK_OT_import_model(bpy.types.Operator, ImportHelper):
    """Read an SDF or URDF file as links and joints, in a collection of their own"""

    bl_idname = ids.OP_IMPORT
    bl_label = "Import SDF or URDF"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".sdf"
    filter_glob: StringProperty(default=";".join(f"*{suffix}" for suffix in SUFFIXES), options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return in_object_mode(cls, context)

    def invoke(self, context, event):
        return self.invoke_popup(context)

    def execute(self, context):
        from ...core.formats import UnreadableError, read

        try:
            reading = read(Path(self.filepath))
        except (UnreadableError, OSError) as error:
            return fail(self, context, error)
        errors = [issue for issue in reading.issues if issue.severity == "error"]
        if errors:
            return fail(self, context, f"{errors[0].subject}: {errors[0].message}")
        _, notes = write_scene(reading.model, context.scene)
        warnings = [f"{issue.subject}: {issue.message}" for issue in reading.issues]
        model = reading.model
        counts = f"{model.name}: {len(model.links)} links, {len(model.joints)} joints"
        return succeed(self, context, counts, [*warnings, *reading.notes, *notes])


class LIMBERJACK_FH_model(bpy.types.FileHandler):
    """Drag and drop of model files into the 3D view"""

    bl_idname = ids.FILE_HANDLER
    bl_label = "SDF or URDF"
    bl_import_operator = ids.OP_IMPORT
    bl_file_extensions = ";".join(SUFFIXES)

    @classmethod
    def poll_drop(cls, context):
        return context.area is not None and context.area.type == "VIEW_3D"


def _draw_import(menu, _context):
    menu.layout.operator(ids.OP_IMPORT, text="SDF or URDF Model (.sdf, .world, .urdf)")


def _draw_export(menu, _context):
    menu.layout.operator(ids.OP_EXPORT_SDF, text="SDF Model (.sdf)")


def add_to_menus():
    bpy.types.TOPBAR_MT_file_import.append(_draw_import)
    bpy.types.TOPBAR_MT_file_export.append(_draw_export)


def remove_from_menus():
    bpy.types.TOPBAR_MT_file_import.remove(_draw_import)
    bpy.types.TOPBAR_MT_file_export.remove(_draw_export)


CLASSES = (LIMBERJACK_OT_export_sdf, LIMBERJACK_OT_import_model, LIMBERJACK_FH_model)

"""Models leave as SDF and URDF."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from ...core.model import WORLD, ModelError
from .. import bridge, ids
from .report import fail, succeed
from .selection import OnLinks

SDF_VERSIONS = ("1.7", "1.8", "1.9", "1.10", "1.11", "1.12")
"""Spelt out, so that the add-on starts without the formats; a test holds them against the writer's."""


class Export(OnLinks, ExportHelper):
    """What both operators share; subclasses say which options their file dialog shows."""

    bl_options = {"REGISTER", "PRESET"}

    mesh_format: EnumProperty(
        name="Meshes",
        description="What meshes are written as",
        items=(
            ("OBJ", "OBJ", "Wavefront OBJ, with materials and images beside it", 0),
            ("GLTF", "glTF", "Binary glTF, by Blender's own exporter: Y up, as readers of glTF expect", 1),
        ),
    )
    uris: EnumProperty(
        name="Paths",
        description="How the file names its meshes",
        items=(
            ("relative", "Relative", "From the file's own folder", 0),
            (
                "model",
                "By Folder",
                "By the name of the model's folder, which simulators search for: model:// in SDF, package:// in URDF",
                1,
            ),
        ),
    )
    pose: EnumProperty(
        name="Pose",
        description="Which pose is written",
        items=(
            ("zero", "As Drawn", "Every joint at zero", 0),
            ("home", "At Start", "Every joint where a simulation starts", 1),
        ),
    )
    substitute: BoolProperty(
        name="Substitute",
        description="Write joints that the format has no words for as others that come close, and say so",
    )

    def writer_options(self) -> dict[str, object]:
        """Those of the writer."""
        return {"uris": self.uris, "pose": self.pose, "substitute": self.substitute}

    def fit(self, reading: "bridge.read.SceneReading") -> None:
        """Leave out what the layout has no place for, and say so."""

    def execute(self, context):
        from ...core.formats import UnwritableError, write

        try:
            reading = bridge.read.scan_scene(
                context.scene,
                with_shapes=True,
                with_surroundings=self.surroundings,
                mesh_format=self.mesh_format,
            )
            self.fit(reading)
            losses = write(reading.model, Path(self.filepath), **self.writer_options())
        except (ModelError, UnwritableError, OSError) as error:
            return fail(self, context, error)
        bridge.store.store_weights(reading)
        return succeed(self, context, f"Written: {self.filepath}", [*reading.notes, *losses])


class LIMBERJACK_OT_export_sdf(Export, bpy.types.Operator):
    """Write the scene as SDF, with its meshes beside it"""

    bl_idname = ids.OP_EXPORT_SDF
    bl_label = "Export SDF"

    filename_ext = ".sdf"
    filter_glob: StringProperty(default="*.sdf;*.world", options={"HIDDEN"})
    layout_as: EnumProperty(
        name="Layout",
        description="What the file holds",
        items=(
            ("MODEL", "One Model", "All links and joints as one model, without the lights of the world", 0),
            ("WORLD", "One World", "A world, with each articulation as a model of its own", 1),
            ("FOLDERS", "Folders", "A world, and a folder for each articulation", 2),
        ),
    )
    sdf_version: EnumProperty(
        name="Version",
        description="Of SDF: the lower, the more programs read it",
        items=[
            ("AUTO", "As Needed", "The lowest that most programs read and that has words for the model"),
            *((version, version, f"SDF {version}") for version in SDF_VERSIONS),
        ],
        default="AUTO",
    )
    surroundings: BoolProperty(
        name="Surroundings",
        description="Also write lights, and what is seen and belongs to no link, fixed to the world",
        default=True,
    )

    def writer_options(self):
        as_world = self.layout_as != "MODEL"
        chosen: dict[str, object] = {"world": as_world, "folders": self.layout_as == "FOLDERS"}
        if self.sdf_version != "AUTO":
            chosen["sdf_version"] = self.sdf_version
        return super().writer_options() | chosen

    def fit(self, reading):
        """A model may be put into any world, which has lights of its own."""
        if self.layout_as != "MODEL":
            return
        lights = [light for light in reading.model.lights if light.link == WORLD]
        reading.model.lights = [light for light in reading.model.lights if light.link != WORLD]
        reading.remarks += [
            f"light '{light.name}' is left out of the model; write a world to keep it" for light in lights
        ]

    def draw(self, _context):
        _draw(self, "layout_as", "sdf_version", "mesh_format", "uris", "pose", "surroundings", "substitute")


class LIMBERJACK_OT_export_urdf(Export, bpy.types.Operator):
    """Write the scene's links and joints as URDF, with their meshes beside it"""

    bl_idname = ids.OP_EXPORT_URDF
    bl_label = "Export URDF"

    filename_ext = ".urdf"
    filter_glob: StringProperty(default="*.urdf", options={"HIDDEN"})
    surroundings: BoolProperty(
        name="Surroundings",
        description="Also write what is seen and belongs to no link, fixed to the world",
        default=False,
    )

    def draw(self, _context):
        _draw(self, "mesh_format", "uris", "pose", "surroundings", "substitute")


def _draw(operator, *names: str) -> None:
    operator.layout.use_property_split = True
    operator.layout.use_property_decorate = False
    for name in names:
        operator.layout.prop(operator, name)


CLASSES = (LIMBERJACK_OT_export_sdf, LIMBERJACK_OT_export_urdf)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Export models: an operator for each format that core can write, with the options of its writer."""

from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from ....core.formats import Format, Option, UnwritableError
from ....core.formats.registry import FOLDERS, MOTION, SDF, writable
from ....core.formats.registry import WORLD as AS_WORLD
from ....core.model import ModelError
from ... import bake, bridge, ids
from ..report import fail, succeed
from ..selection import OnLinks
from .proving import known_judges, look_for_judges

UNSET = "AUTO"
"""Identifier of the empty choice, since Blender's enums cannot have an empty one."""


def _property_of(option: Option) -> Any:
    if option.is_motion:
        return BoolProperty(
            name=option.label,
            description="Also write the motion of the frames, as time samples, with the skins of characters",
        )
    if not option.choices:
        return BoolProperty(name=option.label, description=option.help)
    items = [(choice.value or UNSET, choice.label, choice.help) for choice in option.choices]
    return EnumProperty(name=option.label, description=option.help, items=items)


class Export(OnLinks, ExportHelper):
    """Base of the operators that export models.

    Attributes:
        offered: options of the writer that are properties of the operator.
        holds_meshes: whether meshes are in the file, so that they have no format of their own.
        asked: names of other properties, by which the operator asks for the options of `asked_otherwise`.
    """

    bl_options = {"REGISTER", "PRESET"}
    offered: tuple[Option, ...]
    holds_meshes = False
    asked: tuple[str, ...] = ()
    asked_otherwise: tuple[Option, ...] = ()

    mesh_format: EnumProperty(
        name="Meshes",
        description="File format of meshes",
        items=(
            ("OBJ", "OBJ", "Wavefront OBJ, with materials and images beside it", 0),
            ("GLTF", "glTF", "Binary glTF, by Blender's own exporter: Y up, as readers of glTF expect", 1),
        ),
    )
    split_meshes: BoolProperty(
        name="Split Meshes",
        description="Also write meshes that armatures deform: each face is a part of the link that its bones belong to",
    )
    surroundings: BoolProperty(
        name="Surroundings", description="Also write visible objects that belong to no link, fixed to the world"
    )

    compares: BoolProperty(
        name="Compare With",
        description="After writing, compare what these simulators make of it: poses, masses and a second of motion",
        options={"SKIP_SAVE"},
    )

    def invoke(self, context, event):
        look_for_judges()
        return super().invoke(context, event)

    def writer_options(self) -> dict[str, object]:
        chosen = {option.name: getattr(self, option.name) for option in self.offered}
        return {name: value for name, value in chosen.items() if value != UNSET and name != MOTION.name}

    @property
    def writes_motion(self) -> bool:
        """Whether the motion of the scene is written, with the skins of its characters."""
        return MOTION in self.offered and getattr(self, MOTION.name)

    def fit(self, reading: "bridge.scene.read.SceneReading") -> None:
        """Remove what the file cannot contain, and add a note."""

    def execute(self, context):
        from ....core.formats import write

        try:
            reading = bridge.scene.read.scan_scene(
                context.scene,
                with_shapes=True,
                with_surroundings=self.surroundings,
                mesh_format=self.mesh_format,
                split_meshes=self.split_meshes,
                with_skins=self.writes_motion,
            )
            self.fit(reading)
            options, losses = self.writer_options(), []
            if self.writes_motion:
                played = bake.record.recorded_with_skins(context.scene)
                options |= {MOTION.name: played.observed.trajectory, "characters": played.characters}
                losses += played.losses
            losses += write(reading.model, Path(self.filepath), **options)
        except (ModelError, UnwritableError, OSError) as error:
            return fail(self, context, error)
        bridge.scene.store.store_weights(reading)
        done = succeed(self, context, f"Written: {self.filepath}", [*reading.notes, *losses])
        if self.compares:
            bpy.ops.limberjack.prove("INVOKE_DEFAULT")
        return done

    def draw(self, _context):
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        offered = [option.name for option in self.offered]
        meshes = ("split_meshes",) if self.holds_meshes else ("mesh_format", "split_meshes")
        for name in (*self.asked, *meshes, *offered, "surroundings"):
            self.layout.prop(self, name)
        if names := ", ".join(known_judges()):
            self.layout.column(heading="Compare With").prop(self, "compares", text=names, translate=False)


class ExportSdf(Export):
    """Base of the operator that exports SDF.

    One property covers worlds and folders, and Surroundings includes lights.
    """

    asked, asked_otherwise = ("layout_as",), (AS_WORLD, FOLDERS)

    layout_as: EnumProperty(
        name="Layout",
        description="What the file holds",
        items=(
            ("MODEL", "One Model", "All links and joints as one model, without the lights of the world", 0),
            ("WORLD", "One World", "A world in which each articulation is a separate model", 1),
            ("FOLDERS", "Folders", "A world, and a folder for each articulation", 2),
        ),
    )
    surroundings: BoolProperty(
        name="Surroundings",
        description="Also write lights and visible objects that belong to no link, fixed to the world",
        default=True,
    )

    def writer_options(self):
        layout = {AS_WORLD.name: self.layout_as != "MODEL", FOLDERS.name: self.layout_as == "FOLDERS"}
        return super().writer_options() | layout

    def fit(self, reading):
        """Remove lights of the world from a single model, which may be placed in a world with lights of its own."""
        if self.layout_as != "MODEL":
            return
        from ....core.model import WORLD

        lights = [light for light in reading.model.lights if light.link == WORLD]
        reading.model.lights = [light for light in reading.model.lights if light.link != WORLD]
        reading.other_notes += [
            f"light '{light.name}' is left out of the model; write a world to keep it" for light in lights
        ]


def _operator(entry: Format) -> type:
    base = ExportSdf if entry is SDF else Export
    options = tuple(option for option in entry.options if option not in base.asked_otherwise)
    pattern = StringProperty(default=";".join(f"*{suffix}" for suffix in entry.suffixes), options={"HIDDEN"})
    members = {
        "__doc__": f"Write the scene's links and joints as {entry.name}, with their meshes"
        + ("" if entry.holds_meshes else " beside it"),
        "__annotations__": {option.name: _property_of(option) for option in options} | {"filter_glob": pattern},
        "bl_idname": ids.export_of(entry.suffixes[0]),
        "bl_label": f"Export {entry.name}",
        "filename_ext": entry.suffixes[0],
        "offered": options,
        "holds_meshes": entry.holds_meshes,
    }
    return type(f"LIMBERJACK_OT_export_{entry.suffixes[0][1:]}", (base, bpy.types.Operator), members)


CLASSES = tuple(_operator(entry) for entry in writable())

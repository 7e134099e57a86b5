# SPDX-License-Identifier: GPL-3.0-or-later
"""Set properties of a scene's model by name, as core's `set_property` does, and store them in Blender's properties."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace

import bpy
import numpy as np

from ....core.geometry import Shape, Surface
from ....core.model import Joint, Link, Model, ModelError
from ....core.model.properties import PIECES, SURFACE_PROPERTIES, OnProgress, Setting, density_of, set_property
from ...nodes import Node, children_of, model_name, owner_of
from ...props import axes_in_use, carrier_of, fit_to_type, is_joint
from ...props.settings import joint_settings, link_settings, scene_settings
from ..animation.animated import SCENE, STRENGTH, Input, animated_inputs
from ..links.collision_fitting import found_fit, search
from ..links.collisions import link_mesh_of, put_collisions, require_fitted_collisions
from ..links.contact_settings import contact_settings_of, surface_at, write_surface
from ..links.mass import is_weighed
from ..links.parts import evaluated_scene_of
from ..model_objects import nodes_present
from ..values.fields import (
    AXIS_FIELDS,
    INERTIAL_FIELDS,
    JOINT_FIELDS,
    LINK_FIELDS,
    MEETING_FIELDS,
    Field,
    drive_of,
    fields_on,
    write_fields,
)
from ..values.numbers import Units, units_of
from .read import SceneReading, depsgraph_of, gravity_of, wind_of
from .write import store_gravity, store_home, store_wind

DENSITY = Field("density")
DRIVE = {field.name for field in AXIS_FIELDS if field.section == "drive"}


def store_setting(
    setting: Setting,
    reading: SceneReading,
    scene: bpy.types.Scene,
    first: int | None = None,
    on_progress: OnProgress = lambda _text: None,
) -> list[str]:
    """Set a property in the reading's model and in the scene, so that the scene reads as that model.

    A density is set in the scene only: the resulting mass is known once the scene is read again. So are convex pieces,
    which are objects of the scene.

    Args:
        reading: of the scene, from the same first frame. first: as for `scan_scene`. on_progress: as for
            `set_property`.

    Returns:
        Messages about values that Blender could not store.

    Raises:
        ModelError: if there is no such owner, property or value, or if animation would override it; the scene is
            unchanged then.
    """
    store = _Store(scene, first)
    link = reading.objects.get(setting.owner)
    if link is None:
        _require_property_of_ground(setting, reading.model)
    if link is not None and setting.name in SURFACE_PROPERTIES:
        _show_surface(reading.model.link(setting.owner), link, store.units)
    if link is not None and setting.name in ("density", "material"):
        return store.density(link, density_of(setting))
    if link is not None and (setting.name, setting.text) == ("collisions", PIECES):
        return store.pieces(link, on_progress)
    match set_property(reading.model, setting):
        case Joint() as joint:
            return store.of_joint(joint, setting.name)
        case Link() as changed if setting.name in SURFACE_PROPERTIES:
            return store.of_surface(reading.objects.get(changed.name), changed, setting.name)
        case Link() as changed:
            return store.of_link(reading.objects[changed.name], changed, setting.name)
        case _ if setting.name == "static":  # no link floats, so there is nothing to fix
            return []
        case model:
            return store.of_world(model, setting.name)


def _require_property_of_ground(setting: Setting, model: Model) -> None:
    """Raise `ModelError` if the setting is for the ground, which is a link without an object, but not for its surface.

    Args:
        model: of which no link with an object has the name `setting.owner`.
    """
    if any(link.name == setting.owner for link in model.links) and setting.name not in SURFACE_PROPERTIES:
        raise ModelError(
            f"link '{setting.owner}' is the scene's ground, which has no property '{setting.name}'; it has: "
            + ", ".join(SURFACE_PROPERTIES)
        )


def _show_surface(link: Link, obj: Node, units: Units) -> None:
    """Give a link that was read without its collisions one collision with the surface of the link."""
    if not link.collisions:
        contact = contact_settings_of(obj, obj, units)
        link.collisions = [Shape(obj.name, None, surface=contact.surface)]


class _Store:
    """Writes properties of the model to a scene. Each method returns messages about values that could not be stored."""

    def __init__(self, scene: bpy.types.Scene, first: int | None):
        self.scene = scene
        self.units = units_of(scene, first)
        self.animated = animated_inputs(scene)

    def density(self, obj: Node, density: float) -> list[str]:
        if not is_weighed(obj):
            raise ModelError(
                f"link '{obj.name}': its mass is Custom, which no density changes: set its mass, or choose Material "
                "for it in the scene"
            )
        self._require_steady(Input(model_name(obj), name) for name in ("density", "material", "mass_source"))
        settings = link_settings(obj)
        settings.mass_source = "DENSITY"
        return _change_messages(
            obj, "link", write_fields([DENSITY], settings, SimpleNamespace(density=density), self.units)
        )

    def pieces(self, obj: Node, on_progress: OnProgress) -> list[str]:
        require_fitted_collisions(obj)
        evaluated_scene = evaluated_scene_of(self.scene, depsgraph_of(self.scene))
        fit = found_fit(search(link_mesh_of(obj, evaluated_scene), PIECES.upper()), on_progress)
        if fit.shapes:  # else the link has these pieces already
            put_collisions(obj, fit, evaluated_scene)
        return [fit.note] if fit.note else []

    def of_link(self, obj: Node, link: Link, name: str) -> list[str]:
        settings = link_settings(obj)
        if name == "static":
            self._require_steady([Input(model_name(obj), "motion")])
            settings.motion = "STATIC"
            return _change_messages(obj, "link", [])
        names = {name}
        if name == "mass":
            names |= {"mass_source"} if is_weighed(obj) else {"mass_source", "inertia"}
        self._require_steady(Input(model_name(obj), part) for part in names)
        if name == "mass" and is_weighed(obj):
            settings.mass_source = "MASS"
        fields = [field for field in (*INERTIAL_FIELDS, *LINK_FIELDS, *MEETING_FIELDS) if field.name in names]
        return _change_messages(obj, "link", write_fields(fields, settings, link, self.units))

    def of_surface(self, obj: Node | None, link: Link, name: str) -> list[str]:
        """Write a surface to the link and to those of its shapes that have a surface of their own.

        The surface of the ground, which has no object, is written to the scene.
        """
        surface = link.collisions[0].surface
        if obj is None:
            return write_surface(surface, scene_settings(self.scene).ground_surface, self.units)
        changes = write_surface(surface, link_settings(obj).surface, self.units)
        for part in (part for child in children_of(obj) for part in (child, *child.children_recursive)):
            own = link_settings(part).surface
            if carrier_of(part) == obj and own.source == "CUSTOM":
                kept = surface_at(own, self.units) or Surface()
                changes += write_surface(replace(kept, **{name: getattr(surface, name)}), own, self.units)
        return _change_messages(obj, "link", changes)

    def of_world(self, model: Model, name: str) -> list[str]:
        self._require_steady([Input(SCENE, name)])
        put, read = {"gravity": (store_gravity, gravity_of), "wind": (store_wind, wind_of)}[name]
        put(model, self.scene)
        meant, kept = getattr(model, name), read(self.scene)
        if np.allclose(kept, meant, rtol=1e-6, atol=1e-12):
            return []
        return [f"the {name} {meant} cannot be kept: it is {kept} here"]

    def of_joint(self, joint: Joint, name: str) -> list[str]:
        obj = self._object_of(joint)
        settings = joint_settings(obj)
        if len(axes_in_use(settings)) < joint.axis_count or len(settings.coordinates) != len(joint.home):
            fit_to_type(settings)  # the file is older than some axes of the type
            store_home(joint, settings, self.units)
        if name == "home":
            self._require_steady([Input(model_name(obj), name)])
            store_home(joint, settings, self.units)
            return _change_messages(obj, "joint", [])
        if fields := [field for field in JOINT_FIELDS if field.name == name]:
            self._require_steady(Input(model_name(obj), part) for part in _with_toggle(name))
            return _change_messages(obj, "joint", write_fields(fields, settings, joint, self.units))
        return _change_messages(obj, "joint", self._of_axes(obj, joint, name))

    def _object_of(self, joint: Joint) -> Node:
        for obj in nodes_present(self.scene):
            if is_joint(obj) and model_name(obj) == joint.name:
                return obj
        raise ModelError(
            f"joint '{joint.name}' only stands for the Motion of link '{joint.child}', which is not Free, and has no "
            "properties: set those of the scene's own joints"
        )

    def _of_axes(self, obj: Node, joint: Joint, name: str) -> list[str]:
        """Write a property to all axes that have it.

        If the joint's drive strength is not 1, the drive is stored with its effective values, and the strength is set
        to 1.
        """
        settings = joint_settings(obj)
        weakened = {part for axis in axes_in_use(settings) for part in drive_of(axis).scales}
        own, written = {name}, {name}
        if name in weakened:
            self._require_steady([Input(model_name(obj), STRENGTH)])
        if name == "drive_mode":
            written = {name, "drive_target"}  # its unit depends on the mode
        if name in weakened | {"drive_mode"} and self._is_weak(obj):
            own, written = own | weakened, DRIVE
        for number in range(joint.axis_count):
            self._require_steady(Input(model_name(obj), part, number) for field in own for part in _with_toggle(field))
        if written is DRIVE:
            settings.drive_strength = 1.0
        changes = []
        for number in range(joint.axis_count):
            fields = [field for field in fields_on(joint.kind.slot(number)) if field.name in written]
            unit = joint.axis_unit(number)
            changes += write_fields(fields, settings.axes[number], joint.axes[number], self.units, coordinate=unit)
        if name in ("lower", "upper"):
            store_home(joint, settings, self.units)  # keeps a default start when limits change
        return changes

    def _is_weak(self, obj: Node) -> bool:
        """Return whether the joint's drive strength differs from 1 and is not animated."""
        return joint_settings(obj).drive_strength != 1.0 and Input(model_name(obj), STRENGTH) not in self.animated

    def _require_steady(self, inputs: Iterable[Input]) -> None:
        """Raise `ModelError` if a setting is animated, because the animation would override it at the next frame."""
        for known in inputs:
            if known in self.animated:
                raise ModelError(
                    f"{known} is animated, which would take the place of what is set: delete its keys, driver or strip "
                    "in the scene first"
                )


def _with_toggle(name: str) -> tuple[str, str]:
    return name, f"use_{name}"


def _change_messages(obj: Node, kind: str, changes: list[str]) -> list[str]:
    """Return messages about changed numbers, and about values that a saved file will not contain."""
    subject = f"{kind} '{model_name(obj)}'"
    notes = [f"{subject}: {change}" for change in changes]
    owner = owner_of(obj)
    if owner.is_editable and owner.override_library is None:
        return notes
    return [
        *notes,
        f"{subject} comes from a library: what is set counts now, and no saved file keeps it",
    ]

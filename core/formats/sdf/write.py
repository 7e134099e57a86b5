# SPDX-License-Identifier: GPL-3.0-or-later
"""The writer of SDF: a `Model` becomes one model, or a world with a model for each articulation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from ...files.errors import UnwritableError
from ...geometry import Cone
from ...model import WORLD, Axis, Joint, Model
from ...model.editing.zeroing import zero_at_home
from ...model.naming import STATIC, claim
from ..drake.output import is_drake_spring
from ..files import write_together
from ..mesh_output.meshes import MeshFiles
from ..names import printable
from ..registry import POSE, SDF_VERSION, URIS
from ..substitutes import substituted
from ..xml.kept import prefixes_in, put_back
from ..xml.output import numbers, put, put_pose, xml
from .gather import ORIGINAL_NAME, UNNAMED
from .layout import Part, articulations, legal_name
from .write_model import MIMIC_SINCE, ModelWriter, write_light
from .write_shape import CONE_SINCE

VERSIONS = SDF_VERSION.values
"""Versions that can be written."""

DEFAULT_VERSION = "1.9"
"""The newest version that widely installed releases of Gazebo read.

A model that needs more is written in a newer one.
"""

STANDARD_GRAVITY = Model().gravity
"""Gravity of a model that does not define it [m/s^2]. Other gravity requires a world."""


def write_sdf(
    model: Model,
    path: Path,
    *,
    sdf_version: str = "",
    world: bool = False,
    folders: bool = False,
    uris: str = "relative",
    pose: str = "zero",
    substitute: bool = False,
) -> list[str]:
    """Write the model, the meshes that it contains, and model.config for a model folder. Return the losses.

    Args:
        sdf_version: one of VERSIONS; "" for 1.9, or for the version that the model needs, which a line then names.
        world: write a world, with a model for each articulation. A world is always written if there are lights or
            frames of the world, kept elements of a world, another gravity than the standard one, or no links.
        folders: write each articulation to a folder of its own beside `path`, and a world that includes them.
        uris: of meshes, "relative" to the file, or by the "model" folder that contains it.
        pose: "zero", as drawn, with joints at 0; or "home", the initial pose, which then has the coordinates 0.
        substitute: replace joints that SDF does not have by chains of those that it has.

    Raises:
        UnwritableError: if an option has another value, or if a file cannot be written.
    """
    for name, value, allowed in (("uris", uris, URIS.values), ("pose", pose, POSE.values)):
        if value not in allowed:
            raise UnwritableError(path, f"{name} '{value}' is not known; say {' or '.join(allowed)}")
    losses: list[str] = []
    if any(model.wind):
        losses.append(f"the wind {numbers(model.wind)} is left out: SDF leaves what it does to plugins")
    if pose == "home":
        model, left = zero_at_home(model)
        losses += left
    if substitute:
        model, notes = substituted(model, _can_say)
        losses += notes
    version = _version(model, sdf_version, path, losses)
    export = _Export(path, version, uris, losses)
    if folders:
        export.in_folders(model)
    else:
        export.in_one_file(model, world or _needs_world(model))
    write_together(path, export.contents)
    return losses


def _can_say(joint: Joint) -> bool:
    """Return whether SDF can express a joint completely. It cannot express limits and springs of a ball joint."""
    if is_drake_spring(joint):
        return True
    if joint.kind.sdf is None:
        return not joint.nv or (joint.has_no_effect and joint.parent == WORLD)
    return all(axis == Axis(xyz=axis.xyz) for axis in joint.axes[len(joint.all_columns) : joint.axis_count])


def _version(model: Model, asked: str, path: Path, losses: list[str]) -> str:
    if asked:
        if asked not in VERSIONS:
            raise UnwritableError(path, f"SDF version '{asked}' is not known; write one of {', '.join(VERSIONS)}")
        return asked
    for needs, since, what in (
        (any(joint.mimic for joint in model.joints), MIMIC_SINCE, "mimics"),
        (any(isinstance(shape.geometry, Cone) for link in model.links for shape in link.shapes), CONE_SINCE, "cones"),
    ):
        if needs:
            version = ".".join(map(str, since))
            losses.append(f"written as SDF {version}, since 1.9 has no {what}; programs that end there miss them")
            return version
    return DEFAULT_VERSION


def _needs_world(model: Model) -> bool:
    in_world = any(extra.is_of_world for extra in model.extras)
    stands = any(item.link == WORLD for item in (*model.lights, *model.frames))
    return in_world or stands or not model.links or tuple(model.gravity) != STANDARD_GRAVITY


@dataclass
class _Export:
    """The files of an export.

    Attributes:
        contents: {path beside `path`: content}.
    """

    path: Path
    version: str
    uris: str
    losses: list[str]
    contents: dict[str, str | bytes] = field(default_factory=dict)

    @property
    def version_numbers(self) -> tuple[int, ...]:
        return tuple(map(int, self.version.split(".")))

    def in_one_file(self, model: Model, world: bool) -> None:
        is_folder = self.path.name == "model.sdf"
        prefix = "" if is_folder else f"{self.path.stem}_"
        base = f"model://{self.path.resolve().parent.name}/" if self.uris == "model" else ""
        meshes = MeshFiles(self.path.parent, prefix, base)
        root = Element("sdf", version=self.version)
        parts = articulations(model) if world else [Part(model, is_outer=True)]
        shared = len(parts) != 1 or any(frame.link == WORLD for frame in model.frames) or _includes(model)
        at = self._world(root, model, shared) if world else root
        taken = {str(beside.get("name")) for beside in at}
        for part in parts:
            self._model(at, part.model, meshes, taken, inner=not shared or part.is_outer)
        self._report_pairs_between(parts, model)
        self.contents[self.path.name] = _text(root)
        self.contents |= meshes.contents
        self.losses += meshes.losses
        if meshes.contents or is_folder:
            self._config_beside(printable(model.name) or "model")

    def in_folders(self, model: Model) -> None:
        root = Element("sdf", version=self.version)
        parts = articulations(model)
        at = self._world(root, model, several=True)
        taken: set[str] = set()
        for part in parts:
            folder = claim(re.sub(r"[^A-Za-z0-9_-]+", "_", part.model.name).strip("_") or "model", taken)
            base = f"model://{folder}/" if self.uris == "model" else ""
            meshes = MeshFiles(self.path.parent / folder, base=base)
            own = Element("sdf", version=self.version)
            self._model(own, part.model, meshes, set(), inner=part.is_outer)
            self.contents |= {f"{folder}/{name}": content for name, content in meshes.contents.items()}
            self.losses += meshes.losses
            self.contents[f"{folder}/model.sdf"] = _text(own)
            self.contents[f"{folder}/model.config"] = _config(printable(part.model.name), "model.sdf", self.version)
            put(SubElement(at, "include"), "uri", f"model://{folder}/")
        self.contents[self.path.name] = _text(root)
        self._report_pairs_between(parts, model)

    def _report_pairs_between(self, parts: Sequence[Part], model: Model) -> None:
        """Report the contact pairs whose links are in different models. Models report their own ones."""
        self.losses += [
            f"links '{pair.a}' and '{pair.b}' {'meet' if pair.meets else 'do not meet'} by a contact pair, which SDF "
            "has not between models; it is left out"
            for pair in model.contact_pairs
            if not any(part.contains(pair) for part in parts)
        ]

    def _world(self, root: Element, model: Model, several: bool) -> Element:
        name = printable(model.name) if several else ""
        at = SubElement(root, "world", name="default" if name in ("", WORLD) else name)
        put(at, "gravity", numbers(model.gravity))
        for light in model.lights:
            if light.link == WORLD:
                write_light(at, light, light.name)
        for frame in model.frames:
            if frame.link == WORLD:
                taken = {str(beside.get("name")) for beside in at}
                element = SubElement(at, "frame", name=legal_name(frame.name, "frame", taken))
                if element.attrib["name"] != frame.name:
                    element.set(ORIGINAL_NAME, frame.name)
                put_pose(element, frame.pose)
        for extra in model.extras:
            if extra.is_of_world and extra.format == "SDF":
                put_back(at, replace(extra, within=extra.within[1:]))
        return at

    def _model(self, at: Element, part: Model, meshes: MeshFiles, taken: set[str], inner: bool) -> None:
        """Write a model.

        inner: whether names of its contents begin with its own name when the file is read, if the file has other
        models.
        """
        element = ModelWriter(part, self.version_numbers, meshes, self.losses).write(at, static=_is_static(part))
        element.set("name", legal_name(part.name, "model", taken))
        if element.attrib["name"] != part.name:
            notes = f"model '{part.name}' is named '{element.attrib['name']}'"
            self.losses.append(f"{notes}, because SDF does not allow that name, or has it already")
        if not inner:
            element.set(UNNAMED, "true")

    def _config_beside(self, name: str) -> None:
        known = self.path.with_name("model.config")
        if not known.exists():
            self.contents[known.name] = _config(name, self.path.name, self.version)
        elif not known.is_file() or self.path.name not in known.read_text(encoding="utf-8", errors="replace"):
            self.losses.append(f"model.config is there already and kept, though it does not name '{self.path.name}'")


def _includes(model: Model) -> bool:
    """Return whether the world around the model includes others."""
    return any(extra.tag == "include" and extra.is_of_world for extra in model.extras)


def _is_static(part: Model) -> bool:
    """Return whether a model consists of links that are fixed to the world.

    The joints must have the names that the reader gives them.
    """
    known = {joint.child for joint in part.joints if joint.parent == WORLD and joint.type == "fixed" and joint.enabled}
    named = all(joint.name == f"{joint.child}{STATIC}" for joint in part.joints)
    return bool(part.links) and named and known == {link.name for link in part.links}


def _text(root: Element) -> str:
    for prefix in sorted(prefixes_in(root)):
        root.set(f"xmlns:{prefix}", f"urn:{prefix}")
    return xml(root)


def _config(name: str, file_name: str, version: str) -> str:
    root = Element("model")
    put(root, "name", name)
    put(root, "version", "1.0")
    SubElement(root, "sdf", version=version).text = file_name
    return xml(root)

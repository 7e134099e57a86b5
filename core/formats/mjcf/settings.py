# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings in <compiler> and <option>. They hold for the whole file, so they are read before anything else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from ...files.xml import Element
from ...spatial import Vec3
from ..findings import Findings
from .document import Document

Value = TypeVar("Value")

SWITCHES: Mapping[str, bool] = {"true": True, "false": False}
"""Words for a truth value."""

ENABLED: Mapping[str, bool] = {"enable": True, "disable": False}
"""Words for a truth value in <flag>."""

AUTO = "auto"
"""Word of a value that follows from others."""


@dataclass
class Settings:
    """The settings of <compiler> and <option>.

    Attributes:
        radians_per_unit: of angles in the file.
        eulerseq: the axes of Euler angles in order; capitals are fixed axes, small letters are those of the body.
        autolimits: whether a range alone switches a limit on.
        meshdir, texturedir: folders of meshes and height fields, and of images.
        strippath: whether folders in the names of files are ignored.
        inertia_from_geoms: True: always, False: never, None: where a body has no <inertial>.
        inertia_groups: lowest and highest group of geoms that have mass.
        bound_mass [kg], bound_inertia [kg m^2]: least mass and least principal moment of a moving body.
        balance_inertia: whether principal moments that no body can have become equal.
        total_mass: of all bodies, which are scaled to it; None for no scaling [kg].
        fits_boxes: whether primitives are fitted to the bounding box of a mesh, not to its inertia.
        gravity: [m/s^2].
        wind: [m/s].
        contacts, limits, springs, dampers, friction, drives, equalities: whether these act.
        parents_pass: whether a body and its parent do not collide.
    """

    radians_per_unit: float = math.pi / 180.0
    eulerseq: str = "xyz"
    autolimits: bool = True
    meshdir: str = ""
    texturedir: str = ""
    strippath: bool = False
    inertia_from_geoms: bool | None = None
    inertia_groups: tuple[float, float] = (0.0, 5.0)
    bound_mass: float = 0.0
    bound_inertia: float = 0.0
    balance_inertia: bool = False
    total_mass: float | None = None
    fits_boxes: bool = False
    gravity: Vec3 = (0.0, 0.0, -9.81)
    wind: Vec3 = (0.0, 0.0, 0.0)
    contacts: bool = True
    limits: bool = True
    springs: bool = True
    dampers: bool = True
    friction: bool = True
    drives: bool = True
    equalities: bool = True
    parents_pass: bool = True

    def is_on(self, limited: str, has_range: bool) -> bool:
        """Return whether a limit acts, from its `limited` attribute ("" or "auto" where it follows from the range)."""
        return SWITCHES.get(limited, has_range)


def read_settings(document: Document, findings: Findings) -> Settings:
    """Return the settings of a file. Where a section occurs twice, each attribute of the later one counts."""
    found = Settings()
    for element in document.sections("compiler"):
        _read_compiler(element, found, findings)
    for element in document.sections("option"):
        found.gravity = findings.attribute_vector(element, "gravity", found.gravity)
        found.wind = findings.attribute_vector(element, "wind", found.wind)
        for flags in element.all("flag"):
            _read_flags(flags, found, findings)
    return found


def _read_compiler(element: Element, found: Settings, findings: Findings) -> None:
    def switch(name: str, now: bool) -> bool:
        return word(element, name, SWITCHES, now, findings)

    angles = {"radian": 1.0, "degree": math.pi / 180.0}
    found.radians_per_unit = word(element, "angle", angles, found.radians_per_unit, findings)
    word(element, "coordinate", {"local": None}, None, findings)
    sequence = element.attributes.get("eulerseq", found.eulerseq)
    if len(sequence) == 3 and set(sequence) <= set("xyzXYZ"):
        found.eulerseq = sequence
    else:
        findings.error(element, "bad-value", f"eulerseq is '{sequence}'; write three of the letters x y z X Y Z")
    found.autolimits = switch("autolimits", found.autolimits)
    folder = element.attributes.get("assetdir")
    found.meshdir = element.attributes.get("meshdir", found.meshdir if folder is None else folder)
    found.texturedir = element.attributes.get("texturedir", found.texturedir if folder is None else folder)
    found.strippath = switch("strippath", found.strippath)
    modes = {"true": True, "false": False, AUTO: None}
    found.inertia_from_geoms = word(element, "inertiafromgeom", modes, found.inertia_from_geoms, findings)
    found.inertia_groups = findings.attribute_vector(element, "inertiagrouprange", found.inertia_groups)
    found.bound_mass = findings.attribute(element, "boundmass", found.bound_mass)
    found.bound_inertia = findings.attribute(element, "boundinertia", found.bound_inertia)
    found.balance_inertia = switch("balanceinertia", found.balance_inertia)
    total = findings.attribute(element, "settotalmass", found.total_mass or -1.0)
    found.total_mass = total if total > 0.0 else None
    found.fits_boxes = switch("fitaabb", found.fits_boxes)


FLAGS: Mapping[str, str] = {
    "contact": "contacts",
    "limit": "limits",
    "spring": "springs",
    "damper": "dampers",
    "frictionloss": "friction",
    "actuation": "drives",
    "equality": "equalities",
    "filterparent": "parents_pass",
}
"""Attributes of <flag>, and the settings that they switch."""


def _read_flags(element: Element, found: Settings, findings: Findings) -> None:
    for name, field in FLAGS.items():
        setattr(found, field, word(element, name, ENABLED, getattr(found, field), findings))
    if not word(element, "gravity", ENABLED, True, findings):
        found.gravity = (0.0, 0.0, 0.0)
    if not word(element, "constraint", ENABLED, True, findings):
        found.contacts = found.limits = found.friction = found.equalities = False


def word(element: Element, name: str, values: Mapping[str, Value], default: Value, findings: Findings) -> Value:
    """Return the value that the word in an attribute stands for; the default if there is none, or after an error."""
    text = element.attributes.get(name, "").strip()
    if not text:
        return default
    if text not in values:
        allowed = ", ".join(values)
        findings.error(element, "bad-value", f"{name} of <{element.tag}> is '{text}'; allowed are {allowed}")
        return default
    return values[text]

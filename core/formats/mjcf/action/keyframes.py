# SPDX-License-Identifier: GPL-3.0-or-later
"""The key that is the initial pose: the one named `home`, as robots have it. Other keys are kept as text.

Source: MuJoCo documentation, XML Reference, "keyframe/key".
"""

from __future__ import annotations

from ....files.xml import Element
from ...findings import Findings, numbers_in
from ..model_file import ModelFile
from ..poses import unit_quat
from ..tree.bodies import BodyTree, Part
from ..tree.joints import kind_of

HOME = "home"
"""Name of the key that is read, in small letters."""

WIDTHS = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}
"""Count of numbers in qpos of each type of joint."""


def home_key(file: ModelFile) -> Element | None:
    """Return the key that is the initial pose; None if no key has its name."""
    keys = [key for key in file.document.entries("keyframe") if key.tag == "key"]
    return next((key for key in keys if key.name.lower() == HOME), None)


def start_of(tree: BodyTree, key: Element | None, findings: Findings) -> dict[Part, tuple[float, ...]]:
    """Return the coordinates of all joints that a key gives; {} if it gives none, or after an error."""
    if key is None or "qpos" not in key.attributes:
        return {}
    parts = [part for body in tree.world.walk() for part in body.all("joint")]
    widths = [WIDTHS[kind_of(part, findings)] for part in parts]
    values = numbers_in(key.attributes["qpos"])
    if len(values) != sum(widths):
        message = f"qpos of the key '{key.name}' has {len(values)} numbers; the joints take {sum(widths)}: correct it"
        findings.error(key, "bad-number", message)
        return {}
    findings.note(f"the key '{key.name}' is the initial pose (line {key.line})")
    found: dict[Part, tuple[float, ...]] = {}
    at = 0
    for part, width in zip(parts, widths, strict=True):
        own = values[at : at + width]
        found[part] = own if width == 1 else own[:-4] + unit_quat(own[-4:])
        at += width
    return found


def controls_of(file: ModelFile, key: Element | None, findings: Findings) -> dict[Element, float]:
    """Return the control of each actuator at a key; {} if it gives none."""
    if key is None or "ctrl" not in key.attributes:
        return {}
    actuators = [*file.document.entries("actuator")]
    values = numbers_in(key.attributes["ctrl"])
    if len(values) != len(actuators):
        message = f"ctrl of the key '{key.name}' has {len(values)} numbers for {len(actuators)} actuators; correct it"
        findings.warning(key, "bad-number", message)
        return {}
    return dict(zip(actuators, values, strict=True))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of MJCF.

MuJoCo's tree of bodies becomes links and joints; a body without a joint is fixed to its parent, and one with a free
joint floats. Coordinates are MuJoCo's: at q = 0 a hinge with ref stands at -ref from where it is drawn. A floating link
counts its coordinates from its pose at the start.
"""

from __future__ import annotations

from ...files.resources import FilesBeside
from ...model import Model
from ...model.couplings import at_led_homes
from ...model.text import counted, quoted
from ..findings import Findings, Places
from ..source import Source
from .action.actuators import ActuatorReader, set_drives
from .action.contacts import read_contacts
from .action.equalities import EqualityReader
from .action.inertias import Inertias
from .action.keyframes import controls_of, home_key, start_of
from .action.sensors import SensorReader
from .action.springs import set_springs
from .action.surfaces import read_surfaces
from .action.tendons import Tendons
from .model_file import open_model
from .tree.assembly import Assembler
from .tree.bodies import OWN, BodyTree


def read_mjcf(source: Source, findings: Findings, files: FilesBeside) -> tuple[Model, Places]:
    """Return the model in an MJCF file, and the elements of its parts."""
    root = source.root
    file = open_model(root, files, findings)
    settings = file.settings
    model = Model(root.attributes.get("model", "").strip() or "mujoco", gravity=settings.gravity, wind=settings.wind)
    places: Places = {("model", model.name): root}
    tree = BodyTree(file, findings)
    key = home_key(file)
    assembler = Assembler(model, places, findings, start_of(tree, key, findings))
    assembler.add(tree)
    assembled = assembler.assembled
    sources = [(file, OWN), *tree.attached]
    inertias = Inertias(model, assembled)
    tendons = Tendons(model, assembled, findings)
    for each, affixes in sources:
        tendons.read(each, affixes)
    equalities = EqualityReader(model, assembled, tendons, places, findings)
    for each, affixes in sources:
        equalities.read(each, affixes)
        read_contacts(model, assembled, each, findings, affixes)
    _start_followers(model, findings)
    read_surfaces(model, assembled, inertias, findings)
    actuators = ActuatorReader(model, assembled, tendons, findings)
    for each, affixes in sources:
        actuators.read(each, affixes, controls_of(each, key, findings) if each is file else None)
    sensors = SensorReader(model, assembled, tree, actuators.found, findings)
    for each, affixes in sources:
        sensors.read(each, affixes)
    set_springs(model, assembled, inertias, findings)
    set_drives(model, actuators.found, inertias, findings)
    return model, places


def _start_followers(model: Model, findings: Findings) -> None:
    """Let joints that follow others start where these lead them. A key may have them elsewhere, as MuJoCo allows."""
    joints = at_led_homes(model.joints)
    moved = [joint.name for joint, before in zip(joints, model.joints, strict=True) if joint is not before]
    if moved:
        one = counted(moved, "joint")
        findings.note(
            f"{one} ({quoted(moved[:3])}) would not start where those that they follow lead them; they start there"
        )
    model.joints = joints

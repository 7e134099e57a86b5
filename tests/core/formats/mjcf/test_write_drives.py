# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives as actuators, whose targets are controls of the key `home`."""

from xml.etree import ElementTree

import pytest

from limberjack.core.formats import read, write
from limberjack.core.model import WORLD, Axis, Joint, Link, Model

DRIVES = {
    "position": Axis(drive_mode="position", drive_stiffness=40.0, drive_damping=3.0, drive_target=0.4, effort=9.0),
    "position without damper": Axis(drive_mode="position", drive_stiffness=40.0, drive_target=-0.4),
    "velocity": Axis(drive_mode="velocity", drive_damping=3.0, drive_target=2.0, effort=9.0),
    "force": Axis(drive_mode="force", drive_target=-5.0),
}


def driven(axis: Axis, kind: str = "revolute") -> Model:
    link = Link("l", 1.0, inertia=(0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    return Model("m", [link], [Joint("j", kind, WORLD, "l", axes=[axis])])


def written(model: Model, folder):
    losses = write(model, folder / "m.xml")
    return ElementTree.parse(folder / "m.xml").getroot(), losses


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("name", DRIVES)
def test_drives_come_back(name, kind, tmp_path):
    """Guards stiffness, damping, target and greatest effort of each kind of drive."""
    _, losses = written(driven(DRIVES[name], kind), tmp_path)
    again = read(tmp_path / "m.xml").model.joint("j").axes[0]
    for field in ("drive_mode", "drive_stiffness", "drive_damping", "drive_target", "effort"):
        assert getattr(again, field) == pytest.approx(getattr(DRIVES[name], field)), field
    assert losses == []


def test_a_drive_without_force_is_left_out(tmp_path):
    """Guards an effort limit of 0: as a range of MuJoCo, 0 0 is no limit at all."""
    root, _ = written(driven(Axis(drive_mode="force", drive_target=-5.0, effort=0.0)), tmp_path)
    assert root.find("actuator") is None


def test_drives_that_mjcf_lacks_are_told(tmp_path):
    """Guards the drives of a ball, of which MuJoCo has none by three axes."""
    model = driven(Axis())
    model.joints = [Joint("j", "ball", WORLD, "l")]
    model.joints[0].axes[0].drive_mode, model.joints[0].axes[0].drive_damping = "velocity", 1.0
    root, losses = written(model, tmp_path)
    assert root.find("actuator") is None
    assert losses == ["joint 'j': its drives are left out: a ball of MJCF has none of three axes"]

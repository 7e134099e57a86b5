# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones as links on the command line: info, check, simulate and convert of a .blend file."""

import json
import math
import xml.etree.ElementTree as ET

import bpy
import numpy as np
import pytest

from limberjack.addon import cli
from limberjack.addon.cli.blend import load_blend
from limberjack.core.formats import read

from .conftest import joint
from .rigs import chain, hang_up, tag

LENGTH = 1.0
RADIUS = LENGTH / 10.0


@pytest.fixture
def path(scene, tmp_path, request):
    """A file with a chain of three bones that hangs on the world and falls from the horizontal.

    Its joints are balls, or of the type that the test asks for.
    """
    bones = tag(chain(3))
    hang_up(bones[0])
    if getattr(request, "param", "ball") != "ball":
        for bone in bones:
            joint(bone).type = request.param
            joint(bone).axes[0].xyz = (1.0, 0.0, 0.0)
    path = tmp_path / "rig.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def run(*argv):
    return cli.main([str(word) for word in argv])


def test_info_and_check(path, capsys):
    """Guards `info` and `check`: bones have the names Armature:Bone, and nothing is wrong with a rig of them."""
    assert run("info", path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [link["name"] for link in found["links"]] == ["Rig:b0", "Rig:b1", "Rig:b2"]
    assert [(item["name"], item["type"], item["parent"]) for item in found["joints"]] == [
        ("Rig:b0", "ball", "world"),
        ("Rig:b1", "ball", "Rig:b0"),
        ("Rig:b2", "ball", "Rig:b1"),
    ]
    volume = math.pi * RADIUS**2 * (LENGTH - 2.0 * RADIUS + 4.0 / 3.0 * RADIUS)
    assert found["links"][0]["mass"] == pytest.approx(1000.0 * volume, rel=1e-5)
    assert run("check", path) == 0


def test_simulate(path, tmp_path, capsys):
    """Guards `simulate`: a chain of bones swings, and its links are named."""
    out = tmp_path / "out.npz"
    assert run("simulate", path, "--duration", 0.5, "--json", "-o", out) == 0
    assert json.loads(capsys.readouterr().out)
    with np.load(out) as stored:
        assert [str(name) for name in stored["link_names"]] == ["Rig:b0", "Rig:b1", "Rig:b2"]


@pytest.mark.parametrize(("path", "suffix"), [("ball", ".sdf"), ("continuous", ".urdf")], indirect=["path"])
def test_convert(path, tmp_path, capsys, suffix):
    """Guards exports of bones: links and joints keep their names and frames, and their capsules are capsules in SDF."""
    out = tmp_path / f"rig{suffix}"
    assert run("convert", path, out) == 0
    capsys.readouterr()
    model = read(out).model
    assert {link.name for link in model.links} == {"Rig:b0", "Rig:b1", "Rig:b2"}
    assert {(item.parent, item.child) for item in model.joints if item.child != "Rig:b0"} == {
        ("Rig:b0", "Rig:b1"),
        ("Rig:b1", "Rig:b2"),
    }
    for number, link in enumerate(sorted(model.links, key=lambda link: link.name)):
        np.testing.assert_allclose(link.pose[:3], (0.0, float(number), 2.0), atol=1e-9)
        assert len(link.collisions) == 1
    tags = {element.tag for element in ET.parse(out).getroot().iter()}
    assert "capsule" in tags or suffix == ".urdf"


def test_settings_of_bones(path):
    """Guards OWNER.PROPERTY=VALUE for owners whose names contain a colon: link and joint of a bone have one name."""
    found = load_blend(path, settings=["Rig:b1.mass=3", "Rig:b1.enabled=0"]).model
    assert found.link("Rig:b1").mass == 3.0
    assert [item.enabled for item in found.joints] == [True, False, True]

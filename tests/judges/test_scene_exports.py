# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of several models, models in models, and what stands by, as libsdformat and Drake read them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from limberjack.core.cli import describe
from limberjack.core.extras import Extra
from limberjack.core.formats import write
from limberjack.core.geometry import Box, Capsule, Ellipsoid, Material, Mesh, Shape
from limberjack.core.model import Axis, Frame, Gearbox, Joint, Light, Link, Model
from limberjack.core.spatial import IDENTITY, compose, inverse, quat_of_rotvec
from support.judges import JUDGES, PYTHON, SDFDUMP, differences, needs_libsdformat, needs_python_judges

TILTED = (0.3, -0.2, 0.5, *quat_of_rotvec((0.4, -0.3, 0.8)))


def yard() -> Model:
    """An arm of nested names, a hinge apart from it, a stone that is held, lights and frames."""
    model = Model("yard")
    pose = IDENTITY
    for name in ("arm::base", "arm::fore::elbow", "arm::fore::hand", "post", "door"):
        model.links.append(Link(name, pose=pose, inertia=(0.02, 0.001, 0.0, 0.03, 0.0, 0.025)))
        pose = compose(pose, TILTED)
    for one, other, name in ((0, 1, "arm::bend"), (1, 2, "arm::fore::twist"), (3, 4, "swing")):
        parent, child = model.links[one], model.links[other]
        X_PJ = compose(inverse(parent.pose), child.pose)
        hinge = Axis((0.48, 0.6, 0.64), lower=-1.0, upper=2.0)
        model.joints.append(Joint(name, "revolute", parent.name, child.name, X_PJ, axes=[hinge]))
    model.links.append(Link("stone", pose=TILTED))
    model.joints.append(Joint("stone_static", "fixed", "world", "stone", X_PJ=TILTED))
    paint = Material((1.0, 0.5, 0.0, 1.0), emissive=(0.1, 0.1, 0.1, 1.0))
    model.link("post").visuals = [Shape("a", Capsule(0.1, 1.0), TILTED, paint), Shape("b", Ellipsoid((0.1, 0.2, 0.3)))]
    model.link("post").collisions = [Shape("a", Box((0.1, 0.1, 1.0)))]
    model.frames = [Frame("grip", "arm::fore::hand", TILTED)]
    model.lights = [Light("sun", "directional"), Light("lamp", "spot", pose=TILTED)]
    return model


def geared() -> Model:
    """SDF's gearbox, and a ball that closes a loop."""
    model = Model("geared", [Link("rack"), Link("in", pose=TILTED), Link("out", pose=compose(TILTED, TILTED))])
    model.joints = [Joint(f"{link.name}_hinge", "revolute", "rack", link.name, link.pose) for link in model.links[1:]]
    model.joints.append(Joint("strut", "ball", "in", "out", X_PJ=TILTED, closes_loop=True))
    model.couplings = [Gearbox("box", "in", "out", "rack", -2.0, (0.6, 0.8, 0.0), (0.0, 0.0, 1.0), TILTED)]
    return model


def libsdformat(path: Path) -> dict:
    return _told([SDFDUMP, "--path", path.parent, path])


def drake(path: Path) -> dict:
    return _told([PYTHON, JUDGES / "drake_dump.py", "--path", path.parent, path])


def _told(command: list) -> dict:
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return json.loads(told[told.find("{\n") :])


def judged(model: Model, path: Path, judge: Callable[[Path], dict]) -> str:
    reading = judge(path)
    assert not reading["errors"], reading["errors"]
    assert not [warning for warning in reading["warnings"] if "not defined in SDF" in str(warning)]
    return differences(describe(model), reading)


LAYOUTS = pytest.mark.parametrize(
    "options",
    [{}, {"world": True}, {"folders": True}, {"folders": True, "uris": "model", "sdf_version": "1.8"}],
    ids=["models", "world", "folders", "model-uris"],
)


@needs_libsdformat
@LAYOUTS
def test_libsdformat_reads_scenes(tmp_path, options):
    """Guards models in models, worlds and folders of models by Gazebo's reader: every link where it is."""
    write(yard(), tmp_path / "yard.sdf", **options)
    assert judged(yard(), tmp_path / "yard.sdf", libsdformat) == ""


@needs_python_judges
@LAYOUTS
def test_drake_reads_scenes(tmp_path, options):
    """Guards the same by Drake, which refuses what it does not know."""
    write(yard(), tmp_path / "yard.sdf", **options)
    assert judged(yard(), tmp_path / "yard.sdf", drake) == ""


@needs_libsdformat
def test_libsdformat_reads_gearboxes_and_loops(tmp_path):
    """Guards what Drake has none of: a gearbox's ends and its frame, a joint that closes a loop."""
    write(geared(), tmp_path / "m.sdf")
    assert judged(geared(), tmp_path / "m.sdf", libsdformat) == ""


@needs_python_judges
def test_drake_reads_states(tmp_path):
    """Guards <model_state> of 1.12, which must not keep Drake from the file."""
    model = yard()
    model.joint("arm::fore::twist").home = (0.5,)
    write(model, tmp_path / "m.sdf", sdf_version="1.12")
    assert judged(model, tmp_path / "m.sdf", drake) == ""


@needs_libsdformat
def test_kept_plugins_are_where_they_were(tmp_path):
    """Guards text that comes back: libsdformat knows every element of it in its place."""
    model = geared()
    plugin = Extra("SDF", "plugin", '<plugin name="p" filename="p.so"><a>1</a></plugin>')
    step = '<physics type="ode"><max_step_size>0.01</max_step_size></physics>'
    model.extras = (plugin, Extra("SDF", "physics", step, ("world",)))
    model.joints[0].extras = (Extra("SDF", "ode", "<ode><cfm>0.1</cfm></ode>", ("physics",)),)
    faint = Extra("SDF", "transparency", "<transparency>0.5</transparency>")
    model.links[0].visuals = [Shape("v", Box((1.0, 1.0, 1.0)), extras=(faint,))]
    write(model, tmp_path / "m.sdf")
    assert judged(model, tmp_path / "m.sdf", libsdformat) == ""


@needs_libsdformat
def test_a_world_around_a_robot_with_meshes_of_another_folder(tmp_path):
    """Guards relative uris of meshes that were not found: the robot is still read, and the loss is told."""
    model = Model("m", [Link("a", visuals=[Shape("v", Mesh("meshes/a.dae"))])])
    assert len(write(model, tmp_path / "m.sdf", world=True)) == 1
    assert judged(model, tmp_path / "m.sdf", libsdformat) == ""

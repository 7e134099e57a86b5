# SPDX-License-Identifier: GPL-3.0-or-later
"""A finding is the same on all routes: from Python, and from `check` and `simulate` of a model file and of a scene."""

import math
import re

import bpy
import pytest

from limberjack.addon.bridge.scene.write import write_scene
from limberjack.addon.cli import main
from limberjack.core.check import check_model
from limberjack.core.formats import read, write
from limberjack.core.model import WORLD, Axis, Joint, Link, Model

INERTIA = (0.2, 0.0, 0.0, 0.3, 0.0, 0.4)


def arm(name="arm", **more):
    return Link(name, 1.0, (0.3, 0.0, 0.1), INERTIA, **more)


def hinged(home=0.0, **axis):
    hinge = Joint("hinge", "revolute", WORLD, "arm", home=(home,), axes=[Axis(xyz=(0.0, 1.0, 0.0), **axis)])
    return Model("m", [arm()], [hinge])


def with_a_stone():
    model = hinged()
    model.links.append(arm("stone"))
    return model


def loose():
    return Model("m", [arm("base"), arm()], [Joint("hinge", "revolute", "base", "arm")])


def wrist(between=0.0):
    """Three hinges with two massless links between them, the outer two in line: what a file can have."""
    links = [Link("a", 0.0, inertia=(0.0,) * 6), Link("b", 0.0, inertia=(0.0,) * 6), arm()]
    ends = (("yaw", WORLD, "a", (0, 0, 1)), ("pitch", "a", "b", (0, 1, 0)), ("roll", "b", "arm", (1, 0, 0)))
    joints = [Joint(name, "revolute", *pair, axes=[Axis(xyz=xyz)]) for name, *pair, xyz in ends]
    joints[1].home = (0.5 * math.pi,)
    return Model("m", links, joints)


def euler():
    """The same as one joint, which scenes and scripts have, and no format of files."""
    joint = Joint("wrist", "euler_xyz", WORLD, "arm", home=(0.0, 0.5 * math.pi, 0.0))
    return Model("m", [arm()], [joint])


FINDINGS = {
    "home-outside-limits": (hinged(home=2.0, lower=0.5, upper=1.0), "warning", "joint 'hinge'"),
    "crossed-limits": (hinged(lower=1.0, upper=-1.0), "warning", "joint 'hinge'"),
    "limits-in-degrees": (hinged(lower=-90.0, upper=90.0), "warning", "joint 'hinge'"),
    "falls-freely": (loose(), "warning", "link 'base'"),
    "falls-freely, alone": (with_a_stone(), "note", "link 'stone'"),
    "gimbal-lock": (wrist(), "warning", "joint 'pitch'"),
    "gimbal-lock, in one joint": (euler(), "warning", "joint 'wrist'"),
}
NO_FILE_HAS = "gimbal-lock, in one joint"
ROUTES = [(case, route) for case in FINDINGS for route in ("sdf", "blend") if (case, route) != (NO_FILE_HAS, "sdf")]


@pytest.fixture
def told(tmp_path, capsys):
    """Returns what a verb says of a code in a file, without the file's name and line."""

    def ask(path, code, *words):
        capsys.readouterr()
        main([words[0], str(path), *words[1:]])
        printed = capsys.readouterr()
        lines = (printed.out + printed.err).splitlines()
        found = [line.removeprefix(str(path)) for line in lines if code in line]
        return [re.sub(r"^(:\d+)?: ", "", line) for line in found]

    return ask


@pytest.mark.parametrize(("case", "route"), ROUTES)
def test_a_finding_is_the_same_on_each_route(tmp_path, capsys, told, case, route):
    """Guards users who go from a script to a file to a scene: one code and one sentence for one mistake."""
    model, severity, subject = FINDINGS[case]
    code = case.partition(",")[0]
    (issue,) = [issue for issue in check_model(model) if issue.code == code]
    assert (issue.severity, issue.subject) == (severity, subject)
    path = tmp_path / f"m.{route}"
    if route == "sdf":
        write(model, path, world=True, sdf_version="1.12")
    else:
        bpy.ops.wm.read_homefile(use_empty=True)
        write_scene(model, bpy.context.scene)
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
    line = f"{severity} {code}: {subject}: {issue.message}"
    assert told(path, f" {code}: ", "check") == [line]
    assert told(path, f" {code}: ", "simulate", "--duration", "0.05") == [line]


def test_simulate_says_nothing_twice(tmp_path, capsys):
    """Guards the doctor and the notes of a run, which found the same by other words: one line for one mistake."""
    for name in ("home-outside-limits", "crossed-limits", "falls-freely", "falls-freely, alone"):
        model, _, subject = FINDINGS[name]
        path = tmp_path / "m.sdf"
        write(model, path, world=True, sdf_version="1.12")
        capsys.readouterr()
        assert main(["simulate", str(path), "--duration", "0.05"]) == 0
        assert capsys.readouterr().err.count(subject) == 1
    assert not [issue for issue in read(path).issues if issue.code == "falls-freely"]  # which a reader lets pass

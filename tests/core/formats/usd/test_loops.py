# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints outside of articulations: those that close loops, and orphans, which no articulation holds.

The mechanisms are those that Newton's documentation of loop closure and of orphan joints names. Newton's solvers in
joint coordinates refuse orphans; here, a tree of joints needs no articulation root.
"""

import warnings
from pathlib import Path

import pytest

import limberjack as lj
from limberjack.core.formats import read, write
from limberjack.core.model import Model
from limberjack.core.model.graph import connected_components
from support.shared import CORPUS, needs_corpus
from support.usd import body, joint, joint_gaps, model_of, prim

pytest.importorskip("pxr", reason="usd-core is not installed")

GAP = 1e-9
"""Largest gap of a joint [m or rad]."""

OUTSIDE = "bool physics:excludeFromArticulation = true"
ABOUT_Y = 'uniform token physics:axis = "Y"'
ROOT = "PhysicsArticulationRootAPI"


def require_closed(model: Model, seconds: float) -> dict[str, tuple[float, ...]]:
    """Simulate, require that no joint has a gap in any frame, and return the last poses of links [m]."""
    trajectory = lj.simulate(model, seconds)
    poses = [dict(zip(trajectory.link_names, frame.tolist(), strict=True)) for frame in trajectory.X_WL]
    for frame in poses:
        gaps = joint_gaps(model, frame)
        assert all(gap < GAP for gap in gaps.values()), gaps
    return poses[-1]


def rigid_loop() -> str:
    """A base that is fixed to the world, two arms on hinges, and a fixed joint between them that closes the loop."""
    return (
        body("base", apis=[ROOT])
        + body("left", at=(1, 0, 0))
        + body("right", at=(-1, 0, 0))
        + joint("Fixed", "foot", "", ("", "/base"))
        + joint("Revolute", "hinge_left", ABOUT_Y, ("/base", "/left"), frames=((1, 0, 0), (0, 0, 0)))
        + joint("Revolute", "hinge_right", ABOUT_Y, ("/base", "/right"), frames=((-1, 0, 0), (0, 0, 0)))
        + joint("Fixed", "loop", OUTSIDE, ("/left", "/right"), frames=((-1, 0, 0.5), (1, 0, 0.5)))
    )


def four_bar(loop: str = OUTSIDE, apis: tuple[str, ...] = (ROOT,)) -> str:
    """A crank, a coupler and a rocker on a base; the hinge between coupler and rocker closes the loop."""
    return (
        body("base", apis=apis)
        + body("crank", at=(0, 0, 0.5))
        + body("coupler", at=(1, 0, 1))
        + body("rocker", at=(2, 0, 0.5))
        + joint("Fixed", "foot", "", ("", "/base"))
        + joint("Revolute", "in", ABOUT_Y, ("/base", "/crank"), frames=((0, 0, 0), (0, 0, -0.5)))
        + joint("Revolute", "knee", ABOUT_Y, ("/crank", "/coupler"), frames=((0, 0, 0.5), (-1, 0, 0)))
        + joint("Revolute", "out", ABOUT_Y, ("/base", "/rocker"), frames=((2, 0, 0), (0, 0, -0.5)))
        + joint("Revolute", "loop", f"{ABOUT_Y}\n{loop}", ("/coupler", "/rocker"), frames=((1, 0, 0), (0, 0, 0.5)))
    )


@pytest.mark.parametrize(("prims", "moves"), [(rigid_loop(), False), (four_bar(), True)], ids=["rigid", "four_bar"])
def test_a_loop_is_closed_and_written_as_such(prims, moves, tmp_path):
    """Guards excludeFromArticulation: the joint holds, a tree remains without it, and a file says so again."""
    from pxr import Usd

    sideways = prim("PhysicsScene", "scene", "vector3f physics:gravityDirection = (1, 0, -1)")
    model = model_of(prims + sideways)
    assert [each.name for each in model.joints if each.closes_loop] == ["loop"]
    assert [loop.joint.name for loop in model.loops()] == ["loop"]
    poses = require_closed(model, 1.0)
    drawn = {link.name: link.pose for link in model.links}
    assert (max(abs(poses[name][0] - drawn[name][0]) for name in poses) > 0.1) == moves

    path = tmp_path / "m.usda"
    write(model, path)
    stage = Usd.Stage.Open(str(path))
    outside = {each.GetName(): each.GetAttribute("physics:excludeFromArticulation").Get() for each in stage.Traverse()}
    assert {name for name, is_outside in outside.items() if is_outside} == {"loop"}
    assert [each.GetName() for each in stage.Traverse() if ROOT in each.GetAppliedSchemas()] == ["foot"]
    again = read(path).model
    assert [each.name for each in again.joints if each.closes_loop] == ["loop"]
    returned = require_closed(again, 1.0)
    for name, pose in poses.items():
        assert returned[name] == pytest.approx(pose, abs=1e-5)


CHAIN = joint("Spherical", "j", "", ("/a", "/b"), frames=((0.5, 0, 0), (-0.5, 0, 0)))
PAIR = body("a") + body("b", at=(1, 0, 0))

ORPHANS = {
    "no articulation at all": PAIR + CHAIN + joint("Revolute", "k", ABOUT_Y, ("", "/a"), frames=((-0.5, 0, 0),) * 2),
    "beside an articulation": PAIR
    + CHAIN
    + body("c", apis=[ROOT], at=(0, 5, 0))
    + joint("Revolute", "k", ABOUT_Y, ("", "/c"), frames=((0, 5, 0), (0, 0, 0))),
    "a loop": four_bar("", ()),
    "excluded, and in no loop": PAIR
    + joint("Revolute", "j", f"{ABOUT_Y}\n{OUTSIDE}", ("/a", "/b"), frames=((0.5, 0, 0), (-0.5, 0, 0)))
    + joint("Revolute", "k", ABOUT_Y, ("", "/a"), frames=((-0.5, 0, 0),) * 2),
}
"""Stages with joints that no articulation holds."""


@pytest.mark.parametrize("name", [*ORPHANS])
def test_orphan_joints_hold(name, tmp_path):
    """Guards joints without an articulation: they are read without a warning, hold, and are written in one."""
    model = model_of(ORPHANS[name])
    assert len(model.joints) == ORPHANS[name].count("def Physics")
    poses = require_closed(model, 0.5)
    write(model, tmp_path / "m.usda")
    again = require_closed(read(tmp_path / "m.usda").model, 0.5)
    for link, pose in poses.items():
        assert again[link] == pytest.approx(pose, abs=1e-5)


FILES = CORPUS / "usd" / "files.txt"
STAGES = FILES.read_text().split() if FILES.is_file() else []

WITHOUT_BODIES = ("double_pendulum.usda",)
"""Stages whose joints join prims that are no rigid bodies, so that pxr's parser has no bodies there either."""


def orphans(path: Path) -> list[str]:
    """Return the paths of joints of a stage that no articulation holds, by what pxr says of its prims."""
    from pxr import Usd, UsdPhysics

    stage = Usd.Stage.Open(str(path))
    joints = [each for each in stage.Traverse() if each.IsA(UsdPhysics.Joint)]
    ends = {
        str(each.GetPath()): [
            str(target) for n in range(2) for target in each.GetRelationship(f"physics:body{n}").GetTargets()
        ]
        for each in joints
    }
    links = [lj.Joint(name, "fixed", *targets) for name, targets in ends.items() if len(targets) == 2]
    groups = connected_components(sorted({target for targets in ends.values() for target in targets}), links)
    roots = [str(each.GetPath()) for each in stage.Traverse() if each.HasAPI(UsdPhysics.ArticulationRootAPI)]

    def is_held(path: str, targets: list[str]) -> bool:
        group = [name for name in groups if any(groups[name] == groups[target] for target in targets)]
        beside = [other for other, others in ends.items() if {*others} & {*group}]
        return any(name == root or name.startswith(f"{root}/") for root in roots for name in (path, *group, *beside))

    return [path for path, targets in ends.items() if not is_held(path, targets)]


@needs_corpus
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.rpartition("/")[2])
def test_orphan_joints_of_public_stages(stage):
    """Guards orphans as others write them: each is a joint or a part of one, and holds in every frame of 0.1 s."""
    path = CORPUS / "usd" / stage
    found = orphans(path)
    if not found:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = read(path, allow_errors=True).model
    assert bool(model.joints) == (path.name not in WITHOUT_BODIES)
    if model.joints:
        require_closed(model, 0.1)

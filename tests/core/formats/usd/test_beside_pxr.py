# SPDX-License-Identifier: GPL-3.0-or-later
"""Public stages, read by us and by pxr's own parser of physics: bodies, joints, frames, limits and masses."""

import math
from functools import cache

import numpy as np
import pytest

import limberjack as lj
from limberjack.core.formats.usd.coordinates import DOFS
from limberjack.core.model import ModelError
from support.shared import CORPUS, needs_corpus
from support.usd import home_poses, joint_gaps

pytest.importorskip("pxr.UsdPhysics", reason="usd-core is not installed")
usd_judge = pytest.importorskip("support.usd_judge")

FOLDER = CORPUS / "usd"
STAGES = (FOLDER / "files.txt").read_text().split() if (FOLDER / "files.txt").is_file() else []
RADIAN = math.pi / 180.0

pytestmark = needs_corpus


def short(stage: str) -> str:
    return stage.rpartition("/")[2]


@cache
def judged(stage: str):
    return usd_judge.Judged(FOLDER / stage)


every_stage = pytest.mark.parametrize("stage", STAGES, ids=short)

TYPES = {
    "FixedJoint": {"fixed"},
    "RevoluteJoint": {"revolute", "continuous"},
    "PrismaticJoint": {"prismatic"},
    "SphericalJoint": {"ball"},
    "DistanceJoint": {"distance"},
    "D6Joint": {"d6", "ball", "free", "fixed", "revolute", "continuous", "prismatic", "custom"},
}

FRAMES = {
    "/World/Axle/FixedJoint": "it names no body 0 and no frame there; that of body 1 as drawn is taken",
}
"""Joints whose frames are others than pxr's, and why."""

OPEN = "the frames of its joints are drawn apart, where they cannot move; a warning tells each"
DRAWN_APART = {
    "FixedTendonTest.usda": OPEN,
    "SpatialTendonTest.usda": OPEN,
    "actuator_test.usda": OPEN,
    "test_joint_d6_revolute_actuated.usda": OPEN,
    "test_joint_d6_spherical_actuated.usda": OPEN,
    "test_joint_d6_spherical_passive.usda": OPEN,
}
"""Stages some of whose bodies do not start where they are drawn, and why."""

NO_FLOAT = "its density is written as a double, which pxr does not read; it takes that of water"
MASSES = {"/World/RegularSphere": NO_FLOAT, "/World/BouncySphere": NO_FLOAT}
"""Bodies whose masses are others than pxr's, and why."""

CANNOT_MOVE = {"mjc_schema_import.usda": "joint 'Connect' cannot be closed"}
"""Stages that cannot be simulated, and the words of the message."""


@every_stage
def test_bodies(stage):
    """Each body that is enabled is a link, at the pose that pxr has, and no other one is."""
    own = judged(stage)
    bodies = own.body_descriptions()
    assert own.links.keys() == bodies.keys()
    if not own.links or short(stage) in CANNOT_MOVE:
        return
    drawn = home_poses(own.model)
    gaps = {
        path: usd_judge.apart(tuple(drawn[own.links[path].name]), own.pose(each.position, each.rotation))
        for path, each in bodies.items()
    }
    moved = {path for path, gap in gaps.items() if gap > 1e-6}
    assert bool(moved) == (short(stage) in DRAWN_APART), gaps
    assert bool(moved) == any(note.startswith("drawn-apart") for note in own.notes)


@every_stage
def test_joints(stage):
    """Each joint of bodies is one of ours, or part of one, between the same links and in the same frames."""
    own = judged(stage)
    for path, (kind, each) in own.joint_descriptions().items():
        ends = own.ends(each)
        if ends[0] == ends[1]:
            assert path not in own.joints
            continue
        if path not in own.joints:
            whole = [joint for joint in own.model.joints if [joint.parent, joint.child] in (ends, ends[::-1])]
            assert len(whole) == 1, path
            assert whole[0].type in ("d6", "custom")
            continue
        joint = own.joints[path]
        assert joint.type in TYPES[kind] or joint.type in ("d6", "custom")
        frames = [own.frame(each, side) for side in range(2)]
        if [joint.parent, joint.child] != ends:
            ends, frames = ends[::-1], frames[::-1]
        assert [joint.parent, joint.child] == ends
        gaps = [usd_judge.apart(one, other) for one, other in zip((joint.X_PJ, joint.X_CJ), frames, strict=True)]
        assert (max(gaps) < 1e-6) == (path not in FRAMES), (path, gaps)
        assert joint.enabled == each.jointEnabled
        assert joint.closes_loop == each.excludeFromArticulation


def limits_of(kind, each, unit):
    """(low, high) by degree of freedom, in our units."""
    if kind == "D6Joint":
        return {
            str(pair.first).rpartition(".")[2]: (pair.second, unit if "Trans" in str(pair.first) else RADIAN)
            for pair in each.jointLimits
        }
    if kind in ("RevoluteJoint", "PrismaticJoint"):
        name = ("Rot" if kind == "RevoluteJoint" else "Trans") + str(each.axis).rpartition(".")[2]
        return {name: (each.limit, RADIAN if kind == "RevoluteJoint" else unit)}
    return {}


@every_stage
def test_limits(stage):
    """Limits are those of pxr, in radians and metres."""
    own = judged(stage)
    for path, (kind, each) in own.joint_descriptions().items():
        joint = own.joints.get(path)
        if joint is None or joint.type in ("custom", "free", "ball"):
            continue
        for dof, (limit, unit) in limits_of(kind, each, own.unit).items():
            axis = axis_of(joint, dof)
            if limit.lower > limit.upper:
                assert axis is None or axis.locked
            elif axis is not None:
                lower, upper = (limit.lower, limit.upper) if limit.enabled else (-math.inf, math.inf)
                assert (axis.lower, axis.upper) == pytest.approx((lower * unit, upper * unit), rel=1e-6)


def axis_of(joint, dof):
    """The axis of a joint that is a degree of freedom; None if it has none, being locked."""
    if joint.type == "d6":
        return joint.axes[[name.lower() for name in DOFS].index(dof.lower())]
    is_slide = dof.startswith("Trans")
    along = "XYZ".index(dof[-1])
    axes = joint.axes if (joint.type == "prismatic") == is_slide else []
    return next((axis for axis in axes if abs(axis.xyz[along]) == 1.0), None)


@every_stage
def test_masses(stage):
    """Masses, centres and inertias are those of pxr's ComputeMassProperties, from the volumes of our shapes."""
    own = judged(stage)
    for path, each in own.body_descriptions().items():
        if path in MASSES:
            continue
        link = own.links[path]
        mass, com, inertia = own.mass_properties(each)
        if mass < 0.0:
            assert any(note == f"no-mass {path}" for note in own.notes)
            continue
        xx, xy, xz, yy, yz, zz = link.inertia
        ours = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        size = float(np.abs(inertia).max())
        assert link.mass == pytest.approx(mass, rel=1e-5), path
        assert np.abs(np.subtract(link.com, com)).max() < 1e-5, path
        assert np.abs(ours - inertia).max() < 1e-5 * size, path


@every_stage
def test_the_motion(stage):
    """Half a second is simulated, and joints keep together to 1e-9 m; a stage that contradicts itself gives a line."""
    model = judged(stage).model
    if not model.links:
        return
    if short(stage) in CANNOT_MOVE:
        with pytest.raises(ModelError) as caught:
            lj.simulate(model, 0.5)
        assert CANNOT_MOVE[short(stage)] in str(caught.value)
        assert "\n" not in str(caught.value)
        return
    trajectory = lj.simulate(model, 0.5)
    gaps = joint_gaps(model, dict(zip(trajectory.link_names, trajectory.X_WL[-1].tolist(), strict=True)))
    assert all(gap < 1e-9 for gap in gaps.values()), gaps

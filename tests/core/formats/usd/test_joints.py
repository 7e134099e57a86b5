# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of USD: types, ends, frames, limits, and where their links are as drawn."""

import math

import numpy as np
import pytest

from limberjack.core.model import Axis, Joint
from limberjack.core.model.screws import joint_pose
from limberjack.core.spatial import compose, inverse, pose_distance, quat_normalized, quat_of_rotvec
from support.usd import body, codes_of, home_poses, joint, joint_of, model_of, prim, reading_of, stage

pytest.importorskip("pxr", reason="usd-core is not installed")

PAIR = body("a") + body("b")
AB = ("/a", "/b")
RADIAN = math.pi / 180.0


def limit(dof: str, low: float, high: float) -> tuple[str, str]:
    """The schema and the attributes of a limit of a generic joint."""
    name = f"float limit:{dof}:physics"
    return f"PhysicsLimitAPI:{dof}", f"{name}:low = {low}\n{name}:high = {high}"


def generic(limits: dict[str, tuple[float, float]], content: str = "", prims: str = PAIR, **options: object) -> Joint:
    """The generic joint with these limits."""
    given = [limit(dof, *ends) for dof, ends in limits.items()]
    content = "\n".join([*(lines for _, lines in given), content])
    return joint_of(prims + joint("", "j", content, apis=[api for api, _ in given], **{"ends": AB, **options}))


LOCKED = (1.0, -1.0)


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_revolute_limits_are_degrees_and_prismatic_ones_units_of_the_stage(axis):
    """A hinge takes degrees and a slider units of the stage, along the axis that the file names."""
    content = f'uniform token physics:axis = "{axis}"\nfloat physics:lowerLimit = -90\nfloat physics:upperLimit = 45'
    direction = tuple(float(axis == each) for each in "XYZ")
    hinge = joint_of(PAIR + joint("Revolute", "j", content, AB), unit=0.01)
    slide = joint_of(PAIR + joint("Prismatic", "j", content, AB), unit=0.01)
    assert (hinge.type, slide.type) == ("revolute", "prismatic")
    assert hinge.axes[0] == Axis(direction, lower=-math.pi / 2, upper=math.pi / 4)
    assert slide.axes[0].xyz == direction
    assert (slide.axes[0].lower, slide.axes[0].upper) == pytest.approx((-0.9, 0.45))


def test_joints_without_limits_are_free():
    """A limit that is not given, or is infinite, is none."""
    hinge = joint_of(PAIR + joint("Revolute", "j", "", AB))
    one = joint_of(PAIR + joint("Revolute", "j", "float physics:upperLimit = 30", AB))
    assert hinge.type == "continuous"
    assert (one.type, one.axes[0].lower, one.axes[0].upper) == ("revolute", -math.inf, pytest.approx(30 * RADIAN))


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic"])
def test_limits_that_cross_lock_a_joint(kind):
    """A low limit above the high one locks, as UsdPhysics says of limits."""
    found = joint_of(PAIR + joint(kind, "j", "float physics:lowerLimit = 1\nfloat physics:upperLimit = -1", AB))
    assert found.nv == 0


def test_limits_that_are_largest_floats_are_none():
    """Exporters write the largest number of single precision, of either sign, for no limit."""
    lines = "float physics:lowerLimit = -3.4028235e38\nfloat physics:upperLimit = 3.4028235e38"
    assert joint_of(PAIR + joint("Revolute", "j", lines, AB)).type == "continuous"
    assert joint_of(PAIR + joint("Prismatic", "j", lines, AB)).axes[0].is_unlimited


def test_a_cone_is_that_of_a_spherical_joint():
    """Equal angles are a cone about the axis; two that differ are told, and none is a free ball."""
    lines = 'uniform token physics:axis = "Y"\nfloat physics:coneAngle0Limit = 30\nfloat physics:coneAngle1Limit = '
    found = joint_of(PAIR + joint("Spherical", "j", lines + "30", AB))
    assert (found.type, found.axes[3].xyz, found.axes[3].upper) == ("ball", (0, 1, 0), pytest.approx(30 * RADIAN))
    assert joint_of(PAIR + joint("Spherical", "j", "", AB)).axes[3].upper == math.inf
    odd = PAIR + joint("Spherical", "j", lines + "50", AB)
    assert joint_of(odd).axes[3].upper == pytest.approx(50 * RADIAN)
    assert codes_of(odd) == ["approximated"]


def test_distances_are_those_of_the_stage():
    """Below 0 means no bound, on either side."""
    lines = "float physics:minDistance = 20\nfloat physics:maxDistance = 50"
    bodies = body("a") + body("b", at=(30, 0, 0))
    axis = joint_of(bodies + joint("Distance", "j", lines, AB), unit=0.01).axes[0]
    assert (axis.lower, axis.upper) == pytest.approx((0.2, 0.5))
    axis = joint_of(bodies + joint("Distance", "j", "", AB), unit=0.01).axes[0]
    assert (axis.lower, axis.upper) == (0.0, math.inf)


def test_a_fixed_joint_holds():
    """A fixed joint has no axes."""
    assert joint_of(PAIR + joint("Fixed", "j", "", AB)).type == "fixed"


def test_axes_of_a_generic_joint_are_free_without_limits_and_locked_by_crossed_ones():
    """Each axis has its own limits: degrees about it, units of the stage along it."""
    text = PAIR + joint(
        "",
        "j",
        "\n".join(limit(*each)[1] for each in (("transX", -10, 20), ("transY", 1, -1), ("rotZ", -30, 40))),
        AB,
        ["PhysicsLimitAPI:transX", "PhysicsLimitAPI:transY", "PhysicsLimitAPI:rotZ"],
    )
    found = joint_of(text, unit=0.01)
    assert found.type == "d6"
    assert [axis.locked for axis in found.axes] == [False, True, False, False, False, False]
    assert (found.axes[0].lower, found.axes[0].upper) == pytest.approx((-0.1, 0.2))
    assert (found.axes[5].lower, found.axes[5].upper) == pytest.approx((-30 * RADIAN, 40 * RADIAN))
    assert found.axes[2].is_unlimited
    assert found.axes[3].is_unlimited


TRANS, ROT = ("transX", "transY", "transZ"), ("rotX", "rotY", "rotZ")


@pytest.mark.parametrize(
    ("limits", "kind", "axis"),
    [
        (dict.fromkeys((*TRANS, *ROT), LOCKED), "fixed", None),
        (dict.fromkeys((*TRANS, "rotX", "rotZ"), LOCKED), "continuous", (0, 1, 0)),
        (dict.fromkeys((*TRANS, "rotX", "rotZ"), LOCKED) | {"rotY": (-10, 10)}, "revolute", (0, 1, 0)),
        (dict.fromkeys((*ROT, "transX", "transY"), LOCKED), "prismatic", (0, 0, 1)),
        (dict.fromkeys(TRANS, LOCKED), "ball", None),
        ({}, "free", None),
        (dict.fromkeys(TRANS, LOCKED) | {"rotX": (-10, 10)}, "d6", None),
    ],
)
def test_generic_joints_that_are_simpler_types(limits, kind, axis):
    """A generic joint that moves as a simpler type is that type."""
    found = generic(limits)
    assert found.type == kind
    assert axis is None or found.axes[0].xyz == axis


def test_frames_scale_with_their_bodies():
    """Positions of frames are in the scaled axes of a body, lengths in the link are metres."""
    bodies = body("a", size=(2, 3, 4)) + body("b", at=(2, 3, 4), size=(0.5, 0.5, 0.5))
    found = joint_of(bodies + joint("Fixed", "j", "", AB, frames=((1, 1, 1), (0, 0, 0))), unit=0.01)
    assert found.X_PJ[:3] == pytest.approx((0.02, 0.03, 0.04))
    assert found.X_CJ[:3] == pytest.approx((0, 0, 0))


def test_frames_of_prims_within_a_body():
    """A joint may name a prim below a body: the body moves, and the frame is in the prim."""
    inner = prim("Xform", "inner", at=(1, 0, 0), turn=(0.5**0.5, 0, 0, 0.5**0.5))
    bodies = prim("Xform", "a", "float physics:mass = 1\n" + inner, ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    found = joint_of(
        bodies + body("b", at=(1, 2, 0)) + joint("Fixed", "j", "", ("/a/inner", "/b"), frames=((2, 0, 0), ()))
    )
    assert found.parent == "a"
    assert found.X_PJ[:3] == pytest.approx((1, 2, 0))


@pytest.mark.parametrize("ends", [("", "/b"), ("/b", "")])
def test_a_body_that_is_missing_is_the_world(ends):
    """The world is the parent, whichever end is missing."""
    found = joint_of(body("b", at=(0, 0, 2)) + joint("Revolute", "j", "", ends, frames=((), ())))
    assert (found.parent, found.child) == ("world", "b")


def test_frames_of_a_missing_body_lie_where_its_child_is_drawn():
    """A file that joins to no body and leaves the frame there out means the pose of the child, as drawn."""
    frames = ((), (0.5, 0, 0))
    text = body("b", at=(1, 2, 3)) + joint("Fixed", "j", "", ("", "/b"), frames=frames)
    model = model_of(text)
    assert model.joints[0].X_PJ[:3] == pytest.approx((1.5, 2, 3))
    assert home_poses(model)["b"][:3] == pytest.approx((1, 2, 3))
    assert codes_of(text) == []


def test_bodies_that_are_not_there_are_told():
    """A joint that names a prim that does not exist, or none at all, gives one warning."""
    missing = reading_of(stage(body("b") + joint("Fixed", "j", "", ("/nowhere", "/b"))))
    assert [issue.code for issue in missing.issues] == ["unknown-body"]
    assert "/nowhere" in missing.issues[0].message
    assert codes_of(body("b") + joint("Fixed", "j", "")) == ["no-body"]
    assert codes_of(body("b") + joint("Fixed", "j", "", ("/b", "/b"))) == ["one-body"]


def drawn_pair(X_J: tuple[float, ...]) -> tuple[str, tuple, tuple[float, ...]]:
    """Two bodies whose frames have the pose X_J of the second in the first; the frames; the pose of the second body."""
    turn = (0.5, 0.5, 0.5, 0.5)
    frames = ((0.25, -0.5, 1.0, *turn), (-0.125, 0.75, 0.5, 1.0, 0.0, 0.0, 0.0))
    X_WA = (1.0, 2.0, 3.0, 0.6, 0.0, 0.8, 0.0)
    X_WB = compose(compose(compose(X_WA, frames[0]), X_J), inverse(frames[1]))
    text = body("a", at=X_WA[:3], turn=X_WA[3:]) + body("b", at=X_WB[:3], turn=X_WB[3:])
    return text, frames, X_WB


DRAWN = {
    "Revolute": ((0.0, 0.0, 0.0, *quat_of_rotvec((0.0, 1.2, 0.0))), 'uniform token physics:axis = "Y"'),
    "Prismatic": ((0.0, 0.0, -0.7, 1.0, 0.0, 0.0, 0.0), 'uniform token physics:axis = "Z"'),
    "Spherical": ((0.0, 0.0, 0.0, *quat_normalized((0.5, 0.3, -0.4, 0.7))), ""),
    "Distance": ((1.0, 2.0, 2.0, *quat_normalized((0.5, 0.3, -0.4, 0.7))), "float physics:maxDistance = 3"),
    "": ((0.3, 0.2, -0.4, *quat_normalized((0.8, 0.3, -0.2, 0.4))), "float limit:rotX:physics:low = -170"),
    "Fixed": ((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), ""),
}


@pytest.mark.parametrize("is_world", [False, True])
@pytest.mark.parametrize("swaps", [False, True])
@pytest.mark.parametrize("kind", [*DRAWN])
def test_links_start_where_they_are_drawn(kind, swaps, is_world):
    """Whichever body is named first, or is the world, the home is the coordinate as drawn: poses to 1e-9 m."""
    X_J, content = DRAWN[kind]
    text, frames, X_WB = drawn_pair(X_J)
    ends = AB
    if is_world:
        text = body("b", at=X_WB[:3], turn=X_WB[3:]) + prim("Xform", "a", at=(1, 2, 3), turn=(0.6, 0, 0.8, 0))
    if swaps:
        ends, frames = ends[::-1], frames[::-1]
    apis = ["PhysicsLimitAPI:rotX"] if not kind else []
    model = model_of(text + joint(kind, "j", content, ends, apis, frames))
    assert pose_distance(tuple(home_poses(model)["b"]), X_WB) < 1e-9
    assert (model.joints[0].parent == "world") == is_world
    assert not codes_of(text + joint(kind, "j", content, ends, apis, frames))


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic"])
def test_coordinates_keep_their_sign_where_the_world_comes_second(kind):
    """A joint of a body to the world counts from body 0 to body 1, so limits stay and the axis is reversed."""
    turn = quat_of_rotvec((0.5, 0.0, 0.0)) if kind == "Revolute" else (1.0, 0.0, 0.0, 0.0)
    slide = 0.0 if kind == "Revolute" else 0.5
    text = body("b", at=(-slide, 0, 0), turn=(turn[0], *(-part for part in turn[1:])))
    content = "float physics:lowerLimit = -0.25\nfloat physics:upperLimit = 100"
    found = joint_of(text + joint(kind, "j", content, ("/b", ""), frames=((0, 0, 0), (0, 0, 0))))
    unit = RADIAN if kind == "Revolute" else 1.0
    assert (found.axes[0].lower, found.axes[0].upper) == pytest.approx((-0.25 * unit, 100 * unit))
    assert found.home == pytest.approx((0.5,))


def test_a_generic_joint_to_the_world_moves_as_from_it():
    """Turned round, the axes of a generic joint come in the reverse order: their limits bound the same poses."""
    content = "\n".join(limit(dof, -1, 100)[1] for dof in (*TRANS, *ROT))
    apis = [f"PhysicsLimitAPI:{dof}" for dof in (*TRANS, *ROT)]
    q = np.array((0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    forward = joint_of(PAIR + joint("", "j", content, AB, apis))
    X_J = joint_pose(forward, q)
    X_WB = inverse(X_J)
    text = body("b", at=X_WB[:3], turn=X_WB[3:]) + joint("", "j", content, ("/b", ""), apis, ((0, 0, 0), (0, 0, 0)))
    backward = joint_of(text)
    assert sorted(backward.home) == pytest.approx(sorted(q), abs=1e-9)
    assert joint_pose(backward, backward.q_home) == pytest.approx(X_WB, abs=1e-9)
    assert [axis.lower for axis in backward.axes] == pytest.approx([-RADIAN] * 3 + [-1.0] * 3)


def test_a_hinge_drawn_beyond_half_a_turn_is_within_its_limits():
    """The home is an angle that gives the drawn pose and that the limits allow."""
    X_J = (0.0, 0.0, 0.0, *quat_of_rotvec((200 * RADIAN, 0.0, 0.0)))
    text, frames, _ = drawn_pair(X_J)
    found = joint_of(
        text + joint("Revolute", "j", "float physics:lowerLimit = 0\nfloat physics:upperLimit = 300", AB, (), frames)
    )
    assert found.home == pytest.approx((200 * RADIAN,))


def test_an_axis_that_is_locked_stays_at_zero():
    """A generic joint whose locked axis is drawn displaced is told; its child is where the joint lets it be."""
    limits = {"transX": LOCKED, "transY": LOCKED, "rotX": (-10, 10)}
    given = [limit(dof, *ends) for dof, ends in limits.items()]
    text = (
        body("a")
        + body("b", at=(0.5, 0, 2))
        + joint("", "j", "\n".join(x for _, x in given), AB, [x for x, _ in given])
    )
    assert codes_of(text) == ["drawn-apart"]
    assert home_poses(model_of(text))["b"][:3] == pytest.approx((0, 0, 2))


def test_exclude_from_articulation_closes_a_loop():
    """Such a joint stays out of the tree, and keeps its links together all the same."""
    text = PAIR + joint("Fixed", "w", "", ("", "/a")) + joint("Revolute", "j", "", AB)
    text += joint("Spherical", "c", "bool physics:excludeFromArticulation = true", ("", "/b"))
    model = model_of(text)
    assert [found.name for found in model.joints if found.closes_loop] == ["c"]
    assert [loop.joint.name for loop in model.loops()] == ["c"]


def test_joints_that_are_not_enabled_have_no_effect():
    """A joint that is off is kept, and off."""
    assert not joint_of(PAIR + joint("Fixed", "j", "bool physics:jointEnabled = false", AB)).enabled


def test_turn_and_slide_about_one_line_are_one_joint():
    """Two joints that share both frames move in series: what files write for a cylindrical joint."""
    text, frames, X_WB = drawn_pair((0.5, 0.0, 0.0, *quat_of_rotvec((0.7, 0.0, 0.0))))
    turn = joint("Revolute", "turn", "float physics:upperLimit = 90", AB, (), frames)
    slide = joint("Prismatic", "slide", "float physics:lowerLimit = -2", AB, (), frames)
    model = model_of(text + turn + slide)
    (found,) = model.joints
    assert found.nv == 2
    assert home_poses(model)["b"][:3] == pytest.approx(X_WB[:3], abs=1e-9)
    assert sorted(found.q_home) == pytest.approx([0.5, 0.7], abs=1e-9)
    assert sorted(axis.upper for axis in found.axes if not axis.locked) == [pytest.approx(math.pi / 2), math.inf]
    assert codes_of(text + turn + slide) == []


def test_two_hinges_in_one_frame_are_a_universal_joint_as_drawn():
    """Angles of two crossed hinges are both found, about the axes in turn."""
    first, second = quat_of_rotvec((0.4, 0.0, 0.0)), quat_of_rotvec((0.0, 0.9, 0.0))
    X_J = compose((0.0, 0.0, 0.0, *first), (0.0, 0.0, 0.0, *second))
    text, frames, X_WB = drawn_pair(X_J)
    hinges = [joint("Revolute", axis, f'uniform token physics:axis = "{axis}"', AB, (), frames) for axis in "XY"]
    model = model_of(text + "".join(hinges))
    assert model.joints[0].q_home == pytest.approx((0.4, 0.9), abs=1e-9)
    assert home_poses(model)["b"][:3] == pytest.approx(X_WB[:3], abs=1e-9)


def test_joints_of_one_pair_with_other_frames_or_the_same_axis_stay_apart():
    """Two hinges of a door are two constraints on one turn, not two turns."""
    hinge, other = (
        joint("Revolute", name, "", AB, frames=(frame, frame)) for name, frame in (("j", (0, 0, 0)), ("k", (1, 0, 0)))
    )
    assert len(model_of(PAIR + hinge + other).joints) == 2
    same = joint("Revolute", "k", "", AB, frames=((0, 0, 0), (0, 0, 0)))
    assert len(model_of(PAIR + hinge + same).joints) == 2
    off = joint("Prismatic", "k", "bool physics:jointEnabled = false", AB, frames=((0, 0, 0), (0, 0, 0)))
    assert len(model_of(PAIR + hinge + off).joints) == 2


def test_loads_at_which_joints_break_are_in_units_of_the_stage():
    """Forces are mass x distance / second^2, torques mass x distance^2 / second^2; the largest float is none."""
    loads = "float physics:breakForce = 5\nfloat physics:breakTorque = 7"
    found = joint_of(PAIR + joint("Fixed", "j", loads, AB), unit=0.01, metadata="kilogramsPerUnit = 10")
    assert (found.break_force, found.break_torque) == pytest.approx((5 * 10 * 0.01, 7 * 10 * 0.01**2))
    endless = joint_of(PAIR + joint("Fixed", "j", "float physics:breakForce = 3.4028235e38", AB))
    assert not endless.is_breakable


def test_a_joint_without_strength_is_taken_as_unbreakable():
    """A joint that breaks at no load would never hold; a warning says so."""
    prims = PAIR + joint("Fixed", "j", "float physics:breakForce = 0", AB)
    assert codes_of(prims) == ["no-strength"]
    assert not joint_of(prims).is_breakable


def test_types_of_other_schemas_are_told():
    """A joint of a type that UsdPhysics does not have is left out, with a warning."""
    assert codes_of(PAIR + joint("Gear", "j", "", AB)) == ["unknown-joint"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies: nested, scaled, mirrored, instanced, disabled and kinematic ones."""

import pytest

from limberjack.core.spatial import quat_rotate
from support.usd import SOLID, body, home_poses, joint, model_of, prim, reading_of, stage

pytest.importorskip("pxr", reason="usd-core is not installed")

QUARTER = (0.5**0.5, 0.0, 0.0, 0.5**0.5)
"""A quarter of a turn about z."""


def cube(name: str = "c") -> str:
    return prim("Cube", name, "double size = 1", ["PhysicsCollisionAPI"])


def poses_of(prims: str, **units: object) -> dict[str, tuple[float, ...]]:
    return {link.name: link.pose for link in model_of(prims, **units).links}


def test_flat_bodies_stand_where_their_parents_put_them():
    """Transforms of all prims above count."""
    poses = poses_of(prim("Xform", "x", body("a", at=(1, 0, 0)), at=(0, 0, 5), turn=QUARTER))
    assert poses["a"] == pytest.approx((0, 1, 5, *QUARTER))


def test_nested_bodies_are_links_of_their_own():
    """A body below a body floats by itself, at its pose in the world; each has its own shapes."""
    model = model_of(body("a", SOLID + cube("x") + body("b", SOLID + cube("y"), at=(0, 0, 1)), at=(2, 0, 0)))
    assert [link.pose[:3] for link in model.links] == [pytest.approx((2, 0, 0)), pytest.approx((2, 0, 1))]
    assert [[shape.name for shape in link.collisions] for link in model.links] == [["x"], ["y"]]
    assert model.tree().roots == ("a", "b")


def test_a_reset_stack_starts_at_the_world():
    """Nested bodies of Omniverse ignore the prims above."""
    reset = SOLID + '\ndouble3 xformOp:translate = (0, 0, 3)\nuniform token[] xformOpOrder = ["!resetXformStack!", '
    poses = poses_of(body("a", SOLID + body("b", reset + '"xformOp:translate"]'), at=(2, 0, 0)))
    assert poses["b"][:3] == pytest.approx((0, 0, 3))


def test_scales_are_not_part_of_a_pose():
    """A scaled body has a rotation of its own, and its scale goes into its shapes."""
    model = model_of(body("a", SOLID + cube(), at=(1, 2, 3), turn=QUARTER, size=(2, 3, 4)), unit=0.01)
    assert model.links[0].pose == pytest.approx((0.01, 0.02, 0.03, *QUARTER))
    assert model.links[0].collisions[0].geometry.size == pytest.approx((0.02, 0.03, 0.04))


@pytest.mark.parametrize("size", [(1, 1, -1), (-1, 1, 1), (-1, -1, -1), (1, -2, 3)])
def test_mirrored_bodies(size):
    """Points of shapes and joints lie where the file draws them, though a link cannot be mirrored."""
    point = (0.25, 0.5, 0.75)
    shape = prim("Sphere", "s", "double radius = 0.1", ["PhysicsCollisionAPI"], at=point)
    text = body("a", SOLID + shape, at=(1, 0, 0), turn=QUARTER, size=size)
    model = model_of(text + joint("Fixed", "j", "", ("", "/a"), frames=((0, 0, 9), point)))
    wanted = (1 - size[1] * point[1], size[0] * point[0], size[2] * point[2])
    pose = home_poses(model)["a"]
    for inner in (model.links[0].collisions[0].pose, model.joints[0].X_CJ):
        assert pose[:3] + quat_rotate(tuple(pose[3:]), inner[:3]) == pytest.approx(wanted)


def test_instances_have_bodies_and_joints_of_their_own():
    """Prims inside of instances are read, joints between them too."""
    content = body("a", SOLID + cube()) + body("b", SOLID, at=(1, 0, 0))
    part = prim("Xform", "part", content + joint("Revolute", "j", "", ("/part/a", "/part/b"), frames=((1, 0, 0), ())))
    copies = "".join(
        prim("Xform", name, "", metadata="instanceable = true\nreferences = </part>", at=(0, y, 0))
        for name, y in (("x", 5), ("y", 9))
    )
    model = model_of(part + copies)
    assert [link.pose[1] for link in model.links] == pytest.approx([0, 0, 5, 5, 9, 9])
    assert [(found.parent, found.child) for found in model.joints] == [
        (f"{name}::a", f"{name}::b") for name in ("part", "x", "y")
    ]
    assert all(model.link(f"{name}::a").collisions for name in "xy")


def test_bodies_that_are_not_enabled_belong_to_what_is_above():
    """Their colliders are those of the body above, or stand still."""
    off = "bool physics:rigidBodyEnabled = false\n"
    model = model_of(body("a", SOLID + body("b", off + cube("x"))) + body("c", off + cube("y")))
    assert [(link.name, [shape.name for shape in link.collisions]) for link in model.links] == [
        ("a", ["x"]),
        ("surroundings", ["y"]),
    ]


def test_kinematic_bodies_are_held():
    """They stand where they are drawn, and a note says so."""
    reading = reading_of(stage(body("a", "bool physics:kinematicEnabled = true\n" + SOLID + cube(), at=(0, 0, 3))))
    (found,) = reading.model.joints
    assert (found.type, found.parent, found.child) == ("fixed", "world", "a")
    assert home_poses(reading.model)["a"][:3] == pytest.approx((0, 0, 3))
    assert any("kinematic" in note and "/a" in note for note in reading.notes)


def test_velocities():
    """They are in units and axes of the stage, angular ones in degrees."""
    moving = "vector3f physics:velocity = (100, 0, 200)\nvector3f physics:angularVelocity = (0, 180, 0)\n"
    (link,) = model_of(body("a", SOLID + moving), unit=0.01, up="Y").links
    assert link.velocity == pytest.approx((1, -2, 0))
    assert link.angular_velocity == pytest.approx((0, 0, 3.14159265))


def test_velocities_are_in_the_space_of_the_transform():
    """Guards velocities, which turn with the prims above a body; the linear one follows their scale too."""
    moving = "vector3f physics:velocity = (1, 0, 0)\nvector3f physics:angularVelocity = (180, 0, 0)\n"
    (link,) = model_of(prim("Xform", "x", body("a", SOLID + moving), turn=QUARTER, size=(2, 2, 2)), unit=0.5).links
    assert link.velocity == pytest.approx((0, 1, 0))
    assert link.angular_velocity == pytest.approx((0, 3.14159265, 0))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about features that are not read, with their count and the first prim."""

import pytest

from support.usd import SOLID, TETRAHEDRON, body, codes_of, joint, prim, reading_of, stage

pytest.importorskip("pxr", reason="usd-core is not installed")


def notes_of(text: str) -> list[str]:
    return reading_of(stage(body("a") + body("b") + text)).notes


def test_schemas_that_are_not_read():
    """One note for each kind, however many prims there are."""
    schemas = ["PhysxLimitAPI:angular", "PhysicsJointStateAPI:angular"]
    limits = "".join(joint("Revolute", name, "", ("/a", "/b"), schemas) for name in "jk")
    actuator = prim("MjcActuator", "m")
    assert notes_of(limits + actuator) == [
        "actuators are not read: 1 found, the first at /m",
        "springs and dampers of limits are not read: 2 found, the first at /j",
        "states of joints at the start are not read: 2 found, the first at /j",
    ]


def test_point_instancers():
    """Guards point instancers: neither their copies nor their prototypes are read, as in pxr's parser."""
    reading = reading_of(stage(body("a") + prim("PointInstancer", "i", body("b"))))
    assert [link.name for link in reading.model.links] == ["a"]
    assert reading.notes == ["instances of point instancers are not read: 1 found, the first at /i"]


def test_approximations_that_are_not_taken():
    """Pieces of what moves are a hull, and a hull of what stands is the mesh: a note tells each."""
    notes = {}
    for kind in ("none", "convexHull", "convexDecomposition", "meshSimplification"):
        line = f'uniform token physics:approximation = "{kind}"\n{TETRAHEDRON}'
        mesh = prim("Mesh", "m", line, ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"])
        notes[kind] = [note.partition("are not read: ")[2] for note in notes_of(mesh + body("c", f"{SOLID}\n{mesh}"))]
    hull, pieces = ["1 found, the first at /m"], ["1 found, the first at /c/m"]
    assert notes == {"none": [], "convexHull": hull, "convexDecomposition": pieces, "meshSimplification": []}


def test_joints_of_other_schemas():
    """A gear of PhysX is a joint that is left out, with a warning."""
    gear = prim("PhysxPhysicsGearJoint", "g", "rel physics:body0 = </a>\nrel physics:body1 = </b>")
    assert codes_of(body("a") + body("b") + gear) == ["unknown-joint"]
    assert codes_of(body("a") + body("b") + gear.replace("PhysxPhysicsGear", "DistancePhysics")) == ["unknown-joint"]


def test_a_plain_stage_has_no_notes():
    """Nothing is told of what is read."""
    assert notes_of("") == []

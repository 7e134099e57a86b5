# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes stages with one attribute of UsdPhysics each, from a table of the values that the reader is to find."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from itertools import permutations
from typing import Any

import numpy as np

from limberjack.core.model import Model
from limberjack.core.spatial import quat_mul, quat_rotate
from support.usd import body, prim, stage

RADIAN = math.pi / 180.0
GRAVITY = 9.81

TOLD = "told"
"""Name of the expectation of an attribute that is not read: words of an issue or a note."""

JOINTS = ("Fixed", "Revolute", "Prismatic", "Spherical", "Distance", "")
"""Types of joints, of which the last one is the generic one."""

DOFS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
LIMITED, DRIVEN = (*DOFS, "distance"), ("linear", "angular", *DOFS)
"""Instances of LimitAPI and of DriveAPI that the documentation of both names; the registry has no list."""


@dataclass(frozen=True, eq=False)
class Row:
    """One attribute, and the values that the reader is to find.

    Attributes:
        schema: name of the schema. attribute: name of the attribute, with the instance of a schema that has several.
        value: its value as text; targets of a relationship.
        expected: values in `facts` of the model, or words that are `TOLD`.
        beside: other attributes of the same prim, as lines of the file.
        lengths: power of the unit of length in its value.
    """

    schema: str
    attribute: str
    value: str
    expected: Mapping[str, object]
    beside: str = ""
    lengths: int = 0

    @property
    def id(self) -> str:
        return f"{self.schema.removeprefix('Physics')}-{self.attribute}-{self.value}".replace(" ", "")


# ---- the table


def _of_every_joint(kind: str) -> list[Row]:
    """The rows of attributes that each type of joint has."""
    schema = f"Physics{kind}Joint"
    quarter = (0.5**0.5, 0.5**0.5, 0.0, 0.0)
    rows = [
        Row(schema, "physics:body0", "</c>", {"j.parent": "c"}),
        Row(schema, "physics:body1", "</c>", {"j.child": "c"}),
        Row(schema, "physics:jointEnabled", "false", {"j.enabled": False}),
        Row(schema, "physics:collisionEnabled", "true", {"a beside b": True}),
        Row(schema, "physics:excludeFromArticulation", "true", {"j.closes_loop": True}),
        Row(schema, "physics:breakForce", "1024", {}, lengths=1),
        Row(schema, "physics:breakTorque", "1024", {}, lengths=2),
    ]
    for end, side in enumerate("PC"):
        sign = 1.0 - 2.0 * end
        place = {f"j.X_{side}J.{n}": value for n, value in enumerate((sign * 0.5, 0.25, 0.125))}
        turn = {f"j.X_{side}J.{n + 3}": value for n, value in enumerate(quarter)}
        rows.append(Row(schema, f"physics:localPos{end}", f"({sign * 0.5}, 0.25, 0.125)", place, lengths=1))
        rows.append(Row(schema, f"physics:localRot{end}", "(0.70710678, 0.70710678, 0, 0)", turn))
    return rows


def _limits(schema: str, low: str, high: str, expected: str, *, turns: bool) -> list[Row]:
    """The rows of two limits."""
    unit, lengths = (RADIAN, 0) if turns else (1.0, 1)
    values = ("-16", "16") if turns else ("-0.25", "0.25")
    ends = ((low, values[0], "lower"), (high, values[1], "upper"))
    return [
        Row(schema, name, value, {f"{expected}.{end}": float(value) * unit}, "", lengths) for name, value, end in ends
    ]


def _drive(instance: str) -> list[Row]:
    """The rows of a drive. Gains are 40 and 4 where the row is not about them."""
    turns = instance.startswith(("angular", "rot"))
    unit, power = (RADIAN, 2) if turns else (1.0, 0)
    name, axis = f"drive:{instance}:physics:", "j.axes.0"
    spring, damper = (f"float {name}{each}" for each in ("stiffness = 40", "damping = 4"))

    def row(attribute: str, value: str, expected: Mapping[str, object], beside: str = "", lengths: int = power) -> Row:
        return Row("PhysicsDriveAPI", name + attribute, value, expected, beside, lengths)

    return [
        row("stiffness", "32", {f"{axis}.drive_mode": "position", f"{axis}.drive_stiffness": 32 / unit}),
        row("damping", "8", {f"{axis}.drive_mode": "velocity", f"{axis}.drive_damping": 8 / unit}),
        row("targetPosition", "0.5", {f"{axis}.drive_target": 0.5 * unit}, spring, 0 if turns else 1),
        row("targetVelocity", "0.5", {f"{axis}.drive_target": 0.5 * unit}, damper, 0 if turns else 1),
        row("targetVelocity", "0.25", {TOLD: "target velocity"}, f"{spring}\n{damper}", 0 if turns else 1),
        row("maxForce", "16", {f"{axis}.effort": 16.0}, damper, 2 if turns else 1),
        row("type", '"acceleration"', {TOLD: "gives accelerations"}, damper, 0),
    ]


def _groups() -> list[Row]:
    """The rows of a collision group that holds the collider of `a`; another group holds that of `b`."""
    apart, together = {"a/shape meets b/shape": False}, {"a/shape meets c/shape": False}
    both, name = "rel physics:filteredGroups = </others>", "collection:colliders:"
    own = f"{both}\nrel {name}includes = </a>"
    return [
        Row("PhysicsCollisionGroup", attribute, value, expected, beside)
        for attribute, value, expected, beside in (
            ("physics:filteredGroups", "</others>", apart, f"rel {name}includes = </a>"),
            ("physics:invertFilteredGroups", "true", together, own),
            ("physics:mergeGroup", '"one"', {"c/shape meets b/shape": False}, own),
            (f"{name}includes", "</a>", apart, both),
            (f"{name}excludes", "</c>", {"c/shape meets b/shape": True}, f"{both}\nbool {name}includeRoot = true"),
            (f"{name}includeRoot", "true", apart, both),
            (f"{name}expansionRule", '"explicitOnly"', {"a/shape meets b/shape": True}, own),
            (f"{name}mode", '"expression"', {"c/shape meets b/shape": False}, f"{own}\n{_expression('/c//')}"),
            (f"{name}membershipExpression", '"/a//"', apart, both),
        )
    ]


def _expression(text: str) -> str:
    return f'pathExpression collection:colliders:membershipExpression = "{text}"'


MASS, BODY, SOLID, MATERIAL = "PhysicsMassAPI", "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMaterialAPI"

ROWS = [
    *(row for kind in JOINTS for row in _of_every_joint(kind)),
    *(
        Row(f"Physics{kind}Joint", "physics:axis", '"Z"', {f"j.axes.{number}.xyz.2": 1.0})
        for kind, number in (("Revolute", 0), ("Prismatic", 0), ("Spherical", 3))
    ),
    *_limits("PhysicsRevoluteJoint", "physics:lowerLimit", "physics:upperLimit", "j.axes.0", turns=True),
    *_limits("PhysicsPrismaticJoint", "physics:lowerLimit", "physics:upperLimit", "j.axes.0", turns=False),
    Row("PhysicsSphericalJoint", "physics:coneAngle0Limit", "32", {"j.axes.3.upper": 32 * RADIAN}),
    Row("PhysicsSphericalJoint", "physics:coneAngle1Limit", "32", {"j.axes.3.upper": 32 * RADIAN}),
    Row("PhysicsDistanceJoint", "physics:minDistance", "0.125", {"j.axes.0.lower": 0.125}, lengths=1),
    Row("PhysicsDistanceJoint", "physics:maxDistance", "0.25", {"j.axes.0.upper": 0.25}, lengths=1),
    *(
        row
        for dof in DOFS
        for row in _limits(
            "PhysicsLimitAPI",
            f"limit:{dof}:physics:low",
            f"limit:{dof}:physics:high",
            "j.axes.0",
            turns=dof.startswith("rot"),
        )
    ),
    Row("PhysicsLimitAPI", "limit:distance:physics:low", "0.125", {TOLD: "limit distance"}, lengths=1),
    Row("PhysicsLimitAPI", "limit:distance:physics:high", "0.125", {TOLD: "limit distance"}, lengths=1),
    *(row for instance in DRIVEN for row in _drive(instance)),
    Row(MASS, "physics:mass", "4", {"a.mass": 4.0}),
    Row(MASS, "physics:density", "512", {"a.mass": 512 * math.pi / 48}, lengths=-3),
    Row(
        MASS,
        "physics:centerOfMass",
        "(0.125, 0.25, 0.5)",
        {"a.com.0": 0.125, "a.com.1": 0.25, "a.com.2": 0.5},
        lengths=1,
    ),
    Row(
        MASS,
        "physics:diagonalInertia",
        "(4, 5, 6)",
        {"a.inertia.0": 4.0, "a.inertia.3": 5.0, "a.inertia.5": 6.0},
        lengths=2,
    ),
    Row(
        MASS,
        "physics:principalAxes",
        "(0.70710678, 0, 0, 0.70710678)",
        {"a.inertia.0": 5.0, "a.inertia.3": 4.0, "a.inertia.5": 6.0},
        "float3 physics:diagonalInertia = (4, 5, 6)",
    ),
    Row(BODY, "physics:velocity", "(1, 2, 4)", {"a.velocity.1": 2.0, "a.velocity.2": 4.0}, lengths=1),
    Row(BODY, "physics:angularVelocity", "(16, 32, 64)", {"a.angular_velocity.1": 32 * RADIAN}),
    Row(BODY, "physics:kinematicEnabled", "true", {"a_held.type": "fixed"}),
    Row(BODY, "physics:rigidBodyEnabled", "false", {"a.mass": None, "surroundings.mass": 0.0}),
    Row(BODY, "physics:startsAsleep", "true", {TOLD: "physics:startsAsleep"}),
    Row(BODY, "physics:simulationOwner", "</elsewhere>", {TOLD: "physics:simulationOwner"}),
    Row(SOLID, "physics:collisionEnabled", "false", {"a.collisions.0.name": None}),
    Row(SOLID, "physics:simulationOwner", "</elsewhere>", {TOLD: "physics:simulationOwner"}),
    Row(
        "PhysicsMeshCollisionAPI",
        "physics:approximation",
        '"boundingCube"',
        {f"a.collisions.0.geometry.size.{number}": 0.5 for number in range(3)},
    ),
    Row("PhysicsMeshCollisionAPI", "physics:approximation", '"convexDecomposition"', {TOLD: "convex decompositions"}),
    Row(MATERIAL, "physics:dynamicFriction", "0.25", {"a.collisions.0.surface.friction": 0.25}),
    Row(MATERIAL, "physics:staticFriction", "0.5", {"a.collisions.0.surface.static_friction": 0.5}),
    Row(MATERIAL, "physics:restitution", "0.75", {"a.collisions.0.surface.restitution": 0.75}),
    Row(MATERIAL, "physics:density", "512", {"a.mass": 512 * math.pi / 48}, lengths=-3),
    Row("PhysicsFilteredPairsAPI", "physics:filteredPairs", "</b>", {"a beside b": False}),
    *_groups(),
    Row("PhysicsScene", "physics:gravityDirection", "(0, 1, 0)", {"gravity.1": GRAVITY, "gravity.2": 0.0}),
    Row("PhysicsScene", "physics:gravityMagnitude", "2", {"gravity.2": -2.0}, lengths=1),
]
"""At least one row for each attribute of each schema of UsdPhysics, and each of its instances."""


# ---- stages

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
HELD = (
    "float physics:mass = 2\nfloat3 physics:diagonalInertia = (0.5, 0.25, 0.5)\n"
    "point3f physics:centerOfMass = (0.125, 0, 0)"
)
BALL = prim("Sphere", "shape", "double radius = 0.25", ["PhysicsCollisionAPI"])
CORNERS = "(-0.25, -0.25, -0.25), (0.25, -0.25, -0.25), (-0.25, 0.25, -0.25), (-0.25, -0.25, 0.25)"
MESH = (
    f"point3f[] points = [{CORNERS}]\nint[] faceVertexCounts = [3, 3, 3, 3]\n"
    "int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]"
)


def stage_of(row: Row, typed: str, *, is_default: bool = False) -> str:
    """Return the stage of a row in metres with Z up.

    Args:
        typed: the attribute's declaration, such as "uniform token physics:axis", or "rel" and a name.
        is_default: leave the attribute out.
    """
    line = row.beside if is_default else f"{row.beside}\n{typed} = {row.value}"
    given = {each.split(" =")[0].split()[-1] for each in line.splitlines() if each}
    if row.schema.endswith("Joint") or row.schema in ("PhysicsLimitAPI", "PhysicsDriveAPI"):
        return stage(_bodies() + _joint(row, line, given))
    return stage(_things(row, line))


def _bodies() -> str:
    """Three bodies, of which the first swings on the world."""
    places = {"a": (0.5, 0, 2), "b": (1.5, 0, 2), "c": (0.5, 2, 2)}
    made = "".join(body(name, HELD, at=at, turn=UPRIGHT) for name, at in places.items())
    frames = "point3f physics:localPos0 = (0, 0, 2)\nquatf physics:localRot0 = (1, 0, 0, 0)\n"
    frames += "point3f physics:localPos1 = (-0.5, 0, 0)"
    return made + prim(
        "PhysicsRevoluteJoint", "root", f'{frames}\nrel physics:body1 = </a>\nuniform token physics:axis = "Y"'
    )


def _joint(row: Row, line: str, given: set[str]) -> str:
    """The joint `j` of a row. A generic one is free about Y, or as the row's instance of a schema says."""
    instance = row.attribute.split(":")[1] if row.attribute.startswith(("limit:", "drive:")) else ""
    kind = {"angular": "Revolute", "linear": "Prismatic"}.get(instance, "" if instance else row.schema[7:-5])
    lines = {
        "physics:body0": "rel physics:body0 = </a>",
        "physics:body1": "rel physics:body1 = </b>",
        "physics:localPos0": "point3f physics:localPos0 = (0.5, 0, 0)",
        "physics:localPos1": "point3f physics:localPos1 = (-0.5, 0, 0)",
    }
    if kind == "Distance":  # which has no direction where the distance is 0
        lines["physics:localPos1"] = "point3f physics:localPos1 = (-0.5, 0.1875, 0)"
    if kind in ("Revolute", "Prismatic", "Spherical"):
        lines["physics:axis"] = 'uniform token physics:axis = "Y"'
    schemas = [f"{row.schema}:{instance}"] if instance else []
    if not kind:
        free = instance if instance in DOFS else "rotY"
        for dof in DOFS:
            if dof != free:
                schemas.append(f"PhysicsLimitAPI:{dof}")
                lines[dof] = f"float limit:{dof}:physics:low = 1\nfloat limit:{dof}:physics:high = -1"
    kept = [text for name, text in lines.items() if name not in given]
    return prim(f"Physics{kind}Joint", "j", "\n".join([*kept, line]), schemas)


def _things(row: Row, line: str) -> str:
    """The prims of a row that is not about a joint: balls on the ground, and what the row says of one of them."""
    schema = row.schema
    own = {BODY: line, MASS: line, "PhysicsFilteredPairsAPI": line}.get(schema, "")
    weight = "" if schema in (MASS, MATERIAL) else HELD
    shape = BALL
    if schema == SOLID:
        shape = prim("Sphere", "shape", f"double radius = 0.25\n{line}", [SOLID])
    elif schema == "PhysicsMeshCollisionAPI":
        shape = prim("Mesh", "shape", f"{MESH}\n{line}", [SOLID, schema])
    elif schema == MATERIAL:
        shape = prim(
            "Sphere",
            "shape",
            "double radius = 0.25\nrel material:binding:physics = </m>",
            [SOLID, "MaterialBindingAPI"],
        )
    filters = ("PhysicsFilteredPairsAPI",)
    prims = body("a", f"{own}\n{weight}\n{shape}", filters if schema in filters else (), at=(0, 0, 0.25), turn=UPRIGHT)
    thrown = f"{HELD}\nvector3f physics:velocity = (-4, 0, 0)\n{BALL}"
    prims += body("b", thrown, at=(1, 0, 0.25), turn=UPRIGHT) + body(
        "c", f"{HELD}\n{BALL}", at=(-1, 0, 0.25), turn=UPRIGHT
    )
    prims += prim("Cube", "ground", "double size = 8", [SOLID], at=(0, 0, -4), turn=UPRIGHT)
    prims += prim("PhysicsScene", "scene", line if schema == "PhysicsScene" else "")
    if row.attribute == "physics:simulationOwner":
        prims += prim("PhysicsScene", "elsewhere")
    if schema == MATERIAL:
        prims += prim("Material", "m", line, [MATERIAL])
    if schema == "PhysicsCollisionGroup":
        named = 'string physics:mergeGroup = "one"\nrel collection:colliders:includes = </c>'
        prims += prim(schema, "own", line)
        prims += prim(schema, "others", "rel collection:colliders:includes = </b>") + prim(schema, "merged", named)
    return prims


# ---- the same stage in centimetres with Y up

TO_Y_UP = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)
"""Rotation that takes axes with Z up to those with Y up, as w x y z."""

LENGTHS = {
    "xformOp:translate": 1,
    "physics:centerOfMass": 1,
    "physics:diagonalInertia": 2,
    "physics:localPos0": 1,
    "physics:localPos1": 1,
    "physics:velocity": 1,
    "size": 1,
    "radius": 1,
    "points": 1,
}
"""Powers of the unit of length in attributes that stages have beside the one of their row."""

TURNED = (
    "xformOp:translate",
    "xformOp:orient",
    "physics:velocity",
    "physics:angularVelocity",
    "physics:gravityDirection",
)
"""Attributes of prims at the top that are in the axes of the stage."""


def in_centimetres_with_y_up(text: str, row: Row) -> str:
    """Return a stage in metres with Z up in centimetres with Y up. Its transforms are those of prims at the top."""
    from pxr import Sdf, Usd, UsdGeom

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    made = Usd.Stage.Open(layer)
    UsdGeom.SetStageMetersPerUnit(made, 0.01)
    UsdGeom.SetStageUpAxis(made, "Y")
    lengths = {**LENGTHS, **_lengths_beside(row), row.attribute: row.lengths}
    for each in made.Traverse():
        for attribute in each.GetAuthoredAttributes():
            name, value = attribute.GetName(), attribute.Get()
            if power := lengths.get(name, 0):
                value = value * 100.0**power
            is_end = name[:-1] in ("physics:localPos", "physics:localRot")
            is_of_world = is_end and not each.GetRelationship(f"physics:body{name[-1]}").GetTargets()
            if is_of_world or name in TURNED:
                value = _turned(value)
            attribute.Set(value)
    return layer.ExportToString()


def _turned(value: Any) -> Any:
    """Return a vector or a quaternion of pxr in axes with Y up."""
    if hasattr(value, "GetReal"):
        return type(value)(*quat_mul(TO_Y_UP, (value.GetReal(), *value.GetImaginary())))
    return type(value)(*quat_rotate(TO_Y_UP, tuple(value)))


def _lengths_beside(row: Row) -> dict[str, int]:
    """Return the powers of the gains that rows of drives have beside their own attribute. Accelerations have none."""
    drive, _, name = row.attribute.rpartition(":")
    power = 2 if drive.startswith(("drive:angular", "drive:rot")) and name != "type" else 0
    return {f"{drive}:stiffness": power, f"{drive}:damping": power} if row.schema == "PhysicsDriveAPI" else {}


# ---- what a model says

FRAMES = ("X_PJ", "X_CJ", "xyz", "home")
"""Names of fields that a file may say in other frames of a joint. Poses of links tell whether they are the same."""


def facts(model: Model, *, frames: bool = True) -> dict[str, object]:
    """Return all numbers and words of a model by names such as "j.axes.0.lower", and what may collide.

    frames: with the frames and axes of joints.
    """
    found: dict[str, object] = {}
    _flatten("gravity", model.gravity, found, frames)
    for each in (*model.links, *model.joints):
        _flatten(each.name, each, found, frames)
    for pair in model.contact_pairs:
        a, b = sorted((pair.a, pair.b))
        found[f"{a} beside {b}"] = pair.meets
    shapes = [(link.name, shape) for link in model.links for shape in link.collisions]
    for (a, first), (b, second) in permutations(shapes, 2):
        found[f"{a}/{first.name} meets {b}/{second.name}"] = first.may_meet(second)
    return found


def _flatten(name: str, value: object, found: dict[str, object], frames: bool) -> None:
    if is_dataclass(value):
        for each in fields(value):
            if each.name not in ("extras", "layers", "meets") and (frames or each.name not in FRAMES):
                _flatten(f"{name}.{each.name}", getattr(value, each.name), found, frames)
    elif isinstance(value, list | tuple | np.ndarray):
        for number, each in enumerate(value):
            _flatten(f"{name}.{number}", each, found, frames)
    else:
        found[name] = value

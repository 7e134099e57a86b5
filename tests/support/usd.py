# SPDX-License-Identifier: GPL-3.0-or-later
"""Small stages of USD as text, and what the reader makes of them."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from limberjack.core.formats import Reading, read
from limberjack.core.formats.usd.coordinates import home_of
from limberjack.core.kinematics import forward_kinematics
from limberjack.core.model import WORLD, Joint, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.model.screws import joint_pose
from limberjack.core.spatial import compose, inverse, pose_distance

BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
"""Schemas of a body with a mass of its own."""

SOLID = "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)\n"
"""The mass of a body of which it does not matter."""

TETRAHEDRON = (
    "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n"
    "int[] faceVertexCounts = [3, 3, 3, 3]\n"
    "int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]\n"
)
"""A mesh: the corner of a cube."""


def stage(prims: str, unit: float = 1.0, up: str = "Z", metadata: str = "") -> str:
    """Return a whole stage. unit: metres per unit of length. metadata: further lines of it."""
    return f'#usda 1.0\n(\n    metersPerUnit = {unit}\n    upAxis = "{up}"\n{metadata}\n)\n{prims}\n'


def numbers(values: Iterable[float]) -> str:
    return f"({', '.join(map(repr, map(float, values)))})"


def prim(
    kind: str,
    name: str,
    content: str = "",
    apis: Sequence[str] = (),
    at: Sequence[float] = (),
    turn: Sequence[float] = (),
    size: Sequence[float] = (),
    metadata: str = "",
) -> str:
    """Return a prim with a pose in its parent.

    Args:
        content: lines of its attributes, and prims below it.
        apis: API schemas.
        at: position, in units of the stage. turn: quaternion w x y z. size: three factors.
        metadata: lines between the parentheses behind its name.
    """
    places = (("double3", "translate", at), ("quatd", "orient", turn), ("double3", "scale", size))
    given = [(kind_of, op, values) for kind_of, op, values in places if len(values)]
    lines = [f"{kind_of} xformOp:{op} = {numbers(values)}" for kind_of, op, values in given]
    if given:
        order = ", ".join(f'"xformOp:{op}"' for _, op, _ in given)
        lines.append(f"uniform token[] xformOpOrder = [{order}]")
    names = ", ".join(f'"{name}"' for name in apis)
    about = f"(\nprepend apiSchemas = [{names}]\n{metadata}\n)" if apis or metadata else ""
    if metadata and not apis:
        about = f"(\n{metadata}\n)"
    return f'def {kind} "{name}" {about} {{\n' + "\n".join(lines) + f"\n{content}\n}}\n"


def body(
    name: str, content: str = SOLID, apis: Sequence[str] = (), kind: str = "Xform", **place: Sequence[float]
) -> str:
    """Return a rigid body. content, place: as those of `prim`."""
    return prim(kind, name, content, (*BODY, *apis), **place)


def joint(
    kind: str,
    name: str,
    content: str = "",
    ends: tuple[str, str] = ("", ""),
    apis: Sequence[str] = (),
    frames: Sequence[Sequence[float]] = ((), ()),
) -> str:
    """Return a joint.

    Args:
        kind: "Revolute" and so on, or "" for a generic one.
        ends: paths of its bodies, "" for none.
        frames: of the joint in both, x y z, or x y z and a quaternion w x y z.
    """
    lines = [f"rel physics:body{number} = <{path}>" for number, path in enumerate(ends) if path]
    for number, frame in enumerate(frames):
        if len(frame):
            lines.append(f"point3f physics:localPos{number} = {numbers(frame[:3])}")
        if len(frame) > 3:
            lines.append(f"quatf physics:localRot{number} = {numbers(frame[3:])}")
    return prim(f"Physics{kind}Joint", name, "\n".join([*lines, content]), apis)


def reading_of(text: str, **options: bool) -> Reading:
    """Return the reading of a whole file. options: those of `read`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `allow_errors` gives one
        return read(Path("m.usda"), data=text.encode(), **options)


def model_of(prims: str, **units: object) -> Model:
    """Return the model in a stage with these prims, which may give warnings only. units: as those of `stage`."""
    reading = reading_of(stage(prims, **units))
    assert reading.ok, reading.issues
    return reading.model


def codes_of(prims: str, **units: object) -> list[str]:
    """Return the codes of all issues of a stage with these prims, which are not only about its links."""
    return [issue.code for issue in reading_of(stage(prims, **units)).issues]


def link_of(prims: str, **units: object):
    """Return the only link of a stage."""
    (link,) = model_of(prims, **units).links
    return link


def joint_of(prims: str, **units: object) -> Joint:
    """Return the only joint of a stage."""
    (found,) = model_of(prims, **units).joints
    return found


def home_poses(model: Model) -> dict[str, np.ndarray]:
    """Return the poses X_WL of all links in the initial pose [m]."""
    compiled = compile_model(model)
    poses = forward_kinematics(compiled, np.array(compiled.q_home))[0]
    return dict(zip(compiled.link_names, map(np.array, poses), strict=True))


def joint_gaps(model: Model, poses: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return how far the frames of each joint are from where it may take them [m or rad], by the joints' names.

    Joints that are off, and those of other axes than USD's, are left out. poses: X_WL of links [m].
    """
    at = {name: tuple(pose) for name, pose in poses.items()} | {WORLD: (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}
    found = {}
    for joint in model.joints:
        if joint.enabled and joint.type != "custom":
            X_J = compose(inverse(compose(at[joint.parent], joint.X_PJ)), compose(at[joint.child], joint.X_CJ))
            home = home_of(joint, X_J)
            q = tuple(value for value, axis in zip(home, joint.axes, strict=False) if not axis.locked)
            found[joint.name] = pose_distance(joint_pose(joint, home if joint.kind.chart else q), X_J)
    return found

# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack info`: the links and joints of a model, as a table or as data."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable

from ..joints import Unit
from ..model import WORLD, Axis, Gearbox, Joint, Link, Model
from ..model.elements import BREAKING
from ..model.text import aligned, counted
from ..spatial import IDENTITY, Pose, compose, quat_rotate
from .framework import Verb, add_file, add_settings, load_usable
from .result import CommandResult

AXIS_FIELDS = ("lower", "upper", "effort", "velocity", "damping", "friction", "spring_reference", "spring_stiffness")
"""Fields of an axis that the data contain."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_settings(parser)
    parser.add_argument("--json", action="store_true", help="all numbers, at q = 0, in world axes")


def _run(arguments: argparse.Namespace) -> CommandResult:
    reading = load_usable(arguments.file, arguments.search, arguments.settings, arguments.strict)
    return CommandResult(describe(reading.model) | {"notes": reading.notes}, _table(reading.model))


def describe(model: Model) -> dict:
    """Return the model as plain data: SI units, radians, poses and axes in the world at q = 0, infinities as "inf"."""
    poses = {WORLD: IDENTITY} | {link.name: link.pose for link in model.links}
    return {
        "name": model.name,
        "gravity": _plain_all(model.gravity),
        "links": [_describe_link(link) for link in model.links],
        "joints": [_describe_joint(joint, poses) for joint in model.joints]
        + [_describe_gearbox(gearbox, poses) for gearbox in model.couplings if isinstance(gearbox, Gearbox)],
    }


def _describe_link(link: Link) -> dict:
    inertia = dict(zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), _plain_all(link.inertia), strict=True))
    return {
        "name": link.name,
        "mass": _plain(link.mass),
        "com": _plain_all(link.com),
        "inertia_com_linkaxes": inertia,
        "X_WL": _describe_pose(link.pose),
    }


def _describe_gearbox(gearbox: Gearbox, poses: dict[str, Pose]) -> dict:
    """Return a gearbox as plain data, as the joint that it is in SDF."""
    turn = poses[gearbox.reference][3:]
    limits = {name: _plain(getattr(Axis(), name)) for name in AXIS_FIELDS}
    return {
        "name": gearbox.name,
        "type": "gearbox",
        "parent": gearbox.parent,
        "child": gearbox.child,
        "X_WJ": _describe_pose(compose(poses[gearbox.child], gearbox.X_CJ)),
        "axes": [{"xyz_world": _plain_all(quat_rotate(turn, xyz))} | limits for xyz in (gearbox.axis, gearbox.axis2)],
        "gearbox_ratio": gearbox.ratio,
        "gearbox_reference_body": gearbox.reference,
    }


def _describe_joint(joint: Joint, poses: dict[str, Pose]) -> dict:
    X_WJ = compose(poses[joint.child], joint.X_CJ)

    def describe_axis(number: int) -> dict:
        axis = joint.axes[number]
        values = {name: _plain(getattr(axis, name)) for name in AXIS_FIELDS}
        return {"xyz_world": _plain_all(quat_rotate(X_WJ[3:], joint.direction(number)))} | values

    facts = {
        "name": joint.name,
        "type": joint.type,
        "parent": joint.parent,
        "child": joint.child,
        "X_WJ": _describe_pose(X_WJ),
        "axes": [describe_axis(number) for number in range(joint.axis_count)] if joint.all_columns else [],
    }
    if joint.kind.threaded:
        facts["pitch"] = joint.pitch
    facts |= {name: strength for name in BREAKING if math.isfinite(strength := getattr(joint, name))}
    if joint.mimic:
        mimic = joint.mimic
        facts["mimic"] = {"joint": mimic.leader} | {
            name: _plain(getattr(mimic, name)) for name in ("multiplier", "offset", "reference")
        }
    return facts


def _describe_pose(pose: Pose) -> dict:
    return {"xyz": _plain_all(pose[:3]), "quat_wxyz": _plain_all(pose[3:])}


def _plain(value: float) -> float | str:
    value = float(value)
    return value if math.isfinite(value) else str(value)


def _plain_all(values: Iterable[float]) -> list[float | str]:
    return [_plain(value) for value in values]


def _table(model: Model) -> list[str]:
    total = sum(link.mass for link in model.links)
    tree = model.tree()
    above = {branch.outer: branch.inner for branch in tree.branches}
    looping = {joint.name for joint in tree.loops}
    links = [(link.name, f"{link.mass:.6g} kg", above.get(link.name, "free")) for link in model.links]
    joints = [
        (
            j.name,
            f"{j.type}, closes a loop" if j.name in looping else j.type,
            f"{j.parent} -> {j.child}",
            _limits(j),
            _most(j, "velocity"),
            _most(j, "effort"),
            _mimic(j),
        )
        for j in model.joints
    ]
    return [
        f"{model.name}: {counted(links, 'link')}, {counted(joints, 'joint')}, {total:.6g} kg",
        "",
        aligned([("LINK", "MASS", "PARENT"), *links]),
        *([""] if joints else []),
        *(
            [aligned([("JOINT", "TYPE", "PARENT -> CHILD", "LIMITS", "VELOCITY", "EFFORT", "MIMIC"), *joints])]
            if joints
            else []
        ),
    ]


def _limits(joint: Joint) -> str:
    """Return the limits of a joint in words: degrees for rotations, metres for slides.

    Of rows, such as a ball joint's cone, only those with limits are included.
    """
    columns = [(column.axis, "") for column in joint.all_columns if joint.kind.slot(column.axis).limited]
    rows = [(row.axis, f"{joint.kind.slot(row.axis).name} ") for row in joint.kind.limited_quantities]
    found = [(name, joint.axes[number], joint.axis_unit(number)) for number, name in columns + rows]
    return ", ".join(f"{name}{_range(axis, unit)}" for name, axis, unit in found if not (name and axis.is_unlimited))


def _range(axis: Axis, unit: Unit) -> str:
    if axis.is_unlimited:
        return "none"
    factor, suffix = (math.degrees(1.0), "deg") if unit is Unit.ANGLE else (1.0, "m")
    return f"{axis.lower * factor:.6g} .. {axis.upper * factor:.6g} {suffix}"


def _most(joint: Joint, what: str) -> str:
    """Return the largest velocity or effort of each axis that has one, in words."""
    found = []
    for column in joint.all_columns:
        value, turns = getattr(joint.axes[column.axis], what), joint.axis_unit(column.axis) is Unit.ANGLE
        if value != math.inf:
            if what == "velocity":
                found.append(f"{math.degrees(value):.6g} deg/s" if turns else f"{value:.6g} m/s")
            else:
                found.append(f"{value:.6g} {'N m' if turns else 'N'}")
    return ", ".join(dict.fromkeys(found))


def _mimic(joint: Joint) -> str:
    mimic = joint.mimic
    if mimic is None:
        return ""
    leader = f"({mimic.leader} - {mimic.reference:g})" if mimic.reference else mimic.leader
    return f"{mimic.multiplier:g} * {leader}" + (f" + {mimic.offset:g}" if mimic.offset else "")


INFO = Verb("info", "show the links and joints of a model", _add_arguments, _run)

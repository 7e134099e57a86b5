# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of USD.

Rigid bodies become links, joints become joints, and colliders that belong to no body become one link that stands still.
The pose that the file draws is the initial pose: coordinates count from where the frames of a joint coincide.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from ...files.resources import FilesBeside
from ...geometry import Shape
from ...model import WORLD, Joint, Link, Model
from ...model.couplings import at_led_homes
from ...model.naming import TakenNames
from ...model.text import quoted
from ...spatial import IDENTITY, ZERO_SYM, Pose, Vec3, compose, inverse, norm, scale
from ..findings import Findings, Places
from ..source import Source
from .bodies import COLLISION, PLAIN, Bodies
from .contacts import FilteredPairs, let_joined_meet, read_self_collisions
from .coordinates import merge
from .groups import read_groups
from .joints import JointReader
from .losses import tell_unread
from .masses import MassReader
from .mimics import read_mimics
from .shapes import ShapeReader
from .stage import Stage, open_stage, refusing_what_pxr_refuses

SCENERY = "surroundings"
"""Name of the link of colliders that belong to no body."""

EARTH = 9.81
"""Gravity where a scene gives none [m/s^2]."""


def read_usd(source: Source, findings: Findings, files: FilesBeside) -> tuple[Model, Places]:
    """Return the model in a USD file, and the prims of its parts.

    Raises:
        UnreadableError: if there is no pxr, or if it cannot open the file.
    """
    with refusing_what_pxr_refuses(source):
        return _read(open_stage(source, findings), findings)


def _read(stage: Stage, findings: Findings) -> tuple[Model, Places]:
    bodies = Bodies(stage, findings)
    model = Model(stage.name, list(bodies.links.values()), gravity=_gravity(stage, bodies, findings))
    places: Places = {("model", model.name): stage.place(stage.root)}
    places |= {("link", bodies.links[path].name): stage.place(prim) for path, prim in bodies.prims.items()}
    pairs = FilteredPairs(stage, bodies, findings)
    shapes, standing = _add_shapes(model, stage, bodies, pairs, findings)
    pairs.add_to(model, bodies, standing)
    _add_joints(model, stage, bodies, places, findings)
    read_self_collisions(model, stage, bodies)
    read_groups(stage, bodies, shapes, findings)
    tell_unread(bodies, stage, findings)
    _stand_at_zero(model)
    return model, places


def _gravity(stage: Stage, bodies: Bodies, findings: Findings) -> Vec3:
    """Return gravity [m/s^2]. Its default is that of the earth, against the stage's up axis."""
    if not bodies.scenes:
        return (0.0, 0.0, -EARTH)
    prim = bodies.scenes[0]
    if bodies.scenes[1:]:
        findings.note(f"{len(bodies.scenes)} physics scenes; the first one, {prim.GetPath()}, is read")
    magnitude = stage.number(prim, "physics:gravityMagnitude", -math.inf)
    size = magnitude * stage.unit if magnitude >= 0.0 else EARTH
    direction = stage.vector(prim, "physics:gravityDirection")
    length = norm(direction)
    return scale(direction, size / length) if length else (0.0, 0.0, -size)


def _add_shapes(
    model: Model, stage: Stage, bodies: Bodies, pairs: FilteredPairs, findings: Findings
) -> tuple[dict[str, Shape], dict[str, str]]:
    """Add the shapes and masses of all links.

    Return the collisions by the paths of their prims, and the names of links that stand still by the paths of the prims
    that filtered pairs name: each has a link of its own.
    """
    reader, masses = ShapeReader(stage, findings), MassReader(stage, findings)
    prims: dict[str, list[Any]] = defaultdict(list)
    for prim in bodies.others:
        if reader.is_shape(prim):
            prims[bodies.owner[str(prim.GetPath())]].append(prim)
        elif COLLISION in stage.applied(prim):
            kind = str(prim.GetTypeName())
            what = "it has no geometry of its own" if kind in PLAIN else f"its geometry, <{kind}>, is not read"
            message = f"{what}; it touches nothing"
            findings.warning(stage.place(prim), "unknown-shape", message)
    found: dict[str, Shape] = {}
    for path, link in bodies.links.items():
        colliders = _shapes_of(link, prims[path], stage, reader, found)
        masses.weigh(bodies.prims[path], link, colliders)
    standing = _standing(prims[""], stage, pairs)
    taken, names = TakenNames([WORLD, *(link.name for link in model.links)]), {}
    for path, fixed in standing.items():
        name = names[path] = taken.claim(path.rpartition("/")[2] or SCENERY)
        scenery = Link(name, mass=0.0, inertia=ZERO_SYM)
        model.links.append(scenery)
        model.joints.append(Joint(f"{name}_fixed", "fixed", WORLD, name))
        _shapes_of(scenery, fixed, stage, reader, found)
    if left := len(prims[""]) - sum(map(len, standing.values())):
        findings.note(f"{left} shapes that belong to no body and do not collide are not read")
    return found, names


def _standing(prims: list[Any], stage: Stage, pairs: FilteredPairs) -> dict[str, list[Any]]:
    """Return shapes that belong to no body by links: colliders, and what is seen of the components that they are in.

    Keys are the paths of the prims that filtered pairs name.
    """
    found: dict[str, list[Any]] = defaultdict(list)
    components: dict[str, str] = {}
    others = []
    for prim in prims:
        if COLLISION in stage.applied(prim):
            path = pairs.nearest(str(prim.GetPath()))
            found[path].append(prim)
            components.setdefault(stage.component(prim), path)
        else:
            others.append(prim)
    components.pop("", None)
    for prim in others if components else ():
        if (component := stage.component(prim)) in components:
            found[components[component]].append(prim)
    return found


def _shapes_of(
    link: Link, prims: list[Any], stage: Stage, reader: ShapeReader, found: dict[str, Shape]
) -> list[tuple[Any, Shape]]:
    """Add the visuals and collisions of a link. Return its colliders, which are added to `found` too."""
    X_LW, seen, hit = inverse(link.pose), TakenNames(), TakenNames()
    colliders = []
    for prim in prims:
        name = stage.name_of(prim)
        if stage.is_seen(prim) and (visual := reader.visual(prim, seen.claim(name), X_LW)):
            link.visuals.append(visual)
        if COLLISION not in stage.applied(prim):
            continue
        if shape := reader.collision(prim, hit.claim(name), X_LW):
            colliders.append((prim, shape))
            if stage.flag(prim, "physics:collisionEnabled", True):
                link.collisions.append(shape)
                found[str(prim.GetPath())] = shape
    link.self_collide = bool(link.collisions)
    return colliders


def _add_joints(model: Model, stage: Stage, bodies: Bodies, places: Places, findings: Findings) -> None:
    reader = JointReader(stage, bodies, findings)
    for path in bodies.kinematic:
        link = bodies.links[path]
        model.joints.append(Joint(f"{link.name}_held", "fixed", WORLD, link.name, link.pose))
        findings.note(f"kinematic bodies stand where they are drawn (first {path})", "kinematic")
    found = [read for prim in bodies.joints if (read := reader.read(prim))]
    kept = merge(found)
    for each in kept:
        reader.place(each)
        places["joint", each.joint.name] = stage.place(each.prim, f"joint '{each.joint.name}'")
        model.joints.append(each.joint)
    read_mimics(found, stage, findings)
    _start_followers(model, findings)
    let_joined_meet(model, [each.joint for each in found if stage.flag(each.prim, "physics:collisionEnabled", False)])


def _start_followers(model: Model, findings: Findings) -> None:
    """Let joints that follow others start where these lead them, which need not be where they are drawn."""
    joints = at_led_homes(model.joints)
    moved = [joint.name for joint, before in zip(joints, model.joints, strict=True) if joint is not before]
    if moved:
        findings.note(
            f"{quoted(moved)}: drawn elsewhere than where the joints that they follow lead them; they start there"
        )
    model.joints = joints


def _stand_at_zero(model: Model) -> None:
    """Set the poses of links to those at which the coordinates of all joints of the tree are 0."""
    poses: dict[str, Pose] = {WORLD: IDENTITY}
    tree = model.tree()
    links = {link.name: link for link in model.links}
    poses |= {name: links[name].pose for name in tree.roots}
    for branch in tree.branches:
        joint = branch.joint
        inner, outer = (joint.X_CJ, joint.X_PJ) if branch.backward else (joint.X_PJ, joint.X_CJ)
        poses[branch.outer] = links[branch.outer].pose = compose(poses[branch.inner], compose(inner, inverse(outer)))

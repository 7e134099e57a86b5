# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the doctor for links that fall out of the world or pass through others, with the reason."""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from ..collision.solids import MESH, PLANE
from ..geometry import Shape
from ..geometry.outlines import Crossing, last_crossing
from ..geometry.shapes import ALL_LAYERS
from ..kinematics.proximity.distances import Proximity, Separation
from ..model.compiling.colliders import why_unusable
from ..model.text import in_metres, timed
from ..spatial import compose, inverse, quat_rotate
from ..spatial.arrays import matmul, norm
from .case import Case
from .contact_facts import ContactFacts
from .diagnosis import Diagnosis

MOST_TOLD = 3
"""Number of links that are named one by one."""

FAR_BELOW = 10.0
"""Distance of a fall, in sizes of the largest solid that falls, up to which it may still land."""

FREELY = 0.5
"""Ratio of its acceleration to that of gravity above which a link falls freely."""

PASSED = 0.3
"""Overlap of two solids that do not collide, in sizes of the smaller one, above which one passes through the other."""

LEVEL = 1e-6
"""Sine of the slope below which a face of a closed mesh counts as upright, so that nothing can rest on it."""

GLANCES = 60
"""Largest number of frames at which overlaps are looked for."""


def fell_out(run: Case) -> Iterator[Diagnosis]:
    """Report links that fall for ever."""
    facts = run.touching
    if facts is None or facts.last < 4 or not facts.down.any():
        return
    reported = facts.pieces.get(run.falls, "")  # another rule reports this piece
    lost = [first for first in _lost(facts) if first != reported]
    for first in lost[:MOST_TOLD]:
        places = _places(facts, first)
        fallen = float(matmul(places[-1] - places[0], facts.down))
        others = f"; so do {len(lost) - MOST_TOLD} more" if len(lost) > MOST_TOLD and first == lost[0] else ""
        message = (
            f"it has fallen {in_metres(fallen)} by {timed(float(run.trajectory.times[-1]))}, below all that stands, "
            f"and falls on: {_why(facts, first)}{others}"
        )
        yield Diagnosis("fell-out", f"link '{first}'", message)


def _lost(facts: ContactFacts) -> list[str]:
    return [first for first in facts.loose if _is_lost(facts, first)]


def _places(facts: ContactFacts, link: str) -> np.ndarray:
    """Return the positions of a link's origin at all frames, shape (F, 3) [m]."""
    return facts.run.trajectory.X_WL[:, facts.run.trajectory.link_names.index(link), :3]


def _links_with(facts: ContactFacts, first: str) -> list[str]:
    return [name for name, piece in facts.pieces.items() if piece == first]


def _is_lost(facts: ContactFacts, first: str) -> bool:
    """Return whether a machine falls freely and far, touches nothing, and is below all fixed solids."""
    links = _links_with(facts, first)
    solids = facts.solids_of(*links)
    if not len(solids) or not any(facts.run.compiled.model.link(name).gravity for name in links):
        return False
    places, times = matmul(_places(facts, first), facts.down), facts.run.trajectory.times
    size = float(facts.solids.bounding_radius[solids].max())
    if places[-1] - places[0] < FAR_BELOW * size:
        return False
    early, late = np.diff(places[-3:]) / np.diff(times[-3:])
    if late - early < FREELY * float(norm(facts.gravity)) * 0.5 * (times[-1] - times[-3]):
        return False
    lines = facts.touches.lines[facts.touches.lines["frame"] >= facts.last - 2]
    if {facts.touches.owners[i] for i in (*lines["first"], *lines["second"])} & set(links):
        return False
    point = _places(facts, first)[-1]
    return all(_is_above(facts, int(i), point) for i in facts.solids_of(*facts.standing))


def _is_above(facts: ContactFacts, solid: int, point: np.ndarray) -> bool:
    """Return whether a fixed solid is above a point, or cannot stop anything that is there."""
    place = facts.placed[solid]
    if facts.solids[solid].kind == PLANE:
        normal = place.rotation.reshape(3, 3)[:, 2]
        return bool(matmul(normal, point - place.origin) < 0.0 or matmul(normal, facts.down) >= 0.0)
    corners = np.where(facts.down > 0.0, place.upper, place.lower)
    return bool(matmul(corners, facts.down) < matmul(point, facts.down))


def _unusable(facts: ContactFacts, links: Collection[str]) -> str:
    """Return which collision shape of some links touches nothing, and why; empty if all of them can touch."""
    for link in facts.run.compiled.model.links:
        for shape in link.collisions if link.name in links else ():
            if why := why_unusable(shape.geometry):
                return f"collision '{shape.name}' of link '{link.name}' {why}"
    return ""


def _why(facts: ContactFacts, first: str) -> str:
    """Return why nothing stopped a machine, and what to do."""
    if unusable := _unusable(facts, {*facts.standing, *_links_with(facts, first)}):
        return unusable
    standing = facts.solids_of(*facts.standing)
    if not len(standing):
        return "nothing with a collision stands in the world; add a floor, or hold it where it is"
    own = facts.solids_of(*_links_with(facts, first))
    placed = facts.placed
    inverted = left = ""
    for solid in map(int, standing):
        name = facts.touches.owners[solid]
        if facts.solids[solid].kind == PLANE and matmul(placed[solid].rotation.reshape(3, 3)[:, 2], facts.down) > 0.0:
            inverted = f"the normal of plane '{name}' points down, so it holds what is below it; turn it over"
        elif _comes_across(facts, first, own, solid, placed[solid]):
            reason = _excluded(facts, own, solid)
            if reason:
                return f"it went through link '{name}': {reason}"
            crossing = _crosses(facts, own, solid) if facts.solids[solid].kind == MESH else None
            if crossing and crossing.is_within:
                return _crossing_in_words(name, crossing)
            if crossing:
                left = left or _crossing_in_words(name, crossing)
    if inverted or left:
        return inverted or left
    names = list(dict.fromkeys(facts.touches.owners[int(solid)] for solid in standing))
    reported = ", ".join(f"'{name}'" for name in names[:MOST_TOLD]) + (" and others" if len(names) > MOST_TOLD else "")
    return f"what stands ({reported}) is not below it; make the floor larger, or put it below where things start"


def _crossing_in_words(name: str, crossing: Crossing) -> str:
    """Describe how the mesh of link `name` was left, and what to do."""
    place = " ".join(f"{x:.3g}" for x in crossing.point + 0.0)
    if crossing.is_within:
        return (
            f"it came through the mesh of link '{name}', which has a hole at {place} m, or no faces; close it, or give "
            "the link a box or a plane for its collision"
        )
    return f"it left link '{name}' over the edge of its mesh, at {place} m; make it larger, or put a wall at its edge"


def _comes_across(facts: ContactFacts, first: str, own: np.ndarray, solid: int, place: np.record) -> bool:
    """Return whether the path of a machine leads through a solid, or through the box around it."""
    path = _places(facts, first)
    if facts.solids[solid].kind == PLANE:
        normal = place.rotation.reshape(3, 3)[:, 2]
        above = matmul(path - place.origin, normal)
        return bool(above[0] > 0.0 > above[-1])
    reach = float(facts.solids.bounding_radius[own].min())
    lower, upper = place.lower - reach, place.upper + reach
    steps = np.linspace(0.0, 1.0, 9)[:, None, None]
    fine = (path[:-1] + steps * (path[1:] - path[:-1])).reshape(-1, 3)
    return bool(((fine >= lower) & (fine <= upper)).all(axis=1).any())


def _crosses(facts: ContactFacts, own: np.ndarray, solid: int) -> Crossing | None:
    """Return where one of some solids went below a mesh, through a hole rather than over its edge.

    In a closed mesh, such as a thick plate, only the faces on which a link can rest count: those that face upward.
    """
    meshes, mesh = facts.touches.collisions.store.meshes, facts.solids[solid]
    place = facts.placed[solid]
    turned = place.rotation.reshape(3, 3)
    numbers = slice(mesh.first_face, mesh.first_face + mesh.face_count)
    faces, normals = meshes.faces[numbers] - mesh.first_vertex, meshes.normals[numbers]
    vertices = meshes.vertices[mesh.first_vertex : mesh.first_vertex + mesh.vertex_count]
    vertices = (vertices[:, None] * turned).sum(axis=2) + place.origin
    if mesh.closed:
        faces = faces[((normals[:, None] * turned).sum(axis=2) * facts.down).sum(axis=1) < -LEVEL]
    found = [last_crossing(_way(facts, int(i)), vertices, faces, facts.down) for i in own]
    return max((each for each in found if each), key=lambda each: each.is_within, default=None)


def _way(facts: ContactFacts, solid: int) -> np.ndarray:
    """Return the middle of a solid, frame by frame, shape (F, 3) [m]."""
    trajectory = facts.run.trajectory
    X_WL = trajectory.X_WL[:, trajectory.link_names.index(facts.touches.owners[solid])]
    at_first = (*facts.placed[solid].origin.tolist(), 1.0, 0.0, 0.0, 0.0)
    middle = compose(inverse(tuple(X_WL[0].tolist())), at_first)[:3]
    return X_WL[:, :3] + np.array([quat_rotate(tuple(quat), middle) for quat in X_WL[:, 3:].tolist()])


def _excluded(facts: ContactFacts, own: np.ndarray, solid: int) -> str:
    """Return why none of some solids collides with another one, and what to do; empty if one does."""
    found = [_apart(facts, int(i), solid) for i in own]
    return found[0] if found and all(found) else ""


def _apart(facts: ContactFacts, one: int, other: int) -> str:
    """Return why two solids do not collide; empty if they do."""
    model, owners = facts.run.compiled.model, facts.touches.owners
    a, b = facts.shape(one), facts.shape(other)
    if not a.may_meet(b):
        return (
            f"collision '{a.name}' of link '{owners[one]}' is on layers {a.layers:#06x} and collides with "
            f"{a.meets:#06x}, and collision '{b.name}' of link '{owners[other]}' is on {b.layers:#06x} and collides "
            f"with {b.meets:#06x}, so the two never collide; let one collide with a layer that the other is on"
        )
    if facts.touches.collisions.collision_filter.may_meet(int(facts.solids[one].owner), int(facts.solids[other].owner)):
        return ""
    if any({pair.a, pair.b} == {owners[one], owners[other]} and not pair.meets for pair in model.contact_pairs):
        return f"the contact pair '{owners[one]}', '{owners[other]}' says that they never collide; remove the pair"
    return (
        f"links '{owners[one]}' and '{owners[other]}' are of one family, whose links do not collide; give them "
        "different families, or let one of them collide with its own family"
    )


def goes_through(run: Case) -> Iterator[Diagnosis]:
    """Report links that pass through others, since layers or a contact pair prevent their collision."""
    facts = run.touching
    model = run.compiled.model
    if facts is None or facts.last < 2:
        return
    shapes = [shape for link in model.links for shape in link.collisions]
    apart = any(facts.pieces[pair.a] != facts.pieces[pair.b] and not pair.meets for pair in model.contact_pairs)
    if not apart and all((shape.layers, shape.meets) == (ALL_LAYERS, ALL_LAYERS) for shape in shapes):
        return
    open_to_all = copy.copy(model)
    open_to_all.contact_pairs = []
    open_to_all.links = [replace(link, collisions=[*map(_open, link.collisions)]) for link in model.links]
    proximity = Proximity(open_to_all, run.start.q)
    at_first = {(each.a, each.b) for each in proximity.pairs_nearer(0.0)}
    reported: set[tuple[str, str]] = set()
    lost = set(_lost(facts)) if facts.last >= 4 and facts.down.any() else set()  # `fell_out` reports these
    for frame in np.unique(np.linspace(1, facts.last, GLANCES).astype(int)):
        proximity.place(run.trajectory.q[frame])
        for each in proximity.pairs_nearer(0.0):
            if (each.a, each.b) in at_first | reported or facts.pieces[each.a] == facts.pieces[each.b]:
                continue
            if lost & {facts.pieces[each.a], facts.pieces[each.b]}:
                continue
            if why := _passes(facts, each):
                reported.add((each.a, each.b))
                if len(reported) <= MOST_TOLD:
                    when = run.frame_at(run.trajectory.times[frame])
                    moving, other = facts.moving_first(each.a, each.b)
                    message = f"it is {in_metres(-each.gap)} deep in link '{other}' at frame {when}: {why}"
                    yield Diagnosis("goes-through", f"link '{moving}'", message)


def _open(shape: Shape) -> Shape:
    """Return a shape that collides with all layers."""
    return replace(shape, layers=ALL_LAYERS, meets=ALL_LAYERS)


def _passes(facts: ContactFacts, found: Separation) -> str:
    """Return why two links overlap by much; empty if they do not, or if they collide."""
    own, others = facts.solids_of(found.a), facts.solids_of(found.b)
    size = min(facts.size(*own.tolist()), facts.size(*others.tolist()))
    if math.isinf(size) or -found.gap < PASSED * size:
        return ""
    found_reasons = [_excluded(facts, own, int(solid)) for solid in others]
    return found_reasons[0] if all(found_reasons) else ""

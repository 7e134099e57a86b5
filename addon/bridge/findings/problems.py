# SPDX-License-Identifier: GPL-3.0-or-later
"""Find everything that is wrong or suspect in a scene's model, with the objects concerned."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import bpy

from ....core.check import check_definition, check_start
from ....core.check.falling import CODE as FALLS
from ....core.check.overlapping import MOST_TOLD, SUNK, Overlap, overlapping, summary
from ....core.check.summarizing import AlikeIssues, summarized
from ....core.model import ModelError
from ....core.model.text import counted
from ... import migration
from ...nodes import Node, model_name, owner_of, parent_of
from ...nodes.naming import node_named
from ...props import is_joint, is_kinematic, is_link
from ...props.ragdoll import is_body_part
from ...props.settings import joint_settings, link_settings, scene_settings
from ..animation.animated import SCENE, Input, lasting_issues
from ..animation.motion_sources import active_constraints, is_animated, may_follow_own_keys, transform_drivers
from ..animation.replaced_keys import links_losing_keys
from ..baked_machines.displacement_problems import problems_of_machines
from ..links.collisions import is_outdated
from ..links.contact_settings import GROUND
from ..links.deforming import deforming_colliders
from ..links.parts import EvaluatedScene, evaluated_scene_of
from ..links.precision import CODE as COARSE
from ..links.precision import coarse_places
from ..links.tagging import changes_of_form, conflict_with_keys, deformation_of
from ..posing.present_poses import gap_at, poses_now
from ..scene.read import depsgraph_of
from ..unbakeable_links import INSTANCED, LINKED, instanced_links, links_of_libraries
from ..values.gravity import CODE as GRAVITY
from ..values.gravity import gravity_by_unit
from ..values.numbers import unit_length
from .hollows import filled_hollows
from .problem import Problem

if TYPE_CHECKING:
    from ....core.check import Issue
    from ....core.model import Model
    from ..scene.read import Fault, SceneReading

ORDER = {"error": 0, "warning": 1, "note": 2}

FALLS_ON = "no-floor"
"""Code of a note on a ragdoll that nothing catches. Unlike other machines, it is meant to fall."""

OF_START = ("falls-freely", FALLS_ON, "nothing-moves", "gravity-cannot-turn")
"""Codes of problems that become visible as soon as a scene is played; a preview shows them, too."""

BESIDE_PLAY = (SUNK, GRAVITY)
"""Codes of problems that are shown below Play before it is pressed, since the motion would begin unexpectedly."""


HULL = "touches with its convex hull"
"""Part of core's message about each mesh that can be pushed. Such issues are replaced by `filled_hollows`."""

OVERLAPS = "many-overlapping"
"""Code of the problem that summarises many pairs of links that overlap."""

KEYS_REPLACED = "keys-replaced"
"""Code of the note that a bake replaces keys."""

OUTDATED = "its convex pieces were made from another mesh: press Add Collision Shape, Convex Pieces, again"


def find_problems(
    scene: bpy.types.Scene,
    reading: SceneReading,
    faults: list[Fault],
    is_outdated: Callable[[Node, EvaluatedScene], bool] = is_outdated,
) -> list[Problem]:
    """Return all problems of a scene, errors first.

    Args:
        faults: objects that could not be read; `reading` does not contain them.
        is_outdated: as `collisions.is_outdated`.
    """
    found = [Problem("error", fault.code, fault.name, fault.message) for fault in faults] + version_problems(scene)
    for issue in lasting_issues(check_definition(reading.model), reading.animated) if reading.model.links else ():
        name = issue.name if node_named(scene, issue.name) else ""
        found.append(Problem(issue.severity, issue.code, name, f"{issue.subject}: {issue.message}"))
    found += keys_replaced(scene_settings(scene).bake.start, reading)
    found += unfit_links(reading) + displaced_links(scene, reading) + wind_without_drag(reading.model)
    found += [Problem("warning", INSTANCED, *reason) for reason in instanced_links(scene)]
    found += [Problem("warning", LINKED, *reason) for reason in links_of_libraries([*reading.objects.values()])]
    found += [Problem("warning", COARSE, *reason) for reason in coarse_places(reading, unit_length(scene))]
    found += gravity_of_unit(scene, reading)
    found += moved_bakes(scene) + outdated_pieces(scene, is_outdated)
    if not any(problem.severity == "error" for problem in found):  # objects that cannot be read would look missing
        elsewhere = starting_by_keys(scene_settings(scene).bake.start, reading)
        found += start_problems(scene, reading) + filled_hollows(scene, reading.model)
        has_contact = scene_settings(scene).contact
        found += [each for each in overlaps(reading.model, elsewhere) if has_contact or each.code != SUNK]
    return sorted(_in_words_for_ragdolls(found, reading), key=lambda problem: ORDER[problem.severity])


def _in_words_for_ragdolls(problems: list[Problem], reading: SceneReading) -> list[Problem]:
    """Return problems that do not call the parts of ragdolls links, a word that their users have not met.

    The same holds for the ground in a problem about such a part.
    """
    names = [re.escape(name) for name, obj in reading.objects.items() if is_body_part(obj)]
    if not names:
        return problems
    part = re.compile(rf"\blink ('(?:{'|'.join(names)})')")
    found = []
    for problem in problems:
        message, count = part.subn(r"\1", problem.message)
        found.append(replace(problem, message=message.replace(f"link '{GROUND}'", "the ground")) if count else problem)
    return found


def version_problems(scene: bpy.types.Scene) -> list[Problem]:
    """Return problems about data that other versions have stored."""
    return [Problem("warning", note.code, note.name, note.message) for note in migration.notes_on(scene)]


def unfit_links(reading: SceneReading) -> list[Problem]:
    """Return problems of links that something of Blender's moves or deforms.

    They are errors if a simulation could not begin.
    """
    found = [Problem("error", code, name, reason) for name, reason, code in deforming_colliders(reading)]
    refused = {problem.name for problem in found}
    changes = changes_of_form(reading.objects.values())
    for name, obj in reading.objects.items():
        if not is_kinematic(obj) and (reason := conflict_with_keys(obj)):
            found.append(Problem("error", _code_of_conflict(obj), name, reason))
        if name in refused:
            continue
        if reason := deformation_of(obj):
            found.append(Problem("warning", "deformed", name, reason))
        found += [Problem("warning", "deformed", name, reason) for reason in changes[obj]]
    return found


def _code_of_conflict(link: Node) -> str:
    """Return the code of the cause that `conflict_with_keys` reports."""
    if active_constraints(link):
        return "constrained"
    return "driven" if transform_drivers(link) else "plays-strips"


def keys_replaced(start: str, reading: SceneReading) -> list[Problem]:
    """Return one problem for all links whose own keys a bake would replace; empty if there are none.

    It names the link whose keys end last.

    Args:
        start: as in `BakeSettings`.
    """
    keyed = links_losing_keys(start, reading)
    if not keyed:
        return []
    name, (first, last) = max(keyed.items(), key=lambda entry: entry[1][1])
    more = len(keyed) - 1
    others = f", and {counted(more, 'more link')} {'has' if more == 1 else 'have'} keys" if more else ""
    message = (
        f"link '{name}' has keys from frame {first:g} to {last:g}{others}: a simulation does not follow them, and its "
        "bake replaces them; to throw the link, press Throw from Animation, or Let Go at This Frame in Initial Velocity"
    )
    return [Problem("note", KEYS_REPLACED, name, message)]


def moved_bakes(scene: bpy.types.Scene) -> list[Problem]:
    """Return problems of baked links that were changed in ways that their keys do not reflect."""
    return [
        Problem("warning", code, model_name(link), f"link '{model_name(link)}': {message}")
        for code, link, message in problems_of_machines(scene)
    ]


def outdated_pieces(scene: bpy.types.Scene, is_outdated: Callable[[Node, EvaluatedScene], bool]) -> list[Problem]:
    """Return problems of links whose convex pieces were made from another mesh than they have now."""
    links = {parent_of(obj) for obj in scene.objects if link_settings(obj).fitted_from}
    evaluated_scene = evaluated_scene_of(scene, depsgraph_of(scene)) if links else None
    return [
        Problem("warning", "pieces-of-another-mesh", model_name(link), f"link '{model_name(link)}': {OUTDATED}")
        for link in sorted(filter(is_link, links), key=model_name)
        if evaluated_scene and is_outdated(link, evaluated_scene)
    ]


def wind_without_drag(model: Model) -> list[Problem]:
    """Return the problem that there is wind but no link has drag."""
    if not any(model.wind) or any(link.linear_damping for link in model.links):
        return []
    message = "the wind blows, but no link feels it: give links Damping, in the panel Link, Air and Gravity"
    return [Problem("warning", "wind-without-drag", "", message)]


def gravity_of_unit(scene: bpy.types.Scene, reading: SceneReading) -> list[Problem]:
    """Return the problem that gravity differs from the Earth's because of the scene's unit only."""
    if not reading.model.links or Input(SCENE, "gravity") in reading.animated:
        return []
    return [Problem("warning", GRAVITY, "", message) for message in [gravity_by_unit(scene)] if message]


def start_problems(scene: bpy.types.Scene, reading: SceneReading) -> list[Problem]:
    """Return `issues_of_start` as problems, with the names of the objects concerned."""
    found = []
    for issue in issues_of_start(scene, reading):
        message = f"{issue.subject}: {issue.message}" if issue.name else issue.message
        found.append(Problem(issue.severity, issue.code, issue.name, message))
    return found + [
        Problem("note", FALLS_ON, issue.name, f"no floor catches '{owner_of(obj).name}', so it falls without end")
        for issue in _issues_of_start(scene, reading)
        if issue.code == FALLS and is_body_part(obj := reading.objects.get(issue.name))
    ]


def codes_below_play(is_playing: bool) -> tuple[str, ...]:
    """Return the codes of the problems that are shown below Play, and therefore not in the panel Problems.

    Args:
        is_playing: whether a preview is open.
    """
    return (*BESIDE_PLAY, *OF_START) if is_playing else BESIDE_PLAY


def issues_of_start(scene: bpy.types.Scene, reading: SceneReading) -> list[Issue]:
    """Return issues about a model that will fall freely, unless it is a ragdoll, or not move at all."""
    return [
        issue
        for issue in _issues_of_start(scene, reading)
        if issue.code != FALLS or not is_body_part(reading.objects.get(issue.name))
    ]


def _issues_of_start(scene: bpy.types.Scene, reading: SceneReading) -> list[Issue]:
    """Return issues about a model that will fall freely, or not move at all.

    There are none if gravity is animated or the simulation starts from keys, since the motion is then unknown.

    Links whose keys a bake would replace are left out: `keys_replaced` reports them, with another repair.
    """
    start = scene_settings(scene).bake.start
    if not reading.model.links or start == "KEYS" or Input(SCENE, "gravity") in reading.animated:
        return []
    pushed = {setting.owner for setting in reading.animated if setting.field in ("force", "torque")}
    pushed |= {name for name, obj in reading.objects.items() if may_follow_own_keys(obj)}
    pushed |= links_losing_keys(start, reading).keys()
    at_rest = start == "HOME" and not reading.kinematic_joints and not reading.animated
    return [issue for issue in check_start(reading.model, at_rest) if issue.name not in pushed]


def starting_by_keys(start: str, reading: SceneReading) -> frozenset[str]:
    """Return the names of links that start at the poses of their own keys instead of the model's poses.

    Args:
        start: as in `BakeSettings`.
    """
    follows_keys = is_animated if start == "KEYS" else may_follow_own_keys
    return frozenset(name for name, obj in reading.objects.items() if follows_keys(obj))


_overlaps: tuple[str, frozenset[str], list[Problem]] = ("", frozenset(), [])
"""Digest of the model that was checked last, the links that start elsewhere, and the problems that were found."""


def overlaps(model: Model, elsewhere: frozenset[str] = frozenset()) -> list[Problem]:
    """Return problems of colliding links that overlap where simulations start, and of shapes that nothing can touch.

    Args:
        elsewhere: names of links that do not start at the model's poses.
    """
    global _overlaps
    if not any(link.collisions for link in model.links):
        return []
    digest = model.digest()
    if _overlaps[:2] != (digest, elsewhere):
        try:
            issues = [issue for issue in overlapping(model, elsewhere) if HULL not in issue.message]
        except ModelError:  # other problems report it
            issues = []
        pairs = [issue for issue in issues if isinstance(issue, Overlap)]
        if len(pairs) > MOST_TOLD:
            names = tuple(sorted({name for pair in pairs for name in (pair.name, pair.other)}))
            whole = [Problem("warning", OVERLAPS, "", summary(pairs), names)]
            issues = [issue for issue in issues if not isinstance(issue, Overlap)]
        else:
            whole = []
        found = [_problem_of(each) for each in summarized(issues)] + whole
        _overlaps = digest, elsewhere, found
    return _overlaps[2]


def _problem_of(issue: Issue) -> Problem:
    names = (issue.name, *issue.others) if isinstance(issue, AlikeIssues) else ()
    return Problem(issue.severity, issue.code, issue.name, f"{issue.subject}: {issue.message}", names)


def displaced_links(scene: bpy.types.Scene, reading: SceneReading) -> list[Problem]:
    """Return problems of joints whose links were moved to poses that the joint does not allow."""
    found = []
    ends = {end for joint in reading.model.joints for end in (joint.parent, joint.child)}
    objects = {name: obj for name, obj in reading.objects.items() if name in ends}
    stand = poses_now(objects, unit_length(scene))
    for joint in reading.model.joints:
        obj = node_named(scene, joint.name)
        if obj is None or not is_joint(obj) or not joint.enabled:
            continue
        settings = joint_settings(obj)
        if any(link is not None and is_animated(link) for link in (settings.parent_node, settings.child_node)):
            continue
        gap = gap_at(joint, stand)
        if gap:
            message = (
                f"joint '{joint.name}': '{joint.child}' was moved {gap:.3g} m or rad away from where the joint holds "
                "it, and a simulation would put it back: join it where it is, or put it back"
            )
            found.append(Problem("warning", "link-left", joint.name, message))
    return found

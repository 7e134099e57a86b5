# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in a model: which names are taken, what refers to them, and how all references change with a name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from .couplings import Coupling, Equation, Gearbox, mimic_equation
from .elements import WORLD, Joint, Link
from .errors import ModelError
from .model import Model
from .text import measured, quoted

STATIC = "_static"
"""Suffix after a link's name, for the name of the joint that fixes a static link to the world."""


def way_to_hold(link: str) -> str:
    """Return what to do about a link that falls and should not: in Blender, on the command line, and in Python."""
    return (
        f"hold it in the world: Motion Static of '{link}' in Blender, --fix-base {link} on the command line, fix_base "
        "from Python"
    )


def gimbal_lock_in_words(
    middle: str, angle: float, outer: tuple[str, str], joints: list[str], slides: bool, when: str = "the start"
) -> str:
    """Return what a gimbal lock is and what to do, without the name of its joint.

    Args:
        middle, outer: names of the hinges. angle: of the middle one [rad].
        joints: the joints that the hinges belong to. slides: whether the joint of the middle hinge slides as well.
        when: the time, in words.
    """
    place = "make it" if len(joints) == 1 else f"in the place of {quoted(joints)} put"
    return (
        f"gimbal lock at {when}: with {middle} at {measured(angle, 'rad')}, its axes {outer[0]} and {outer[1]} share a "
        f"line, so that they turn against each other and nothing moves; {place} a {'free' if slides else 'ball'} "
        f"joint, which turns every way and never locks, or keep {middle} away from there"
    )


def require_new(what: str, name: str, items: Iterable[Link | Joint | Coupling | Gearbox]) -> None:
    """Check that no item has `name`, and that the name is not reserved.

    Raises:
        ModelError: if one has it, or if it is "" or "world".
    """
    if name in ("", WORLD):
        raise ModelError(f"{what} '{name}': this name is reserved; choose another")
    if any(item.name == name for item in items):
        raise ModelError(f"there is a {what} '{name}' already; choose another name")


def claim(name: str, taken: set[str]) -> str:
    """Return `name`, or the first of name_2, name_3, ... that is not in `taken`. Add it to `taken`."""
    number, chosen = 1, name
    while chosen in taken:
        number += 1
        chosen = f"{name}_{number}"
    taken.add(chosen)
    return chosen


class TakenNames:
    """Names in use, for many calls of `claim`: the time of a call does not grow with the number of names."""

    def __init__(self, names: Iterable[str] = ()):
        self._taken = set(names)
        self._next: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def claim(self, name: str) -> str:
        """Return `name`, or the first of name_2, name_3, ... that is not in use. It is in use from now on."""
        number = self._next.get(name, 1)
        chosen = f"{name}_{number}" if number > 1 else name
        while chosen in self._taken:
            number += 1
            chosen = f"{name}_{number}"
        self._next[name] = number + 1
        self._taken.add(chosen)
        return chosen


def free_name(name: str, taken: Collection[str]) -> str:
    """Return `name` after as few underscores as make it a name that is not in `taken`."""
    while name in taken:
        name = f"_{name}"
    return name


def rename(model: Model, links: Mapping[str, str], joints: Mapping[str, str]) -> None:
    """Replace names of links and joints, {old: new}, at every place where a model uses them."""
    for link in model.links:
        link.name = links.get(link.name, link.name)
    for joint in model.joints:
        joint.name = joints.get(joint.name, joint.name)
        joint.parent = links.get(joint.parent, joint.parent)
        joint.child = links.get(joint.child, joint.child)
        if joint.mimic:
            joint.mimic.leader = joints.get(joint.mimic.leader, joint.mimic.leader)
    for item in (*model.frames, *model.lights):
        item.link = links.get(item.link, item.link)
    for pair in model.contact_pairs:
        pair.a, pair.b = links.get(pair.a, pair.a), links.get(pair.b, pair.b)
    for coupling in model.couplings:
        if isinstance(coupling, Gearbox):
            coupling.parent = links.get(coupling.parent, coupling.parent)
            coupling.child = links.get(coupling.child, coupling.child)
            coupling.reference = links.get(coupling.reference, coupling.reference)
        else:
            coupling.axes = [(joints.get(joint, joint), axis) for joint, axis in coupling.axes]


def links_of(coupling: Coupling | Gearbox) -> set[str]:
    """Return the names of links that a coupling refers to."""
    return {coupling.parent, coupling.child, coupling.reference} if isinstance(coupling, Gearbox) else set()


def joints_of(coupling: Coupling | Gearbox) -> set[str]:
    """Return the names of joints that a coupling refers to."""
    return set() if isinstance(coupling, Gearbox) else {joint for joint, _ in coupling.axes}


def equations_with(model: Model, joint: str) -> Iterator[tuple[str, Equation, Coupling | Gearbox | None]]:
    """Yield (subject, equation, coupling) for every equation that has a term of `joint`.

    The subject names the equation in messages. The coupling is None for a mimic. A gearbox without hinges has no
    equation, and is left out.
    """
    for follower in model.joints:
        if follower.mimic:
            equation = mimic_equation(follower.name, follower.mimic)
            if _has(equation, joint):
                yield f"the mimic of joint '{follower.name}'", equation, None
    for coupling in model.couplings:
        try:
            equation = coupling.equation(model.joints)
        except ModelError:
            continue
        if _has(equation, joint):
            yield f"coupling '{coupling.name}'", equation, coupling


def require_terms(equation: Equation, joints: Iterable[Joint], subject: str) -> None:
    """Check that the coordinates of an equation exist.

    Raises:
        ModelError: if a joint is not among `joints`, or if one of the axes has no coordinate.
    """
    known = {joint.name: joint for joint in joints}
    for term in equation.terms:
        if term.joint not in known:
            raise ModelError(f"{subject} names joint '{term.joint}'; there are: {', '.join(known) or 'none'}")
        moving = sorted({column.axis for column in known[term.joint].columns})
        if term.axis not in moving:
            raise ModelError(
                f"{subject} names axis {term.axis} of joint '{term.joint}' ({known[term.joint].type}), whose axes that "
                f"have a coordinate are: {', '.join(map(str, moving)) or 'none'}"
            )


def _has(equation: Equation, joint: str) -> bool:
    return any(term.joint == joint for term in equation.terms)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Find out which part of a body each bone is, by names and by the bones around, and which way the body faces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..spatial import Vec3, add, cross, dot, norm, scale, sub
from .body_parts import CENTRAL, LIMBS, PARTS, ROOT
from .bone_names import LEFT, MIDDLE, RIGHT, read_bone_name

MOST_SPINE_BONES = 3
"""Number of bones between hips and neck that get links. A spine of more bones bends no better, and takes longer."""

UPRIGHT = 0.7
"""Cosine of the angle between the trunk and the direction up within which a body stands upright (about 45 degrees)."""

SNAP = 0.85
"""Cosine of the angle within which the direction up is taken to be an axis of the armature or that of the sky (about 30
degrees): the legs of a body that stands do not lead straight down."""

CHAINS = {"arm": ("upper_arm", "forearm", "hand"), "leg": ("thigh", "shin", "foot")}
"""Parts of a limb from the trunk on, by the word that names any of them."""


class Bone(NamedTuple):
    """A bone at rest.

    Attributes:
        parent: the name of the bone that carries it; None if there is none.
        head, tail: in the axes of the armature [its units], shape (3,).
    """

    name: str
    parent: str | None
    head: Vec3
    tail: Vec3


class Place(NamedTuple):
    """The place of a bone in its body.

    Attributes:
        part: a name in `PARTS`.
        side: LEFT, RIGHT or MIDDLE.
        merges: why the bone gets no link and follows the one above it; empty if it gets one.
    """

    part: str
    side: int
    merges: str = ""


class BodyAxes(NamedTuple):
    """The directions of a body at rest, as unit vectors in the axes of its armature."""

    left: Vec3
    front: Vec3
    up: Vec3


@dataclass(frozen=True)
class Anatomy:
    """The bones of a body.

    Attributes:
        places: by the name of the bone, parents first.
        is_humanoid: whether enough parts were recognized for the ranges and masses of a human body. Otherwise all parts
            are limbs or tails.
        axes: the directions of the body.
    """

    places: dict[str, Place]
    is_humanoid: bool
    axes: BodyAxes


def anatomy_of(bones: Iterable[Bone], up: Vec3, with_fingers: bool = False, as_human: bool | None = None) -> Anatomy:
    """Return what each bone is in a body.

    Args:
        bones: parents first.
        up: the direction of the sky in the axes of the armature: that of a body that stands, or that has no legs.
        with_fingers: whether fingers and toes get links of their own.
        as_human: whether a body that has the parts of a human one is treated as one. None: if it stands upright, since
            animals on four legs have the same parts.

    Raises:
        ValueError: if a bone comes before its parent.
    """
    tree = _Tree(bones)
    found = _named_places(tree)
    _tell_halves_apart(tree, found)
    _divide_spine(tree, found)
    _fill_in_ends(tree, found)
    axes = _axes_of(tree, found, up)
    is_humanoid = as_human is not False and _has_human_parts(found)
    is_humanoid = is_humanoid and (as_human is True or _stands_upright(tree, found, axes.up))
    if is_humanoid:
        _leave_out_what_is_above(tree, found)
    else:
        found = {name: _unspecific(name, place) for name, place in found.items()}
    merged = _with_reasons(found, with_fingers or not is_humanoid)
    return Anatomy(merged, is_humanoid, axes)


class _Tree:
    """Bones by name, with their parents, parents first."""

    def __init__(self, bones: Iterable[Bone]):
        self.bones: dict[str, Bone] = {}
        for bone in bones:
            if bone.parent is not None and bone.parent not in self.bones:
                raise ValueError(f"bone '{bone.name}' comes before its parent '{bone.parent}': list parents first")
            self.bones[bone.name] = bone

    def above(self, name: str) -> Iterator[str]:
        """Yield the names of the bones above a bone, the nearest first."""
        while (parent := self.bones[name].parent) is not None:
            name = parent
            yield name

    def below(self, name: str) -> list[str]:
        """Return the names of the bones that hang on a bone, directly or not."""
        return [each for each in self.bones if name in self.above(each)]


def _named_places(tree: _Tree) -> dict[str, Place]:
    """Return what the names of the bones tell. A part of the middle on one side is a helper of that part."""
    found = {}
    hands = {name for name in tree.bones if read_bone_name(name, is_below_hand=False).part == "hand"}
    for name in tree.bones:
        part, side = read_bone_name(name, is_below_hand=not hands.isdisjoint(tree.above(name)))
        found[name] = Place("helper" if part in CENTRAL and side != MIDDLE else part, side)
    return found


def _nearest(tree: _Tree, found: Mapping[str, Place], name: str, parts: Iterable[str]) -> str | None:
    """Return the nearest bone above a bone that is one of some parts."""
    return next((above for above in tree.above(name) if found[above].part in parts), None)


def _tell_halves_apart(tree: _Tree, found: dict[str, Place]) -> None:
    """Decide which part of an arm or leg a bone is that is only called that, and what a shoulder or one hip is.

    Rigs that name joints and not limbs call the upper arm a shoulder, and the thigh a left or right hip. Bones that
    were extruded from a bone are numbered, as Leg.L, Leg.L.001 and Leg.L.002, and the last one is a foot.
    """
    for name, place in found.items():
        if place.part in CHAINS:
            found[name] = place._replace(part=_next_in_chain(tree, found, name))
    for name, place in found.items():
        if place.part == "clavicle":
            below = {found[each].part for each in tree.below(name)}
            if "forearm" in below and not below & {"upper_arm", "clavicle"}:
                found[name] = place._replace(part="upper_arm")
        elif place.side != MIDDLE and read_bone_name(name).part == ROOT:
            below = {found[each].part for each in tree.below(name)}
            if "shin" in below and "thigh" not in below:
                found[name] = place._replace(part="thigh")


def _next_in_chain(tree: _Tree, found: Mapping[str, Place], name: str) -> str:
    """Return the part of an arm or leg that comes after the nearest one above a bone.

    It is the same part once more if there is no next part, or if the name of a bone below tells that it is that part.
    """
    chain = CHAINS[found[name].part]
    above = _nearest(tree, found, name, chain)
    if above is None:
        return chain[0]
    number = chain.index(found[above].part)
    following = chain[min(number + 1, len(chain) - 1)]
    is_named = any(found[each].part == following for each in tree.below(name))
    return chain[number] if is_named and following == chain[-1] else following


def _divide_spine(tree: _Tree, found: dict[str, Place]) -> None:
    """Find the hips, the neck and the head of a spine whose bones are only numbered."""
    spine = [name for name, place in found.items() if place.part == "spine"]
    if spine and not any(place.part == ROOT for place in found.values()):
        hips = _carrier_of_legs(tree, found, spine[0]) or spine[0]
        found[hips] = Place(ROOT, MIDDLE)
        spine = [name for name in spine if name != hips]
    arms = [name for name, place in found.items() if place.part in ("clavicle", "upper_arm")]
    carriers = [carrier for name in arms if (carrier := _nearest(tree, found, name, ("spine", ROOT)))]
    if not carriers or any(place.part == "head" for place in found.values()):
        return
    chest = max(carriers, key=lambda name: sum(1 for _ in tree.above(name)))
    beyond = [name for name in spine if chest in tree.above(name)]
    for name in beyond:
        found[name] = Place("neck", MIDDLE)
    if beyond:
        found[beyond[-1]] = Place("head", MIDDLE)


def _carrier_of_legs(tree: _Tree, found: Mapping[str, Place], spine: str) -> str | None:
    """Return the bone without a known name that carries the legs beside the lowest bone of the spine.

    A bone that is farther from the thighs than these are long is no part of the body: it moves all of it.
    """
    thighs = [name for name, place in found.items() if place.part == "thigh"]
    above = next((each for each in tree.above(spine) if all(each in tree.above(thigh) for thigh in thighs)), None)
    if not thighs or above is None or found[above].part or any(spine in tree.above(thigh) for thigh in thighs):
        return None
    middle = scale(_sum(tree.bones[name].head for name in thighs), 1.0 / len(thighs))
    longest = max(norm(sub(tree.bones[name].tail, tree.bones[name].head)) for name in thighs)
    bone = tree.bones[above]
    return above if min(norm(sub(end, middle)) for end in (bone.head, bone.tail)) <= longest else None


def _fill_in_ends(tree: _Tree, found: dict[str, Place]) -> None:
    """Decide what bones are whose names tell nothing, or that continue a part: those of faces, fingers and toes."""
    for name, place in found.items():
        above = next((each for each in tree.above(name) if found[each].part != "helper"), None)
        carrier = found[above] if above is not None else None
        if place.part == "helper" or carrier is None:
            pass
        elif _nearest(tree, found, name, ("head",)):
            found[name] = Place("face", place.side)
        elif carrier.part in ("hand", "finger") and place.part not in LIMBS:
            found[name] = Place("twist" if place.part == "twist" else "finger", carrier.side)
        elif carrier.part in ("foot", "toes") and place.part not in LIMBS:
            found[name] = Place("twist" if place.part == "twist" else "toes", carrier.side)
        elif carrier.part == "tail" and not place.part:
            found[name] = Place("tail", place.side)
        elif place.part == ROOT and _nearest(tree, found, name, (ROOT,)):
            found[name] = Place("helper", place.side)
        elif place.part in LIMBS and place.part == _limb_above(tree, found, name):
            found[name] = Place("twist", place.side)
    for name, place in found.items():
        if not place.part:
            found[name] = place._replace(part="limb")


def _limb_above(tree: _Tree, found: Mapping[str, Place], name: str) -> str:
    """Return the part of the nearest bone above that is no twist bone and no helper, if it is of the same side."""
    for above in tree.above(name):
        if found[above].part not in ("twist", "helper"):
            return found[above].part if found[above].side == found[name].side else ""
    return ""


def _leave_out_what_is_above(tree: _Tree, found: dict[str, Place]) -> None:
    """Make the bones above the hips helpers: they are at the floor or at the middle of a body, and move all of it."""
    for name, place in list(found.items()):
        if place.part == ROOT:
            for above in tree.above(name):
                if found[above].part == "limb":
                    found[above] = found[above]._replace(part="helper")


def _has_human_parts(found: Mapping[str, Place]) -> bool:
    parts = {place.part for place in found.values()}
    return {ROOT, "thigh", "shin"} <= parts and bool(parts & {"upper_arm", "head"})


def _stands_upright(tree: _Tree, found: Mapping[str, Place], up: Vec3) -> bool:
    """Return whether the trunk of a body rises from its hips more than it leads to the front."""

    def heads(*parts: str) -> list[Vec3]:
        return [tree.bones[name].head for name, place in found.items() if place.part in parts]

    high, low = heads("upper_arm") or heads("head"), heads(ROOT)
    trunk = sub(scale(_sum(high), 1.0 / len(high)), scale(_sum(low), 1.0 / len(low)))
    return dot(trunk, up) > UPRIGHT * norm(trunk)


def _unspecific(name: str, place: Place) -> Place:
    """Return the place of a bone of a creature: what its name tells of a human body does not hold.

    Its arms and legs may have any number of bones, so none of them is a twist bone because of its number only.
    """
    is_kept = place.part in ("tail", "twist", "helper") and read_bone_name(name).part not in CHAINS
    return place if is_kept else place._replace(part="limb")


def _with_reasons(found: Mapping[str, Place], with_fingers: bool) -> dict[str, Place]:
    """Return the places with the reasons why bones merge into those above them."""
    kept_by_choice = ("finger", "toes") if with_fingers else ()
    merged = {
        name: place._replace(merges="" if place.part in kept_by_choice else PARTS[place.part].merges)
        for name, place in found.items()
    }
    for name in _surplus(found):
        if not merged[name].merges:
            merged[name] = merged[name]._replace(merges=f"one of many bones of the {PARTS[merged[name].part].title}")
    return merged


def _surplus(found: Mapping[str, Place]) -> list[str]:
    """Return the bones of the spine, the neck and the head that are more than get links."""
    spine, necks, heads = (
        [name for name, place in found.items() if place.part == part] for part in ("spine", "neck", "head")
    )
    kept = {
        spine[round((number + 1) * len(spine) / MOST_SPINE_BONES) - 1]
        for number in range(min(MOST_SPINE_BONES, len(spine)))
    }
    crowded = [name for name in spine if name not in kept] if len(spine) > MOST_SPINE_BONES else []
    return [*crowded, *necks[1:], *heads[1:]]


def _axes_of(tree: _Tree, found: Mapping[str, Place], up: Vec3) -> BodyAxes:
    """Return the directions of a body: feet are below hips, and pairs of bones tell the sides."""

    def middle(part: str, side: int | None = None) -> Vec3 | None:
        heads = [
            tree.bones[name].head
            for name, place in found.items()
            if place.part == part and (side is None or place.side == side)
        ]
        return scale(_sum(heads), 1.0 / len(heads)) if heads else None

    high, low = middle("thigh"), middle("foot") or middle("shin")
    if high and low and norm(sub(high, low)) > 0.0:
        up = _snapped(_unit(sub(high, low)), up)
    left = (0.0, 0.0, 0.0)
    for part in sorted(LIMBS | {"clavicle"}):
        one, other = middle(part, LEFT), middle(part, RIGHT)
        if one and other:
            left = add(left, sub(one, other))
    left = sub(left, scale(up, dot(left, up)))
    if norm(left) == 0.0:  # no pairs: characters look along -y, or along z where y is up
        left = cross(up, (0.0, 0.0, 1.0)) if abs(up[2]) < SNAP else (1.0, 0.0, 0.0)
        left = (1.0, 0.0, 0.0) if norm(left) == 0.0 else left
    left = _unit(sub(left, scale(up, dot(left, up))))
    return BodyAxes(left, cross(left, up), up)


def _sum(vectors: Iterable[Vec3]) -> Vec3:
    total = (0.0, 0.0, 0.0)
    for vector in vectors:
        total = add(total, vector)
    return total


def _unit(vector: Vec3) -> Vec3:
    return scale(vector, 1.0 / norm(vector))


def _snapped(direction: Vec3, up: Vec3) -> Vec3:
    """Return the axis of the armature, or the direction of the sky, that is nearest to a direction, if near enough.

    Otherwise, return the direction itself.
    """
    units: tuple[Vec3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    nearest = max((*units, *(scale(unit, -1.0) for unit in units), up), key=lambda each: dot(direction, each))
    return nearest if dot(direction, nearest) >= SNAP else direction

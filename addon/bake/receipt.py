# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake came from and came to, kept on its action: so that a panel can tell when it is out of date."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import bpy
import numpy as np

from .. import ids
from ..bridge.motion import TRANSFORMS
from ..bridge.stored import known_fields, parse_stored

REPLACED = (*TRANSFORMS, f"{ids.JOINT}.coordinates[")
"""How the data paths begin of which a bake has curves of its own, or that would fight these."""


ROUNDING = 3
"""Number of times that the digest of an unchanged scene has changed, plus 1.

2: masses, inertias and poses are computed without BLAS, which gives other last digits. 3: the name of the scene, its
named frames and what differs from frame to frame are left out.
"""


class Receipt(NamedTuple):
    """On the action, as JSON. Other versions have other fields: what one lacks has its default here, and what is not
    known here is not looked at. So a field that is added has what bakes before it were like for its default.

    Attributes:
        version: of Limberjack. source: "simulation", or the name of the trajectory file that was replayed.
        model: digest of the model and its surroundings. motion: digest of the animation that the bake began with.
        carriers: digest of what carries links, where it stands and how it is animated.
        movers: digest of the animation of what drives the motion.
        keys: digest of the keys as they were written.
        first, last, step: frames. fps: frames a second.
        accuracy, start, onto: as `BakeSettings`. distance [m], angle [rad]: asked for; 0 for a key on every frame.
        contact: whether links touched each other.
        written, possible: keys, and how many there were without reducing.
        off_by, turned_by: most that a link is away from the motion [m] and turned [rad], as Blender plays the keys; 0
            where every frame has a key, and the keys are the motion.
        result: in words.
        asked_last: frame at which the bake was to end; after `last` if the simulation failed and its good frames were
            kept. 0 in older versions, where it is `last`.
        rounding: the ROUNDING of the version that baked; older versions did not write it.
    """

    version: str = ""
    source: str = "simulation"
    model: str = ""
    motion: str = ""
    carriers: str = ""
    keys: str = ""
    first: int = 0
    last: int = 0
    step: float = 1.0
    fps: float = 0.0
    accuracy: str = ""
    start: str = "HOME"
    onto: str = "LINKS"
    distance: float = 0.0
    angle: float = 0.0
    written: int = 0
    possible: int = 0
    off_by: float = 0.0
    turned_by: float = 0.0
    result: str = ""
    movers: str = ""
    contact: bool = False
    rounding: int = 1
    asked_last: int = 0

    @property
    def asked_frame(self) -> int:
        """The frame at which the bake was to end."""
        return self.asked_last or self.last


def sign(action: bpy.types.Action, receipt: Receipt) -> None:
    action[ids.BAKE_MARK] = json.dumps(receipt._asdict())


def receipt_of(action: bpy.types.Action) -> Receipt | None:
    """None where the action has none that can be read."""
    told = parse_stored(action.get(ids.BAKE_MARK))
    kinds = {name: type(default) for name, default in Receipt._field_defaults.items()}
    return Receipt(**known_fields(told, kinds)) if told else None


def is_edited(action: bpy.types.Action) -> bool:
    """Whether somebody has changed the keys of a bake since it was written."""
    receipt = receipt_of(action)
    return receipt is not None and receipt.keys != digest_of_bake(action)


def digest_of_bake(action: bpy.types.Action) -> str:
    """Of the keys that are the bake's; see `digest_of_curves`."""
    return digest_of_curves(filter(is_of_bake, _curves(action)))


def is_of_bake(curve: bpy.types.FCurve) -> bool:
    """Whether a curve of a bake's action is the bake's, and none that the user has beside it."""
    return curve.data_path.startswith(REPLACED)


def _curves(action: bpy.types.Action) -> Iterator[bpy.types.FCurve]:
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield from bag.fcurves


def digest_of_curves(curves: Iterable[bpy.types.FCurve]) -> str:
    """Of where their keys are, and what lies between them; see `print_of`."""
    return digest_of_prints(map(read_print, curves))


def digest_of_prints(prints: Iterable[bytes]) -> str:
    """Of curves in any order, by what `print_of` finds."""
    return hashlib.sha256(b"".join(sorted(prints))).hexdigest()


def read_print(curve: bpy.types.FCurve) -> bytes:
    """By which a curve is known."""
    points = curve.keyframe_points
    is_straight = len(points) and points[0].interpolation == "LINEAR"
    found = []
    for name in ("co",) if is_straight else ("co", "handle_left", "handle_right"):
        found.append(np.empty(2 * len(points), dtype=np.float32))
        points.foreach_get(name, found[-1])
    return print_of(curve, *found)


def print_of(curve: bpy.types.FCurve, *places: np.ndarray) -> bytes:
    """As `read_print`, of keys whose places are known: their frames and values, shape (2 K,), in single precision.

    Where keys are not straight from the first on, as a bake's are, the places of their handles follow. How each key is
    joined to the next is left out: asking for it takes longer than writing them all.
    """
    modifiers = " ".join(f"{modifier.type} {modifier.mute}" for modifier in curve.modifiers)
    about = f"{curve.data_path}[{curve.array_index}] {curve.mute} {curve.extrapolation} {modifiers}"
    return hashlib.sha256(about.encode() + b"".join(place.tobytes() for place in places)).digest()

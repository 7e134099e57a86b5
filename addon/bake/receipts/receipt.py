# SPDX-License-Identifier: GPL-3.0-or-later
"""The receipt of a bake, stored on its action: its inputs and results, so that panels can tell whether it is up to
date.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ... import ids
from ...bridge.animation.motion_sources import TRANSFORMS
from ...bridge.values.stored_json import known_fields, parse_stored
from ...nodes import Node, prefix_of
from ...nodes.muting import is_muting
from ...props.settings import before_bake, bones_with_settings

REPLACED = (*TRANSFORMS, f"{ids.JOINT}.coordinates[")
"""Beginnings of the data paths that a bake has F-curves for, or that conflict with these."""

BONE_PATH = re.compile(r'pose\.bones\["(?:[^"\\]|\\.)*"\]\.')
"""Pattern of the part of a data path that names a bone. Blender changes it when the bone is renamed."""

CONSTRAINT_PATH = re.compile(r'constraints\["(?:[^"\\]|\\.)*"\]\.')
"""Pattern of the part of a data path that names a constraint."""

DIGEST_VERSION = 4
"""Version of the digests: the number of times that the digest of an unchanged scene has changed, plus 1.

2: masses, inertias and poses are computed without BLAS, which gives other last digits. 3: the name of the scene, its
named frames and what differs from frame to frame are left out. 4: 0.0 and -0.0 count as equal.
"""


class Receipt(NamedTuple):
    """The receipt of a bake, stored on its action as JSON.

    Other versions have other fields: missing ones have their default, and unknown ones are ignored. So the default of a
    new field must describe the bakes of earlier versions.

    Attributes:
        version: of Limberjack. source: "simulation", or the name of the trajectory file that was replayed.
        model: digest of the model and its surroundings. motion: digest of the animation that the bake began with.
        carriers: digest of the objects that carry links, of their places and their animation.
        movers: digest of the animation that drives the motion.
        keys: digest of the keys as they were written.
        first, last, step: frames. fps: frames per second.
        accuracy, start, onto: as in `BakeSettings`. distance [m], angle [rad]: tolerances; 0 for a key at every frame.
        contact: whether links touched each other.
        written: number of keys. possible: number without reduction.
        off_by, turned_by: largest distance [m] and angle [rad] between a link and its motion, as Blender evaluates the
            keys; 0 if every frame has a key, since the keys then are the motion.
        result: in words.
        asked_last: requested last frame. It is later than `last` if the simulation failed, and its good frames were
            kept. 0 in older versions means the same as `last`.
        rounding: the DIGEST_VERSION of the version that baked; older versions did not write it.
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


def store_receipt(action: bpy.types.Action, receipt: Receipt) -> None:
    action[ids.BAKE_MARK] = json.dumps(receipt._asdict())


def receipt_of(action: bpy.types.Action) -> Receipt | None:
    """Return the receipt of an action; None if it has none that can be read."""
    stored = parse_stored(action.get(ids.BAKE_MARK))
    kinds = {name: type(default) for name, default in Receipt._field_defaults.items()}
    return Receipt(**known_fields(stored, kinds)) if stored else None


def is_edited(action: bpy.types.Action) -> bool:
    """Return whether the keys of a bake were changed after it was written."""
    receipt = receipt_of(action)
    return receipt is not None and receipt.keys != digest_of_bake(action)


def digest_of_bake(action: bpy.types.Action) -> str:
    """Return a digest of the keys that belong to the bake; see `digest_of_curves`."""
    return digest_of_curves(_curves_of_bake(action))


def paths_replaced_on(nodes: Iterable[Node]) -> tuple[str, ...]:
    """Return the beginnings of the data paths for which a bake of nodes has F-curves, as their object has them."""
    return tuple(prefix_of(node) + path for node in nodes for path in REPLACED)


def baked_bones(armature: bpy.types.Object) -> list[Node]:
    """Return the bones of an armature that belong to the bake that it plays; none for other objects."""
    return [bone for bone in bones_with_settings(armature) if before_bake(bone).is_kept]


def _curves_of_bake(action: bpy.types.Action) -> Iterator[bpy.types.FCurve]:
    """Yield the F-curves of a bake's action that belong to the bake, and not to the user.

    All keys of location and rotation of an object do. Those of an armature and its bones do only if they are baked
    themselves, which is stored on them.
    """
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                paths = REPLACED
                if any(BONE_PATH.match(curve.data_path) for curve in bag.fcurves):
                    users = [user for user in bag.slot.users() if isinstance(user, bpy.types.Object)]
                    nodes = [node for user in users for node in (user, *bones_with_settings(user))]
                    paths = paths_replaced_on(node for node in nodes if before_bake(node).is_kept)
                yield from (curve for curve in bag.fcurves if curve.data_path.startswith(paths) or is_muting(curve))


def digest_of_curves(curves: Iterable[bpy.types.FCurve]) -> str:
    """Return a digest of the keys of F-curves and of the curve between them; see `fingerprint_of`."""
    return digest_of_fingerprints(map(read_fingerprint, curves))


def digest_of_fingerprints(fingerprints: Iterable[bytes]) -> str:
    """Return a digest of F-curves, independent of their order, from the results of `fingerprint_of`."""
    return hashlib.sha256(b"".join(sorted(fingerprints))).hexdigest()


def read_fingerprint(curve: bpy.types.FCurve) -> bytes:
    """Return the bytes that identify an F-curve with its keys."""
    points = curve.keyframe_points
    is_straight = len(points) and points[0].interpolation == "LINEAR"
    found = []
    for name in ("co",) if is_straight else ("co", "handle_left", "handle_right"):
        found.append(np.empty(2 * len(points), dtype=np.float32))
        points.foreach_get(name, found[-1])
    return fingerprint_of(curve, *found)


def fingerprint_of(curve: bpy.types.FCurve, *coordinates: np.ndarray) -> bytes:
    """Return the bytes that identify an F-curve whose keys are known.

    The interpolation of each key is left out, since reading it takes longer than writing all keys.

    Args:
        coordinates: frames and values of the keys, shape (2 K,), in single precision. If the first key is not linear,
            as the keys of a complete bake are, those of the left and the right handles follow.
    """
    modifiers = " ".join(f"{modifier.type} {modifier.mute}" for modifier in curve.modifiers)
    path = BONE_PATH.sub("pose.bones.", curve.data_path)  # without names, since renaming is no change of the keys
    path = CONSTRAINT_PATH.sub("constraints.", path)
    about = f"{path}[{curve.array_index}] {curve.mute} {curve.extrapolation} {modifiers}"
    return hashlib.sha256(about.encode() + b"".join(each.tobytes() for each in coordinates)).digest()

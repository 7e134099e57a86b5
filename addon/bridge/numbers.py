# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers on their way between Blender's single precision and the model's double precision."""

import functools
from typing import NamedTuple

import bpy
import numpy as np

from ...core.model import ModelError
from ...core.spatial import Pose, Vec3, quat_normalized, scale
from .. import ids


class Units(NamedTuple):
    """What Blender's numbers mean in a scene.

    Attributes:
        length: metres in a Blender unit.
        frame_rate: frames in a second.
        first: the frame at which a simulation's time is 0.
    """

    length: float
    frame_rate: float
    first: float


def units_of(scene, first: int | None = None) -> Units:
    """first: where not the scene says at which frame a simulation begins."""
    return Units(unit_length(scene), frame_rate(scene), frame_range(scene)[0] if first is None else first)


def frame_range(scene) -> tuple[int, int]:
    """First and last frame of a simulation, as the scene says."""
    own = getattr(scene, ids.SCENE).bake
    return (own.first, own.last) if own.use_range else (scene.frame_start, scene.frame_end)


@functools.lru_cache(maxsize=4096)  # most numbers of a scene are 0 or 1
def shortest(value: float) -> float:
    """The shortest decimal that rounds to the same single: a typed 1.7 is 1.7, not 1.7000000476837158."""
    return float(str(np.float32(value))) + 0.0  # + 0.0 turns -0.0 into 0.0


def shortest_all(values) -> tuple[float, ...]:
    return tuple(shortest(value) for value in values)


def shortest_vec3(values) -> Vec3:
    x, y, z = shortest_all(values)
    return x, y, z


def significant(value: float, digits: int = 6) -> float:
    return float(f"{value:.{digits}g}") + 0.0


def unit_length(scene) -> float:
    """Metres in one Blender unit, as the scene's unit settings say."""
    settings = scene.unit_settings
    return 1.0 if settings.system == "NONE" else shortest(settings.scale_length)


def length_in_words(scene, metres: float) -> str:
    """As the scene's units say it."""
    system = scene.unit_settings.system
    return f"{metres:.4g}" if system == "NONE" else bpy.utils.units.to_string(system, "LENGTH", metres, precision=4)


def frame_rate(scene) -> float:
    """Frames in a second."""
    return scene.render.fps / scene.render.fps_base


def format_pose(pose: Pose) -> str:
    return " ".join(repr(float(number)) for number in pose)


def parse_pose(text: str, where: str) -> Pose:
    """The pose that `format_pose` wrote. `where` names object and property, for the error."""
    try:
        numbers = tuple(float(word) for word in text.split())
    except ValueError:
        numbers = ()
    if len(numbers) != 7 or not np.isfinite(numbers).all() or not any(numbers[3:]):
        raise ModelError(f"{where} is '{text}'; it must be seven numbers x y z qw qx qy qz")
    return numbers


def scaled_pose(pose: Pose, factor: float) -> Pose:
    """The pose with its lengths in another unit."""
    return pose if factor == 1.0 else scale(pose[:3], factor) + pose[3:]


def tidy_pose(pose: Pose) -> Pose:
    """A pose that came through single precision, without the digits that are only noise."""
    x, y, z, *turn = (round(shortest(number), 7) + 0.0 for number in pose)
    return (x, y, z, *quat_normalized(turn))

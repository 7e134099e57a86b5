# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert numbers between Blender's single precision and the model's double precision."""

import functools
from typing import NamedTuple

import bpy
import numpy as np

from ....core.model import ModelError
from ....core.spatial import Pose, Vec3, quat_normalized, scale
from ...props.settings import scene_settings


class Units(NamedTuple):
    """The units of Blender's numbers in a scene.

    Attributes:
        length: length of a Blender unit [m].
        frame_rate: frames per second.
        first: the frame at which a simulation's time is 0.
    """

    length: float
    frame_rate: float
    first: float


def units_of(scene, first: int | None = None) -> Units:
    """Return the units of a scene.

    Args:
        first: frame at which a simulation begins; None for the scene's own.
    """
    return Units(unit_length(scene), frame_rate(scene), frame_range(scene)[0] if first is None else first)


def frame_range(scene) -> tuple[int, int]:
    """Return the first and the last frame of a simulation by the scene's settings."""
    own = scene_settings(scene).bake
    return (own.first, own.last) if own.use_range else (scene.frame_start, scene.frame_end)


@functools.lru_cache(maxsize=4096)  # most numbers of a scene are 0 or 1
def shortest(value: float) -> float:
    """Return the shortest decimal that rounds to the same single: a typed 1.7 is 1.7, not 1.7000000476837158."""
    return float(str(np.float32(value))) + 0.0  # + 0.0 turns -0.0 into 0.0


def shortest_all(values) -> tuple[float, ...]:
    return tuple(shortest(value) for value in values)


def shortest_vec3(values) -> Vec3:
    x, y, z = shortest_all(values)
    return x, y, z


def significant(value: float, digits: int = 6) -> float:
    return float(f"{value:.{digits}g}") + 0.0


def unit_length(scene) -> float:
    """Return the length of a Blender unit by the scene's unit settings [m]."""
    settings = scene.unit_settings
    return 1.0 if settings.system == "NONE" else shortest(settings.scale_length)


def length_in_words(scene, metres: float) -> str:
    """Return a length [m] as text in the scene's units."""
    system = scene.unit_settings.system
    return f"{metres:.4g}" if system == "NONE" else bpy.utils.units.to_string(system, "LENGTH", metres, precision=4)


def frame_rate(scene) -> float:
    """Return the number of frames per second."""
    return scene.render.fps / scene.render.fps_base


def format_pose(pose: Pose) -> str:
    return " ".join(repr(float(number)) for number in pose)


def parse_pose(text: str, where: str) -> Pose:
    """Return the pose that `format_pose` wrote.

    Args:
        where: object and property, for the error.

    Raises:
        ModelError: if the text is no pose.
    """
    try:
        numbers = tuple(float(word) for word in text.split())
    except ValueError:
        numbers = ()
    if len(numbers) != 7 or not np.isfinite(numbers).all() or not any(numbers[3:]):
        raise ModelError(f"{where} is '{text}'; it must be seven numbers x y z qw qx qy qz")
    return numbers


def scaled_pose(pose: Pose, factor: float) -> Pose:
    """Return the pose with its lengths multiplied by a factor."""
    return pose if factor == 1.0 else scale(pose[:3], factor) + pose[3:]


def tidy_pose(pose: Pose) -> Pose:
    """Return a pose that was stored in single precision without the digits that are only noise."""
    x, y, z, *turn = (round(shortest(number), 7) + 0.0 for number in pose)
    return (x, y, z, *quat_normalized(turn))

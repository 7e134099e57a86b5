# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a model that have no effect on its motion: named frames, and lights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ..geometry import Color
from ..spatial import IDENTITY, Pose, Vec3
from .elements import WORLD
from .record import Record

LightKind = Literal["point", "spot", "directional"]


@dataclass(repr=False)
class Frame(Record):
    """A named frame on a link.

    Attributes:
        pose: X_LF, in the link, or in the world if `link` is "world" [m].
    """

    name: str
    link: str = WORLD
    pose: Pose = IDENTITY


@dataclass(repr=False)
class Light(Record):
    """A light, with the fields of `light` in SDFormat's specification.

    Attributes:
        pose: X_LI, in the link, or in the world if `link` is "world" [m].
        direction: direction in which a spot or a directional light shines, in the light's own frame.
        intensity: factor of both colours.
        range [m], constant, linear [1/m], quadratic [1/m^2]: attenuation with the distance.
        inner_angle, outer_angle: whole angles of a spot's cones [rad]; falloff: its rate between the cones; 1 is
            linear.
    """

    name: str
    kind: LightKind = "point"
    link: str = WORLD
    pose: Pose = IDENTITY
    direction: Vec3 = (0.0, 0.0, -1.0)
    diffuse: Color = (1.0, 1.0, 1.0, 1.0)
    specular: Color = (0.1, 0.1, 0.1, 1.0)
    intensity: float = 1.0
    range: float = 10.0
    constant: float = 1.0
    linear: float = 1.0
    quadratic: float = 0.0
    inner_angle: float = math.radians(30.0)
    outer_angle: float = math.radians(45.0)
    falloff: float = 1.0
    cast_shadows: bool = False

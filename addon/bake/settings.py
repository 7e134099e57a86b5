# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a bake."""

from __future__ import annotations

from dataclasses import dataclass, replace

import bpy
import numpy as np

from ..bridge.values.numbers import frame_range, shortest, unit_length
from ..props.settings import scene_settings
from .errors import BakeError

LAST_FRAME = 1048574
"""Largest frame number of Blender."""

LEAST_STEP = 0.02
"""Smallest distance between keys that a user may choose [frames]."""

LEAST_GAP = 0.0105
"""Smallest distance between neighbouring keys in single precision [frames]. Blender merges keys that are within a
hundredth of a frame.
"""

MOST_KEYED_FRAMES = 1_000_000
"""Largest number of frames with keys; more are a typing error."""


@dataclass(frozen=True)
class Tolerance:
    """Largest distance [m] and angle [rad] between a link and its simulated pose, for the reduction of keys."""

    distance: float
    angle: float


@dataclass(frozen=True)
class BakeSettings:
    """The settings of a bake, as the scene stores them or as a caller changes them.

    Attributes:
        first, last: frames between which there is motion.
        step: distance between keys [frames]; the last frame always has a key.
        accuracy: "draft", "good" or "exact".
        start: "HOME", "POSE" or "KEYS"; see `initial_states`.
        onto: "LINKS", "JOINTS" or "BOTH".
        tolerance: None for a key at every frame.
        contact: whether links touch each other.
        overwrite: whether the bake may replace animation of the user, which is kept as an action.
    """

    first: int
    last: int
    step: float = 1.0
    accuracy: str = "good"
    start: str = "HOME"
    onto: str = "LINKS"
    tolerance: Tolerance | None = None
    contact: bool = False
    overwrite: bool = False

    @property
    def frames(self) -> np.ndarray:
        """The frames that have keys, shape (F,); integers if all of them are whole."""
        steps = int(np.floor((self.last - self.first) / self.step + 1e-9))
        frames = self.first + self.step * np.arange(steps + 1)
        if frames[-1] < self.last - 1e-6:
            frames = np.append(frames, self.last)
        return frames.astype(np.int64) if np.array_equal(frames, np.round(frames)) else frames

    @property
    def moves_joints(self) -> bool:
        return self.onto != "LINKS"

    @property
    def moves_links(self) -> bool:
        return self.onto != "JOINTS"

    def require(self) -> None:
        """Raise `BakeError` if the settings are not valid."""
        choices = {"Accuracy": self.accuracy, "Start From": self.start, "Keys On": self.onto}
        for label in (label for label, choice in choices.items() if not choice):
            raise BakeError(
                f"the scene's {label} is one that this version of Limberjack does not know: update Limberjack, or "
                "choose another"
            )
        if self.last < self.first:
            raise BakeError(f"the last frame, {self.last}, lies before the first, {self.first}: change the range")
        if max(abs(self.first), abs(self.last)) > LAST_FRAME:
            raise BakeError(f"frames {self.first} to {self.last}: Blender's frames end at {LAST_FRAME}")
        many = (self.last - self.first) / self.step if self.step > 0.0 else np.inf
        if not self.step >= LEAST_STEP or many > MOST_KEYED_FRAMES or self._has_merged_keys:
            raise BakeError(f"a step of {self.step:g} frames from {self.first} to {self.last}: take a larger one")

    @property
    def _has_merged_keys(self) -> bool:
        return bool(np.diff(self.frames.astype(np.float32)).min(initial=1.0) < LEAST_GAP)


def settings_of(scene: bpy.types.Scene, **changes) -> BakeSettings:
    """Return the scene's settings, with those of `changes` that are not None in their place.

    Raises:
        BakeError: if they are not valid.
    """
    stored = scene_settings(scene)
    bake = stored.bake
    first, last = frame_range(scene)
    tolerance = Tolerance(shortest(bake.distance) * unit_length(scene), shortest(bake.angle)) if bake.reduces else None
    own = BakeSettings(
        first, last, shortest(bake.step), stored.accuracy, bake.start, bake.onto, tolerance, stored.contact
    )
    settings = replace(own, **{name: value for name, value in changes.items() if value is not None})
    settings.require()
    return settings

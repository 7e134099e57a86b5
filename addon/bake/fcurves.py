"""F-curves, written whole: one action for a bake, with a slot for every object."""

from typing import TypeGuard

import bpy
import numpy as np

from .. import ids

LINEAR = 1  # as Blender numbers its kinds of interpolation


class BakeAction:
    """A new action that is marked as ours."""

    def __init__(self, name: str):
        self.action = bpy.data.actions.new(name)
        self.action[ids.BAKE_MARK] = True
        self._strip = self.action.layers.new("Layer").strips.new(type="KEYFRAME")

    def write(self, obj: bpy.types.Object, channels: dict[str, np.ndarray], frames: np.ndarray) -> None:
        """Give the object this action, in a slot of its own.

        channels: values by data path, shape (F, number of components). frames: shape (F,).
        """
        slot = self.action.slots.new("OBJECT", obj.name)
        bag = self._strip.channelbag(slot, ensure=True)
        for path, values in channels.items():
            for index in range(values.shape[1]):
                _fill(bag.fcurves.new(path, index=index), frames, values[:, index])
        data = obj.animation_data_create()
        data.action = self.action
        data.action_slot = slot


def _fill(curve: bpy.types.FCurve, frames: np.ndarray, values: np.ndarray) -> None:
    """A key on every frame needs no handles: straight lines between them never overshoot."""
    points = curve.keyframe_points
    points.add(len(frames))
    points.foreach_set("co", np.column_stack([frames, values]).astype(np.float32).ravel())
    points.foreach_set("interpolation", np.full(len(frames), LINEAR, dtype=np.int32))
    curve.update()


def is_ours(action: bpy.types.Action | None) -> TypeGuard[bpy.types.Action]:
    return action is not None and bool(action.get(ids.BAKE_MARK))

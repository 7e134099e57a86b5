"""Links that lead: they move as they are animated, and what hangs on them follows in the simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import bpy
import numpy as np

from ...core.model import Model
from ...core.solvers.paths import pose_path
from ..bridge.motion import action_of, is_bake
from ..bridge.read import SceneReading
from ..props import is_led, is_link
from .errors import BakeError
from .sampling import Look, Poses, poses_at


def sample_leads(scene: bpy.types.Scene, reading: SceneReading, frames: np.ndarray, look: Look | None = None) -> Poses:
    """Where Blender puts the links that lead, at the frames, shape (F,). look: as for `poses_at`.

    Raises:
        BakeError: one plays an earlier bake, or hangs on a link that is simulated.
    """
    objects = {name: reading.objects[name] for name in reading.leads}
    for obj in objects.values():
        _require_own_motion(obj)
    return poses_at(scene, objects, frames, look)


def _require_own_motion(obj: bpy.types.Object) -> None:
    if is_bake(action_of(obj)):
        raise BakeError(
            f"link '{obj.name}' is to move as it is animated, but plays an earlier bake: press Clear Bake, then "
            "animate it"
        )
    above = obj.parent
    while above is not None:
        if is_link(above) and not is_led(above):
            raise BakeError(
                f"link '{obj.name}' is to move as it is animated, but hangs on link '{above.name}', which is "
                f"simulated: unparent it, or make '{above.name}' kinematic too"
            )
        above = above.parent


def let_lead(reading: SceneReading, leads: Poses) -> Model:
    """The model without what holds the links that lead, and with these where they are at first."""
    model, released = reading.model, {reading.leads[name] for name in leads}
    links = [
        replace(link, pose=tuple(leads[link.name][0].tolist())) if link.name in leads else link for link in model.links
    ]
    return replace(model, links=links, joints=[joint for joint in model.joints if joint.name not in released])


def paths_of(leads: Poses, fps: float) -> dict[str, Callable[[float], np.ndarray]]:
    """The pose of each link as a smooth function of the time since the first frame [s]."""
    return {name: pose_path(0.0, 1.0 / fps, poses) for name, poses in leads.items()}

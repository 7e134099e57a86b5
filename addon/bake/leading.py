"""Links that lead: they move as they are animated, and what hangs on them follows in the simulation."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import bpy
import numpy as np

from ...core.model import Model
from ...core.solvers.paths import pose_path
from ..bridge.motion import action_of, is_bake, may_follow_own_keys
from ..bridge.read import SceneReading
from ..props import is_led, is_link
from .errors import BakeError
from .inputs import InputSampler
from .restore import as_before_bake, is_baked
from .sampling import Look, Poses, poses_at


def sample_leads(scene: bpy.types.Scene, reading: SceneReading, frames: np.ndarray, look: Look | None = None) -> Poses:
    """Where Blender puts the links that lead, at the frames, shape (F,). look: as for `poses_at`.

    These are the kinematic links, and the free links whose switch Animated is on or has keys. The latter are sampled as
    they would move without a bake.

    Raises:
        BakeError: a kinematic link plays an earlier bake, or a link that leads hangs on one that is simulated.
    """
    free = {name: obj for name, obj in reading.objects.items() if may_follow_own_keys(obj)}
    objects = {name: reading.objects[name] for name in reading.leads} | free
    for obj in objects.values():
        _require_own_motion(obj)
    with as_before_bake(scene) if any(map(is_baked, free.values())) else nullcontext():
        return poses_at(scene, objects, frames, look)


def let_go(leads: Poses, reading: SceneReading, inputs: InputSampler, frames: np.ndarray) -> dict[str, int]:
    """Cut the poses of free links off where their switch Animated turns off, and return the numbers of these frames.

    Links whose switch is off from the first frame on are removed from `leads`. The frame at which a link lets go is the
    last one that it has a pose for.

    Raises:
        BakeError: a switch turns on again.
    """
    found = {}
    for name in [name for name in leads if name not in reading.leads]:
        states = inputs.states_of_switch(name) or [True] * len(frames)
        count = states.index(False) if False in states else len(states)
        if True in states[count:]:
            frame = frames[count + states[count:].index(True)]
            raise BakeError(
                f"link '{name}': its switch Animated turns on at frame {frame:g}, and a link can only let go: key it "
                "on from the first frame, and off once"
            )
        if count == 0:
            del leads[name]
        elif count < len(states):
            leads[name] = leads[name][: count + 1]
            found[name] = count
    return found


def _require_own_motion(obj: bpy.types.Object) -> None:
    if is_led(obj) and is_bake(action_of(obj)):
        raise BakeError(
            f"link '{obj.name}' is to move as it is animated, but plays an earlier bake: press Clear Bake, then "
            "animate it"
        )
    above = obj.parent
    while above is not None:
        if is_link(above) and not (is_led(above) or may_follow_own_keys(above)):
            raise BakeError(
                f"link '{obj.name}' is to move as it is animated, but hangs on link '{above.name}', which is "
                f"simulated: unparent it, or make '{above.name}' kinematic too"
            )
        above = above.parent


def let_lead(reading: SceneReading, leads: Poses) -> Model:
    """The model without what holds the links that lead, and with these where they are at first."""
    model, released = reading.model, {reading.leads[name] for name in leads if name in reading.leads}
    links = [
        replace(link, pose=tuple(leads[link.name][0].tolist())) if link.name in leads else link for link in model.links
    ]
    return replace(model, links=links, joints=[joint for joint in model.joints if joint.name not in released])


def paths_of(leads: Poses, fps: float) -> dict[str, Callable[[float], np.ndarray]]:
    """The pose of each link as a smooth function of the time since the first frame [s]."""
    return {name: pose_path(0.0, 1.0 / fps, poses) for name, poses in leads.items()}

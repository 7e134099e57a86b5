# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user may not expect of a run, in words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..check import falling
from ..model import WORLD, Model
from ..model.compiled import CompiledModel, coordinate_names
from ..model.meeting import landing_links
from ..model.text import counted, measured, timed
from ..trajectory.trajectory import Trajectory
from .controls import Controls

AT_IT = 1e-9
"""Part by which a speed may differ from the largest one and be it."""

MOST_TOLD = 3
"""Joints that are named one by one."""


def remarks(compiled: CompiledModel, led: Iterable[str] = (), falls: str = "") -> list[str]:
    """Return a sentence for each link that floats and has nothing to land on.

    Args:
        led: links whose motion is prescribed: neither they nor what hangs on them floats.
        falls: as `falls_as_a_whole` gives it; the doctor reports that one.
    """
    tree, model = compiled.tree, compiled.model
    if any(model.gravity):
        return [f"{issue.subject}: {issue.message}" for issue in falling(model, led) if issue.name != falls]
    landing = landing_links(model)
    loose = [name for name in tree.loose(led) if landing.isdisjoint(tree.hanging[name])]
    return [f"link '{name}' is not joined to the world: it floats" for name in loose]


def falls_as_a_whole(model: Model, compiled: CompiledModel, controls: Controls, qd: np.ndarray) -> str:
    """The link on which all of a model hangs that falls freely, as a robot does whose base is loose; empty for others.

    Others are: what hangs in the world, be it later on; several pieces; a single body, as falls or is thrown on
    purpose; what starts with a speed; what something else pulls or pushes; and all that gravity does not pull at.

    Args:
        compiled: the model as it starts. qd: its velocities, shape (nv,).
    """
    if len(compiled.floating) != 1 or any(WORLD in (joint.parent, joint.child) for joint in model.joints):
        return ""
    (base,) = compiled.floating
    schedule = controls.schedule
    is_driven = bool(controls.links or controls.forces or controls.tethers or schedule.links or schedule.gravity)
    is_pushed = any(any(link.force) or any(link.torque) for link in model.links)
    is_heavy = any(model.gravity) and any(link.gravity and link.mass for link in model.links)
    moves = any(qd[span.v].any() for span in compiled.spans.values() if span.link == base)
    is_jointed = len(compiled.spans) > 1
    return base if is_jointed and is_heavy and not (is_driven or is_pushed or moves) else ""


def at_largest_speed(stages: Iterable[CompiledModel], motion: Trajectory) -> list[str]:
    """Which joints moved as fast as their velocity limits let them, and for how long: the longest first."""
    found: dict[str, tuple[float, str]] = {}
    spacing = np.diff(motion.times)
    for compiled in stages:
        names = coordinate_names(compiled, velocities=True)
        for guard, joint in zip(compiled.arrays.guards, compiled.guarded, strict=True):
            if guard.v < 0 or not np.isfinite(guard.velocity):
                continue
            name = names[guard.v]
            speeds = np.abs(motion.qd[:, motion.qd_names.index(name)])
            is_at_it = np.abs(speeds - guard.velocity) <= AT_IT * guard.velocity
            seconds = float(spacing[is_at_it[1:] & is_at_it[:-1]].sum())
            if seconds > found.get(joint.name, (0.0, ""))[0]:
                found[joint.name] = seconds, measured(float(guard.velocity), name[1])
    longest = sorted(found.items(), key=lambda entry: -entry[1][0])
    told = [
        f"joint '{name}' moved at its velocity limit, {limit}, for {timed(seconds)}: it holds like a brake"
        for name, (seconds, limit) in longest[:MOST_TOLD]
    ]
    others = longest[MOST_TOLD:]
    return [*told, f"so did {counted(others, 'more joint')} at theirs"] if others else told

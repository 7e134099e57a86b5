# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about a run, in sentences: links that fall or float, and joints at their velocity limits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..check import falling
from ..controls.controls import Controls
from ..model import WORLD, Model
from ..model.compiling.collision_filter import landing_links
from ..model.compiling.compiled import CompiledModel, coordinate_names
from ..model.text import counted, measured, timed
from ..trajectory.trajectory import Trajectory

AT_IT = 1e-9
"""Relative difference of a speed and a velocity limit up to which the joint counts as being at the limit."""

MOST_TOLD = 3
"""Number of joints that are named one by one. More are only counted."""


def run_notes(compiled: CompiledModel, led: Iterable[str] = (), falls: str = "") -> list[str]:
    """Return a sentence for each link that floats and has nothing to land on.

    Args:
        led: links whose motion is prescribed, or that fall on purpose. Neither they nor the links that joints connect
            with them are reported.
        falls: the result of `falls_as_a_whole`. The doctor reports that link.
    """
    tree, model = compiled.tree, compiled.model
    if any(model.gravity):
        return [f"{issue.subject}: {issue.message}" for issue in falling(model, led) if issue.name != falls]
    landing = landing_links(model)
    loose = [name for name in tree.loose(led) if landing.isdisjoint(tree.hanging[name])]
    return [f"link '{name}' is not joined to the world: it floats" for name in loose]


def falls_as_a_whole(model: Model, compiled: CompiledModel, controls: Controls, qd: np.ndarray) -> str:
    """Return the base link of a model that falls freely as a whole, such as a robot with a loose base, else "".

    The result is empty for a model that is joined to the world at any time, for several machines, and for a single
    body, which falls on purpose. It is also empty if the base starts with a velocity, if anything else drives or pushes
    the model, or if gravity acts on none of its links.

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
    """Return a sentence for each joint that moved at its velocity limit, the longest time first."""
    found: dict[str, tuple[float, str]] = {}
    spacing = np.diff(motion.times)
    for compiled in stages:
        names = coordinate_names(compiled, velocities=True)
        for force_law, joint in zip(compiled.arrays.set_valued_forces, compiled.force_joints, strict=True):
            if force_law.v < 0 or not np.isfinite(force_law.velocity_limit):
                continue
            name = names[force_law.v]
            speeds = np.abs(motion.qd[:, motion.qd_names.index(name)])
            is_at_it = np.abs(speeds - force_law.velocity_limit) <= AT_IT * force_law.velocity_limit
            seconds = float(spacing[is_at_it[1:] & is_at_it[:-1]].sum())
            if seconds > found.get(joint.name, (0.0, ""))[0]:
                found[joint.name] = seconds, measured(float(force_law.velocity_limit), name[1])
    longest = sorted(found.items(), key=lambda entry: -entry[1][0])
    notes = [
        f"joint '{name}' moved at its velocity limit, {limit}, for {timed(seconds)}: it holds like a brake"
        for name, (seconds, limit) in longest[:MOST_TOLD]
    ]
    others = longest[MOST_TOLD:]
    return [*notes, f"so did {counted(others, 'more joint')} at theirs"] if others else notes

# SPDX-License-Identifier: GPL-3.0-or-later
"""Many bodies at once, whose motion no reference knows: what they keep, and that they come to rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from limberjack.core.model import WORLD

from .asking import Asker, MissedError, Motion
from .scenes import shared_scenes, world_of

Values = Iterator[tuple[str, float]]


def zero_gravity_pile(ask: Asker) -> Values:
    scene = shared_scenes()["zero_gravity"]["make"]()
    motion = ask.simulate(world_of(scene), np.linspace(0.0, ask.p["duration"], 251))
    if not motion.impacts:
        raise MissedError("nothing meets, and of that no momentum tells")
    names = [body["name"] for body in scene.bodies]
    masses = np.array([body["mass"] for body in scene.bodies])
    x, v = (np.array([ask_of(name) for name in names]) for ask_of in (motion.x, motion.v))
    momentum = np.einsum("b,bfi->fi", masses, v)
    size = float((masses * np.linalg.norm(v[:, 0], axis=1)).sum())
    yield "linear_momentum_change", float(np.linalg.norm(momentum - momentum[0], axis=1).max()) / size
    centre = np.einsum("b,bfi->fi", masses, x) / masses.sum()
    each = np.array([motion.spin(name) for name in names])
    each += masses[:, None, None] * np.cross(x - centre, v)
    total = each.sum(axis=0)
    size = float(np.linalg.norm(each[:, 0], axis=1).sum())
    yield "angular_momentum_change", float(np.linalg.norm(total - total[0], axis=1).max()) / size
    energy = sum(motion.kinetic(name) for name in names)
    yield "energy_rise", float((energy - np.minimum.accumulate(energy)).max() / energy[0])


def ragdoll_rest(ask: Asker) -> Values:
    """Both scenes, of which the worse counts."""
    found = []
    for name in ("ragdoll", "ragdolls_stairs"):
        scene = shared_scenes()[name]["make"]()
        motion = ask.simulate(world_of(scene), np.linspace(0.0, 10.0, 501))
        later = motion.X[motion.t >= 5.0 - 1e-9]
        creep = float(np.linalg.norm(later[-1, :, :3] - later[0, :, :3], axis=1).max()) / 5.0
        found.append((creep, joint_gap(motion), motion.penetration(every=25, begin=5.0)))
    for i, name in enumerate(("creep", "joint_gap", "penetration")):
        yield name, max(told[i] for told in found)


def joint_gap(motion: Motion) -> float:
    """The largest distance between the two places of a joint on its links [m]."""
    largest = 0.0
    for joint in motion.simulation.compiled.model.joints:
        if joint.type != "free" and joint.parent != WORLD:
            apart = motion.point(joint.parent, joint.X_PJ[:3]) - motion.point(joint.child, joint.X_CJ[:3])
            largest = max(largest, float(np.linalg.norm(apart, axis=1).max()))
    return largest


CASES = (zero_gravity_pile, ragdoll_rest)

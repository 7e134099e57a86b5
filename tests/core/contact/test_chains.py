# SPDX-License-Identifier: GPL-3.0-or-later
"""A chain between two points in convex steps: its loop stays closed and gains no energy, whatever falls on it."""

import numpy as np
import pytest

from limberjack.core.diagnosis import diagnose
from limberjack.core.geometry import Shape, Sphere
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.hanging import chain

FAR = (50.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def with_far_ball(model: Model) -> Model:
    """The chain with a ball in its middle, and another ball out of its reach: only now may anything touch."""
    model.links[len(model.links) // 2].collisions = [Shape("ball", Sphere(0.05))]
    model.links.append(Link("far", pose=FAR, collisions=[Shape("ball", Sphere(0.05))]))
    model.joints.append(Joint("fixed", "fixed", WORLD, "far", FAR))
    return model


def with_weight(model: Model, mass: float) -> Model:
    """The chain with balls on all links, and a ball of a mass [kg] 0.3 m above its middle."""
    for link in model.links:
        link.collisions = [Shape("ball", Sphere(0.03), pose=(*link.com, 1.0, 0.0, 0.0, 0.0))]
    lowest = min(link.pose[2] for link in model.links)
    inertia = (0.025 * mass, 0.0, 0.0, 0.025 * mass, 0.0, 0.025 * mass)
    place = (0.0, 0.0, lowest + 0.55, 1.0, 0.0, 0.0, 0.0)
    model.links.append(Link("weight", mass, inertia=inertia, pose=place, collisions=[Shape("ball", Sphere(0.25))]))
    return model


def by_convex_steps(model: Model, frames: int, accuracy: str) -> Simulation:
    run = Simulation(model, np.arange(frames) / 24, accuracy)
    run.prefer_time_stepping()
    run.run()
    return run


@pytest.mark.parametrize(("accuracy", "near"), [("draft", 0.1), ("good", 0.02)])
def test_a_chain_in_convex_steps_moves_as_by_itself(accuracy, near):
    """Guards the free flight of loops: an arc of links falls as the error-controlled solver has it, for 0.25 s.

    near: the largest distance of any link [m].
    """
    frames = 7
    alone = Simulation(chain(12, 0.5), np.arange(frames) / 24, "exact").run()
    run = by_convex_steps(with_far_ball(chain(12, 0.5)), frames, accuracy)
    motion = run.trajectory
    links = [motion.link_names.index(name) for name in alone.link_names]
    assert np.abs(motion.X_WL[:, links, :3] - alone.X_WL[:, :, :3]).max() < near
    assert run.report.loop_error < 1e-9


@pytest.mark.parametrize("mass", [1.0, 4000.0])
@pytest.mark.parametrize("accuracy", ["draft", pytest.param("good", marks=pytest.mark.slow)])
def test_a_chain_stays_closed_under_a_falling_weight(accuracy, mass):
    """Guards loops that whip: no frame has an open loop, with up to 4 t on 1.5 kg, and the energies nearly balance."""
    run = by_convex_steps(with_weight(chain(30, 0.3), mass), 24, accuracy)
    motion = run.trajectory
    assert motion.loop_error.max() < 1e-9
    held = motion.kinetic + motion.potential
    at_stake = motion.potential[0] - motion.potential.min()
    assert (held - held[0]).max() < 0.02 * at_stake
    assert run.report.relative_drift < (0.1 if accuracy == "draft" else 0.02)
    assert not [found for found in diagnose(run) if found.code == "step-at-floor"]

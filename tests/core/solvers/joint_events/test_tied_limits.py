# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of axes that mimics tie together: the motion of the same mechanism written as one joint with one limit."""

import math
import random
from dataclasses import dataclass

import numpy as np
import pytest

from limberjack.core.diagnosis import diagnose
from limberjack.core.formats import read
from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model
from limberjack.core.simulation import Simulation

TIMES = np.arange(49) / 24
FREE = math.inf


@dataclass
class Slide:
    """A slider along x: its axis, and the slider that it follows."""

    mass: float
    force: float
    velocity: float = FREE
    lower: float = -FREE
    upper: float = FREE
    restitution: float = 0.0
    leader: int = 0
    multiplier: float = 1.0
    offset: float = 0.0


def chain(slides: list[Slide]) -> Model:
    """The sliders, the first one free and the others mimics."""
    model = Model(gravity=(0.0, 0.0, 0.0))
    for number, slide in enumerate(slides):
        name = f"slide{number}"
        model.links.append(Link(name, slide.mass, force=(slide.force, 0.0, 0.0)))
        axis = Axis(
            xyz=(1.0, 0.0, 0.0),
            lower=slide.lower,
            upper=slide.upper,
            velocity=slide.velocity,
            restitution=slide.restitution,
        )
        place = (0.0, float(number), 0.0, 1.0, 0.0, 0.0, 0.0)
        mimic = Mimic(f"joint{slide.leader}", slide.multiplier, slide.offset) if number else None
        model.joints.append(Joint(f"joint{number}", "prismatic", WORLD, name, place, axes=[axis], mimic=mimic))
    return model


def as_one(slides: list[Slide]) -> Model:
    """One slider with the sum of the masses and forces, each by its ratio, and the tightest of all limits.

    Of stops in one place it has the largest restitution.
    """
    ratios, offsets = [1.0], [0.0]
    for slide in slides[1:]:
        ratios.append(slide.multiplier * ratios[slide.leader])
        offsets.append(slide.multiplier * offsets[slide.leader] + slide.offset)
    ends: dict[int, list[tuple[float, float]]] = {-1: [(FREE, 0.0)], 1: [(FREE, 0.0)]}
    for slide, ratio, offset in zip(slides, ratios, offsets, strict=True):
        for side, bound in ((-1, slide.lower), (1, slide.upper)):
            own = side if ratio > 0.0 else -side
            ends[own].append((own * (bound - offset) / ratio, -slide.restitution))
    (lower, at_lower), (upper, at_upper) = (min((round(at, 9), e) for at, e in ends[side]) for side in (-1, 1))
    one = Slide(
        sum(slide.mass * ratio**2 for slide, ratio in zip(slides, ratios, strict=True)),
        sum(slide.force * ratio for slide, ratio in zip(slides, ratios, strict=True)),
        min(slide.velocity / abs(ratio) for slide, ratio in zip(slides, ratios, strict=True)),
    )
    model = chain([one, Slide(1e-9, 0.0)])  # two stops, since their restitutions may differ
    model.joints[0].axes[0].lower, model.joints[0].axes[0].restitution = -lower, -at_lower
    model.joints[1].axes[0].upper, model.joints[1].axes[0].restitution = upper, -at_upper
    return model


def variant(seed: int) -> list[Slide]:
    """Two to four sliders with multipliers of both signs, and limits that are reached in turn or at the same time."""
    draw = random.Random(seed)
    slides, ratios, offsets = [], [1.0], [0.0]
    together, speed, way = seed % 2 == 1, draw.uniform(0.3, 1.0), draw.uniform(0.3, 1.0)
    for number in range(draw.choice([2, 3, 4])):
        leader = draw.randrange(number) if number else 0
        multiplier = draw.choice([-2.0, -1.0, -0.5, 0.5, 1.0, 1.06, 3.0])
        offset = draw.choice([0.0, 0.1, -0.2])
        if number:
            ratios.append(multiplier * ratios[leader])
            offsets.append(multiplier * offsets[leader] + offset)
        ratio, shift = ratios[number], offsets[number]
        least, most = (-0.4, way) if together else (-draw.uniform(0.2, 0.6), draw.uniform(0.2, 1.0))
        lower, upper = sorted((ratio * least + shift, ratio * most + shift))
        velocity = abs(ratio) * (speed if together else draw.uniform(0.3, 2.0))
        slides.append(
            Slide(
                draw.choice([0.01, 1.0, 5.0]),
                draw.uniform(-3.0, 3.0),
                velocity if draw.random() < 0.7 else FREE,
                lower if draw.random() < 0.8 else -FREE,
                upper if draw.random() < 0.8 else FREE,
                draw.choice([0.0, 0.5, 0.2]),
                leader,
                multiplier,
                offset,
            )
        )
    return slides


def path(model: Model, accuracy="good", convex=False) -> np.ndarray:
    """Return the coordinate of the first joint at all frames."""
    run = Simulation(model, TIMES, accuracy)
    if convex:
        run.prefer_time_stepping()
    motion = run.run()
    assert diagnose(run) == []
    assert run.report.relative_drift < 1e-6
    return motion.q[:, motion.joints["joint0"][0][0]]


@pytest.mark.parametrize("seed", range(30))
def test_tied_limits_act_as_the_tightest_one(seed):
    """Guards limits of tied axes, in chains of any order and sign, alone and at once: the motion of one joint."""
    slides = variant(seed)
    assert path(chain(slides)) == pytest.approx(path(as_one(slides)), abs=5e-5)


@pytest.mark.parametrize("restitutions", [(0.5, 0.2), (0.2, 0.5)])
def test_of_stops_that_are_struck_at_once_the_larger_restitution_counts(restitutions):
    """Guards impacts on two tied stops: a slider that strikes at v = 2 leaves both at 0.5 v; the other would pull."""
    slides = [
        Slide(1.0, 0.0, upper=1.0, restitution=restitutions[0]),
        Slide(2.0, 0.0, lower=-1.0, restitution=restitutions[1], multiplier=-1.0),
    ]
    run = Simulation(chain(slides), [0.0, 0.25, 1.0], initial={"qd": {"joint0": 2.0}})
    motion = run.run()
    assert motion.q[-1] == pytest.approx([1.0 - 0.5 * 2.0 * 0.5, -0.5], abs=1e-7)
    assert run.report.energy_drift < 1e-9


def with_wall(model: Model) -> Model:
    """A ball on the first slider that strikes a wall at x = 0.5, with restitution 0.6."""
    surface = Surface(restitution=0.6, friction=0.0)
    model.links[0].collisions = [Shape("ball", Sphere(0.1), surface=surface)]
    place = (1.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    model.links.append(Link("wall", collisions=[Shape("wall", Box((1.0, 0.5, 0.5)), surface=surface)]))
    model.joints.append(Joint("fixed", "fixed", WORLD, "wall", place))
    return model


@pytest.mark.parametrize("seed", range(6))
def test_tied_limits_with_contact(seed):
    """Guards speed limits of tied axes where a contact strikes: the motion of one joint with the tightest limit."""
    slides = variant(seed)
    slides[0].force = 6.0
    for slide in slides:
        slide.lower, slide.upper = -FREE, FREE
    assert path(with_wall(chain(slides))) == pytest.approx(path(with_wall(as_one(slides))), abs=1e-6)


@pytest.mark.parametrize("multiplier", [1.0, -2.0, 10.0])
@pytest.mark.parametrize("limit", ["velocity", "upper"])
def test_a_light_follower_holds_a_heavy_leader_in_convex_steps(limit, multiplier):
    """Guards limits on a follower of 10 g in convex steps: they hold its leader of 100 kg, as in closed form.

    A force of 981 N accelerates both to a speed of 0.5 m/s, or up to a stop at 0.5 m.
    """
    slides = [Slide(100.0, 981.0), Slide(0.01, 0.0, multiplier=multiplier)]
    gain = 981.0 / (100.0 + 0.01 * multiplier**2)
    if limit == "velocity":
        slides[1].velocity = 0.5 * abs(multiplier)
        begins = 0.5 / gain
        expected = np.where(TIMES < begins, 0.5 * gain * TIMES**2, 0.5 * (TIMES - 0.5 * begins))
    else:
        bound = "upper" if multiplier > 0.0 else "lower"
        setattr(slides[1], bound, 0.5 * multiplier)
        expected = np.minimum(0.5 * gain * TIMES**2, 0.5)
    model = with_wall(chain(slides))
    model.joints[-1].X_PJ = (50.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)  # out of reach: it only makes contact possible
    assert path(model, convex=True) == pytest.approx(expected, abs=2e-3)


def test_limits_of_axes_that_a_differential_ties_act_on_their_own():
    """Guards equations of three axes, which tie no two of them: each limit holds its own axis."""
    model = chain([Slide(1.0, 3.0, velocity=0.5), Slide(1.0, 4.0, velocity=0.4), Slide(1.0, 3.0)])
    for joint in model.joints:
        joint.mimic = None
    model.couplings.append(Coupling("ring", "differential", [("joint0", 0), ("joint1", 0), ("joint2", 0)], 1.0))
    run = Simulation(model, TIMES)
    speeds = np.abs(run.run().qd).max(axis=0)
    assert speeds[:2] == pytest.approx([0.5, 0.4], abs=1e-9)
    assert speeds[2] > 0.5
    assert run.report.relative_drift < 1e-6


FINGER = """<robot name="finger">
<link name="world"/>
<link name="arm"><inertial><origin xyz="0.1 0 0"/><mass value="0.4"/>
<inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="arm_joint" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-3.14" upper="3.14" effort="0" velocity="0"/></joint>
<link name="near"><inertial><origin xyz="0.02 0 0"/><mass value="0.007"/>
<inertia ixx="1.5e-06" iyy="1.5e-06" izz="1.5e-06" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="near_joint" type="revolute"><parent link="arm"/><child link="near"/><origin xyz="0.1 0 0"/>
<axis xyz="0 1 0"/><limit lower="0" upper="1.4" effort="1" velocity="NEAR"/></joint>
<link name="far"><inertial><origin xyz="0.01 0 0"/><mass value="0.004"/>
<inertia ixx="3e-07" iyy="3e-07" izz="3e-07" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="far_joint" type="revolute"><parent link="near"/><child link="far"/><origin xyz="0.04 0 0"/>
<axis xyz="0 1 0"/><limit lower="0" upper="1.6" effort="1" velocity="FAR"/>
<mimic joint="near_joint" multiplier="1.06" offset="0"/></joint>
</robot>"""


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_finger_with_two_velocity_limits_moves_on(tmp_path, accuracy):
    """Guards the hinges of a real hand: both have 0.5 rad/s, and it moves as if the follower alone had a limit."""
    ends = []
    for near in ("0.5", "100"):
        file = tmp_path / f"finger{near}.urdf"
        file.write_text(FINGER.replace("NEAR", near).replace("FAR", "0.5"), encoding="utf-8")
        run = Simulation(read(file).model, TIMES, accuracy)
        motion = run.run()
        assert run.report.relative_drift < 1e-6
        ends.append(motion.q[-1])
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)

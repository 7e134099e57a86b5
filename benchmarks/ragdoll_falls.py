# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure random falls of a ragdoll onto stairs: gaps and limits of its joints, energy, overlap, and time to rest.

    .venv/bin/python benchmarks/ragdoll_falls.py --falls 100
    .venv/bin/python benchmarks/ragdoll_falls.py --falls 0 --drop --rigid-bodies --json

The character, its muscles and the stairs are those of the sample `stairs`. It is read from the .blend, since SDF has
neither limits of ball joints nor drives. Gaps and angles are computed from the poses of links alone.
"""

from __future__ import annotations

import argparse
import copy
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation
from targets import as_json, table

import limberjack as lj
from limberjack.addon.cli import end
from limberjack.addon.cli.bpy_session import open_scene, require_blender
from limberjack.core.geometry import Box
from limberjack.core.model import Axis, Joint, Model
from limberjack.core.spatial import compose, inverse, quat_of_rotvec

SAMPLE = Path(__file__).parents[1] / "sample_scenes" / "stairs.blend"

ROOT = "Character:hips"
"""The link that the others of the character hang on. Their names begin as this one's, up to the colon."""

FPS = 24

SECONDS = 5.0
"""Length of a fall [s], by the end of which the body is to be at rest."""

HEIGHT = 2.8
"""Height of the hips at the start [m]: above the landing by more than the character is tall below them."""

BESIDE, ALONG = 0.5, (-1.5, 0.0)
"""Ranges of the hips' place at the start, across the stairs to either side and along them [m]."""

SPEED, SPIN = 1.0, 2.0
"""Standard deviations of the velocity and the angular velocity at the start, for each axis [m/s, rad/s]."""

WIDEST = 40.0
"""Width and length of the floor [m]. That of the sample is so small that one fall in twenty leaves it."""

STILL = 0.02
"""Root mean square speed of all mass below which the body counts as at rest [m/s]."""

DROP_SPEED = 20.0
"""Speed at which the body is dropped onto the edge of the landing [m/s]."""

DROP_HEIGHT = 0.35
"""Distance of the lying body's hips from the landing at the start of the drop [m]: it falls by 0.8 m in a frame."""

ABOUT_X = (0.5 * math.pi, 0.0, 0.0)
"""Rotation vector that lays a standing body on its front, across the edge [rad]."""


@dataclass(frozen=True)
class Fall:
    """The measures of one fall.

    Attributes:
        gap: largest distance between the two ends of a joint [m].
        hinge, cone, twist: largest excess beyond limits [degrees]. hinge includes tilts of the hinge's axis.
        gain: largest rise of the kinetic and potential energy above an earlier value, relative to the energy scale.
            Muscles give back what they have stored, so a rise is possible without an error.
        drift: relative drift of the energy, the work of muscles, friction and impacts included.
        deepest: deepest overlap at any time [m].
        rest: time after which the body is at rest [s]; infinite if it is not by the end.
        wall: wall time of the simulation [s].
    """

    gap: float
    hinge: float
    cone: float
    twist: float
    gain: float
    drift: float
    deepest: float
    rest: float
    wall: float


def sample_model() -> Model:
    """Return the model of the sample scene, with the start pose of its character."""
    require_blender()
    import bpy

    from limberjack.addon.bridge.scene.read import read_scene

    bpy.ops.wm.open_mainfile(filepath=str(SAMPLE))
    return read_scene(open_scene(), with_shapes=True)


def thrown(model: Model, seed: int) -> Model:
    """Return a copy in which the character starts above the stairs, at random place, orientation and velocity."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    axis *= rng.uniform(0.0, math.pi) / np.linalg.norm(axis)
    place = (rng.uniform(-BESIDE, BESIDE), rng.uniform(*ALONG), HEIGHT)
    return placed(model, place, axis, SPEED * rng.normal(size=3), SPIN * rng.normal(size=3))


def dropped(model: Model) -> Model:
    """Return a copy in which the character lies above the edge of the landing, and falls at `DROP_SPEED`."""
    landing = model.link("step 1")  # the next step is a rise below the landing, and begins at its edge
    (shape,) = landing.collisions
    deep, high = shape.geometry.size[1:]
    edge = landing.pose[1] + 0.5 * deep, landing.pose[2] + 0.5 * high
    rise = edge[1] - _top(model.link("step 2"))
    place = (0.0, edge[0], edge[1] + rise + DROP_HEIGHT)
    return placed(model, place, ABOUT_X, (0.0, 0.0, -DROP_SPEED), (0.0, 0.0, 0.0))


def _top(link) -> float:
    (shape,) = link.collisions
    return link.pose[2] + 0.5 * shape.geometry.size[2]


def placed(
    model: Model, place: Sequence[float], turn: Sequence[float], velocity: Sequence[float], spin: Sequence[float]
) -> Model:
    """Return a copy of the model with its character elsewhere, and a floor that is not left.

    Args:
        place: of the hips [m]. turn: rotation vector from the character's start pose [rad].
        velocity, spin: of the whole body, in the world's axes [m/s, rad/s].
    """
    moved = copy.deepcopy(model)
    root = moved.link(ROOT)
    start = (*root.pose[:3], 1.0, 0.0, 0.0, 0.0)
    turned = quat_of_rotvec(tuple(float(part) for part in turn))
    X = compose((*(float(part) for part in place), *turned), inverse(start))
    for link in body_of(moved):
        link.pose = compose(X, link.pose)
    (floor,) = moved.link("floor").collisions
    floor.geometry = Box((WIDEST, WIDEST, floor.geometry.size[2]))
    root.velocity, root.angular_velocity = tuple(map(float, velocity)), tuple(map(float, spin))
    return moved


def body_of(model: Model) -> list:
    """Return the links of the character."""
    prefix = ROOT.partition(":")[0] + ":"
    return [link for link in model.links if link.name.startswith(prefix)]


def simulate(model: Model, accuracy: str, seconds: float = SECONDS) -> Fall:
    """Simulate a fall, and measure it."""
    simulation = lj.Simulation(model, np.arange(round(seconds * FPS) + 1) / FPS, accuracy=accuracy, contact=True)
    begun = time.perf_counter()
    motion = simulation.run()
    wall = time.perf_counter() - begun
    report, energy = simulation.report, motion.kinetic + motion.potential
    gap, angles = measure_joints(model, motion)
    mass = sum(link.mass for link in body_of(model))
    moving = np.flatnonzero(np.sqrt(2.0 * motion.kinetic / mass) > STILL)
    last = int(moving[-1]) + 1 if len(moving) else 0
    return Fall(
        gap,
        *angles,
        float((energy - np.minimum.accumulate(energy)).max() / report.energy_scale),
        report.relative_drift,
        report.contact.deepest,
        float(motion.times[last]) if last < len(motion) else math.inf,
        wall,
    )


# Joints


def measure_joints(model: Model, motion) -> tuple[float, tuple[float, float, float]]:
    """Return the largest gap [m], and the largest excess of hinges, cones and twists beyond limits [degrees]."""
    gap, hinge, cone, twist = 0.0, 0.0, 0.0, 0.0
    for joint in model.joints:
        if joint.type not in ("revolute", "ball"):
            continue
        apart, turns = relative_rotations(joint, motion)
        gap = max(gap, float(apart.max()))
        if joint.type == "revolute":
            hinge = max(hinge, hinge_excess(joint, turns))
        else:
            leant, twisted = ball_excess(joint, turns)
            cone, twist = max(cone, leant), max(twist, twisted)
    return gap, (math.degrees(hinge), math.degrees(cone), math.degrees(twist))


def relative_rotations(joint: Joint, motion) -> tuple[np.ndarray, Rotation]:
    """Return the distances between both ends of a joint [m], and the rotations of its child-side frame in the
    parent-side one; for each frame."""
    places, turns = [], []
    for link, frame in ((joint.parent, joint.X_PJ), (joint.child, joint.X_CJ)):
        X_WL = motion.X_WL[:, motion.link_names.index(link)]
        rotations = Rotation.from_quat(np.roll(X_WL[:, 3:], -1, axis=1))
        places.append(X_WL[:, :3] + rotations.apply(frame[:3]))
        turns.append(rotations * Rotation.from_quat(np.roll(frame[3:], -1)))
    return np.linalg.norm(places[0] - places[1], axis=1), turns[0].inv() * turns[1]


def hinge_excess(joint: Joint, turns: Rotation) -> float:
    """Return how far a hinge is beyond its limits, or tilted about another axis [rad]."""
    axis = np.array(joint.unit_direction(0))
    vectors = turns.as_rotvec()
    angles = vectors @ axis
    tilts = np.linalg.norm(vectors - angles[:, None] * axis, axis=1)
    return max(_beyond(joint.axes[0], angles), float(tilts.max()))


def ball_excess(joint: Joint, turns: Rotation) -> tuple[float, float]:
    """Return how far a ball joint is beyond its cone, and its twist beyond its limits [rad].

    The twist is the angle about the cone's axis that remains after the shortest rotation of that axis is removed. The
    half-angle of the remaining rotation has the cosine w and the sine along the axis of the quaternion, scaled alike.
    """
    axis = np.array(joint.unit_direction(3))
    leant = np.arctan2(np.linalg.norm(np.cross(turns.apply(axis), axis), axis=1), turns.apply(axis) @ axis)
    quats = turns.as_quat()
    twisted = 2.0 * np.arctan2(quats[:, :3] @ axis, quats[:, 3])
    limits = joint.axes[4]
    middle = 0.5 * (limits.lower + limits.upper)
    twisted = middle + np.remainder(twisted - middle + math.pi, 2.0 * math.pi) - math.pi
    return max(float(leant.max()) - joint.axes[3].upper, 0.0), _beyond(limits, twisted)


def _beyond(axis: Axis, angles: np.ndarray) -> float:
    return max(float((angles - axis.upper).max()), float((axis.lower - angles).max()), 0.0)


# Figures


def falls_of(model: Model, accuracy: str, count: int) -> tuple[list[Fall], list[str]]:
    """Return the falls with the seeds 0, 1, …, and why those failed that did. Print each of them."""
    found, failed = [], []
    for seed in range(count):
        try:
            fall = simulate(thrown(model, seed), accuracy)
        except lj.SimulationError as error:
            failed.append(f"seed {seed} at {accuracy}: {error}")
            print(failed[-1], flush=True)
            continue
        found.append(fall)
        print(f"{accuracy} {seed:3}: " + ", ".join(f"{name} {value:.3g}" for name, value in asdict(fall).items()))
    return found, failed


def worst(falls: Sequence[Fall], name: str) -> dict[str, float]:
    """Return the largest value of each measure, with its unit in its key, and the mean wall time."""
    columns = {key: [asdict(fall)[key] for fall in falls] for key in asdict(falls[0])}
    return {
        f"{name}.gap_m": max(columns["gap"]),
        **{f"{name}.{what}_deg": max(columns[what]) for what in ("hinge", "cone", "twist")},
        **{f"{name}.{what}": max(columns[what]) for what in ("gain", "drift")},
        f"{name}.deepest_mm": 1e3 * max(columns["deepest"]),
        f"{name}.rest_s": max(columns["rest"]),
        f"{name}.moving_at_end": sum(math.isinf(rest) for rest in columns["rest"]),
        f"{name}.wall_s": sum(columns["wall"]) / len(falls),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--falls", type=int, default=100, help="number of random falls; 100 if left out")
    parser.add_argument("--accuracy", default="draft,good", help="one or more of draft, good, exact")
    parser.add_argument("--drop", action="store_true", help="also drop the body at 20 m/s onto an edge")
    parser.add_argument("--rigid-bodies", action="store_true", help="also time a fall beside Blender's rigid bodies")
    parser.add_argument("--json", action="store_true", help="one JSON object, as the last line")
    arguments = parser.parse_args()
    if arguments.falls < 0:
        parser.error("give at least 0 falls")
    model, figures, failed = sample_model(), {}, []
    simulate(thrown(model, 0), "draft", 0.1)  # loads the kernels
    for accuracy in arguments.accuracy.split(","):
        if arguments.falls:
            falls, why = falls_of(model, accuracy, arguments.falls)
            failed += why
            figures |= {f"falls.{accuracy}.failed": len(why), **(worst(falls, f"falls.{accuracy}") if falls else {})}
        if arguments.drop:
            figures |= worst([simulate(dropped(model), accuracy)], f"drop.{accuracy}")
    if arguments.rigid_bodies:
        from ragdoll_rigid_bodies import beside_rigid_bodies

        figures |= beside_rigid_bodies(arguments.accuracy.split(","))
    print(table(figures))
    if arguments.json:
        print(as_json(figures))
    return end(1 if failed else 0)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Drive to Pose: position drives to where joints stand, tuned to what they carry; and a ragdoll that follows them."""

import math
from dataclasses import replace

import bpy
import numpy as np
import pytest

from limberjack.addon import ids
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.posing.posing import Posing
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.core.simulation import Controls, Schedule, Simulation
from limberjack.core.spatial import quat_of_rotvec

from .baked import show, turns_of_poses
from .conftest import joint, link
from .test_inputs import FPS, G, body, key, wheel


def press(*selected, **options):
    bpy.ops.object.select_all(action="DESELECT")
    for obj in selected:
        obj.select_set(True)
    assert bpy.ops.limberjack.drive_to_pose(**options) == {"FINISHED"}


def drive_of(empty, number=0):
    axis = joint(empty).axes[number]
    assert axis.drive_mode == "position"
    return axis.drive_target, axis.drive_stiffness, axis.drive_damping


@pytest.mark.parametrize(("frequency", "ratio"), [(2.0, 1.0), (5.0, 0.25)])
def test_a_drive_is_as_stiff_as_its_load_is_heavy(scene, build, frequency, ratio):
    """Guards I w^2 and 2 z I w, with the inertia of a bar about its end, and the target in place."""
    (bar,), (empty,) = build.pendulum(1)
    body(bar, mass=2.0, inertia=0.1)
    link(bar).com = (0.5, 0.0, 0.0)
    Posing(scene).set_coordinates({empty.name: (0.4,)})
    press(frequency=frequency, damping_ratio=ratio)
    w, inertia = math.tau * frequency, 0.1 + 2.0 * 0.5**2
    assert drive_of(empty) == pytest.approx((0.4, inertia * w**2, 2.0 * ratio * inertia * w), rel=1e-5)


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_a_slide_is_driven_in_the_scenes_unit(scene, build, unit):
    """Guards lengths: the target is in Blender units, stiffness in N/m whatever these are."""
    scene.unit_settings.scale_length = unit
    _, empty = wheel(build, "prismatic")
    Posing(scene).set_coordinates({empty.name: (0.25,)})
    press(frequency=1.0)
    expected = (0.25 / unit, 2.0 * math.tau**2, 4.0 * math.tau)
    assert drive_of(empty) == pytest.approx(expected, rel=1e-5)


def test_a_ball_is_driven_by_a_rotation_vector(scene, build):
    """Guards balls: three targets, and their drives hold the link where it was put once gravity is off."""
    scene.use_gravity = False
    _, empty = wheel(build, "ball")
    turn = (0.3, -0.5, 0.7)
    Posing(scene).set_coordinates({empty.name: quat_of_rotvec(turn)})
    press(frequency=4.0)
    assert [drive_of(empty, number)[0] for number in range(3)] == pytest.approx(turn, abs=1e-6)
    run = SimulationBake(scene, initial={"q": {empty.name: [1.0, 0.0, 0.0, 0.0]}})
    run.run()
    expected = quat_of_rotvec(turn)
    found = run.trajectory.q[-1]
    assert found * np.sign(found[0]) == pytest.approx(expected, abs=1e-6)


def test_what_is_chosen_and_what_is_left(scene, build):
    """Guards the user's own numbers: a joint that is not selected, a locked axis, a drive that is there already."""
    _, empties = build.pendulum(3)
    joint(empties[0]).axes[0].drive_mode = "position"
    joint(empties[0]).axes[0].drive_stiffness = 7.0
    press(*empties[:2])
    assert drive_of(empties[0])[1] == 7.0
    assert drive_of(empties[1])[1] > 0.0
    assert joint(empties[2]).axes[0].drive_mode == "off"
    press(empties[0], tunes=True)
    assert drive_of(empties[0])[1] != 7.0
    joint(empties[2]).type = "universal"
    joint(empties[2]).axes[0].locked = True
    bpy.context.view_layer.update()
    press(empties[2])
    assert [joint(empties[2]).axes[number].drive_mode for number in range(2)] == ["off", "position"]


def test_nothing_to_drive(scene, build):
    """Guards the error: it says what to do."""
    wheel(build, "fixed")
    with pytest.raises(RuntimeError, match="can be driven"):
        bpy.ops.limberjack.drive_to_pose()


def ragdoll(scene, build, count=5):
    """A chain of cubes on ball joints with limits below a hand, which moves evenly along x; the joints."""
    hand = build.cube("hand", location=(0.0, 0.0, 5.0), size=0.1)
    limbs = [build.cube(f"limb{i}", location=(0.0, 0.0, 4.7 - 0.5 * i), size=0.2) for i in range(count)]
    build.tag(hand, *limbs)
    for limb in limbs:
        body(limb, mass=1.0, inertia=0.02)
    link(hand).motion = "KINEMATIC"
    key(hand, "location", (1, (0.0, 0.0, 5.0)), (97, (2.0, 0.0, 5.0)))
    found = []
    for inner, outer in zip([hand, *limbs], limbs, strict=False):
        scene.cursor.location = (0.0, 0.0, outer.location.z + 0.25)
        empty = build.join(outer, inner, type="ball", origin="CURSOR")
        joint(empty).axes[3].use_upper, joint(empty).axes[3].upper = True, 2.0
        found.append(empty)
    return found


LIMP = 60


def limp_ragdoll(scene, build):
    """It hangs straight at frame 1 and bends until frame 25, by poses that are keyed, and is limp from LIMP on."""
    scene.frame_end = 97
    empties = ragdoll(scene, build)
    press(frequency=6.0, inserts_keys=True)
    show(scene, 25)
    Posing(scene).set_coordinates({empty.name: quat_of_rotvec((0.0, 0.3, 0.1)) for empty in empties})
    press(inserts_keys=True)
    for empty in empties:
        for curve in fcurves_of(empty):
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
        key(empty, f"{ids.JOINT}.drive_strength", (1, 0.3), (LIMP - 1, 0.3), (LIMP, 0.0))
    show(scene, 1)
    return empties


def turned(trajectory, empties):
    """Rotation vectors of balls at every frame, shape (F, balls, 3)."""
    columns = [i for obj in empties for i, (name, _) in enumerate(trajectory.q_names) if name.startswith(obj.name)]
    q = trajectory.q[:, columns].reshape(len(trajectory.times), len(empties), 4)
    q = q * np.where(q[..., :1] < 0.0, -1.0, 1.0)
    angles = 2.0 * np.arccos(np.clip(q[..., :1], -1.0, 1.0))
    return q[..., 1:] * np.where(angles > 1e-9, angles / np.maximum(np.sin(0.5 * angles), 1e-12), 2.0)


def test_a_ragdoll_follows_and_goes_limp(scene, build):
    """Guards what it is all for: keyed poses are followed with 30 % strength, as core does it by itself, then let go.

    From there on energy is kept in the frame that goes with the hand, as no limit is met, and the pose is lost.
    """
    empties = limp_ragdoll(scene, build)
    assert len(list(fcurves_of(empties[0]))) == 4
    run = SimulationBake(scene, accuracy="exact")
    run.run()
    found = turned(run.trajectory, empties)
    at = slice(44, LIMP - 2)
    expected = _by_core(run, empties)
    assert np.abs(found[:LIMP] - expected[:LIMP]).max() < 2e-6
    assert np.degrees(np.abs(found[at] - (0.0, 0.3, 0.1)).max()) < 5.0
    energy = _energy(run.trajectory, empties)
    assert np.ptp(energy[LIMP - 1 :]) < 1e-5 * np.ptp(energy)  # the hand's way comes from Blender's seven digits
    assert np.degrees(np.abs(found[-1] - (0.0, 0.3, 0.1)).max()) > 15.0


def _by_core(run, empties):
    """The same by functions of time in closed form, which Blender has no part in."""
    full = {item.name: item.axes for item in run.model.joints}
    aims = ((1, 0.3), (2, 0.1))

    def strength(time):
        return float(np.interp(1.0 + time * FPS, (LIMP - 1, LIMP), (1.0, 0.0)))

    axes = {}
    for empty in empties:
        for number in range(3):
            own = full[empty.name][number]
            axes[(empty.name, number)] = {
                "drive_stiffness": lambda time, k=own.drive_stiffness: k * strength(time),
                "drive_damping": lambda time, d=own.drive_damping: d * strength(time),
            }
        for number, aim in aims:
            axes[(empty.name, number)]["drive_target"] = lambda time, aim=aim: aim * min(time * FPS / 24.0, 1.0)
    way = {"hand": lambda time: (0.5 * time, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0)}
    model = replace(run.model, joints=[item for item in run.model.joints if item.name in full and item.type == "ball"])
    controls = Controls(links=way, schedule=Schedule(axes=axes))
    return turned(Simulation(model, run.trajectory.times, "exact", controls=controls).run(), empties)


def _energy(trajectory, empties):
    """Of the limbs, by recursion outward, in the frame that goes with the hand [J], shape (F,).

    Joints are 0.25 m above and below the middle of each limb, and tell how fast it turns, in its own axes.
    """
    velocity = spin = np.zeros((len(trajectory.times), 3))
    energy = np.zeros(len(trajectory.times))
    for number, empty in enumerate(empties):
        columns = [i for i, (name, _) in enumerate(trajectory.qd_names) if name.startswith(empty.name)]
        X_WL = trajectory.X_WL[:, trajectory.link_names.index(f"limb{number}")]
        turn = turns_of_poses(X_WL)
        half = turn.apply((0.0, 0.0, -0.25))
        spin = spin + turn.apply(trajectory.qd[:, columns])
        velocity = velocity + np.cross(spin, half)
        energy += 0.5 * (velocity**2).sum(1) + 0.01 * (spin**2).sum(1) + G * X_WL[:, 2]
        velocity = velocity + np.cross(spin, half)
    return energy

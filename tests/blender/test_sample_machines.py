# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample machines move as their closed forms, written down by hand, have it; seen in Blender after a bake."""

import cmath
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from support.turned import cylinder, perforated, polygon, ring, sphere

from .baked import bake, matrices_at
from .conftest import joint
from .samples import maker, open_sample

pytestmark = pytest.mark.slow

GRAVITY = 9.81
BRASS, OAK, PINE, CONCRETE = 8500.0, 750.0, 500.0, 2400.0
SINGLE = 2e-6
"""Metres and radians that single precision is off by."""


def seen(scene, run, *names):
    """Matrices of objects as Blender shows them, by name, shape (F, 4, 4)."""
    matrices = matrices_at(scene, [scene.objects[name] for name in names], run.frames)
    return {name: matrices[:, number] for number, name in enumerate(names)}


def turned(matrices):
    """Angles [rad] from the first frame on, towards who looks along +y, shape (F,), whole turns counted."""
    turns = matrices[:, :3, :3] @ matrices[0, :3, :3].T
    return np.unwrap(np.arctan2(turns[:, 2, 0], turns[:, 0, 0]))


# The gear train


def moments_of_inertia(made):
    """Of drum, second, flywheel and hand about their axles [kg m^2]: prisms of brass, and vanes."""

    def wheel(teeth, spokes=0):
        inside = made.MODULE * teeth / 2.0 - 0.013
        holes = made.windows(spokes, 0.017, inside, 0.009) if spokes else []
        return perforated([made.toothed(teeth, 0.0), *holes])[1] * made.THICKNESS

    def band(outer, inner, width):
        return perforated([made.disc(outer), made.disc(inner)])[1] * width

    def arbor(beyond):
        return polygon(ring(made.ARBOR_RADIUS))[1] * (made.THICKNESS - made.FRONT + beyond)

    radius, length = made.DRUM_RADIUS, made.DRUM_LENGTH
    face = perforated([made.disc(0.06), *made.windows(3, 0.015, 0.05, 0.014)])[1] * 0.006
    barrel = band(radius - 0.002, 0.06, length) + made.TURNS * band(radius + 0.002, radius - 0.002, 0.004)
    rim = perforated([made.disc(made.FLYWHEEL), *made.windows(made.VANES, 0.016, made.FLYWHEEL - made.RIM, 0.007)])[1]
    thick, wide, long = made.VANE
    away = made.FLYWHEEL - 0.004 + long / 2.0
    vane = thick * wide * long * ((thick**2 + long**2) / 12.0 + away**2)
    width, reach = made.NEEDLE
    needle = 2.0 * width * reach * 0.004 * (width**2 + reach**2) / 6.0
    return BRASS * np.array(
        [
            wheel(made.GREAT, 6) + face + barrel + arbor(length + 0.012),
            wheel(made.PINION) + wheel(made.SECOND, 5) + arbor(0.008),
            wheel(made.FLY_PINION) + 0.012 * rim + made.VANES * vane + arbor(0.042),
            wheel(made.HAND_WHEEL, 4) + needle + arbor(0.02),
        ]
    )


def test_the_gear_train_runs_up_to_its_speed():
    """Guards couplings and damping: J a'' = m g r - n^2 c a' has an exponential solution; teeth count the turns."""
    made, scene = maker("gear_train"), open_sample("gear_train")
    run = bake(scene)
    found = seen(scene, run, "drum", "second", "flywheel", "hand", "weight")
    ratios = np.array([1.0, -4.0, 12.0, -2.0])
    mass = OAK * (cylinder(made.WEIGHT_RADIUS, made.WEIGHT_LENGTH) + cylinder(0.022, 0.018) + sphere(0.008))
    J = mass * made.DRUM_RADIUS**2 + ratios**2 @ moments_of_inertia(made)
    braking = ratios[2] ** 2 * made.DAMPING
    speed, settling = mass * GRAVITY * made.DRUM_RADIUS / braking, J / braking
    seconds = (run.frames - run.frames[0]) / 24.0
    angle = speed * (seconds - settling * (1.0 - np.exp(-seconds / settling)))
    fallen = found["weight"][0, 2, 3] - found["weight"][:, 2, 3]
    assert np.abs(fallen - made.DRUM_RADIUS * angle).max() < SINGLE
    for name, ratio in zip(("drum", "second", "flywheel", "hand"), ratios, strict=True):
        assert np.abs(turned(found[name]) - ratio * angle).max() < 1e-4, name
    assert seconds[-1] > 5.0 * settling > 1.0  # it is seen to gain speed, and to keep it


MESHING = (("great_wheel", "second_pinion"), ("second_wheel", "flywheel_pinion"), ("great_wheel", "hand_wheel"))


def test_teeth_mesh_without_touching():
    """Guards the drawing of the gears: flanks come near each other at all frames, and no tooth cuts into another."""
    made, scene = maker("gear_train"), open_sample("gear_train")
    bake(scene)
    names = sorted({name for pair in MESHING for name in pair})
    frames = np.arange(100, 124, 2)
    shown = matrices_at(scene, [scene.objects[name] for name in names], frames)
    for one, other in MESHING:
        for matrices in shown:
            first, second = (
                outline(scene.objects[name], matrices[names.index(name)], made.MODULE) for name in (one, other)
            )
            assert not inside(first, second).any(), (one, other)
            assert not inside(second, first).any(), (one, other)
            gap = np.linalg.norm(first[:, None] - second[None], axis=2).min()
            assert gap < 0.35 * made.MODULE


def outline(obj, matrix, module):
    """Of a wheel's teeth, in the plane in which it turns, shape (n, 2)."""
    points = np.array([vertex.co for vertex in obj.data.vertices if vertex.co.z < 1e-6], dtype=float)
    away = np.hypot(points[:, 0], points[:, 1])
    edge = points[away > away.max() - 2.3 * module]
    return (edge @ matrix[:3, :3].T + matrix[:3, 3])[:, [0, 2]]


def inside(points, corners):
    """Which points lie in the polygon: an odd number of its sides crosses the ray from the point to the right."""
    x, y = points[:, :1], points[:, 1:]
    u, v = corners.T
    s, t = np.roll(corners, -1, axis=0).T
    with np.errstate(divide="ignore"):
        crossing = u + (y - v) * (s - u) / (t - v)
    return (((v > y) != (t > y)) & (x < crossing)).sum(axis=1) % 2 == 1


# The hand


def test_fingers_close_as_their_drives_and_cords_have_it():
    """Guards followers: far joints turn by the knuckle's angle, and phalanges are where trigonometry has them."""
    made, scene = maker("hand"), open_sample("hand")
    run = bake(scene)
    names = [f"{finger}.{number}" for finger in made.FINGERS for number in (1, 2, 3)]
    found = seen(scene, run, "palm", *names)
    palm = found["palm"]
    for finger, drawn in made.FINGERS.items():
        up, forward = np.array(drawn.up), np.array((0.0, -1.0, 0.0))
        angles = []
        for number in (1, 2, 3):
            along = np.einsum("fji,fj->fi", palm[:, :3, :3], found[f"{finger}.{number}"][:, :3, 2])
            angles.append(np.unwrap(np.arctan2(along @ forward, along @ up)))
        knuckle = angles[0]
        assert np.abs(angles[1] - (1.0 + made.MIDDLE) * knuckle).max() < 1e-5
        assert np.abs(angles[2] - (1.0 + made.MIDDLE + made.END) * knuckle).max() < 1e-5
        place = np.array(drawn.knuckle)
        for number, length in enumerate(drawn.lengths[:2]):
            turn = (1.0, 1.0 + made.MIDDLE)[number] * knuckle[:, None]
            place = place + length * (np.cos(turn) * up + np.sin(turn) * forward)
        expected = np.einsum("fij,fj->fi", palm[:, :3, :3], place) + palm[:, :3, 3]
        assert np.abs(found[f"{finger}.3"][:, :3, 3] - expected).max() < SINGLE
        keys = made.counting()[finger]
        held = [frame for frame, later in pairwise(keys) if keys[frame] == keys[later]]
        for frame in held:
            assert knuckle[run.frames == frame + 5] == pytest.approx(keys[frame], abs=0.06), (finger, frame)


def test_thumb_and_index_meet():
    """Guards the thumb's two axes, and one follower of the second axis: the tips touch when the hand pinches."""
    made, scene = maker("hand"), open_sample("hand")
    run = bake(scene)
    found = seen(scene, run, "palm", "thumb.1", "thumb.3", "index.3")
    still = run.frames < 204  # the hand does not wave yet
    one, three = (found[name][still] for name in ("thumb.1", "thumb.3"))
    lean = math.radians(made.THUMB.lean)
    inward, across = lean - np.arccos(one[:, 2, 2]), np.arctan2(-one[:, 1, 2], one[:, 0, 2])
    place = np.array((0.0, 0.0, made.WRIST)) + made.THUMB.knuckle
    for number, length in enumerate(made.THUMB.lengths[:2]):
        leaning = lean - (1.0 + number * made.THUMB_END) * inward
        flat = np.sin(leaning)
        way = np.stack([flat * np.cos(across), -flat * np.sin(across), np.cos(leaning)], axis=1)
        place = place + length * way
    assert np.abs(three[:, :3, 3] - place).max() < 2e-5  # an arc cosine of single precision
    pinching = list(run.frames).index(190)
    tips = [
        found[name][pinching, :3, 3] + drawn.lengths[2] * found[name][pinching, :3, 2]
        for name, drawn in (("thumb.3", made.THUMB), ("index.3", made.FINGERS["index"]))
    ]
    assert np.linalg.norm(tips[0] - tips[1]) < 0.010


# The drawbridge


def held_moment(made, angle):
    """What the drive has to hold at an angle [N m]: the weights' moments about the hinges, by volumes and densities."""
    length, width, thickness = made.DECK
    planks, kerbs = length * width * thickness, 2.0 * length * 0.14**2
    deck_x = planks * length / 2.0 + kerbs * length / 2.0 + 2.0 * sphere(0.09) * made.REACH
    deck_z = -planks * thickness / 2.0 + kerbs * 0.07
    front, back = made.REACH + 0.25, -made.TAIL - 0.45
    beams = 2.0 * (front - back) * 0.06 * (front + back) / 2.0 + 2.0 * sphere(0.09) * made.REACH
    ties = 2.0 * made.SIDE * 0.14 * 0.16 * (1.9 + 3.7 + made.REACH)
    lantern = cylinder(0.02, made.LANTERN_ROPE) + cylinder(0.15, 0.06) + cylinder(0.11, 0.26) + cylinder(0.13, 0.04)
    wood_x = deck_x + beams + ties + 2.0 * lantern * (made.REACH + 0.12)
    weight = CONCRETE * math.prod(made.WEIGHT) * -made.TAIL
    return GRAVITY * ((PINE * wood_x + weight) * math.cos(angle) - PINE * deck_z * math.sin(angle))


def test_the_drawbridge_is_a_parallelogram():
    """Guards ropes: deck and balance turn alike as long as these are tight; a ship finds the bridge open."""
    made, scene = maker("drawbridge"), open_sample("drawbridge")
    run = bake(scene)
    found = seen(scene, run, "deck", "tie_beam.1", "beam_eye.L", "deck_eye.L", "beam_eye.R", "deck_eye.R", "ship")
    deck, balance = (np.arctan2(found[name][:, 2, 0], found[name][:, 0, 0]) for name in ("deck", "tie_beam.1"))
    landing = run.frames >= 218  # when the deck lies, the ropes may hang loose
    for side in "LR":
        way = found[f"beam_eye.{side}"][:, :3, 3] - found[f"deck_eye.{side}"][:, :3, 3]
        lengths = np.linalg.norm(way, axis=1)
        assert lengths.max() < made.RISE + 0.002
        assert lengths[~landing].min() > made.RISE - 1e-6
    assert np.abs(deck - balance)[~landing].max() < 1e-3
    assert deck.min() > -SINGLE
    assert deck[-1] == pytest.approx(0.0, abs=1e-4)
    below = np.abs(found["ship"][:, 1, 3]) < made.DECK[1] / 2.0 + 1.9
    assert below.sum() > 20
    assert deck[below].min() > 1.0


def test_the_drawbridge_is_nearly_in_balance():
    """Guards statics and a keyed drive: it gives way by what the weights ask for, once the lanterns hang still."""
    made, scene = maker("drawbridge"), open_sample("drawbridge")
    for side in "LR":
        for axis in joint(scene.objects[f"lantern_hook.{side}"]).axes[:3]:
            axis.damping = 30.0
    run = bake(scene, last=138)
    balance = seen(scene, run, "tie_beam.1")["tie_beam.1"][-1]
    angle = math.atan2(balance[2, 0], balance[0, 0])
    off = held_moment(made, angle) / made.STIFFNESS
    assert made.OPEN - angle == pytest.approx(off, abs=5e-5)
    assert off > 1e-3


# The car


def quarter(made):
    """M, C and K of a sprung mass above a wheel, and what the post's speed and height give them."""
    m, u, k, c, K, C = made.SPRUNG, made.WHEEL, made.SPRING, made.DAMPER, made.TYRE, made.TYRE_DAMPER
    damping, stiffness = (np.array([[a, -a], [-a, a + A]]) for a, A in ((c, C), (k, K)))
    return np.diag([m, u]), damping, stiffness, np.array([0.0, C]), np.array([0.0, K])


def test_the_car_heaves_as_four_quarters():
    """Guards loops of springs and keyed links: ride height by statics, and heave by a quarter car's two equations."""
    made, scene = maker("car"), open_sample("car")
    run = bake(scene)
    found = seen(scene, run, "chassis", *(f"wheel.{name}" for name in made.CORNERS))
    heights = {name: matrices[:, 2, 3] - matrices[0, 2, 3] for name, matrices in found.items()}
    assert max(np.abs(height[:10]).max() for height in heights.values()) < 1e-5
    M, C, K, by_speed, by_height = quarter(made)
    w = math.tau * 24.0 / made.CYCLE

    def rates(t, state):
        height, speed = made.SWING * (1.0 - math.cos(w * t)), made.SWING * w * math.sin(w * t)
        force = by_speed * speed + by_height * height - C @ state[2:] - K @ state[:2]
        return np.concatenate([state[2:], np.linalg.solve(M, force)])

    bout = slice(12, 12 + made.CYCLES[13] * made.CYCLE)
    seconds = (run.frames[bout] - run.frames[12]) / 24.0
    body, wheel = solve_ivp(rates, (0.0, seconds[-1]), np.zeros(4), t_eval=seconds, rtol=1e-9, atol=1e-12).y[:2]
    expected = {"chassis": body} | {f"wheel.{name}": wheel for name in made.CORNERS}
    for name, height in expected.items():
        off = np.abs(heights[name][bout] - height)
        assert off.max() < 3e-4  # where a bout begins and ends, the curve through the keys is rounder
        assert off[8:-4].max() < 2e-5
    response = np.linalg.solve(K - w * w * M + 1j * w * C, by_height + 1j * w * by_speed)
    last = heights["chassis"][bout][-made.CYCLE :]
    assert np.ptp(last) / 2.0 == pytest.approx(made.SWING * abs(response[0]), rel=0.03)
    assert abs(cmath.phase(response[0])) > 0.3  # near resonance, so that damping counts


def test_the_car_rolls_pitches_and_steers():
    """Guards the other bouts: sides, then ends, go up and down; front wheels turn by a sixth of the steering wheel."""
    made, scene = maker("car"), open_sample("car")
    run = bake(scene)
    found = seen(scene, run, "chassis", "wheel.front.L", "wheel.front.R", "rack")
    chassis = found["chassis"][:, :3, :3]
    roll, pitch = np.arcsin(chassis[:, 2, 1]), np.arcsin(-chassis[:, 2, 0])
    rolling, pitching = (slice(first - 1, first - 1 + 60) for first in (103, 173))
    assert np.abs(roll[rolling]).max() > 4.0 * np.abs(pitch[rolling]).max()
    assert np.abs(pitch[pitching]).max() > 4.0 * np.abs(roll[pitching]).max()
    assert min(np.abs(roll[rolling]).max(), np.abs(pitch[pitching]).max()) > math.radians(1.5)
    inverse = np.linalg.inv(found["chassis"])
    rack = (inverse @ found["rack"])[:, 1, 3]
    for name in ("wheel.front.L", "wheel.front.R"):
        own = chassis.transpose(0, 2, 1) @ found[name][:, :3, :3]
        turns = own @ own[0].T
        steered = np.arctan2(turns[:, 1, 0], turns[:, 0, 0])
        assert np.abs(steered - rack / made.TO_RACK * made.TO_WHEELS).max() < 1e-5
        for frame in (115, 145):
            keyed = {115: 2.6, 145: -2.6}[frame] * made.TO_WHEELS
            assert np.interp(frame, run.frames, steered) == pytest.approx(keyed, abs=0.06)

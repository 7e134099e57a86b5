# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies on things that are moved, driven, let go, coupled or sprung goes with them as closed forms have it."""

import math

import numpy as np
import pytest

from limberjack.core.geometry import Box, Mesh, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Mimic, Model
from limberjack.core.simulation import Controls, Forces, Schedule, Simulation
from support.touching import LEVEL, NO_TURN, G, pose_of, solid, turned

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
THICK = 0.1
MU = 0.5


def tray(kind, axis, *loads, surface=None, mass=3.0):
    """A plate on a joint to the world, its top at z = 0, and bodies on it as (link, x, y, height of its middle)."""
    surface = surface or Surface(friction=MU)
    plate = Link("tray", mass, inertia=(0.5, 0.0, 0.0, 0.5, 0.0, 0.5))
    plate.collisions = [Shape("plate", Box((4.0, 4.0, THICK)), (0.0, 0.0, -THICK / 2.0, *NO_TURN), surface=surface)]
    model = Model("tray", [plate], [Joint("mover", kind, WORLD, "tray")])
    if axis:
        model.joints[0].axes[0].xyz = axis
    for link, *at in loads:
        model.links.append(link)
        model.joints.append(Joint(f"free {link.name}", "free", WORLD, link.name, X_PJ=(*at, *NO_TURN)))
    model.gravity = LEVEL
    return model


def box(size=(0.2, 0.2, 0.1), mass=2.0, surface=None, x=0.0):
    return solid("box", Box(size), mass, surface or Surface(friction=MU)), x, 0.0, size[2] / 2.0


def ball(height, mass=1.0, radius=0.1, surface=None):
    return solid("ball", Sphere(radius), mass, surface or Surface()), 0.0, 0.0, radius + height


def run(model, times, accuracy="good", start=None, controls=None):
    found = Simulation(model, times, accuracy, start, controls=controls)
    found.run()
    assert found.report.relative_drift <= 1e-5
    return found


def at_of(found, joint, frame=-1):
    names = [name for name, _ in found.trajectory.q_names]
    return found.trajectory.q[frame, names.index(joint)]


# ---- carried by what is moved


@pytest.mark.parametrize("how", ["joint", "link", "joint above"])
def test_a_mesh_that_is_led_carries_as_it_is_drawn(how):
    """Guards platforms: a box stands in an open crate that is a mesh and speeds up; a hull would have it stick out."""
    surface = Surface(friction=MU)
    corners = np.array(list(np.ndindex(2, 2, 2)), float) * 2.0 - 1.0
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4))  # the top is left out
    model = tray("prismatic", X, box(x=0.3), surface=surface)
    crate = Shape("crate", Mesh(vertices=corners, faces=faces), (0.0, 0.0, 1.0, *NO_TURN), surface=surface)
    model.links[0].collisions = [crate]
    if how == "joint above":
        holder = Link("holder", 1.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
        model.links.append(holder)
        model.joints[0].child = "holder"
        model.joints.append(Joint("fast", "fixed", "holder", "tray"))
    pull = 0.8 * MU * G
    controls = Controls(joints={"mover": lambda time: 0.5 * pull * time**2})
    if how == "link":
        model.joints[0] = Joint("mover", "free", WORLD, "tray")
        controls = Controls(links={"tray": lambda time: (0.5 * pull * time**2, 0.0, 0.0, *NO_TURN)})
    found = run(model, np.linspace(0.0, 0.4, 9), controls=controls)
    assert pose_of(found, "box")[:3] == pytest.approx((0.3 + 0.5 * pull * 0.4**2, 0.0, 0.05), abs=1e-6)
    assert len(found.contacts) == 4


@pytest.mark.parametrize("leans", [False, True], ids=["alone", "in a loop"])
def test_a_lift_that_sinks_into_its_shaft(leans):
    """Guards what nothing pushes: it goes where it is told, through what stands still, and its load goes with it.

    In a loop, a strut leans on the lift and on the world, as a wheel stands on a shaker's post.
    """
    model = tray("free", None, box(x=0.3))
    wall = Shape("wall", Box((0.5, 5.0, 1.0)), (-1.6, 0.0, -0.62, *NO_TURN))
    model.links.append(Link("shaft", collisions=[wall]))
    model.joints.append(Joint("held", "fixed", WORLD, "shaft"))
    if leans:
        model.links.append(Link("strut", 1.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1)))
        model.joints.append(Joint("guide", "prismatic", WORLD, "strut", X_PJ=(0.0, 0.0, 1.0, *NO_TURN)))
        model.joints[-1].axes[0].xyz = Z
        model.joints.append(Joint("tyre", "translation", "strut", "tray", X_PJ=(0.0, 0.0, -1.0, *NO_TURN)))
    down = Controls(links={"tray": lambda time: (0.0, 0.0, 0.1 * (math.cos(3.0 * time) - 1.0), *NO_TURN)})
    found = run(model, np.linspace(0.0, 1.0, 25), controls=down)
    assert {(contact.first, contact.second) for contact in found.contacts} == {("tray", "box")}
    assert pose_of(found, "box")[2] == pytest.approx(0.05 + 0.1 * (math.cos(3.0) - 1.0), abs=1e-6)


@pytest.mark.parametrize("accuracy", ["good", "exact"])
@pytest.mark.parametrize("pull", [0.9, 1.6])
def test_a_box_on_a_tray_that_speeds_up(pull, accuracy):
    """Up to mu g it goes along, beyond it is left behind with mu g."""
    gain = pull * MU * G
    found = run(
        tray("prismatic", X, box()),
        np.linspace(0.0, 0.5, 13),
        accuracy,
        controls=Controls(joints={"mover": lambda t: 0.5 * gain * t * t}),
    )
    for frame, time in enumerate(found.trajectory.times):
        gone = 0.5 * min(gain, MU * G) * time**2
        assert pose_of(found, "box", frame)[0] == pytest.approx(gone, abs=1e-8)
    assert sum(contact.force[0] for contact in found.contacts) == pytest.approx(2.0 * min(gain, MU * G), rel=1e-6)


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_a_box_on_a_tray_that_shakes(accuracy):
    """Within the cone it does not creep in ten swings."""
    swing, w = 0.03, 12.0  # swing w^2 is 0.88 mu g
    found = run(
        tray("prismatic", X, box()),
        np.linspace(0.0, 10.0 * math.tau / w, 161),
        accuracy,
        controls=Controls(joints={"mover": lambda t: swing * (1.0 - math.cos(w * t))}),
    )
    off = found.trajectory.X_WL[:, 1, 0] - found.trajectory.X_WL[:, 0, 0]
    assert np.abs(off).max() < 1e-9


def test_a_puck_on_a_turntable():
    """It goes round with it until w^2 r and the spin-up are mu g together, and then leaves outward."""
    r, spin_up = 0.8, 0.5
    found = run(
        tray("revolute", Z, box((0.02, 0.02, 0.004), 0.1, x=r)),
        np.linspace(0.0, 6.0, 301),
        controls=Controls(joints={"mover": lambda t: 0.5 * spin_up * t * t}),
    )
    slips = math.sqrt(math.sqrt((MU * G) ** 2 - (spin_up * r) ** 2) / r) / spin_up
    away = np.linalg.norm(found.trajectory.X_WL[:, 1, :2], axis=1) - r
    times = found.trajectory.times
    assert np.abs(away[times < 0.98 * slips]).max() < 1e-9
    assert away[times > 1.03 * slips].min() > 1e-3


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_a_belt_on_a_turntable(accuracy):
    """Guards belts on what turns: a box moves along the belt at its speed, and the belt turns with the table.

    Friction bears the Coriolis and the centripetal force, whose sum stays below mu m g.
    """
    rate, speed, start = 1.0, 0.5, -0.4
    belt = Surface(friction=MU, velocity=(speed, 0.0, 0.0))
    model = tray("revolute", Z, box(x=start), surface=belt)
    q = {"mover": 0.0}
    qd = {"mover": rate, "free box": [speed, rate * start, 0.0, 0.0, 0.0, rate]}
    controls = Controls(joints={"mover": lambda time: rate * time})
    times = np.linspace(0.0, 1.6, 17)
    found = run(model, times, accuracy, {"q": q, "qd": qd}, controls)
    along = start + speed * times
    for frame, (x, angle) in enumerate(zip(along, rate * times, strict=True)):
        pose = pose_of(found, "box", frame)
        assert pose[:2] == pytest.approx([x * math.cos(angle), x * math.sin(angle)], abs=1e-6)
        assert 2.0 * math.atan2(pose[6], pose[3]) == pytest.approx(angle, abs=1e-6)


def test_a_box_on_a_link_that_is_tilted():
    """A link that is keyed as a whole tilts slowly: its load slides beyond the angle of repose, and not before."""
    gain = 0.04
    found = run(
        tray("free", None, box(mass=1.0)),
        np.linspace(0.0, 5.5, 111),
        controls=Controls(links={"tray": lambda t: (0.0, 0.0, 0.0, *turned("y", 0.5 * gain * t * t))}),
    )
    slips = math.sqrt(2.0 * math.atan(MU) / gain)
    for frame, time in enumerate(found.trajectory.times):
        x, _, z = pose_of(found, "box", frame)[:3]
        tilt = 0.5 * gain * time**2
        along = x * math.cos(tilt) - z * math.sin(tilt)
        if time < 0.995 * slips:
            assert abs(along) < 1e-9
        elif time > 1.05 * slips:
            assert along > 1e-3


# ---- driven, let go, pushed


def test_a_drive_lifts_a_block():
    """It comes from below, takes the block off its ledges, and sags under both weights by Hooke's law."""
    stiffness, block = 5000.0, 4.0
    model = tray("prismatic", Z, box((5.0, 0.2, 0.1), block), mass=2.0)
    model.joints[0].X_PJ = (0.0, 0.0, -0.2, *NO_TURN)
    axis = model.joints[0].axes[0]
    axis.drive_mode, axis.drive_stiffness, axis.drive_damping = "position", stiffness, 300.0
    ledges = Link("ledges")
    ledges.collisions = [
        Shape(f"ledge {x}", Box((0.2, 0.4, 0.1)), (x, 0.0, -0.05, *NO_TURN), surface=Surface()) for x in (-2.4, 2.4)
    ]
    model.links.append(ledges)
    model.joints.append(Joint("held", "fixed", WORLD, "ledges"))
    schedule = Schedule(axes={("mover", 0): {"drive_target": lambda t: min(0.3 * t, 0.45)}})
    found = run(model, np.linspace(0.0, 4.0, 97), controls=Controls(schedule=schedule))
    sag = (2.0 + block) * G / stiffness
    assert pose_of(found, "box", 10)[2] == pytest.approx(0.05, abs=1e-9)
    assert pose_of(found, "box")[2] == pytest.approx(-0.2 + 0.45 - sag + 0.05, abs=1e-6)
    assert {(contact.first, contact.second) for contact in found.contacts} == {("tray", "box")}
    assert sum(contact.force[2] for contact in found.contacts) == pytest.approx(block * G, rel=1e-6)


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_a_link_is_let_go_and_falls(accuracy):
    """A ball bounces from the start, another is let go later: all blows are told, at the times when they fall."""
    surface = Surface(restitution=0.5)
    model = tray("fixed", None, ball(0.2, surface=surface), surface=surface)
    held = solid("late", Sphere(0.1), 2.0, surface)
    model.links.append(held)
    model.joints.append(Joint("grip", "fixed", WORLD, "late", X_PJ=(1.0, 0.0, 0.6, *NO_TURN), released_at=0.35))
    found = run(model, np.linspace(0.0, 1.0, 41), accuracy)
    own = [impact for impact in found.impacts if impact.second == "late"]
    fall = math.sqrt(2.0 * 0.5 / G)
    assert own[0].time == pytest.approx(0.35 + fall, abs=1e-9)
    assert own[0].impulse[2] == pytest.approx(2.0 * 1.5 * G * fall, rel=1e-6)
    first = next(impact for impact in found.impacts if impact.second == "ball")
    assert first.time == pytest.approx(math.sqrt(2.0 * 0.2 / G), rel=1e-6)


@pytest.mark.parametrize("push", [0.95, 1.3])
@pytest.mark.parametrize("how", ["callback", "link", "wind", "schedule"])
def test_a_push_beyond_friction_moves_a_box(how, push):
    """Up to mu m g it stays; beyond, what is more moves it. Wind pushes with its rate times the mass and its speed."""
    mass = 2.0
    model = tray("fixed", None, box((0.4, 0.4, 0.05), mass))
    force = push * MU * mass * G
    controls = None
    if how == "callback":
        controls = Controls(forces=lambda moment: Forces(links={"box": (force, 0.0, 0.0, 0.0, 0.0, 0.0)}))
    elif how == "link":
        model.link("box").force = (force, 0.0, 0.0)
    elif how == "schedule":
        controls = Controls(schedule=Schedule(links={"box": {"force": lambda t: (force, 0.0, 0.0)}}))
    else:
        model.link("box").linear_damping = 0.5
        model.wind = (force / mass / 0.5, 0.0, 0.0)
    found = run(model, np.linspace(0.0, 0.5, 13), controls=controls)
    if push < 1.0:
        assert abs(pose_of(found, "box")[0]) < 1e-12
        return
    gain = (push - 1.0) * MU * G
    gone = gain * (0.5 / 0.5 - (1.0 - math.exp(-0.25)) / 0.25) if how == "wind" else 0.5 * gain * 0.25
    assert pose_of(found, "box")[0] == pytest.approx(gone, rel=1e-6)


# ---- limits, couplings, friction and springs of what is touched


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_a_ball_falls_on_a_shelf_with_a_counterweight(accuracy):
    """A mimic hangs another mass on the shelf, which moves twice as far: the blow meets M + 4 M'."""
    surface = Surface(restitution=0.5)
    model = tray("prismatic", Z, ball(0.4, surface=surface), surface=surface, mass=3.0)
    model.links.append(Link("weight", 1.5))
    follower = Joint("follower", "prismatic", WORLD, "weight", X_PJ=(3.0, 0.0, 0.0, *NO_TURN))
    follower.mimic = Mimic("mover", -2.0)  # 3 and 2 times 1.5 are in balance
    model.joints.append(follower)
    found = run(model, np.linspace(0.0, 1.0, 41), accuracy)
    speed = math.sqrt(2.0 * G * 0.4)
    assert found.impacts[0].impulse[2] == pytest.approx(1.5 * speed / (1.0 + 1.0 / (3.0 + 4.0 * 1.5)), rel=1e-6)
    assert found.trajectory.loop_error.max() <= 1e-9


def test_a_shelf_that_joint_friction_brakes():
    """It sinks with what lies on it, braked by its joint."""
    model = tray("prismatic", Z, box(mass=1.0), mass=3.0)
    model.joints[0].axes[0].friction = 35.0
    found = run(model, np.linspace(0.0, 0.5, 13))
    sunk = 0.5 * (G - 35.0 / 4.0) * 0.25
    assert pose_of(found, "box")[2] == pytest.approx(0.05 - sunk, abs=1e-6)
    assert sum(contact.force[2] for contact in found.contacts) == pytest.approx(35.0 / 4.0, rel=1e-8)


@pytest.mark.parametrize("accuracy", ["good", "exact"])
def test_a_spring_throws_a_ball(accuracy):
    """From a plate on a spring that is pressed in it leaves where the spring is as long as without load."""
    stiffness, pressed, plate = 2000.0, 0.15, 3.0
    model = tray("prismatic", Z, ball(0.0), mass=plate)
    axis = model.joints[0].axes[0]
    axis.spring_stiffness, axis.spring_reference = stiffness, pressed
    total = plate + 1.0
    w = math.sqrt(stiffness / total)
    rest = pressed - total * G / stiffness  # above where it starts
    leaves = math.acos(-(pressed - rest) / rest) / w
    speed = math.sqrt(stiffness * pressed**2 / total - 2.0 * G * pressed)
    found = run(model, np.linspace(0.0, leaves + 0.2, 41), accuracy)
    assert not found.contacts
    height = 0.1 + pressed + speed * 0.2 - 0.5 * G * 0.04
    assert pose_of(found, "ball")[2] == pytest.approx(height, rel=1e-6)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor names what is wrong with what touches, and is silent about what is healthy; reports add up."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from limberjack.core import cli
from limberjack.core.diagnosis import diagnose
from limberjack.core.diagnosis.case import Case
from limberjack.core.diagnosis.contact_findings import _restitution
from limberjack.core.formats import read, write
from limberjack.core.geometry import Box, Mesh, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Axis, ContactPair, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.benchmarks import BENCHMARKS
from support.cases import some
from support.shared import SHARED
from support.touching import LEVEL, NO_TURN, G, sloped, solid, turned

ROUGH = Surface(friction=0.5)
CUBE = Box((0.2, 0.2, 0.2))
SCENES = SHARED / "contact" / "scenes"
QUICK = ("car", "gripper", "quadruped", "ragdoll")
SLOW = ("balls666", "chain100", "gripper_line", "pile100", "ragdolls_stairs", "wall", "zero_gravity")
SAMPLES = sorted((Path(__file__).parents[3] / "sample_scenes").glob("*.sdf"))
COLLAPSE = ("car", "creature")
"""Samples that stand on springs, or on muscles and limits of balls, which SDF has no words for: they collapse."""


def at(x, y, z):
    return (x, y, z, *NO_TURN)


HERE = at(0.0, 0.0, 0.0)


def still(name, geometry, pose=HERE, surface=ROUGH, **layers):
    return Link(name, pose=pose, collisions=[Shape("shape", geometry, surface=surface, **layers)])


def floor(surface=ROUGH, **layers):
    return still("floor", Plane(), surface=surface, **layers)


def box(name="box", mass=1.0, surface=ROUGH, **layers):
    link = solid(name, CUBE, mass, surface)
    link.collisions = [replace(shape, **layers) for shape in link.collisions]
    return link


def ball(surface=ROUGH, **layers):
    link = solid("ball", Sphere(0.1), 1.0, surface)
    link.collisions = [replace(shape, **layers) for shape in link.collisions]
    return link


def world(*standing, free=(), gravity=LEVEL, pairs=()):
    """What stands, and what is free, as (link, pose)."""
    joints = [Joint(f"{link.name} held", "fixed", WORLD, link.name, X_PJ=link.pose) for link in standing]
    joints += [Joint(f"free {link.name}", "free", WORLD, link.name, X_PJ=pose) for link, pose in free]
    links = [*standing, *(replace(link, pose=pose) for link, pose in free)]
    return Model("world", links, joints, gravity=gravity, contact_pairs=[ContactPair(*pair, False) for pair in pairs])


def dropped(*standing, link=None, **more):
    """A cube from 0.4 m above."""
    return world(*standing, free=[(link or box(), at(0.05, 0.0, 0.5))], **more)


def rolled(*standing, link=None, **more):
    """A ball on a floor, which is given a speed of 2 m/s towards a wall 1 m away."""
    return world(*standing, free=[(link or ball(), at(0.0, 0.0, 0.1))], **more)


WALL = Box((0.1, 1.0, 1.0))
AT_WALL = at(1.0, 0.0, 0.5)
ROLLING = {"initial": {"qd": {"free ball": [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]}}}


def in_one_family():
    """A floor and a cube of one SDF model, whose links do not meet."""
    model = dropped(floor())
    model.links = [replace(link, family="robot") for link in model.links]
    return model


def with_a_hole():
    """A floor of triangles, 4 m wide, without the four squares in its middle."""
    count, faces = 8, []
    x, y = np.meshgrid(*[np.linspace(-2.0, 2.0, count + 1)] * 2, indexing="ij")
    for i in range(count):
        for j in range(count):
            if not {i, j} <= {3, 4}:
                a, b = i * (count + 1) + j, (i + 1) * (count + 1) + j
                faces += [(a, b, b + 1), (a, b + 1, a + 1)]
    return Mesh(vertices=np.column_stack([x.ravel(), y.ravel(), 0.0 * x.ravel()]), faces=tuple(faces))


def in_millimetres():
    link = box()
    link.collisions = [Shape("shape", Box((200.0, 200.0, 200.0)))]
    return world(floor(), free=[(link, at(0.0, 0.0, 100.0))])


def wedged(force=200.0, degrees=5.0):
    """A cube that is pushed down between two walls that come nearer to each other."""
    lean, plate = math.radians(degrees), Box((0.2, 1.0, 2.0))
    walls = [
        still(name, plate, (side * 0.25, 0.0, 0.0, *turned("y", side * lean)))
        for name, side in (("left", -1.0), ("right", 1.0))
    ]
    ram = box("ram")
    ram.force = (0.0, 0.0, -force)
    return world(*walls, free=[(ram, at(0.0, 0.0, 0.3))])


def lifting(effort):
    """A platform that a drive is to lift by half a metre, a crate of 20 kg on it."""
    platform = solid("platform", Box((0.4, 0.4, 0.1)), 1.0, ROUGH)
    platform.pose = at(0.0, 0.0, 0.05)
    drive = {"drive_mode": "position", "drive_target": 0.5, "drive_stiffness": 1e4, "drive_damping": 1e3}
    model = world(floor(), free=[(box("crate", 20.0), at(0.0, 0.0, 0.2))])
    model.links.append(platform)
    model.joints.append(
        Joint("lift", "prismatic", WORLD, "platform", X_PJ=platform.pose, axes=[Axis(effort=effort, **drive)])
    )
    return model


def pressing():
    """A hand whose drive presses on a wall for good, with all of its effort."""
    hand = box("hand")
    hand.pose = at(0.5, 0.0, 0.5)
    drive = {"drive_mode": "position", "drive_target": 1.0, "drive_stiffness": 1e4, "drive_damping": 1e2}
    axis = Axis((1.0, 0.0, 0.0), effort=20.0, **drive)
    joint = Joint("reach", "prismatic", WORLD, "hand", X_PJ=hand.pose, axes=[axis])
    wall = still("wall", WALL, AT_WALL)
    return Model("pressing", [wall, hand], [Joint("held", "fixed", WORLD, "wall", X_PJ=wall.pose), joint])


SPINNING = {"initial": {"qd": {"free box": [0.0, 0.0, 0.0, 3e3, 0.0, 0.0]}}}

PLANTED = [
    (
        "boxes in each other",
        world(floor(), free=[(box(), at(0.0, 0.0, 0.1)), (box("two"), at(0.12, 0.03, 0.1))]),
        {},
        "overlapping-start",
        "box",
        "80 mm deep in link 'two'",
    ),
    ("in the floor", world(floor(), free=[(box(), at(0.0, 0.0, 0.05))]), {}, "overlapping-start", "box", "50 mm deep"),
    ("no floor", dropped(), {}, "fell-out", "box", "nothing with a collision stands"),
    (
        "beside the floor",
        dropped(still("slab", Box((1.0, 1.0, 0.1)), at(3.0, 0.0, 0.0))),
        {},
        "fell-out",
        "box",
        "'slab'.* is not below it",
    ),
    (
        "below the floor",
        dropped(still("slab", Box((4.0, 4.0, 0.1)), at(0.0, 0.0, 2.0))),
        {},
        "fell-out",
        "box",
        "is not below it",
    ),
    (
        "a floor with a hole",
        dropped(still("floor", with_a_hole())),
        {},
        "fell-out",
        "box",
        "mesh of link 'floor', which has a hole",
    ),
    (
        "a floor that is upside down",
        dropped(still("floor", Plane((0.0, 0.0, -1.0)))),
        {},
        "fell-out",
        "box",
        "normal of plane 'floor' points down",
    ),
    (
        "other layers than the floor's",
        dropped(floor(layers=2, meets=2), link=box(layers=1, meets=1)),
        {},
        "fell-out",
        "box",
        "layers 0x0001 .*0x0002",
    ),
    ("one family with the floor", in_one_family(), {}, "fell-out", "box", "links 'box' and 'floor' are of one family"),
    (
        "other layers than the wall's",
        rolled(floor(), still("wall", WALL, AT_WALL, layers=2, meets=2), link=ball(layers=0xFFFD, meets=0xFFFD)),
        ROLLING,
        "goes-through",
        "ball",
        "deep in link 'wall' at frame .* the two never collide",
    ),
    (
        "a pair that is off",
        rolled(floor(), still("wall", WALL, AT_WALL), pairs=[("wall", "ball")]),
        ROLLING,
        "goes-through",
        "ball",
        "the contact pair 'wall', 'ball'",
    ),
    (
        "a slope of ice",
        world(floor(Surface(friction=0.0)), free=[(box(), at(0.0, 0.0, 0.1))], gravity=sloped(20.0)),
        {},
        "no-friction",
        "box",
        "friction is 0, .*slope of 20° takes 0.36",
    ),
    (
        "a floor of foam",
        world(floor(Surface(stiffness=200.0, dissipation=1.0)), free=[(box(mass=10.0), at(0.0, 0.0, 0.1))]),
        {},
        "soft-surface",
        "floor",
        "by 123 mm under the 98.1 N of link 'box'",  # 98.1 N on four corners of 200 N/m each
    ),
    (
        "a feather below a lorry",
        world(floor(), free=[(box(mass=1e-3), at(0.0, 0.0, 0.1)), (box("lorry", 1e3), at(0.0, 0.0, 0.3))]),
        {},
        "mass-ratio",
        "box",
        "1e\\+06 times",
    ),
    (
        "a ball that never rests",
        world(floor(), free=[(ball(Surface(restitution=1.0)), at(0.0, 0.0, 0.5))]),
        {"frames": 97},
        "never-rests",
        "ball",
        "restitution of the two is 1",
    ),
    ("millimetres for metres", in_millimetres(), {}, "collision-scale", "box", "173 m .*by 0.001"),
    ("wedged in", wedged(), {}, "jammed", "ram", "between links 'left' and 'right'"),
    ("too weak for its load", lifting(60.0), {}, "effort-too-small", "lift", "'crate' rests on it with 196 N"),
    ("degrees for radians", dropped(floor()), SPINNING | {"frames": 13}, "fast-start", "box", "3000 rad/s"),
]


def run_of(model, frames=49, **settings):
    run = Simulation(model, np.arange(frames) / 24, **settings)
    run.run()
    return run


def test_soft_surfaces_have_no_restitution():
    """Guards the doctor against links that touch by compliant surfaces alone, to which no restitution applies."""
    soft = Surface(stiffness=1e4, restitution=0.9)
    facts = Case.of(run_of(world(floor(soft), free=[(box(), at(0.0, 0.0, 0.1))]), 4).facts()).contacts
    assert _restitution(facts, "floor", "box") == 0.0


@pytest.mark.parametrize(
    ("model", "settings", "code", "subject", "says"), [row[1:] for row in PLANTED], ids=[row[0] for row in PLANTED]
)
def test_a_planted_fault_is_named(model, settings, code, subject, says):
    """Guards each rule: what was planted comes first or second, of the right link, with the number that tells it."""
    found = diagnose(run_of(model, **settings))
    named = [each for each in found[:2] if each.code == code and each.name.endswith(subject)]
    assert named, found
    assert re.search(says, named[0].message), named[0].message
    assert all("\n" not in each.message for each in found)


HEALTHY = [
    ("a cube that lands", dropped(floor()), {}),
    (
        "a cube on a floor of triangles",
        dropped(
            still(
                "floor",
                Mesh(
                    vertices=np.array([(-2.0, -2.0, 0.0), (2.0, -2.0, 0.0), (2.0, 2.0, 0.0), (-2.0, 2.0, 0.0)]),
                    faces=((0, 1, 2), (0, 2, 3)),
                ),
            )
        ),
        {},
    ),
    ("a ball that stops at a wall", rolled(floor(), still("wall", WALL, AT_WALL)), ROLLING),
    ("a lively ball", dropped(floor(), link=ball(Surface(restitution=0.9))), {"frames": 97}),
    ("a firm mattress", world(floor(Surface(stiffness=1e4, dissipation=1.0)), free=[(box(), at(0.0, 0.0, 0.1))]), {}),
    ("a slope that holds", world(floor(), free=[(box(), at(0.0, 0.0, 0.1))], gravity=sloped(20.0)), {}),
    (
        "a slope with little friction",
        world(floor(Surface(friction=0.1)), free=[(box(), at(0.0, 0.0, 0.1))], gravity=sloped(20.0)),
        {},
    ),
    (
        "a puck on ice",
        world(floor(Surface(friction=0.0)), free=[(box(), at(0.0, 0.0, 0.1))]),
        {"initial": {"qd": {"free box": [3.0, 0.0, 0.0, 0.0, 0.0, 0.0]}}},
    ),
    (
        "a heavy cube on a light one",
        world(floor(), free=[(box(), at(0.0, 0.0, 0.1)), (box("two", 1e3), at(0.0, 0.0, 0.3))]),
        {},
    ),
    ("a strong lift", lifting(600.0), {}),
    ("a hand that presses", pressing(), {}),
    (
        "cubes that nothing pulls",
        world(free=[(box(), at(0.0, 0.0, 0.1)), (box("two"), at(1.0, 0.0, 0.3))], gravity=(0.0, 0.0, 0.0)),
        {"initial": {"qd": {"free box": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]}}},
    ),
    (
        "a ghost that is meant to hang in the wall",
        world(floor(), still("wall", WALL, AT_WALL), still("sign", CUBE, at(1.0, 0.0, 0.9), layers=2, meets=2)),
        {},
    ),
]


@pytest.mark.parametrize(("model", "settings"), [row[1:] for row in HEALTHY], ids=[row[0] for row in HEALTHY])
def test_what_is_healthy_is_left_alone(model, settings):
    """Guards against false alarms, which a user soon learns to overlook."""
    assert diagnose(run_of(model, **settings)) == []


@pytest.mark.parametrize("name", some(QUICK + SLOW, QUICK))
@pytest.mark.skipif(not SCENES.is_dir(), reason=f"no scenes in {SCENES} (LIMBERJACK_SHARED)")
def test_scenes_of_contact_are_healthy(name, monkeypatch):
    """Guards piles, walls, grippers, cars and ragdolls as others draw them: overlaps of millimetres are no fault."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    from contact_cases.scenes import shared_scenes, world_of  # with the drives, which the files leave out

    made = world_of(shared_scenes()[name]["make"]())
    run = run_of(made.model, 4 if name == "balls666" else 25, accuracy="draft", initial=made.initial)
    assert diagnose(run) == []


@pytest.mark.parametrize("path", [path for path in SAMPLES if path.stem not in COLLAPSE], ids=lambda path: path.stem)
def test_samples_are_healthy(path):
    """Guards the first thing that a user sees."""
    assert [each.code for each in diagnose(run_of(read(path).model, accuracy="draft"))] == []


# ---- the report


def test_the_report_tells_of_a_slide():
    """Guards slide and energy: v^2 / (2 mu g), and all of the kinetic energy, friction's; by convex steps too."""
    model = world(floor(Surface(friction=0.2)), free=[(box(), at(0.0, 0.0, 0.1))])
    start = {"qd": {"free box": [3.0, 0.0, 0.0, 0.0, 0.0, 0.0]}}
    for convex, tolerance in ((False, 1e-3), (True, 0.1)):  # at the first frame, convex steps have no loads yet
        run = Simulation(model, np.arange(49) / 24, initial=start)
        if convex:
            run.prefer_time_stepping()
        run.run()
        told = run.report.contact
        assert told.longest_slide_pair == ("floor", "box")
        assert told.longest_slide == pytest.approx(9.0 / (2.0 * 0.2 * G), rel=tolerance)
        assert told.friction_loss == pytest.approx(4.5, rel=tolerance)
        assert told.impact_loss == pytest.approx(0.0, abs=1e-9)
        assert told.overlapping == 0


def test_the_report_tells_of_blows():
    """Guards what impacts take: m g h (1 - e^2) and so on, all there was once it rests."""
    model = world(floor(), free=[(ball(Surface(restitution=0.5)), at(0.0, 0.0, 0.5))])
    run = Simulation(model, np.arange(97) / 24, "exact")
    run.run()
    assert run.report.contact.impact_loss == pytest.approx(G * 0.4, rel=1e-6)
    assert run.report.contact.friction_loss == pytest.approx(0.0, abs=1e-9)


def test_a_belt_does_not_slide_below_what_rides_on_it():
    """Guards slip against the surface, and not against the link: it rides for 2 s, and has slipped until it did."""
    belt = floor(replace(ROUGH, velocity=(1.0, 0.0, 0.0)))
    run = Simulation(world(belt, free=[(box(), at(0.0, 0.0, 0.1))]), np.arange(241) / 120)
    run.run()
    assert run.report.contact.longest_slide == pytest.approx(1.0 / (2.0 * 0.5 * G), rel=0.01)


def test_the_deepest_overlap_is_that_of_the_softest():
    """Guards depth, its pair and its time: m g / (n k) where it rests, and it begins at 0."""
    model = world(floor(Surface(stiffness=1e4, dissipation=10.0)), free=[(box(mass=4.0), at(0.0, 0.0, 0.1))])
    run = Simulation(model, np.arange(97) / 24)
    run.run()
    rest = 4.0 * G / 4e4
    assert run.report.contact.deepest_pair == ("floor", "box")
    assert rest < run.report.contact.deepest < 2.0 * rest
    assert 0.0 < run.report.contact.deepest_at < 0.5


def test_overlaps_at_the_start_are_counted_and_noted():
    """Guards the note on what is drawn a little wrong, of which the doctor is silent."""
    model = world(floor(), free=[(box(), at(0.0, 0.0, 0.095)), (box("two"), at(1.0, 0.0, 0.1))])
    run = run_of(model, 13)
    assert run.report.contact.overlapping == 1
    assert any(note.startswith("1 pair of links overlap") for note in run.report.notes)
    assert diagnose(run) == []


def test_energy_is_kept_while_many_strike_what_gives_way():
    """Guards the energy of soft contacts in the step that strikes them, of which no point tells."""
    soft = Surface(friction=0.5, stiffness=1e4, dissipation=0.5)
    cubes = [(box(f"box{n}", surface=soft), at(0.11 * n, 0.0, 0.2 + 0.25 * n)) for n in range(4)]
    run = Simulation(world(floor(soft), free=cubes), np.arange(49) / 48, "draft")
    run.prefer_time_stepping()
    run.run()
    assert run.report.relative_drift < 0.04  # steps of 8 ms, which is as long as a cube is in touch


def test_a_step_back_forgets_what_touched_later():
    """Guards the log of a preview: after a step back, the same frames give the same report."""
    run = Simulation(dropped(floor()), np.arange(25) / 24)
    for done in run:
        if done == 6:
            kept = run.snapshot()
    once = run.report.contact
    run.restore(kept)
    assert run.report.contact.longest_slide == 0.0
    run.run()
    assert run.report.contact == once


def test_nothing_that_may_touch_has_no_contact_to_report():
    """Guards runs without shapes, and those for which contact is off: no figures rather than zeros, and no causes."""
    assert run_of(world(free=[(Link("stone"), at(0.0, 0.0, 1.0))]), 3).report.contact is None
    run = run_of(dropped(floor()), contact=False)
    assert run.report.contact is None
    assert diagnose(run) == []


@pytest.mark.parametrize("solver", ["explicit", "implicit"])
def test_a_solver_without_contact_says_so(solver):
    """Guards the fixed choices: they are as they were, and that nothing touches is told, of what might alone."""
    run = run_of(dropped(floor()), 13, solver=solver)
    assert run.trajectory.X_WL[-1, 1, 2] == pytest.approx(0.5 - 0.5 * G * 0.5**2, abs=1e-5)
    assert [note for note in run.report.notes if f"solver '{solver}' knows no contact" in note] != []
    assert diagnose(run) == []
    assert not any("contact" in note for note in run_of(dropped(floor()), 3, solver=solver, contact=False).report.notes)
    assert not any("contact" in note for note in run_of(dropped(), 3, solver=solver).report.notes)


def test_the_command_line_tells_of_contact(tmp_path, capsys):
    """Guards the lines and the object that people and scripts read."""
    path = tmp_path / "slide.sdf"
    model = world(floor(Surface(friction=0.0)), free=[(box(), at(0.0, 0.0, 0.1))], gravity=sloped(20.0))
    write(model, path)
    assert cli.main(["simulate", str(path), "--duration", "2"]) == cli.DONE
    told = capsys.readouterr()
    assert "slide         6.71 m at most, of links 'floor' and 'box'" in told.out
    assert f"{path}: doctor: link 'box': it has slid 6.71 m over link 'floor'" in told.err
    assert cli.main(["simulate", str(path), "--duration", "2", "--json"]) == cli.DONE
    told = json.loads(capsys.readouterr().out)
    assert told["contact"]["longest_slide_pair"] == ["floor", "box"]
    assert told["diagnoses"][0]["code"] == "no-friction"

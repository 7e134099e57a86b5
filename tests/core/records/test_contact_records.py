# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded contacts and impacts: statics and closed forms at every frame, and the files that keep them."""

import csv
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import limberjack
from limberjack.core.geometry import Box, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.trajectory.files import writing
from limberjack.core.trajectory.files.reading import read_trajectory
from limberjack.core.trajectory.touches import TABLES
from support.touching import LEVEL, NO_TURN, G, scene, solid, turned

TOUCHES = ("contacts", "impacts")
ROUGH = Surface(friction=0.5, restitution=0.3)
TIMES = np.linspace(0.0, 0.9, 28)


def tumbling():
    """A box that lands on its edge, and a ball on it."""
    box = solid("box", Box((0.4, 0.3, 0.2)), 2.0, ROUGH), (0.0, 0.0, 0.4, *turned("y", 0.3))
    ball = solid("ball", Sphere(0.1), 1.0, ROUGH), (0.05, 0.02, 0.9, *NO_TURN)
    return scene(ROUGH, LEVEL, box, ball)


def resting(mass=2.0, surface=ROUGH):
    return scene(surface, LEVEL, (solid("box", Box((0.4, 0.3, 0.2)), mass, surface), (0.1, 0.2, 0.1, *NO_TURN)))


def recorded(model, times=TIMES, record=TOUCHES, **others):
    return Simulation(model, times, "exact", record=record, **others).run()


def lines_of(table):
    """All that it holds, as plain lists."""
    return [getattr(table, name).tolist() for name in table.columns()]


def same(one, other):
    return all(lines_of(getattr(one, name)) == lines_of(getattr(other, name)) for name in TOUCHES)


# ---- what is told


def test_a_box_at_rest_is_borne_in_every_frame():
    """Guards contacts frame by frame: four corners, forces that sum to the weight, and no torque about the middle."""
    motion = recorded(resting(), record=("contacts", "efforts"))
    assert motion.impacts is None
    assert motion.contacts.frame.tolist() == [frame for frame in range(len(TIMES)) for _ in range(4)]
    for frame, time in enumerate(TIMES):
        found = motion.contacts.at(frame)
        assert (found.time == time).all()
        assert set(zip(found.first, found.second, strict=True)) == {("floor", "box")}
        assert found.normal == pytest.approx(np.tile((0.0, 0.0, 1.0), (4, 1)), abs=1e-12)
        arms = found.point - (0.1, 0.2, 0.1)
        assert np.abs(arms) == pytest.approx(np.tile((0.2, 0.15, 0.1), (4, 1)), abs=1e-9)
        assert found.force.sum(axis=0) == pytest.approx((0.0, 0.0, 2.0 * G), abs=1e-9)
        assert np.cross(arms, found.force).sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
        assert np.abs(found.gap).max() < 1e-9


def test_a_sliding_ball_feels_friction_and_a_spinning_one_a_torque():
    """Guards the force across the normal and the torque: Coulomb's limit, each against its motion."""
    surface = Surface(friction=0.2, restitution=0.0, spinning_friction=0.01)
    model = scene(surface, LEVEL, (solid("ball", Sphere(0.1), 1.5, surface), (0.0, 0.0, 0.1, *NO_TURN)))
    start = {"qd": {"free ball": [2.0, 0.0, 0.0, 0.0, 0.0, 50.0]}}
    motion = recorded(model, TIMES[:4], initial=start)
    assert motion.contacts.frame.tolist() == [0, 1, 2, 3]
    assert motion.contacts.force == pytest.approx(np.tile((-0.2 * 1.5 * G, 0.0, 1.5 * G), (4, 1)), abs=1e-9)
    assert motion.contacts.torque == pytest.approx(np.tile((0.0, 0.0, -0.01 * 1.5 * G), (4, 1)), abs=1e-9)


def test_a_dropped_ball_strikes_when_its_formula_says():
    """Guards impacts: time, place, impulse and frame of each bounce; between them nothing touches."""
    surface = Surface(restitution=0.8)
    ball = solid("ball", Sphere(0.05), 0.3, surface), (0.3, -0.2, 1.05, *NO_TURN)
    times = np.linspace(0.0, 2.0, 49)
    motion = recorded(scene(surface, LEVEL, ball), times)
    first = math.sqrt(2.0 / G)
    wanted = first * np.array([1.0, 1.0 + 2 * 0.8, 1.0 + 2 * (0.8 + 0.8**2)])
    assert motion.impacts.time == pytest.approx(wanted, rel=1e-9)
    assert motion.impacts.frame.tolist() == [math.ceil(time * 24.0) for time in wanted]
    assert motion.impacts.point == pytest.approx(np.tile((0.3, -0.2, 0.0), (3, 1)), abs=1e-8)
    assert motion.impacts.impulse[:, 2] == pytest.approx(0.3 * G * first * 1.8 * np.array([1.0, 0.8, 0.8**2]), rel=1e-9)
    assert motion.impacts.first.tolist() == ["floor"] * 3
    assert len(motion.contacts) == 0


@pytest.mark.parametrize("closes_loop", [False, True])
def test_joints_bear_what_contacts_leave_to_them(closes_loop):
    """Guards recorded wrenches where links touch: a plank's hinge and the ball below it share its weight."""
    smooth, lever = Surface(friction=0.0), 1.0 / 1.8
    plank = solid("plank", Box((2.0, 0.1, 0.1)), 3.0, smooth)
    hinge = Joint("hinge", "revolute", WORLD, "plank", X_CJ=(-1.0, 0.0, 0.0, *NO_TURN), axes=[Axis((0.0, 1.0, 0.0))])
    hinge.closes_loop = closes_loop
    plank.pose = (1.0, 0.0, 0.0, *NO_TURN)
    ball = solid("ball", Sphere(0.1), 2.0, smooth)
    held = Joint("held", "fixed", WORLD, "ball", X_PJ=(1.8, 0.0, -0.15, *NO_TURN))
    motion = recorded(Model("plank", [ball, plank], [hinge, held]), TIMES[:3], record=("wrenches", "contacts"))
    for frame in range(3):
        contact = motion.contacts.at(frame)
        assert (contact.first.tolist(), contact.second.tolist()) == (["ball"], ["plank"])
        assert contact.force[0] == pytest.approx((0.0, 0.0, 3.0 * G * lever), abs=1e-9)
        hinged, holding = (motion.wrenches[frame, motion.wrench_names.index(name)] for name in ("hinge", "held"))
        assert hinged == pytest.approx((0.0, 0.0, 3.0 * G * (1.0 - lever), 0.0, 0.0, 0.0), abs=1e-8)
        assert holding == pytest.approx((0.0, 0.0, 3.0 * G * lever + 2.0 * G, 0.0, 0.0, 0.0), abs=1e-8)


# ---- how it is recorded


def test_recording_changes_no_bit_of_the_motion():
    """Guards that to look is not to touch."""
    alone, looked_at = Simulation(tumbling(), TIMES).run(), Simulation(tumbling(), TIMES, record=TOUCHES).run()
    assert looked_at.impacts is not None
    assert len(looked_at.contacts) > 20 < len(looked_at.impacts)
    for name in ("q", "qd", "X_WL", "dissipated"):
        assert getattr(alone, name).tobytes() == getattr(looked_at, name).tobytes()
    assert alone.contacts is alone.impacts is None


def test_frames_and_snapshots_give_the_same_lines():
    """Guards a caller's pauses and steps back: what came after is forgotten, and comes again the same."""
    whole = recorded(tumbling())
    run = Simulation(tumbling(), TIMES, "exact", record=TOUCHES)
    for done in run:
        assert same(run.trajectory, whole.first(done))
        if done == 15:
            kept = run.snapshot()
    run.restore(kept)
    assert same(run.trajectory, whole.first(15))
    assert same(run.run(), whole)


def test_two_halves_are_the_whole():
    """Guards states: a motion that goes on has the lines that the whole one has from there on."""
    whole = recorded(tumbling())
    first = Simulation(tumbling(), TIMES[:15], "exact", record=TOUCHES)
    first.run()
    second = recorded(tumbling(), TIMES[14:], initial=first.state)
    assert same(second, whole.since(14))
    assert second.contacts.frame.min() < whole.contacts.frame[whole.contacts.frame >= 14].min()
    between = (whole.impacts.time > TIMES[13]) & (whole.impacts.time < TIMES[14])
    assert len(whole.first(14).impacts) + between.sum() + len(second.impacts) == len(whole.impacts)


def test_some_of_the_frames():
    """Guards `at`: lines of the chosen frames alone, numbered by them, and all blows from the first to the last."""
    whole = recorded(tumbling())
    chosen = np.arange(3, 28, 4)
    some = whole.at(chosen)
    for place, frame in enumerate(chosen):
        assert some.contacts.at(place).force.tolist() == whole.contacts.at(int(frame)).force.tolist()
    assert set(some.contacts.frame) <= set(range(len(chosen)))
    assert some.impacts.time.tolist() == whole.impacts.time.tolist()
    assert (some.times[some.impacts.frame] >= some.impacts.time).all()
    assert (some.times[some.impacts.frame - 1] < some.impacts.time).all()


@pytest.mark.parametrize("table", TOUCHES)
def test_frames_are_counted_from_the_end_too(table):
    """Guards `at` of a table: as `Trajectory.state`, it counts from the end, and refuses frames that are not there."""
    motion = recorded(tumbling())
    last = int(getattr(motion, table).frame.max())
    for whole in (motion, motion.first(last + 1)):
        found, count = getattr(whole, table), len(whole)
        assert lines_of(found.at(last - count)) == lines_of(found.at(last))
        assert len(found.at(last)) > 0
        for beyond in (count, -count - 1):
            with pytest.raises(IndexError, match=f"no frame {beyond}: the table has {count} frames"):
                found.at(beyond)
    alone = TABLES[table].joined([])
    with pytest.raises(IndexError, match="belongs to no trajectory"):
        alone.at(-1)


def test_blows_are_kept_when_a_joint_lets_go():
    """Guards stages: what struck before another model moves on is still told, in order."""
    surface = Surface(restitution=0.5)
    model = scene(
        surface,
        LEVEL,
        (solid("one", Sphere(0.05), 0.3, surface), (0.0, 0.0, 0.25, *NO_TURN)),
        (solid("two", Sphere(0.05), 0.3, surface), (1.0, 0.0, 0.25, *NO_TURN)),
    )
    model.joints[-1] = Joint("hook", "fixed", WORLD, "two", X_PJ=(1.0, 0.0, 0.25, *NO_TURN), released_at=0.25)
    run = Simulation(model, np.linspace(0.0, 0.5, 13), "exact", record=TOUCHES)
    motion = run.run()
    fall = math.sqrt(0.4 / G)
    found = motion.impacts
    assert found.time[[0, found.second.tolist().index("two")]] == pytest.approx((fall, 0.25 + fall), rel=1e-9)
    assert (np.diff(found.time) > 0.0).all()
    assert [impact.time for impact in run.impacts] == found.time.tolist()


def test_nothing_that_may_touch_gives_empty_tables():
    """Guards batches over many models: one without shapes has tables with no lines."""
    motion = recorded(Model(links=[Link("stone")]), TIMES[:3])
    assert [len(getattr(motion, name)) for name in TOUCHES] == [0, 0]
    assert motion.contacts.force.shape == (0, 3)


@pytest.mark.parametrize("record", TOUCHES)
@pytest.mark.parametrize(
    ("how", "said"), [({"contact": False}, "leave out contact=False"), ({"solver": "explicit"}, "'explicit' has none")]
)
def test_without_contact_there_is_nothing_to_record(record, how, said):
    """Guards against tables that are empty since nobody looked."""
    with pytest.raises(ValueError, match=f"record '{record}' needs contact.*{said}"):
        Simulation(resting(), TIMES, record=[record], **how)


def test_plain_python_gives_the_same_lines():
    """Guards the promise that all ways of running give the same bits."""
    root, tests = Path(limberjack.__path__[0]).parent, Path(__file__).parents[2]
    code = (
        f"import sys, importlib.util; sys.path[:0] = [{str(root)!r}, {str(tests)!r}]\n"
        f"spec = importlib.util.spec_from_file_location('here', {__file__!r})\n"
        "here = importlib.util.module_from_spec(spec); spec.loader.exec_module(here)\n"
        "motion = here.recorded(here.tumbling(), here.TIMES[:9])\n"
        "print([here.lines_of(getattr(motion, name)) for name in here.TOUCHES])"
    )
    environment = os.environ | {"LIMBERJACK_KERNELS": "python"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    motion = recorded(tumbling(), TIMES[:9])
    assert len(motion.impacts) > 1
    assert done.stdout.strip() == str([lines_of(getattr(motion, name)) for name in TOUCHES]), done.stderr


# ---- files


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_files_keep_what_touched(tmp_path, suffix):
    """Guards .npz and .json: both tables come back to the last bit."""
    motion = recorded(tumbling())
    motion.save(tmp_path / f"motion{suffix}")
    again = read_trajectory(tmp_path / f"motion{suffix}")
    assert same(again, motion)
    assert [entry.name for entry in tmp_path.iterdir()] == [f"motion{suffix}"]


def test_a_csv_has_tables_beside_it(tmp_path):
    """Guards .csv: a line for each contact and each blow, under names and units, and the last bit of each number."""
    motion = recorded(tumbling())
    motion.save(tmp_path / "motion.csv")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "motion.csv",
        "motion_contacts.csv",
        "motion_impacts.csv",
    ]
    for name in TABLES:
        table = getattr(motion, name)
        with (tmp_path / f"motion_{name}.csv").open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        vectors = ["point", "normal", *(("force", "torque") if name == "contacts" else ("impulse",))]
        wanted = ["frame", "time", "first", "second", *(f"{vector}.{part}" for vector in vectors for part in "xyz")]
        assert [cell.split(" [")[0] for cell in header] == wanted + ["gap"] * (name == "contacts")
        assert {"time [s]", "point.x [m]", "normal.x"} < set(header)
        assert {"force.x [N]", "torque.z [N m]"} < set(header) or "impulse.y [N s]" in header
        columns = dict(zip([cell.split(" [")[0] for cell in header], zip(*rows, strict=True), strict=True))
        assert [int(cell) for cell in columns["frame"]] == table.frame.tolist()
        assert list(columns["second"]) == table.second.tolist()
        for vector in vectors:
            for axis, part in enumerate("xyz"):
                assert [float(cell) for cell in columns[f"{vector}.{part}"]] == getattr(table, vector)[:, axis].tolist()
    assert read_trajectory(tmp_path / "motion.csv").q.tobytes() == motion.q.tobytes()


@pytest.mark.parametrize("broken", ["full", "folder"])
def test_all_tables_are_whole_or_none_is_there(tmp_path, monkeypatch, broken):
    """Guards a disk that is full while the last of them is written, and a folder in the place of one."""
    motion = recorded(resting(), TIMES[:3])
    before = {"motion.csv": "old", "motion_contacts.csv": "old"}
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    if broken == "folder":
        (tmp_path / "motion_impacts.csv").mkdir()
    else:
        monkeypatch.setattr(writing, "_write_csv", lambda trajectory, file: file.write(b"half") and fail())
    with pytest.raises(OSError, match=r"motion_impacts|No space"):
        motion.save(tmp_path / "motion.csv")
    assert {entry.name: entry.read_text() for entry in tmp_path.iterdir() if entry.is_file()} == before


def fail():
    raise OSError(28, "No space left on device")


def test_joint_curves_have_no_tables(tmp_path):
    """Guards `only_joints`: nothing but what controllers take, and one file."""
    recorded(resting(), TIMES[:3]).save(tmp_path / "curves.csv", only_joints=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["curves.csv"]

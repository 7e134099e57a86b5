# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack simulate`: what it prints, what it writes, and its exit codes."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from limberjack.core import cli
from limberjack.core.trajectory.files.reading import read_trajectory

PENDULUM = Path(__file__).parents[3] / "sample_scenes" / "double_pendulum.sdf"
FOUR_BAR = Path(__file__).parents[2] / "data" / "four_bar.sdf"
SHORT = ["simulate", str(PENDULUM), "--duration", "0.5"]


def test_the_report_tells_what_a_person_wants_to_know(capsys):
    """Guards the plain report: steps, wall time, energy drift, loop error."""
    assert cli.main(SHORT) == cli.DONE
    told = capsys.readouterr().out
    assert all(word in told for word in ("frames        13", "steps", "wall time", "energy drift", "loop error"))


def test_json_is_one_object(capsys):
    """Guards --json: one object with plain numbers."""
    assert cli.main([*SHORT, "--json"]) == cli.DONE
    report = json.loads(capsys.readouterr().out)
    assert report["frames"] == 13
    assert report["loop_error"] == 0.0
    assert report["relative_energy_drift"] < 1e-4


def test_the_trajectory_file_holds_the_motion(tmp_path):
    """Guards -o .npz, --fps and --initial: the file starts from the state that was asked for."""
    state, out = tmp_path / "state.json", tmp_path / "out.npz"
    state.write_text('{"q": {"shoulder": 1.0}, "qd": {"elbow": -2.0}}')
    assert cli.main([*SHORT, "--fps", "50", "--initial", str(state), "-o", str(out)]) == cli.DONE
    motion = read_trajectory(out)
    assert motion.times == pytest.approx(np.arange(26) / 50)
    assert motion.q[0] == pytest.approx([1.0, 0.0])
    assert motion.qd[0] == pytest.approx([0.0, -2.0])
    assert motion.link_names == ("stand", "upper", "lower")


FALLING = """<sdf version="1.9"><world name="w"><model name="ball"><pose>0 0 1 0 0 0</pose><link name="b">
<inertial><mass>1</mass><inertia><ixx>0.004</ixx><iyy>0.004</iyy><izz>0.004</izz></inertia></inertial>
</link></model></world></sdf>"""


@pytest.mark.parametrize("duration", [0.3, 0.04, 0.25])
def test_a_simulation_ends_at_the_asked_time(tmp_path, capsys, duration):
    """Guards --duration between two frames: the last sample and --final are at that time, where free fall is then."""
    model, out, state = tmp_path / "ball.sdf", tmp_path / "out.csv", tmp_path / "state.json"
    model.write_text(FALLING)
    argv = ["simulate", str(model), "--duration", str(duration), "-o", str(out), "--final", str(state)]
    assert cli.main(argv) == cli.DONE
    assert f"the last at {duration:g} s" in capsys.readouterr().out
    motion = read_trajectory(out)
    assert motion.times[-1] == duration
    assert motion.X_WL[-1, 0, 2] == pytest.approx(1.0 - 0.5 * 9.8 * duration**2, abs=1e-12)
    kept = json.loads(state.read_text())
    assert kept["time"] == duration
    assert kept["qd"]["b"][2] == pytest.approx(-9.8 * duration, abs=1e-12)
    assert cli.main([*argv[:-4], "--initial", str(state), "-o", str(out)]) == cli.DONE
    assert read_trajectory(out).times[-1] == pytest.approx(2.0 * duration, rel=1e-15)


def test_a_simulation_goes_on_from_where_another_ended(tmp_path, capsys):
    """Guards --final: two halves give the numbers and times of the whole, to the last bit."""
    state, first, second, whole = (tmp_path / name for name in ("state.json", "1.npz", "2.npz", "whole.npz"))
    assert cli.main([*SHORT, "--fps", "30", "--final", str(state), "-o", str(first)]) == cli.DONE
    assert f"state         {state}" in capsys.readouterr().out
    assert json.loads(state.read_text())["time"] == 0.5
    go_on = ["simulate", str(PENDULUM), "--duration", "0.7", "--fps", "30", "--initial", str(state), "-o", str(second)]
    assert cli.main(go_on) == cli.DONE
    assert "anew" not in capsys.readouterr().err
    assert cli.main(["simulate", str(PENDULUM), "--duration", "1.2", "--fps", "30", "-o", str(whole)]) == cli.DONE
    rest, own = read_trajectory(whole).since(15), read_trajectory(second)
    for name in ("times", "q", "qd", "X_WL", "kinetic", "potential"):
        assert np.array_equal(getattr(own, name), getattr(rest, name)), name


def test_a_state_is_kept_in_json_or_not_at_all(tmp_path, capsys):
    """Guards --final: another name is refused before the work, and nothing is written."""
    assert cli.main([*SHORT, "--final", str(tmp_path / "state.txt")]) == cli.UNUSABLE
    assert "the name must end in .json" in capsys.readouterr().err


def test_csv_says_names_and_units(tmp_path):
    """Guards the header that spreadsheets and people read."""
    out = tmp_path / "out.csv"
    assert cli.main([*SHORT, "-o", str(out)]) == cli.DONE
    with out.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:5] == ["time [s]", "q shoulder [rad]", "q elbow [rad]", "qd shoulder [rad/s]", "qd elbow [rad/s]"]
    assert "upper.z [m]" in rows[0]
    assert "upper.qw" in rows[0]
    assert len(rows) == 14
    assert {len(row) for row in rows} == {len(rows[0])}


@pytest.mark.parametrize(
    ("state", "code", "words"),
    [
        ("{not json", cli.UNUSABLE, "state.json:1: not JSON"),
        ("[1, 2]", cli.UNUSABLE, "must hold an object"),
        ('{"q": {"knee": 1.0}}', cli.HAS_ERRORS, "no joint 'knee' moves; there are: shoulder, elbow"),
        ('{"q": {"shoulder": true}}', cli.HAS_ERRORS, "takes 1 finite number"),
        ("[" * 100000, cli.UNUSABLE, "lists inside each other"),
        ('{"q": 3}', cli.HAS_ERRORS, "must map joint names to numbers"),
        ('{"q": {"shoulder": "up"}}', cli.HAS_ERRORS, "takes 1 finite number"),
        ('{"q": {"shoulder": 1%s}}' % ("0" * 400), cli.HAS_ERRORS, "takes 1 finite number"),
    ],
)
def test_a_bad_initial_state(tmp_path, capsys, state, code, words):
    """Guards --initial: one clear line, nothing written."""
    path, out = tmp_path / "state.json", tmp_path / "out.npz"
    path.write_text(state)
    assert cli.main([*SHORT, "--initial", str(path), "-o", str(out)]) == code
    told = capsys.readouterr().err
    assert words in told
    assert len(told.splitlines()) == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["-o", "out.txt"], "must end in .npz or .csv"),
        (["-o", "/nowhere/at/all.npz"], "there is no folder"),
        (["--duration", "long"], "not a number above 0"),
        (["--duration", "-1"], "not a number above 0"),
        (["--fps", "nan"], "not a number above 0"),
        (["--accuracy", "perfect"], "invalid choice"),
        (["--duration", "1e13"], "more than 10,000,000 frames"),
        (["--duration", "1e200", "--fps", "1e200"], "more than 10,000,000 frames"),
    ],
)
def test_wrong_use_is_found_before_the_work(capsys, more, words):
    """Guards exit code 2 and a reason, with nothing simulated."""
    assert cli.main([*SHORT, *more]) == cli.UNUSABLE
    assert words in capsys.readouterr().err


def test_a_place_that_cannot_be_written_to(capsys):
    """Guards the end of long work: one line, no traceback."""
    assert cli.main([*SHORT, "-o", "/proc/motion.npz"]) == cli.UNUSABLE
    assert "/proc/" in capsys.readouterr().err


def test_a_loop_moves_and_stays_closed(tmp_path, capsys):
    """Guards mechanisms with loops: they move and stay closed, and the report tells so in words and as data."""
    out = tmp_path / "out.npz"
    argv = ["simulate", str(FOUR_BAR), "--duration", "1", "--accuracy", "exact"]
    assert cli.main([*argv, "-o", str(out)]) == cli.DONE
    told = capsys.readouterr()
    assert "note" not in told.err
    assert "small corrections" in told.out
    motion = read_trajectory(out)
    assert "rocker_pin" in [name for name, _ in motion.q_names]
    assert np.ptp(motion.q[:, 0]) > 0.5
    crank, rocker = (motion.X_WL[:, motion.link_names.index(name), :3] for name in ("coupler", "rocker"))
    assert np.linalg.norm(crank, axis=1) == pytest.approx(np.ones(25), abs=1e-12)
    assert rocker == pytest.approx(np.tile((2.5, 0.0, 0.0), (25, 1)), abs=1e-12)
    assert cli.main([*argv, "--json"]) == cli.DONE
    report = json.loads(capsys.readouterr().out)
    assert 0.0 < report["loop_error"] < 1e-9
    assert report["iterations"] > 0
    assert report["relative_energy_drift"] < 1e-8


def test_a_loop_follows_its_initial_state(tmp_path, capsys):
    """Guards --initial on a loop: what is given stays, what is left out follows, and what cannot be is one line."""
    state, out = tmp_path / "state.json", tmp_path / "out.npz"
    state.write_text('{"q": {"crank_pivot": 0.4}, "qd": {"crank_pivot": 2.0}}')
    argv = ["simulate", str(FOUR_BAR), "--duration", "0.1", "--initial", str(state), "-o", str(out)]
    assert cli.main(argv) == cli.DONE
    motion = read_trajectory(out)
    first = motion.q_names.index(("crank_pivot", "rad"))
    assert (motion.q[0, first], motion.qd[0, first]) == pytest.approx((0.4, 2.0), abs=1e-12)
    assert np.abs(motion.q[0]).min() > 0.01
    capsys.readouterr()


def test_implicit_steps_are_told_in_words(tmp_path, capsys):
    """Guards the report on stiff models: an animator reads why the steps are of another kind."""
    model = tmp_path / "stiff.sdf"
    model.write_text(
        """<sdf version="1.9"><model name="m"><link name="bob"><inertial><pose>0 0 -1 0 0 0</pose></inertial></link>
        <joint name="pin" type="revolute"><parent>world</parent><child>bob</child><axis><xyz>1 0 0</xyz><dynamics>
        <spring_stiffness>1e9</spring_stiffness><damping>1e6</damping></dynamics></axis></joint></model></sdf>"""
    )
    argv = ["simulate", str(model), "--duration", "1", "--solver", "implicit"]
    assert cli.main(argv) == cli.DONE
    assert "of them implicit for stiff springs" in capsys.readouterr().out
    assert cli.main([*argv, "--json"]) == cli.DONE
    report = json.loads(capsys.readouterr().out)
    assert report["implicit_steps"] == report["steps"] > 0
    assert {"rejected", "evaluations", "iterations", "loop_error", "notes"} <= set(report)


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_efforts_and_wrenches_are_kept_on_request(tmp_path, suffix):
    """Guards --record: the pin of a pendulum at rest carries its weight."""
    model, out = tmp_path / "bob.sdf", tmp_path / f"out{suffix}"
    model.write_text(
        """<sdf version="1.9"><model name="m"><link name="bob"><inertial><pose>0 0 -1 0 0 0</pose><mass>2</mass>
        </inertial></link><joint name="pin" type="revolute"><parent>world</parent><child>bob</child>
        <axis><xyz>1 0 0</xyz></axis></joint></model></sdf>"""
    )
    argv = ["simulate", str(model), "--duration", "0.1", "-o", str(out)]
    assert cli.main([*argv, "--record", "efforts", "wrenches"]) == cli.DONE
    if suffix == ".csv":
        with out.open(newline="") as file:
            header, *rows = csv.reader(file)
        assert "effort pin [N m]" in header
        assert float(rows[-1][header.index("pin.fz [N]")]) == pytest.approx(2 * 9.81, rel=1e-9)
        return
    motion = read_trajectory(out)
    assert motion.efforts.shape == (4, 1)
    assert motion.wrench_names == ("pin",)
    assert motion.wrenches[-1, 0] == pytest.approx((0.0, 0.0, 2 * 9.81, 0.0, 0.0, 0.0), abs=1e-9)


DROPPED = """<sdf version="1.9"><world name="w">
<model name="ground"><static>true</static><link name="floor"><collision name="top">
<geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
<model name="crate"><pose>0 0 0.3 0 0 0</pose><link name="box"><inertial><mass>2</mass></inertial>
<collision name="sides"><geometry><box><size>0.4 0.4 0.4</size></box></geometry></collision></link></model>
</world></sdf>
"""
TABLES_ASKED = ["--record", "contacts", "impacts"]


def dropped(folder, *more):
    """What simulates a box that falls on a floor for a second."""
    (folder / "dropped.sdf").write_text(DROPPED)
    return ["simulate", str(folder / "dropped.sdf"), "--duration", "1", *more]


def test_contacts_and_impacts_are_kept_on_request(tmp_path, capsys):
    """Guards --record of what touches: a box is struck as it lands and borne from then on, in files of all kinds."""
    outputs = [tmp_path / f"out{suffix}" for suffix in (".npz", ".json", ".csv")]
    named = [part for output in outputs for part in ("-o", str(output))]
    assert cli.main([*dropped(tmp_path), *named, *TABLES_ASKED, "--json"]) == cli.DONE
    told = json.loads(capsys.readouterr().out)
    beside = [tmp_path / "out_contacts.csv", tmp_path / "out_impacts.csv"]
    assert told["outputs"] == [*map(str, outputs), *map(str, beside)]
    assert {entry.name for entry in tmp_path.iterdir()} == {"dropped.sdf", *(path.name for path in (*outputs, *beside))}
    for output in outputs[:2]:
        motion = read_trajectory(output)
        assert motion.impacts.time == pytest.approx(np.full(4, np.sqrt(0.2 / 9.8)), rel=1e-6)
        assert motion.impacts.impulse[:, 2].sum() == pytest.approx(2 * 9.8 * np.sqrt(0.2 / 9.8), rel=1e-6)
        assert motion.contacts.frame.min() == motion.impacts.frame[0] == 4
        assert motion.contacts.at(24).force.sum(axis=0) == pytest.approx((0.0, 0.0, 2 * 9.8), abs=1e-6)
    nested = json.loads(outputs[1].read_text())["contacts"]
    assert [len(lines) for lines in nested] == [0] * 4 + [4] * 21
    assert {"first": "ground::floor", "second": "crate::box"}.items() <= nested[24][0].items()
    for path, table in zip(beside, (motion.contacts, motion.impacts), strict=True):
        with path.open(newline="") as file:
            header, *rows = csv.reader(file)
        assert [float(row[header.index("time [s]")]) for row in rows] == table.time.tolist()
        assert [row[header.index("second")] for row in rows] == table.second.tolist()
    assert cli.main([*dropped(tmp_path), *named, *TABLES_ASKED]) == cli.DONE
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()[-5:]] == told["outputs"]


def test_what_nothing_touches_has_tables_without_lines(tmp_path):
    """Guards batches over many models: a model without shapes gives the same files, with headings alone."""
    assert cli.main([*SHORT, "-o", str(tmp_path / "out.csv"), *TABLES_ASKED]) == cli.DONE
    assert (tmp_path / "out_contacts.csv").read_text().startswith("frame,time [s],first,second,point.x [m],")
    assert len((tmp_path / "out_impacts.csv").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--no-contact"], "--record contacts: with --no-contact nothing touches; leave one of them out"),
        (["--solver", "explicit"], "--record contacts: solver explicit knows no contact; take adaptive"),
        (["-o", "{folder}/out_contacts.csv"], "out_contacts.csv: -o names it, and --record writes a table there"),
        (["-o", "{folder}/taken.csv"], "taken_impacts.csv: this is a folder; name a file"),
    ],
)
def test_what_cannot_be_recorded_is_told_before_any_work(tmp_path, capsys, more, said):
    """Guards against tables that are empty since nobody looked, and against tables that have no place."""
    (tmp_path / "taken_impacts.csv").mkdir()
    argv = [*dropped(tmp_path), "-o", str(tmp_path / "out.csv"), *TABLES_ASKED]
    assert cli.main([*argv, *(part.format(folder=tmp_path) for part in more)]) == cli.UNUSABLE
    told = capsys.readouterr().err
    assert said in told
    assert len(told.splitlines()) == 1
    assert not list(tmp_path.glob("out*"))


def test_records_need_a_file(capsys):
    """Guards against work for nothing, and against names that are not known."""
    assert cli.main([*SHORT, "--record", "efforts"]) == cli.UNUSABLE
    assert "name one with -o" in capsys.readouterr().err
    assert cli.main([*SHORT, "--record", "torques"]) == cli.UNUSABLE
    assert "invalid choice" in capsys.readouterr().err


def test_a_motion_that_cannot_be_followed_is_exit_3(tmp_path, capsys):
    """Guards failed simulations: which link, which frame, and the frames up to there are kept, and said to be."""
    model, state, out = tmp_path / "m.sdf", tmp_path / "state.json", tmp_path / "out.npz"
    model.write_text(
        """<sdf version="1.9"><model name="m"><link name="top"><inertial><pose>1 0 0 0 0 0</pose></inertial></link>
        <joint name="pin" type="universal"><parent>world</parent><child>top</child>
        <axis><xyz>0 0 1</xyz><dynamics><damping>-1e6</damping></dynamics></axis>
        <axis2><xyz>1 0 0</xyz><dynamics><damping>-1e6</damping></dynamics></axis2></joint></model></sdf>"""
    )
    state.write_text('{"qd": {"pin": [1.0, 2.0]}}')
    argv = ["simulate", str(model), "--duration", "1e-3", "--fps", "1e6", "--initial", str(state), "-o", str(out)]
    assert cli.main(argv) == cli.SIMULATION_FAILED
    *_, kept, failed = capsys.readouterr().err.splitlines()
    assert "error simulation: link 'top': the motion cannot be followed past" in failed
    motion = read_trajectory(out)
    assert kept == f"{out}: holds the motion up to there, {len(motion)} of 1001 frames"
    assert f"frame {len(motion)}:" in failed
    assert 2 < len(motion) < 1001
    assert motion.times == pytest.approx(np.arange(len(motion)) * 1e-6)


LOOSE = (
    '<robot name="r"><link name="base"/><link name="arm"><inertial><origin xyz="1 0 0"/><mass value="1"/><inertia'
    ' ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hinge" type="continuous"><parent'
    ' link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>'
)


@pytest.mark.parametrize("how", [["--fix-base"], ["--fix-base", "base"], ["--set", "base.static=true"]])
def test_a_loose_base_is_fixed(tmp_path, capsys, how):
    """Guards robots whose files leave the base loose: each way of saying it holds the base, and the arm swings."""
    (tmp_path / "r.urdf").write_text(LOOSE)
    argv = ["simulate", str(tmp_path / "r.urdf"), "--duration", "0.1", "-o", str(tmp_path / "r.csv"), *how]
    assert cli.main(argv) == cli.DONE
    assert "massless" not in capsys.readouterr().err  # as a base that is held may be
    motion = read_trajectory(tmp_path / "r.csv")
    base = motion.link_names.index("base")
    assert np.abs(motion.X_WL[:, base, :3]).max() < 1e-12
    assert cli.main([*argv, "--fix-base=arm"]) == cli.UNUSABLE
    assert "--set arm.static=true: link 'arm' does not float" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["--fix-base", "{file}"],
        ["--fix", "{file}"],
        ["{file}", "--fix-base"],
        ["--fix-base", "base", "{file}"],
        ["--fix-base=base", "{file}"],
    ],
    ids=" ".join,
)
def test_a_file_behind_fix_base_is_no_link(tmp_path, capsys, words):
    """Guards the order of words: --fix-base took the file that came next for the name of a link."""
    file, out = tmp_path / "r.urdf", tmp_path / "r.csv"
    file.write_text(LOOSE)
    words = [word.format(file=file) for word in words]
    assert cli.main(["simulate", *words, "--duration", "0.1", "-o", str(out)]) == cli.DONE
    motion = read_trajectory(out)
    assert np.abs(motion.X_WL[:, motion.link_names.index("base"), :3]).max() < 1e-12
    assert "falls-freely" not in capsys.readouterr().err


def test_a_file_without_a_known_suffix_behind_fix_base(tmp_path, capsys):
    """Guards the sentence for what looks like a link and leaves no file."""
    assert cli.main(["check", "--fix-base", str(tmp_path / "robot")]) == cli.UNUSABLE
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.endswith(f"; --fix-base takes '{tmp_path / 'robot'}' for a link: put the file before it")


def test_stdin_behind_fix_base(monkeypatch, capsys):
    """Guards `xacro … | limberjack check --fix-base -`: the hyphen is the file."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LOOSE.encode())))
    assert cli.main(["check", "--fix-base", "-"]) == cli.DONE
    assert "falls-freely" not in capsys.readouterr().out


def test_a_base_that_is_held_may_be_fixed(capsys):
    """Guards --fix-base over many files: one whose base the world holds already moves as it does without."""
    told = []
    for how in ([], ["--fix-base"]):
        assert cli.main([*SHORT, "--json", *how]) == cli.DONE
        told.append(json.loads(capsys.readouterr().out) | {"wall_time": 0.0})
    assert told[0] == told[1]

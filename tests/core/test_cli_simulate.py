"""`limberjack simulate`: what it prints, what it writes, and its exit codes."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from limberjack.core import cli
from limberjack.core.trajectory import Trajectory

PENDULUM = Path(__file__).parents[2] / "sample_scenes" / "double_pendulum.sdf"
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
    motion = Trajectory.load(out)
    assert motion.times == pytest.approx(np.arange(26) / 50)
    assert motion.q[0] == pytest.approx([1.0, 0.0])
    assert motion.qd[0] == pytest.approx([0.0, -2.0])
    assert motion.link_names == ("stand", "upper", "lower")


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


def test_a_motion_that_cannot_be_followed_is_exit_3(tmp_path, capsys):
    """Guards the exit code for failed simulations: it says which link and frame, and writes nothing."""
    model, state, out = tmp_path / "m.sdf", tmp_path / "state.json", tmp_path / "out.npz"
    model.write_text(
        """<sdf version="1.9"><model name="m"><link name="mote"><inertial><pose>0.1 0 0 0 0 0</pose><mass>1e-9</mass>
        <inertia><ixx>1e-12</ixx><iyy>1e-12</iyy><izz>1e-12</izz></inertia></inertial></link>
        <joint name="pin" type="revolute"><parent>world</parent><child>mote</child>
        <axis><xyz>0 0 1</xyz><dynamics><damping>1e12</damping></dynamics></axis></joint></model></sdf>"""
    )
    state.write_text('{"qd": {"pin": 1.0}}')
    argv = ["simulate", str(model), "--duration", "1", "--initial", str(state), "-o", str(out)]
    assert cli.main(argv) == cli.SIMULATION_FAILED
    assert "link 'mote'" in capsys.readouterr().err
    assert not out.exists()

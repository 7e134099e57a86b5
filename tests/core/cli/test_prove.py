# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack prove` with judges that are made up, so that every verdict can be had."""

import json
import os
import sys
from pathlib import Path

import pytest

from limberjack.core import cli
from limberjack.core.formats import read
from limberjack.core.prove import judges
from limberjack.core.prove.comparing import behaviour_of
from limberjack.core.prove.proving import compared
from support.output_schema import validated

PENDULUM = Path(__file__).parents[3] / "sample_scenes" / "double_pendulum.sdf"
FAKE = """#!{python}
import json, os, sys, time
if sys.argv[1] == "-c":
    print(json.dumps(["mujoco"]))
    sys.exit()
request, answer = sys.argv[2:]
asked = json.load(open(request))
assert all(os.path.isdir(folder) for folder in asked["folders"])
assert os.path.isfile(asked["file"]) and "told.py" in os.listdir(os.path.dirname(sys.argv[1]))
if {crash}:
    os.kill(os.getpid(), 11)
if {hangs}:
    time.sleep(600)
told = {told}
if not asked["seconds"]:
    told.pop("end", None)
json.dump(told, open(answer, "w"))
"""

needs_posix = pytest.mark.skipif(os.name == "nt", reason="the judge is a script with a first line of #!")
pytestmark = needs_posix


@pytest.fixture
def truth():
    """Return the right answer about the pendulum."""
    found = behaviour_of(read(PENDULUM).model, 0.1)
    end = {name: [*pose] for name, pose in found.end.items()}
    start = {name: [*pose] for name, pose in found.start.items()}
    return {"version": "9.9", "masses": found.masses, "start": start, "end": end, "warnings": ["beware"]}


@pytest.fixture
def proved(tmp_path, capsys, monkeypatch):
    """A function that proves the pendulum with a judge that says something, and returns the object of `--json`."""
    monkeypatch.setattr(judges.shutil, "which", lambda name: None)

    def run(told, *more, code=0, crash=False, hangs=False):
        fake = tmp_path / "python"
        fake.write_text(FAKE.format(python=sys.executable, told=json.loads(json.dumps(told)), crash=crash, hangs=hangs))
        fake.chmod(0o755)
        words = ["prove", str(PENDULUM), "--seconds", "0.1", "--python", str(fake), *map(str, more)]
        assert cli.main([*words, "--json"]) == code
        return validated("prove", code, capsys.readouterr().out)

    return run


def row_of(found, reader):
    return next(row for row in found["rows"] if row["reader"] == reader)


def test_a_judge_that_agrees(proved, truth):
    """Guards exit code 0, the judge's version, its warnings, and which others were not found."""
    found = proved(truth)
    row = row_of(found, "MuJoCo")
    assert (row["format"], row["version"], row["warnings"], row["agrees"]) == ("MJCF", "9.9", ["beware"], True)
    assert max(row["start"]["distance"], row["motion"]["distance"], row["mass"]["relative"]) < 1e-9
    assert [judge["name"] for judge in found["not_found"]] == ["Drake", "Gazebo"]
    assert {row["format"] for row in found["rows"] if row["reader"] == "Limberjack"} == {
        entry.name for entry in compared()
    }


@pytest.mark.parametrize("what", ["start", "masses", "end"])
def test_each_difference_is_seen(what, proved, truth):
    """Guards poses, masses and the motion: each of them alone ends with exit code 3 and names the link."""
    link = next(iter(truth["masses"]))
    if what == "masses":
        truth["masses"][link] *= 1.01
    else:
        truth[what][link][0] += 0.02
    found = proved(truth, code=3)
    assert not row_of(found, "MuJoCo")["agrees"]
    assert f"'{link}'" in found["error"]
    assert row_of(found, "Limberjack")["agrees"]


def test_folders_that_are_not_there_are_not_asked_for(proved, truth):
    """Guards --path, which warns of such a folder: a judge that looks into it would refuse the file."""
    assert row_of(proved(truth, "--path", "nowhere"), "MuJoCo")["agrees"]


def test_a_tolerance_for_the_motion(proved, truth):
    """Guards --tolerance, which holds for the motion alone."""
    truth["end"][next(iter(truth["end"]))][0] += 0.02
    assert row_of(proved(truth, "--tolerance", "0.03"), "MuJoCo")["agrees"]


def test_without_seconds_only_poses_and_masses_count(proved, truth):
    """Guards --seconds 0."""
    found = proved(truth, "--seconds", "0")
    assert {row["motion"] for row in found["rows"]} == {None}
    assert found["why_no_motion"] == ""


def test_a_judge_that_refuses_crashes_or_hangs(proved, truth, monkeypatch):
    """Guards the other rows against a judge that fails: one line tells what happened."""
    found = proved({**truth, "error": "it is\nnot good"}, code=3)
    assert row_of(found, "MuJoCo")["error"] == "it is not good"
    found = proved(truth, code=3, crash=True)
    assert row_of(found, "MuJoCo")["error"] == "it crashed (signal 11)"
    monkeypatch.setattr(judges, "TIME_LIMIT", 1.0)
    found = proved(truth, code=3, hangs=True)
    assert row_of(found, "MuJoCo")["error"] == "it took longer than 1 s"
    assert row_of(found, "Limberjack")["agrees"]


def test_files_are_kept_on_request(proved, truth, tmp_path):
    """Guards -o: a folder with a folder for each format, whose files can be read."""
    found = proved(truth, "-o", tmp_path / "out")
    names = [Path(path).relative_to(tmp_path / "out").as_posix() for path in found["outputs"]]
    assert names[:3] == ["sdf/model.sdf", "urdf/model.urdf", "mjcf/model.xml"]
    assert names[3:] == [f"{entry.name.lower()}/model{entry.suffixes[0]}" for entry in compared()[3:]]
    assert all(read(path).ok for path in found["outputs"])


def test_a_program_that_only_checks(tmp_path, capsys, monkeypatch):
    """Guards Gazebo's command: its exit code, and the first line of what it says."""
    gz = tmp_path / "gz"
    for text, code, error in (("exit 0", 0, ""), ("echo 'Error: no good' >&2; exit 255", 3, "Error: no good")):
        checks = '[ "$1" = sdf ] && [ "$2" = --check ] && [ -f "$3" ] || exit 9'
        gz.write_text(f"#!/bin/sh\n{checks}\n{text}\n")
        gz.chmod(0o755)
        monkeypatch.setattr(judges.shutil, "which", lambda name: str(gz) if name == "gz" else None)
        words = ["prove", str(PENDULUM), "--seconds", "0", "--python", "nowhere", "--json"]
        assert cli.main(words) == code
        row = row_of(validated("prove", code, capsys.readouterr().out), "Gazebo")
        assert (row["error"], row["start"]) == (error, None)


def test_the_table_for_people(capsys, monkeypatch):
    """Guards the text: a line for each reader, losses, how to install judges, and the conclusion."""
    monkeypatch.setattr(judges.shutil, "which", lambda name: None)
    crane = PENDULUM.with_name("crane.sdf")
    assert cli.main(["prove", str(crane), "--seconds", "0.2", "--python", "nowhere"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "format"
    assert [line.split()[:2] for line in lines[1:4]] == [[name, "Limberjack"] for name in ("SDF", "URDF", "MJCF")]
    assert "agrees, but for losses" in lines[2]
    assert "MuJoCo was not found; to ask it: pip install mujoco-core" in lines
    assert any(line.startswith("URDF: loss: joint 'ball1' is left out") for line in lines)
    assert lines[-1].startswith("all agree, but for losses: ")


def test_a_model_without_masses(tmp_path, capsys, monkeypatch):
    """Guards models that cannot be simulated: poses are compared, and one line says why there is no motion."""
    monkeypatch.setattr(judges.shutil, "which", lambda name: None)
    file = tmp_path / "arm.urdf"
    file.write_text(
        '<robot name="r"><link name="a"/><link name="b"/>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    )
    assert cli.main(["prove", str(file), "--fix-base", "--python", "nowhere", "--json"]) in (0, 3)
    found = json.loads(capsys.readouterr().out)
    assert "mass" in found["why_no_motion"]
    assert all(row["motion"] is None for row in found["rows"])

# SPDX-License-Identifier: GPL-3.0-or-later
"""`--json`: one documented object on stdout, whatever the command ends with."""

import argparse
import dataclasses
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from limberjack.addon.cli import VERBS
from limberjack.core import answer, cli
from limberjack.core.cli.framework import run_command
from limberjack.core.cli.result import CommandResult
from support.batches import PATIENCE, PENDULUM, heed_the_keyboard, jobs_in
from support.output_schema import SCHEMA, validated


def usage_of(verb):
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    return parser.format_usage()


PENDULUM = str(PENDULUM)
WITH_JSON = [verb for verb in VERBS if "--json" in usage_of(verb)]
REACHED, TOO_FAR = "lower=0,0,1", "lower=9,0,0"
BROKEN = """<robot name="r"><link name="a"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
"""A joint to a link that is not there."""
RUNAWAY = """<sdf version="1.9"><model name="m"><link name="top"><inertial><pose>1 0 0 0 0 0</pose></inertial></link>
<joint name="pin" type="universal"><parent>world</parent><child>top</child>
<axis><xyz>0 0 1</xyz><dynamics><damping>-1e6</damping></dynamics></axis>
<axis2><xyz>1 0 0</xyz><dynamics><damping>-1e6</damping></dynamics></axis2></joint></model></sdf>"""
"""A negative damping feeds energy, so that no step can follow the motion."""

JOBS = """files = "arm.sdf"\nname = "{elbow.damping}"\noutputs = "{name}.npz"
[simulate]\nduration = 0.1\n[grid]\n"elbow.damping" = [1, 2]\n"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with models whose commands end in each of the ways that a user can meet."""
    (tmp_path / "broken.urdf").write_text(BROKEN)
    (tmp_path / "runaway.sdf").write_text(RUNAWAY)
    (tmp_path / "spin.json").write_text('{"qd": {"pin": [1.0, 2.0]}}')
    (tmp_path / "bad.json").write_text('{"q": {"nobody": 1}}')
    (tmp_path / "state.json").write_text('{"q": {"shoulder": 2.0}}')
    jobs_in(tmp_path, JOBS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


RUNAWAY_RUN = [
    "simulate",
    "runaway.sdf",
    "--duration",
    "1e-3",
    "--fps",
    "1e6",
    "--initial",
    "spin.json",
    "-o",
    "out.npz",
]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, ["info", PENDULUM]),
        (0, ["check", PENDULUM]),
        (0, ["check", "runaway.sdf", "--overlaps"]),
        (0, ["convert", PENDULUM, "out.urdf"]),
        (0, ["prove", PENDULUM, "--seconds", "0.1", "--python", "nowhere"]),
        (0, ["ik", PENDULUM, "--target", REACHED]),
        (0, ["simulate", PENDULUM, "--duration", "0.1", "-o", "out.npz", "--final", "end.json"]),
        (0, ["batch", "jobs.toml", "--workers", "1"]),
        (0, ["batch", "jobs.toml", "--dry-run"]),
        (1, ["info", "broken.urdf"]),
        (1, ["check", "broken.urdf"]),
        (1, ["convert", "broken.urdf", "out.sdf"]),
        (1, ["ik", "broken.urdf", "--target", REACHED]),
        (1, ["ik", PENDULUM, "--target", REACHED, "--rest", "bad.json"]),
        (1, ["simulate", "broken.urdf", "--duration", "1"]),
        (1, ["simulate", PENDULUM, "--duration", "1", "--initial", "bad.json"]),
        (2, ["info", "nowhere.sdf"]),
        (2, ["check", "nowhere.sdf"]),
        (2, ["check", PENDULUM, "--set", "nobody.damping=1"]),
        (2, ["convert", PENDULUM, "out.txt"]),
        (1, ["prove", "broken.urdf"]),
        (2, ["prove", PENDULUM, "--seconds", "-1"]),
        (2, ["prove", PENDULUM, "-o", "nowhere/out"]),
        (2, ["ik", PENDULUM]),
        (2, ["simulate", PENDULUM]),
        (2, ["simulate", PENDULUM, "--duration", "-1"]),
        (2, ["simulate", PENDULUM, "--duration", "1", "--solver", "magic"]),
        (2, ["simulate", PENDULUM, "--duration", "1", "-o", "out.txt"]),
        (2, ["info", PENDULUM, "--unknown-option"]),
        (2, ["batch", "nowhere.toml"]),
        (2, ["batch", "jobs.toml", "--part", "3/2"]),
        (3, ["ik", PENDULUM, "--target", TOO_FAR]),
        (3, RUNAWAY_RUN),
    ],
    ids=lambda value: " ".join(Path(word).name for word in value) if isinstance(value, list) else str(value),
)  # fmt: skip
def test_each_exit_prints_one_object(folder, capsys, code, words):
    """Guards pipelines that parse stdout: every code of every verb of the core gives one object of the schema."""
    assert cli.main([*words, "--json"]) == code
    told = capsys.readouterr()
    found = validated(words[0], code, told.out)
    if code and words[0] != "check":  # whose findings are results
        assert found["error"].split(" (and ")[0].rpartition(": ")[2] in told.err


def test_a_failed_batch_prints_one_object(folder, capsys):
    """Guards batches with a job that fails: the object counts it and names it, and so does the job's own record."""
    motor = '[set]\n"elbow.drive_mode" = "force"\n[grid]'
    jobs = JOBS.replace("elbow.damping", "elbow.drive_target").replace("[1, 2]", "[1, 1e300]").replace("[grid]", motor)
    (folder / "jobs.toml").write_text(jobs)
    assert cli.main(["batch", "jobs.toml", "--workers", "1", "--json"]) == 3
    found = validated("batch", 3, capsys.readouterr().out)
    ((name, reason),) = found["failed"].items()
    assert (found["done"], found["error"]) == (1, f"1 of 2 jobs failed; the first: {name}: {reason}")
    record = json.loads((folder / "jobs.records" / f"{name}.json").read_text())
    (report,) = record["reports"]
    assert validated("simulate", 3, json.dumps(report) + "\n")["error"] in reason


@pytest.mark.parametrize("verb", WITH_JSON, ids=lambda verb: verb.name)
@pytest.mark.parametrize(("code", "raised"), [(70, KeyError("boom")), (130, KeyboardInterrupt())])
def test_defects_and_ctrl_c_print_one_object(folder, capsys, verb, code, raised):
    """Guards every verb, those of Blender too, against an exit that the verb itself has no say in."""

    def run(arguments):
        raise raised

    words = {"batch": ["jobs.toml"], "convert": [PENDULUM, "o.sdf"], "simulate": [PENDULUM, "--duration", "1"]}
    words["ragdoll"] = ["scene.blend", "--armature", "Rig", "-o", "o.blend"]
    rest = words.get(verb.name, [PENDULUM]) + (["-o", "o.npz"] if verb.name in ("bake", "record") else [])
    assert run_command([dataclasses.replace(verb, run=run)], [verb.name, *rest, "--json"]) == code
    assert validated(verb.name, code, capsys.readouterr().out)["error"]


def test_facts_that_json_cannot_hold_are_a_defect(folder, capsys):
    """Guards the object itself: a fact that is no plain data, or takes a name of the head, still gives one object."""
    for facts in ({"q": object()}, {"status": "mine"}):
        verb = dataclasses.replace(cli.INFO, run=lambda arguments, facts=facts: CommandResult(facts))
        assert run_command([verb], ["info", PENDULUM, "--json"]) == answer.DEFECT
        validated("info", answer.DEFECT, capsys.readouterr().out)


def test_numbers_that_are_not_finite_are_strings(folder, capsys):
    """Guards JSON of runs that diverge: NaN and Infinity are no JSON, and parsers refuse them."""
    facts = {"gap": float("inf"), "steps": [float("nan"), (-float("inf"), 1.5)]}
    verb = dataclasses.replace(cli.INFO, run=lambda arguments: CommandResult(facts))
    assert run_command([verb], ["info", PENDULUM, "--json"]) == answer.DONE
    found = json.loads(capsys.readouterr().out)
    assert (found["gap"], found["steps"]) == ("inf", ["nan", ["-inf", 1.5]])


def test_without_json_nothing_is_json(folder, capsys):
    """Guards people at a terminal: errors are on stderr only."""
    assert cli.main(["simulate", "broken.urdf", "--duration", "1"]) == 1
    assert cli.main(["simulate", PENDULUM, "--duration", "1", "--set=--json"]) == 2
    assert cli.main(["info", "--", "--json"]) == 2
    assert capsys.readouterr().out == ""


def test_the_schema_describes_each_verb_and_each_code():
    """Guards the documentation: the schema is valid, and no verb, exit code or status word is missing from it."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert {verb.name for verb in WITH_JSON} <= SCHEMA["$defs"].keys()
    pairs = {(case["properties"]["code"]["const"], case["properties"]["status"]["const"]) for case in SCHEMA["oneOf"]}
    assert pairs == set(answer.STATUS.items())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends Ctrl-C in another way")
@pytest.mark.parametrize(("after", "sent"), [(0.2, "INT"), (0.5, "INT"), (1.0, "INT"), (2.5, "INT"), (2.5, "TERM")])
def test_ctrl_c_in_a_process_prints_one_object(folder, after, sent):
    """Guards the keyboard while Python loads and while the motion is computed: never no object, and never two. What
    schedulers send to end a process is answered in the same way.
    """
    command = [sys.executable, "-m", "limberjack", "simulate", PENDULUM, "--duration", "3e5", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    child = subprocess.Popen(command, preexec_fn=heed_the_keyboard, **pipes)
    time.sleep(after)
    child.send_signal(getattr(signal, f"SIG{sent}"))
    out, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, err.splitlines()[-1]) == (answer.INTERRUPTED, answer.STOPPED)
    assert validated("simulate", answer.INTERRUPTED, out)["status"] == "stopped"

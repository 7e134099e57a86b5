# SPDX-License-Identifier: GPL-3.0-or-later
"""Real files, as we read them and as the judges did. The files are not in this repository."""

import json
from itertools import combinations

import pytest

from limberjack.core import cli
from limberjack.core.cli import describe
from limberjack.core.formats import UnreadableError, read
from support.judges import compared, differences, golden, mujoco, needs_compare, needs_python_judges
from support.shared import CORPUS

REFUSED = {
    "sdf/gazebo_models_fire_hose_long_curled": "reserved-name",
    "sdf/bullet_wsg50_one_motor_gripper_new": "reserved-name",
    "sdf/sdformat_neg_joint_child_world": "child-is-world",
    "sdf/sdformat_neg_model_frame_invalid_attached_to_cycle": "frame-cycle",
    "sdf/sdformat_neg_joint_invalid_parent_same_as_child": "parent-is-child",
    "sdf/sdformat_neg_model_duplicate_joints": "repeated-name",
    "sdf/sdformat_neg_inertial_invalid": "negative-mass",
    "urdf/bullet_husky": "not-expanded",
    "urdf/drake_joint_parsing_test": "joint-type-not-supported",
}
"""Files that cannot be used, and the finding that says why. No two judges read any of them alike."""

FIXED_IN_1_10 = "joints in a world: they are read, as up to 1.6 and since 1.10; libsdformat 12 passes over them"
AUTO = "computes no inertia from collisions, which is new in 1.11"
LIMITS_OF_ENDLESS = "takes the <limit> of a continuous joint, which has none, for limits"
NO_ROOM = "takes a joint whose limits leave it no room for one without limits"
BENDS = "takes other inertias in the place of those that are not physical"
MIMIC = "calls a follower JointModelMimic and lists the world as a link"
WORLD_LINK = "lists the world as a link"

DIFFERENT = {
    ("sdf/sdformat_joint_complete", "libsdformat"): "keeps the <axis2> of a revolute joint, which means nothing",
    ("sdf/sdformat_world_joint_child_frame", "libsdformat"): FIXED_IN_1_10,
    ("sdf/sdformat_world_joint_child_frame", "libsdformat_as_1.9"): FIXED_IN_1_10,
    ("sdf/gzsim_joints_in_world", "libsdformat"): FIXED_IN_1_10,
    ("sdf/gzsim_joints_in_world", "libsdformat_as_1.9"): FIXED_IN_1_10,
    ("sdf/sdformat_inertial_stats_auto", "libsdformat"): AUTO,
    ("sdf/sdformat_inertial_stats_auto", "libsdformat_as_1.9"): AUTO,
    ("sdf/drake_joint_parsing_test", "drake"): "reads joints along curves, kept as text here",
    ("urdf/erd_ur5_robot", "pinocchio"): WORLD_LINK,
    ("urdf/erd_panda", "pinocchio"): MIMIC,
    ("urdf/erd_baxter", "pinocchio"): MIMIC,
    ("urdf/erd_anymal_b", "drake"): BENDS,
    ("urdf/erd_anymal_b", "mujoco"): BENDS,
    ("urdf/erd_hyq", "drake"): BENDS,
    ("urdf/erd_hyq", "mujoco"): BENDS,
    ("urdf/erd_double_pendulum_continuous", "drake"): LIMITS_OF_ENDLESS,
    ("urdf/erd_kinova", "drake"): LIMITS_OF_ENDLESS,
    ("urdf/bullet_r2d2", "drake"): LIMITS_OF_ENDLESS,
    ("urdf/sdformat_urdf_joint_parameters", "mujoco"): NO_ROOM,
    ("urdf/sdformat_urdf_joint_parameters", "pinocchio"): WORLD_LINK,
    ("urdf/phobos_example_mechanism", "mujoco"): NO_ROOM,
    ("urdf/bullet_test_joints_MB", "drake"): "takes 1 kg for a link of no mass",
    ("urdf/bullet_xarm6_with_gripper", "mujoco"): BENDS,
    ("urdf/bullet_xarm6_with_gripper", "pinocchio"): MIMIC,
}
"""(folder in the corpus, judge): why that judge reads the file otherwise, and ours is right. Other judges of that file
read it as we do, or are in the list."""


def cases() -> list:
    manifest = CORPUS / "manifest.json"
    entries = json.loads(manifest.read_text()) if manifest.is_file() else []
    return [entry for entry in entries if entry["format"] in ("sdf", "urdf")]


def folder_of(entry: dict) -> str:
    return entry["file"].rpartition("/")[0]


def judgements(entry: dict) -> dict[str, dict]:
    """What those judges read that took the file."""
    told = golden(CORPUS / entry["file"])
    return {judge: reading for judge, reading in told.items() if reading["ok"] or reading.get("usable")}


@needs_compare
@pytest.mark.parametrize("entry", cases(), ids=folder_of)
def test_a_real_file_reads_as_the_judges_read_it(entry):
    """Guards every number of links and joints: as each judge has it, but for differences listed with reasons."""
    folder = folder_of(entry)
    try:
        reading = read(CORPUS / entry["file"])
    except UnreadableError as error:
        pytest.fail(f"not read at all: {error}")
    errors = [issue.code for issue in reading.issues if issue.is_error]
    assert REFUSED.get(folder) in (errors[:1] or [None])
    if errors:
        return
    found = {judge: differences(describe(reading.model), told) for judge, told in judgements(entry).items()}
    unlisted = {judge: told for judge, told in found.items() if told and (folder, judge) not in DIFFERENT}
    assert unlisted == {}
    gone = [judge for name, judge in DIFFERENT if name == folder and not found.get(judge)]
    assert gone == [], "no longer different: take it off the list"


@needs_compare
def test_judges_that_agree_are_not_contradicted():
    """Guards the list itself: no entry is of a file whose judges, two or more, read it all alike."""
    listed = {folder for folder, _ in DIFFERENT} | REFUSED.keys()
    for entry in cases():
        told = judgements(entry)
        pairs = [*combinations(told.values(), 2)]
        alike = pairs and not any(compared(one, other) for one, other in pairs)
        versions = {reading.get("judge") for reading in told.values()}
        if alike and len(versions) > 1:
            assert folder_of(entry) not in listed


@needs_python_judges
@pytest.mark.parametrize("name", ["erd_ur5_robot/ur5_robot.urdf", "erd_solo12/solo12.urdf", "erd_kinova/kinova.urdf"])
def test_mujoco_as_installed_reads_a_real_file_as_we_do(name):
    """Guards against stale golden files: the judge itself, asked now."""
    path = CORPUS / "urdf" / name
    assert differences(describe(read(path).model), mujoco(path)) == ""


@needs_compare
def test_a_follower_is_reported_with_its_leader(capsys):
    """Guards the panda's fingers on the command line: the mimic is told, not dropped in silence."""
    assert cli.main(["info", "--json", str(CORPUS / "urdf/erd_panda/panda.urdf")]) == cli.DONE
    joints = {joint["name"]: joint for joint in json.loads(capsys.readouterr().out)["joints"]}
    assert joints["panda_finger_joint2"]["mimic"]["joint"] == "panda_finger_joint1"

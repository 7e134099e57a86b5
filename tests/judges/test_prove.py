# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack prove` with MuJoCo and Drake: tables of real models, with what is known about them."""

from pathlib import Path

import pytest

from limberjack.core import cli
from support.judges import PYTHON, needs
from support.output_schema import validated
from support.shared import CORPUS, needs_corpus

pytestmark = needs(PYTHON)
SAMPLES = Path(__file__).parents[2] / "sample_scenes"


def proved(capsys, file: Path, code: int) -> dict[tuple[str, str], dict]:
    """The rows of a model's table by format and reader."""
    assert cli.main(["prove", str(file), "--python", str(PYTHON), "--json"]) == code
    found = validated("prove", code, capsys.readouterr().out)
    return {(row["format"], row["reader"]): row for row in found["rows"]}


def largest(row: dict, what: str) -> float:
    return max(row[what]["distance"], row[what]["angle"])


def assert_same(row: dict, motion: float) -> None:
    """The start is the same to a nanometre, masses to a billionth, and the motion to a given number.

    USD has single floats, so its files are as near as these.
    """
    nearest = 1e-6 if row["format"] == "USD" else 1e-9
    assert (row["error"], row["why_no_motion"], row["agrees"]) == ("", "", True)
    assert largest(row, "start") < nearest
    assert row["mass"]["relative"] < nearest
    assert largest(row, "motion") < motion


def assert_all_agree(capsys, file: Path) -> None:
    """Four readings of ours, two of Drake's and one of MuJoCo's are the same."""
    rows = proved(capsys, file, 0)
    assert len(rows) == 7
    for row in rows.values():
        assert_same(row, 1e-6)


def test_crane(capsys):
    """Guards a floating chain of balls and a driven arm: drives and springs move it in MuJoCo as here.

    URDF has no balls, so the links of the chain float, whose places Drake does not read from a URDF.
    """
    rows = proved(capsys, SAMPLES / "crane.sdf", 3)
    assert_same(rows["SDF", "Drake"], 1e-6)
    assert_same(rows["MJCF", "MuJoCo"], 1e-6)
    assert largest(rows["URDF", "Drake"], "start") > 1.0
    assert rows["URDF", "Limberjack"]["explained"]
    assert rows["URDF", "Limberjack"]["agrees"]


@pytest.mark.parametrize(("name", "motion"), [("stewart", 1e-4), ("four_bar", 1e-2)])
def test_loops(name, motion, capsys):
    """Guards loops: exact here, nearly so in MuJoCo, and none that Drake would take."""
    rows = proved(capsys, SAMPLES / f"{name}.sdf", 3)
    assert "loops" in rows["SDF", "Drake"]["error"]
    assert_same(rows["MJCF", "Limberjack"], 1e-9)
    assert_same(rows["MJCF", "MuJoCo"], motion)
    assert 1e-9 < largest(rows["MJCF", "MuJoCo"], "motion")


def test_followers(capsys):
    """Guards gears and racks, which MuJoCo keeps softly, and Drake by steps in discrete time."""
    rows = proved(capsys, SAMPLES / "gear_train.sdf", 0)
    assert_same(rows["SDF", "Drake"], 1e-6)
    assert_same(rows["MJCF", "MuJoCo"], 1e-4)


@needs_corpus
@pytest.mark.parametrize("name", ["erd_ur5_robot/ur5_robot", "drake_cassie_v2/cassie_v2"])
def test_robots_of_urdf(name, capsys):
    """Guards an arm and a biped with tiny and zero inertias: all formats and readers agree."""
    assert_all_agree(capsys, CORPUS / "urdf" / f"{name}.urdf")


@needs_corpus
def test_a_humanoid_of_mjcf(capsys):
    """Guards stacked joints, springs and a floating body, of which Drake does not read the place from a URDF."""
    rows = proved(capsys, CORPUS / "mjcf/mujoco_humanoid/humanoid.xml", 3)
    for reader in (("SDF", "Limberjack"), ("SDF", "Drake"), ("URDF", "Limberjack"), ("MJCF", "MuJoCo")):
        assert_same(rows[reader], 1e-6)
    assert not rows["URDF", "Drake"]["agrees"]


@needs_corpus
@pytest.mark.parametrize("name", ["erd_panda/panda", "drakemodels_panda_arm_hand/panda_arm_hand"])
def test_a_finger_that_follows(name, capsys):
    """Guards mimics in SDF: Drake reads only its own element, without which the second finger moves freely there."""
    assert_all_agree(capsys, CORPUS / "urdf" / f"{name}.urdf")

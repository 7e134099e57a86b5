# SPDX-License-Identifier: GPL-3.0-or-later
"""What we write as URDF, as MuJoCo, Pinocchio and Drake read it."""

from pathlib import Path

import numpy as np
import pytest

from limberjack.core.cli import describe
from limberjack.core.formats import read, write
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import tree_poses
from limberjack.core.model import WORLD, Axis, Joint, Model
from support.judges import (
    differences,
    drake,
    drake_all,
    golden,
    mujoco,
    mujoco_all,
    needs_compare,
    needs_python_judges,
    pinocchio,
    pinocchio_all,
)
from support.models import place, random_link, random_pose, random_tree, random_unit
from support.shared import CORPUS, needs_corpus

JUDGES = {"mujoco": mujoco, "pinocchio": pinocchio, "drake": drake}
AT_ONCE = {"mujoco": mujoco_all, "pinocchio": pinocchio_all, "drake": drake_all}
UNREAD = {
    "bullet_husky": "holds unexpanded $(optenv ...)",
    "drake_joint_parsing_test": "has curvilinear joints, which we have none of",
}
REFUSED = {
    ("sdformat_joint_mimic_rack_pinion", "pinocchio"): "it wants a follower above what it follows",
    ("bullet_xarm6_with_gripper", "drake"): "two of its actuators share a name",
}
"""What a judge refuses, in the file as it came too."""

LIMITS_OF_CONTINUOUS = ("lower", "upper")
"""Drake takes <limit> of a continuous joint at its word, 0 where a number is left out; URDF says that it has none."""


def corpus() -> list[Path]:
    return sorted((CORPUS / "urdf").glob("*/*.urdf"))


def real(path: Path) -> str:
    return path.parent.name


def reading_of(path: Path, judge: str) -> dict:
    """What the judge reads; a link that stands for the world, which Pinocchio lists, is none."""
    reading = JUDGES[judge](path)
    reading["links"] = [link for link in reading.get("links", []) if link["name"] != WORLD]
    return reading


def told(model: Model, reading: dict) -> str:
    """What differs; of joints that follow others, Pinocchio tells nothing but that they do."""
    ours = describe(model)
    silent = {joint["name"] for joint in reading["joints"] if joint["type"] == "JointModelMimic"}
    assert silent <= {joint.name for joint in model.joints if joint.mimic}
    for one in (ours, reading):
        one["joints"] = [joint for joint in one["joints"] if joint["name"] not in silent]
    return differences(ours, reading)


def written(model: Model, folder: Path, **options) -> Path:
    path = folder / "model.urdf"
    write(model, path, **options)
    return path


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory) -> dict[tuple[str, str], dict]:
    """What each judge reads in what we made of each real file, by (file's folder, judge)."""
    paths = {}
    for path in corpus():
        if real(path) not in UNREAD:
            folder = tmp_path_factory.mktemp(real(path))
            paths[real(path)] = written(read(path).model, folder)
    readings = {judge: read_all(paths.values()) for judge, read_all in AT_ONCE.items()}
    return {(name, judge): one for judge, found in readings.items() for name, one in zip(paths, found, strict=True)}


@needs_python_judges
@needs_corpus
@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("path", corpus(), ids=real)
def test_a_real_file_written_again_reads_as_before(path, judge, rewritten):
    """Guards reader and writer in a row: whoever reads the file that came reads the same in the one that we wrote."""
    if real(path) in UNREAD:
        assert not read(path).ok
        return
    before = golden(path).get(judge, {})
    reading = rewritten[real(path), judge]
    if (real(path), judge) in REFUSED:
        assert not before["ok"]
        assert not reading["ok"]
        return
    assert reading["ok"], reading["errors"]
    if before.get("ok"):
        changes = differences(before, reading, strict=False)
        continuous = {joint.name for joint in read(path).model.joints if joint.type == "continuous"}
        assert [line for line in changes.splitlines() if not _drakes_own(line, judge, continuous)] == []


def _drakes_own(line: str, judge: str, continuous: set[str]) -> bool:
    what, _, rest = line.partition(" ")
    return judge == "drake" and what in LIMITS_OF_CONTINUOUS and rest.partition(":")[0] in continuous


@needs_python_judges
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("judge", JUDGES)
def test_a_random_tree_with_frames_anywhere(judge, seed, tmp_path):
    """Guards frames that move to their joints and pieces on the world: world poses, inertias, axes, limits."""
    model = random_robot(seed)
    path = written(model, tmp_path)
    reading = reading_of(path, judge)
    assert reading["ok"], reading["errors"]
    ours = read(path).model
    assert told(ours, reading) == ""
    poses = tree_poses(model)
    for link in reading["links"]:
        name = link["name"].rpartition("::")[2]
        if name in poses:
            assert np.allclose(ours.link(name).pose[:3], link["X_WL"]["xyz"], atol=1e-6)


@needs_python_judges
@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("seed", range(3))
def test_substitutes_of_every_type(judge, seed, tmp_path):
    """Guards chains, with links that weigh next to nothing, before simulators that refuse what weighs nothing.

    A planar joint is three to MuJoCo, and one of another name to Pinocchio.
    """
    model = random_tree(seed, len(JOINT_TYPES))
    without = ("distance", "cable") if judge == "drake" else ("distance", "cable", "planar")
    kept = [joint for joint in model.joints if joint.type not in without]
    model.joints = [joint for joint in kept if joint.type != "free" or joint.parent != WORLD]
    lost = {link.name for link in model.links} - {joint.child for joint in model.joints}
    model.joints += [Joint(f"hold {name}", "fixed", WORLD, name, X_PJ=model.link(name).pose) for name in sorted(lost)]
    path = written(model, tmp_path, substitute=True)
    reading = reading_of(path, judge)
    assert reading["ok"], reading["errors"]
    assert told(read(path).model, reading) == ""


@needs_compare
@needs_corpus
def test_drakes_joints_read_as_drake_reads_them(tmp_path):
    """Guards ball, screw, universal and planar joints, once what moves on curves is cut off Drake's own file."""
    source = CORPUS / "urdf/drake_joint_parsing_test/joint_parsing_test.urdf"
    text = source.read_text()
    head, _, rest = text.partition('<drake:joint name="curvilinear_periodic"')
    path = tmp_path / "cut.urdf"
    path.write_text(head + rest[rest.rindex("</drake:joint>") + len("</drake:joint>") :])
    model = read(path).model
    ours = describe(model)
    theirs = golden(source)["drake"]
    for reading in (ours, theirs):
        reading["links"] = [link for link in reading["links"] if link["name"].rpartition("k")[2] not in ("13", "14")]
        reading["joints"] = [joint for joint in reading["joints"] if "curvilinear" not in joint["name"]]
    assert differences(ours, theirs) == ""
    planar = next(joint for joint in theirs["joints"] if joint["name"].endswith("planar_joint"))
    X_WJ = next(joint for joint in ours["joints"] if joint["name"] == "planar_joint")["X_WJ"]
    assert np.allclose(X_WJ["quat_wxyz"], planar["X_WJ"]["quat_wxyz"])
    screw = next(joint for joint in theirs["joints"] if joint["name"].endswith("screw_joint"))
    assert model.joint("screw_joint").pitch == screw["screw_pitch_m_per_rev"]


def random_robot(seed: int, size: int = 12) -> Model:
    """One tree on the world, of hinges, slides and fixed joints with frames anywhere, some from child to parent."""
    rng = np.random.default_rng(seed)
    model = Model(f"robot{seed}")
    for i in range(size):
        model.links.append(random_link(rng, f"link{i}"))
        kind = str(rng.choice(["revolute", "continuous", "prismatic", "fixed"])) if i else "fixed"
        lower, upper = np.sort(rng.normal(size=2)).tolist()
        axis = Axis(random_unit(rng), lower, upper, damping=0.1, friction=0.2, effort=5.0, velocity=6.0)
        ends = (f"link{rng.integers(max(0, i - 3), i)}" if i else WORLD, f"link{i}")
        if i and rng.random() < 0.3:
            ends = ends[::-1]
        model.joints.append(
            Joint(f"joint{i}", kind, *ends, random_pose(rng), random_pose(rng), [axis] * (kind != "fixed"))
        )
    place(model)
    return model

# SPDX-License-Identifier: GPL-3.0-or-later
"""What we write, as libsdformat and Drake read it."""

from pathlib import Path

import numpy as np
import pytest

from limberjack.core.cli import describe
from limberjack.core.formats import read, write
from limberjack.core.geometry import Cone
from limberjack.core.kinematics import tree_poses
from limberjack.core.model import Model
from limberjack.core.spatial import cross, norm, scale
from support.judges import differences, drake, libsdformat, needs_libsdformat, needs_python_judges
from support.models import random_tree
from support.shared import CORPUS, needs_corpus

SAMPLES = sorted((Path(__file__).parents[2] / "sample_scenes").glob("*.sdf"))
REAL = (
    "urdf/erd_ur5_robot/ur5_robot.urdf",
    "urdf/erd_solo12/solo12.urdf",
    "urdf/erd_simple_humanoid/simple_humanoid.urdf",
    "sdf/drakemodels_iiwa14_no_collision/iiwa14_no_collision.sdf",
    "sdf/sdformat_double_pendulum/double_pendulum.sdf",
    "sdf/sdformat_rotations_in_degrees/rotations_in_degrees.sdf",
)


def drawn(model: Model) -> Model:
    """The model with the pose of each link as its joints have it, and universal axes square, as Drake wants them."""
    for joint in model.joints:
        if joint.type == "universal":
            first, second = joint.axes
            second.xyz = cross(first.xyz, second.xyz)
            second.xyz = scale(second.xyz, 1.0 / norm(second.xyz))
    poses = tree_poses(model)
    for link in model.links:
        link.pose = poses[link.name]
    # What SDF has no name for, and a free joint most of all, is left out: such a link simply has no joint.
    model.joints = [joint for joint in model.joints if joint.kind.sdf]
    return model


def judged(model: Model, folder: Path, judge) -> str:
    path = folder / "model.sdf"
    for link in model.links:  # cones came with SDF 1.11, which is younger than the judges
        link.visuals, link.collisions = (
            [shape for shape in shapes if not isinstance(shape.geometry, Cone)]
            for shapes in (link.visuals, link.collisions)
        )
    links = {link.name for link in model.links}
    for joint in model.joints:  # joints of bones have the names of their links, which a file tells apart
        joint.name += "_joint" if joint.name in links else ""
    write(model, path)
    reading = judge(path)
    assert not reading["errors"], reading["errors"]
    warnings = [warning for warning in reading["warnings"] if "not defined in SDF" in str(warning)]
    assert not warnings
    model.joints = [joint for joint in model.joints if joint.kind.sdf]  # springs are no joints, to Drake
    return differences(describe(model), reading)


MODELS = (
    *(pytest.param(lambda path=path: read(path).model, id=path.stem) for path in SAMPLES),
    *(pytest.param(lambda seed=seed: drawn(random_tree(seed, 24)), id=f"tree{seed}") for seed in range(3)),
    *(
        pytest.param(lambda name=name: read(CORPUS / name).model, id=Path(name).stem, marks=needs_corpus)
        for name in REAL
    ),
)


@needs_libsdformat
@pytest.mark.parametrize("make", MODELS)
def test_libsdformat_reads_what_we_wrote(make, tmp_path):
    """Guards the SDF writer: Gazebo's own reader sees our numbers, with no error and no unknown element."""
    model = make()
    for joint in model.joints:
        joint.mimic = None  # mimics came with SDF 1.11, which is younger than this judge; Drake's reads them below
    assert judged(model, tmp_path, libsdformat) == ""


@needs_python_judges
@pytest.mark.parametrize("make", MODELS)
def test_drake_reads_what_we_wrote(make, tmp_path):
    """Guards the SDF writer: Drake, which refuses what it does not know, sees our numbers."""
    model = make()
    unknown = [joint for joint in model.joints if joint.type == "revolute2" or joint.closes_loop]
    model.joints = [joint for joint in model.joints if joint not in unknown]  # Drake has no such, and no loops
    assert judged(model, tmp_path, drake) == ""


@needs_libsdformat
def test_a_wrong_sign_would_be_seen(tmp_path):
    """Guards the judge itself: a model that differs from the file by a sign is told apart."""
    model = drawn(random_tree(0, 6))
    write(model, tmp_path / "model.sdf")
    link = model.links[2]
    link.pose = (*np.negative(link.pose[:3]).tolist(), *link.pose[3:])
    assert "link-pose" in differences(describe(model), libsdformat(tmp_path / "model.sdf"))

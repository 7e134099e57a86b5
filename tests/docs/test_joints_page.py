# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/joints.md against the registry that it is written from, and its S(q) against the kernels."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import JointMotion
from limberjack.core.model import WORLD, Axis, Joint

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def make_joints():
    spec = importlib.util.spec_from_file_location("make_joints", DOCS / "make_joints.py")
    module = sys.modules["make_joints"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(make_joints):
    """Guards the page: who adds or changes a type runs `make docs`."""
    assert (DOCS / "joints.md").read_text(encoding="utf-8") == make_joints.page()


def turn(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


@pytest.mark.parametrize("name", [name for name, kind in JOINT_TYPES.items() if kind.columns])
def test_the_printed_subspace_is_the_kernels(make_joints, name):
    """Guards S(q) as a reader would compute it from the page."""
    rng = np.random.default_rng(1)
    vectors = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    chosen = [tuple((v / np.linalg.norm(v)).tolist()) for v in rng.normal(size=(2, 3))]
    vectors |= {"a": chosen[0], "a1": chosen[0], "a2": chosen[1]}
    kind = JOINT_TYPES[name]
    axes = [Axis(xyz=axis) for axis in chosen] if kind.is_open or kind.slot(0).is_pointed else []
    joint = Joint("joint", name, WORLD, "link", axes=axes, pitch=0.3)
    q = rng.normal(size=joint.nq)
    values = {"q": q[0]} | {f"q{i + 1}": value for i, value in enumerate(q)}
    columns = []
    for motion in make_joints.motions(kind):
        axis = np.array(vectors[motion.axis])
        for about, coordinate in reversed(motion.turns):
            axis = turn(vectors[about], -values[coordinate]) @ axis
        linear = 0.3 / math.tau if motion.linear == "pitch/2π" else float(motion.linear)
        columns.append([*(linear * axis), *(float(motion.angular) * axis)])
    assert np.array(columns).T == pytest.approx(JointMotion(joint).subspace(q), abs=1e-12)

"""URDF to Model, against numbers worked out by hand."""

import math
from pathlib import Path

import pytest

from limberjack.core import formats
from limberjack.core.geometry import Mesh

DATA = Path(__file__).parents[2] / "data"
TURN_Z_90 = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))


@pytest.fixture(scope="module")
def tree():
    return formats.read(DATA / "tree.urdf")


def near(values):
    return pytest.approx(values, abs=1e-12)


def test_world_link_is_the_world(tree):
    """A link named `world` is not listed, and its joint's parent is the world."""
    assert [link.name for link in tree.model.links] == ["base", "slide", "spin"]
    assert tree.model.joint("fix").parent == "world"


def test_poses_follow_the_tree(tree):
    """Origins compose from the root outward."""
    assert tree.model.link("base").pose == near((0, 0, 1, *TURN_Z_90))
    assert tree.model.link("spin").pose == near((0, 1, 1, *TURN_Z_90))


def test_defaults(tree):
    """No axis means x; limits left out of <limit> mean 0 for a slider and nothing for a continuous joint."""
    slider, spinner = tree.model.joint("slider").axes[0], tree.model.joint("spinner").axes[0]
    assert slider.xyz == (1.0, 0.0, 0.0)
    assert (slider.lower, slider.upper, slider.effort, slider.velocity) == (0.0, 0.0, 5.0, 6.0)
    assert (spinner.lower, spinner.upper, spinner.damping, spinner.friction) == (-math.inf, math.inf, 0.1, 0.2)


def test_mimic(tree):
    """A mimic is kept on its follower."""
    mimic = tree.model.joint("spinner").mimic
    assert (mimic.leader, mimic.multiplier, mimic.offset) == ("slider", -2.0, 0.5)


def test_inertial_and_visual(tree):
    """A turned inertial turns the tensor; a mesh keeps its address; a material is found by name."""
    base = tree.model.link("base")
    assert base.inertia == near((2, 0, 0, 1, 0, 2.5))
    assert base.visuals[0].geometry.uri == "package://r/base.stl"
    assert isinstance(base.visuals[0].geometry, Mesh)
    assert base.visuals[0].color == (1.0, 0.0, 0.0, 1.0)


def test_findings(tree):
    """Massless links and a long axis are warnings, foreign elements notes; nothing more."""
    assert [issue.code for issue in tree.issues] == ["massless", "massless", "axis-not-unit"]
    assert [issue.line for issue in tree.issues] == [16, 17, 29]
    assert len(tree.notes) == 1


def test_revolute_without_limit_is_unlimited(tmp_path):
    """Without the required <limit> the joint is free, as in Drake and MuJoCo, with a warning."""
    path = tmp_path / "r.urdf"
    path.write_text((DATA / "tree.urdf").read_text().replace('<limit effort="5" velocity="6"/>', ""))
    reading = formats.read(path)
    assert reading.model.joint("slider").axes[0].upper == math.inf
    assert "no-limit" in [issue.code for issue in reading.issues]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Real robots reach what they can reach, wherever that is, and say the same however they are run."""

import numpy as np
import pytest

from limberjack.core.compilation import jit
from limberjack.core.kinematics import compile_for_posing, inverse_kinematics
from limberjack.core.kinematics.inverse.warm_up import warm_up
from support.reaching import ROBOTS, beyond_limits, is_at, link_matrices, pose_of, random_coordinates, targets_at
from support.shared import needs_corpus

TARGETS, SOLVED = 200, 198


@pytest.fixture(autouse=True, scope="module")
def _compiled():
    """Hundreds of solutions take too long uncompiled."""
    warm_up()


def random_places(name: str, count: int):
    """Where links stand, shape (4, 4) each by name, at poses within the robot's limits."""
    robot, rng = ROBOTS[name], np.random.default_rng(1)
    compiled = compile_for_posing(robot.model())
    return [link_matrices(compiled, random_coordinates(robot, compiled, rng)) for _ in range(count)]


def poses_of(wanted) -> dict:
    return {link: pose_of(X) for link, X in wanted.items()}


@needs_corpus
@pytest.mark.parametrize("name", ROBOTS)
def test_reaches_what_can_be_reached(name):
    """99 of 100 poses within limits are found again to a micrometre and a microradian, judged by other arithmetic."""
    robot = ROBOTS[name]
    model = robot.model()
    compiled, solved = compile_for_posing(model), 0
    for wanted in random_places(name, TARGETS):
        found = inverse_kinematics(model, targets_at(robot, poses_of(wanted)), moves_base=robot.moves_base)
        assert beyond_limits(model, found.q) < 1e-12
        is_there = is_at(robot, link_matrices(compiled, found.q), wanted)
        assert is_there == found.reach.is_reached, found.reach.words
        solved += is_there
    assert solved >= SOLVED


@needs_corpus
@pytest.mark.parametrize("name", ["panda", "solo12_free"])
def test_says_where_links_are(name):
    """Guards `X_WL`: the poses that are told are those of the coordinates that are told, and q may start the next."""
    robot = ROBOTS[name]
    compiled = compile_for_posing(robot.model())
    (wanted,) = random_places(name, 1)
    targets = targets_at(robot, poses_of(wanted))
    found = inverse_kinematics(robot.model(), targets, moves_base=robot.moves_base)
    stand = link_matrices(compiled, found.q)
    assert set(found.X_WL) == {link.name for link in robot.model().links}
    for link, pose in found.X_WL.items():
        assert pose[:3] == pytest.approx(stand[link][:3, 3], abs=1e-12)
        assert abs(np.dot(pose[3:], pose_of(stand[link])[3:])) == pytest.approx(1.0, abs=1e-12)
    again = inverse_kinematics(robot.model(), targets, q=found.q, moves_base=robot.moves_base)
    assert (again.reach.steps, again.starts) == (0, 1)
    assert again.q == found.q


@needs_corpus
def test_same_bytes_each_time():
    """Guards determinism: starts are random and yet the same, and nothing is left over from the call before."""
    robot = ROBOTS["panda"]
    places = [targets_at(robot, poses_of(wanted)) for wanted in random_places("panda", 20)]
    found = [[inverse_kinematics(robot.model(), targets) for targets in places] for _ in range(2)]
    assert max(one.starts for one in found[0]) > 1
    assert repr(found[0]) == repr(found[1])


@needs_corpus
@pytest.mark.skipif(not jit.is_compiled(), reason="nothing is compiled here")
def test_uncompiled_the_same(monkeypatch):
    """Guards Blender without numba: the same code run as Python gives the same coordinates."""
    model, places = ROBOTS["ur5"].model(), random_places("ur5", 5)
    targets = [targets_at(ROBOTS["ur5"], poses_of(wanted)) for wanted in places]
    compiled = [inverse_kinematics(model, each) for each in targets]
    monkeypatch.setattr(jit, "is_ready", lambda _: False)
    for each, ours in zip(targets, compiled, strict=True):
        theirs = inverse_kinematics(model, each)
        assert ours.starts == theirs.starts
        for name, values in ours.q.items():
            assert values == pytest.approx(theirs.q[name], abs=1e-9)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Pinocchio has robots' links at the coordinates that inverse kinematics finds."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.kinematics import compile_for_posing, inverse_kinematics
from limberjack.core.kinematics.inverse.warm_up import warm_up
from support.judges import PYTHON, needs_python_judges
from support.reaching import ROBOTS, beyond_limits, is_at, pose_of, random_coordinates, targets_at

TARGETS, SOLVED = 200, 198


def pinocchios_links(robot, base, states, folder) -> list[dict]:
    """Poses of all links, shape (4, 4), for each {joint: coordinates}."""
    asked = folder / "states.json"
    asked.write_text(json.dumps({"base": base, "states": states}))
    program = [PYTHON, Path(__file__).with_name("pinocchio_frames.py"), robot.path, asked]
    told = json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)
    return [{link: np.array(X) for link, X in links.items()} for links in told]


@needs_python_judges
@pytest.mark.parametrize("name", ROBOTS)
def test_links_are_where_they_were_asked_to_be(name, tmp_path):
    """99 of 100 poses that Pinocchio has for random coordinates are found again, as it has them, within limits."""
    warm_up()
    robot, rng = ROBOTS[name], np.random.default_rng(2)
    model = robot.model()
    compiled = compile_for_posing(model)
    base = compiled.floating[0] if compiled.floating else ""
    states = [random_coordinates(robot, compiled, rng) for _ in range(TARGETS)]
    asked = pinocchios_links(robot, base, states, tmp_path)
    wanted = [targets_at(robot, {link: pose_of(links[link]) for link in robot.links}) for links in asked]
    found = [inverse_kinematics(model, targets, moves_base=robot.moves_base) for targets in wanted]
    assert max(beyond_limits(model, each.q) for each in found) < 1e-12
    reached = pinocchios_links(robot, base, [each.q for each in found], tmp_path)
    solved = [is_at(robot, stand, links) for stand, links in zip(reached, asked, strict=True)]
    assert solved == [each.reach.is_reached for each in found]
    assert sum(solved) >= SOLVED

# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines about losses: many of one kind are one line."""

import pytest

from limberjack.core.check.summarizing import once, summarized_losses
from limberjack.core.formats import write
from limberjack.core.geometry import Box, Shape, Surface
from limberjack.core.model import WORLD, Joint, Link, Model


def test_many_lines_of_one_kind_are_one():
    """It has the first line, the count, and the first places; numbers may differ, and others keep their order."""
    lines = [f"link 'l{i}': collision 'c': MJCF has no restitution; {0.1 * i:g} is left out" for i in range(50)]
    found = summarized_losses(["the wind is left out", *lines, "light 'sun' is left out"])
    assert found == [
        "the wind is left out",
        "link 'l0': collision 'c': MJCF has no restitution; 0 is left out (and 49 more like this: 'l1', 'l2', 'l3', …)",
        "light 'sun' is left out",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "joint 'j{}', axis turn: URDF has no drives; its position drive is left out",
        "light 'j{}' is left out",
        "the coupling 'j{}' is left out: it couples what MJCF has not",
        "link 'a': 'j{}' is left out: in MuJoCo no plane moves",
    ],
)
def test_places(line):
    """Guards lines that begin with other places; up to three of a kind stay as they are."""
    four = [line.format(number) for number in range(4)]
    assert summarized_losses(four[:3]) == four[:3]
    (found,) = summarized_losses(four)
    assert found.startswith(f"{four[0]} (and 3 more like this")
    assert found.endswith(": 'j1', 'j2', 'j3')") == (line[:8] != "link 'a'")


def test_names_in_the_line_are_kept():
    """Lines that name different files stay apart, since each file has to be copied."""
    lines = [f"link 'a{i}': visual 'v' names the mesh '{i}.stl', outside of the file's folder" for i in range(9)]
    assert summarized_losses(lines) == lines


def test_a_line_that_occurs_again():
    """It is one line with its count, also where lines are not folded."""
    assert summarized_losses(["a", "b", "a"]) == ["a (2 times)", "b"]
    lines = [f"light '{name}' is left out" for name in "abcda"]
    assert summarized_losses(lines) == ["light 'a' is left out (and 4 more like this: 'b', 'c', 'd')"]
    assert once(["a", "b", "a", "a"]) == ["a (3 times)", "b"]


def test_writers_fold_their_losses(tmp_path):
    """Guards `write`: fifty steps that bounce are one line."""
    model = Model("m")
    for number in range(50):
        bouncy = Shape("step", Box((1.0, 1.0, 1.0)), surface=Surface(restitution=0.5))
        model.links.append(Link(f"l{number}", 1.0, collisions=[bouncy]))
        model.joints.append(Joint(f"j{number}", "fixed", WORLD, f"l{number}"))
    losses = [line for line in write(model, tmp_path / "m.xml") if "restitution" in line]
    assert len(losses) == 1
    assert "(and 49 more like this: " in losses[0]

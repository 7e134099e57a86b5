# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about many objects that differ by names and numbers only are one line for people."""

import json

import pytest

from limberjack.core.check import Issue
from limberjack.core.check.summarizing import summarized, summarized_notes
from limberjack.core.cli import main

FINGER = """<link name="finger{0}"><inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>
</inertial><visual name="v"><geometry><mesh><uri>seen{0}.obj</uri></mesh></geometry></visual>
<collision name="c"><geometry><mesh><uri>finger{0}.obj</uri></mesh></geometry></collision></link>"""


def issue(number, severity="warning", code="mass", kind="link"):
    return Issue(severity, code, f"{kind} 'a{number}'", f"its mass is {number}.5e-3 kg, and 'b{number}' carries it")


@pytest.mark.parametrize(("count", "lines"), [(3, 3), (4, 1), (20, 1)])
def test_many_are_one(count, lines):
    """Guards the limit, the count, and the first names; the line begins as that of the first issue."""
    issues = [issue(number) for number in range(count)]
    found = summarized(issues)
    assert len(found) == lines
    assert found[0].format("m.sdf").startswith(issues[0].format("m.sdf"))
    if lines == 1:
        rest = ", …" if count > 4 else ""
        assert found[0].message.endswith(f" (and {count - 1} more like this: 'a1', 'a2', 'a3'{rest})")


def test_what_differs_stays_apart():
    """Guards issues of other severities, codes, kinds of objects and sentences; errors, which are all to be repaired;
    and the order of the rest."""
    others = [issue(9, severity="note"), issue(9, code="other"), issue(9, kind="joint")]
    others.append(Issue("warning", "mass", "link 'a9'", "it has no mass"))
    errors = [issue(number, severity="error") for number in range(5)]
    alike = [issue(number) for number in range(4)]
    found = summarized([others[0], alike[0], *others[1:3], *alike[1:], others[3], *errors])
    assert [each for each in found if each in others] == others
    assert [each for each in found if each.is_error] == errors
    assert found[1].subject == "link 'a0'"
    assert len(found) == 4 + 1 + 5


def test_issues_of_one_object():
    """Guards lines that repeat the same sentence about one joint: a count, and no name twice."""
    (found,) = summarized([issue(1)] * 5)
    assert found.message.endswith(" (and 4 more like this)")


def test_notes():
    """Guards notes, which are sentences without a code."""
    notes = [f"the mesh 'm{number}.obj' is not found (line {number})" for number in range(6)]
    expected = notes[0] + " (and 5 more like this: 'm1.obj', 'm2.obj', 'm3.obj', …)"
    assert summarized_notes([*notes, "the wind blows"]) == [expected, "the wind blows"]
    assert summarized_notes(notes[:3]) == notes[:3]


@pytest.mark.parametrize("verb", [["check"], ["simulate", "--duration", "0.1"]])
def test_a_hand_of_many_fingers(tmp_path, capsys, verb):
    """Guards robots whose meshes are missing: one line for the collisions, one for the visuals, and all in --json."""
    path = tmp_path / "hand.sdf"
    fingers = "".join(FINGER.format(number) for number in range(20))
    path.write_text(f'<sdf version="1.9"><model name="hand"><static>true</static>{fingers}</model></sdf>')
    assert main([verb[0], str(path), *verb[1:]]) == 0
    printed = capsys.readouterr()
    lines = (printed.out + printed.err).splitlines()
    (collisions,) = [line for line in lines if " collision-shape: " in line]
    assert "link 'finger0'" in collisions
    assert "19 more like this: 'finger1', 'finger2', 'finger3', …" in collisions
    (visuals,) = [line for line in lines if "seen" in line]
    assert "19 more" in visuals
    main(["check", str(path), "--json"])
    found = json.loads(capsys.readouterr().out)
    named = {each["subject"] for each in found["issues"] if each["code"] == "collision-shape"}
    assert named == {f"link 'finger{number}'" for number in range(20)}
    assert sum("seen" in note for note in found["notes"]) == 20

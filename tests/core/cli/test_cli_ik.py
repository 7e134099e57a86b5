# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack ik`: what it finds, prints and writes, and its exit codes."""

import json
import math
from pathlib import Path

import pytest

from limberjack.core import cli

PENDULUM = Path(__file__).parents[3] / "sample_scenes" / "double_pendulum.sdf"
FOUR_BAR = Path(__file__).parents[2] / "data" / "four_bar.sdf"
UPPER, TOP = 0.8, 1.8
"""Of the double pendulum: the upper bar's length, and the height of its pin [m]."""

ELBOW = (0.8 * math.sin(0.7), 0.0, TOP - 0.8 * math.cos(0.7))
"""Where the lower bar's origin is with the shoulder 0.7 rad off, to one side or the other, about the y axis."""


def at(link: str, *numbers: float) -> str:
    return f"{link}={','.join(f'{number!r}' for number in numbers)}"


def ask(*options: str, file: Path = PENDULUM) -> int:
    return cli.main(["ik", str(file), *options])


def answer(capsys, *options: str, file: Path = PENDULUM) -> dict:
    assert ask(*options, "--json", file=file) == cli.DONE
    return json.loads(capsys.readouterr().out)


def test_a_place(capsys):
    """The shoulder's angle is the one that the law of the circle says, and the link stands there."""
    found = answer(capsys, "--target", at("lower", *ELBOW))
    assert found["reached"]
    assert abs(found["q"]["shoulder"][0]) == pytest.approx(0.7, abs=1e-6)
    assert found["X_WL"]["lower"][:3] == pytest.approx(ELBOW, abs=1e-6)


def test_a_place_and_an_orientation(capsys):
    """Both bars' angles follow from where the lower one begins and how it is turned."""
    sign = math.copysign(1.0, answer(capsys, "--target", at("lower", *ELBOW))["q"]["shoulder"][0])
    turn = (math.cos(0.2), 0.0, sign * -math.sin(0.2), 0.0)
    found = answer(capsys, "--target", at("lower", *ELBOW, *turn))
    turned = found["X_WL"]["lower"][3:]
    assert abs(sum(a * b for a, b in zip(turned, turn, strict=True))) == pytest.approx(1.0, abs=1e-9)


def test_a_point_of_the_link(capsys):
    """--point: it is the lower bar's end that gets there."""
    end = (0.8, 0.0, 1.4)
    found = answer(capsys, "--target", at("lower", *end), "--point", at("lower", 0.0, 0.0, -0.6))
    x, y, z, qw, _, qy, _ = found["X_WL"]["lower"]
    tilt = 2.0 * math.atan2(qy, qw)
    assert (x - 0.6 * math.sin(tilt), y, z - 0.6 * math.cos(tilt)) == pytest.approx(end, abs=1e-6)


def test_looking_at_a_point(capsys):
    """--look-at: the axis of the upper bar points from its pin at the point, and a lock keeps the other joint."""
    found = answer(capsys, "--look-at", at("upper", 1.0, 0.0, TOP - 1.0, 0.0, 0.0, -1.0), "--lock", "elbow")
    assert abs(found["q"]["shoulder"][0]) == pytest.approx(math.pi / 4.0, abs=1e-6)
    assert found["q"]["elbow"] == [0.0]


def test_a_pin(capsys):
    """--pin: the upper bar stays where the initial state has it, and the lower one comes as near as it can."""
    assert ask("--target", at("lower", 5.0, 0.0, TOP), "--pin", "upper", "--json") == cli.SIMULATION_FAILED
    told = capsys.readouterr()
    assert json.loads(told.out)["q"]["shoulder"] == pytest.approx([0.0], abs=1e-9)
    assert "link 'lower' stays" in told.err


def test_a_loop_stays_closed(tmp_path, capsys):
    """Led to where the crank's end is at 0.4 rad, all joints of a four-bar have the values that the loop gives them."""
    out = tmp_path / "pose.json"
    pin = (math.sin(0.4), 0.0, math.cos(0.4))
    assert ask("--target", at("coupler", *pin), "-o", str(out), file=FOUR_BAR) == cli.DONE
    table = capsys.readouterr().out
    values = json.loads(out.read_text())["q"]
    assert set(values) == {"crank_pivot", "crank_pin", "rocker_pivot", "rocker_pin"}
    assert all(name in table for name in values)
    assert values["crank_pivot"] == pytest.approx([0.4], abs=1e-6)
    x, z = pin[0] - 2.5, pin[2]  # from the rocker's pivot to the crank's end
    way, coupler, rocker = math.hypot(x, z), math.hypot(2.0, 0.5), math.hypot(0.5, 1.5)
    inner = math.acos((rocker**2 + way**2 - coupler**2) / (2.0 * rocker * way))
    lean = math.atan2(x, z) + inner - math.atan2(-0.5, 1.5)
    assert values["rocker_pivot"] == pytest.approx([lean], abs=1e-5)


def test_the_pose_is_one_to_start_from(tmp_path, capsys):
    """Guards -o: `simulate --initial` and `ik --initial` take the file, and nothing moves that is there already."""
    out, motion = tmp_path / "pose.json", tmp_path / "motion.csv"
    assert ask("--target", at("lower", *ELBOW), "-o", str(out)) == cli.DONE
    pose = json.loads(out.read_text())["q"]
    run = ["simulate", str(PENDULUM), "--duration", "0.1", "--initial", str(out), "-o", str(motion)]
    assert cli.main(run) == cli.DONE
    row = motion.read_text().splitlines()[1].split(",")
    assert float(row[1]) == pytest.approx(pose["shoulder"][0])
    capsys.readouterr()
    again = answer(capsys, "--target", at("lower", *ELBOW), "--initial", str(out), "--rest", str(out))
    assert again["steps"] == 0
    assert again["q"]["elbow"] == pytest.approx(pose["elbow"], abs=1e-9)


def test_out_of_reach(capsys):
    """The nearest pose is printed, the exit code is that of a failure, and a line says which link and how far."""
    assert ask("--target", at("lower", 3.0, 0.0, TOP), "--json") == cli.SIMULATION_FAILED
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["misses"][0]["distance"] == pytest.approx(3.0 - UPPER, abs=1e-6)
    assert found["X_WL"]["lower"][0] == pytest.approx(UPPER, abs=1e-4)
    assert told.err.splitlines()[-1].endswith(
        "link 'lower' stays 2.2 m from its target: out of reach; this is the nearest pose that was found"
    )


def test_nothing_may_move(capsys):
    """All joints locked: the pose is the one that it began with, and the line says why."""
    locks = ["--lock", "shoulder", "--lock", "elbow"]
    assert ask("--target", at("lower", *ELBOW), "--json", *locks) == cli.SIMULATION_FAILED
    told = capsys.readouterr()
    assert json.loads(told.out)["q"] == {"shoulder": [0.0], "elbow": [0.0]}
    assert "everything that could move is held" in told.err


def test_a_base_that_floats(tmp_path, capsys):
    """It stays unless --free-base lets it go along."""
    free = tmp_path / "free.sdf"
    mount = '<joint name="mount" type="fixed">\n      <parent>world</parent>\n      <child>stand</child>\n    </joint>'
    text = PENDULUM.read_text()
    assert mount in text
    free.write_text(text.replace(mount, ""))
    far = at("lower", 3.0, 1.0, 2.0)
    assert ask("--target", far, file=free) == cli.SIMULATION_FAILED
    capsys.readouterr()
    found = answer(capsys, "--target", far, "--free-base", file=free)
    assert found["X_WL"]["lower"][:3] == pytest.approx((3.0, 1.0, 2.0), abs=1e-6)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ([], cli.UNUSABLE, "nothing is asked for"),
        (["--target", "lower=1,2"], cli.UNUSABLE, "--target lower=1,2: takes LINK=X,Y,Z[,QW,QX,QY,QZ]"),
        (["--target", "lower=1,2,3,1"], cli.UNUSABLE, "takes LINK=X,Y,Z"),
        (["--target", "lower=a,b,c"], cli.UNUSABLE, "takes LINK=X,Y,Z"),
        (["--target", "=1,2,3"], cli.UNUSABLE, "takes LINK=X,Y,Z"),
        (["--target", "lower=nan,0,0"], cli.UNUSABLE, "takes 3 numbers up to 1e+12 as place"),
        (["--target", "lower=0,0,0,0,0,0,0"], cli.UNUSABLE, "link 'lower' needs a quaternion"),
        (["--target", "lower=1,2,3", "--target", "lower=1,2,4"], cli.UNUSABLE, "link 'lower' has one already"),
        (["--target", "lower=1,2,3,1,0,0,0", "--turn", "lower=1,0,0,0"], cli.UNUSABLE, "turned by its --target"),
        (["--turn", "lower=1,0,0,0", "--look-at", "lower=1,0,0"], cli.UNUSABLE, "two orientations"),
        (["--target", "lower=1,2,3", "--point", "upper=0,0,0"], cli.UNUSABLE, "link 'upper' has no target"),
        (["--target", "foot=1,2,3"], cli.UNUSABLE, "there is no link 'foot'; there are: stand, upper, lower"),
        (["--target", "lower=1,2,3", "--lock", "knee"], cli.UNUSABLE, "there is no joint 'knee'; there are: mount"),
        (["--target", "lower=1,2,3", "--starts", "0"], cli.UNUSABLE, "not a whole number"),
        (["--target", "lower=1,2,3", "--tolerance", "-1"], cli.UNUSABLE, "not a number above 0"),
        (["--target", "lower=1,2,3", "-o", "pose.txt"], cli.UNUSABLE, "the name must end in .json"),
    ],
)
def test_wrong_use(capsys, options, code, words):
    """One line that says what was found and what is allowed, and nothing on stdout."""
    assert ask(*options) == code
    told = capsys.readouterr()
    assert words in told.err
    assert not told.out


@pytest.mark.parametrize(
    ("option", "text", "code", "words"),
    [
        ("--initial", '{"q": {"knee": 1.0}}', cli.HAS_ERRORS, "no joint 'knee' moves"),
        ("--rest", '{"q": {"knee": 1.0}}', cli.HAS_ERRORS, "no joint 'knee' moves"),
        ("--initial", '{"q": 3}', cli.HAS_ERRORS, "must map joint names to numbers"),
        ("--rest", "[]", cli.UNUSABLE, "must hold an object"),
        ("--rest", '{"p": {}}', cli.HAS_ERRORS, "allowed are q, qd"),
    ],
)
def test_a_bad_state(tmp_path, capsys, option, text, code, words):
    """Guards both state files: the line names the one that is wrong."""
    path = tmp_path / "state.json"
    path.write_text(text)
    assert ask("--target", at("lower", *ELBOW), option, str(path)) == code
    told = capsys.readouterr()
    assert words in told.err
    assert "state.json" in told.err
    assert not told.out

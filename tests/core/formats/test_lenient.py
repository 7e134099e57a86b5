# SPDX-License-Identifier: GPL-3.0-or-later
"""What simulators read though it is wrong: read here with a warning, and refused by --strict, class by class."""

import io
import json
import math
import sys

import pytest

from limberjack.core import cli
from limberjack.core.formats import UnreadableError, read

SUN = '<sdf version="1.6"><light name="sun" type="directional"><pose>0 0 10 0 0 0</pose></light></sdf>'
INCLUDE = "<include><uri>{}</uri></include>"
LINK = '<model name="m"><link name="a"/></model>'
TWO_LINKS = '<link name="a"/><link name="b"/>'
JOINT = '<joint name="j" type="{}"><parent link="a"/><child link="b"/>{}</joint>'
FRAMES = '<link name="a"/><frame name="f" attached_to="a"/><frame name="g" attached_to="a"/>'
FIXED = '<joint name="j" type="fixed"><parent>{}</parent><child>{}</child></joint>'


def world(body, version="1.9"):
    return f'<sdf version="{version}"><world name="w">\n{body}\n</world></sdf>'


def model(body, version="1.9"):
    return f'<sdf version="{version}"><model name="m">\n{body}\n</model></sdf>'


def robot(body):
    return f'<robot name="r">\n{body}\n</robot>'


def visual(scale):
    return f'<link name="a"><visual><geometry><mesh filename="x.stl" scale="{scale}"/></geometry></visual></link>'


CASES = {
    "a world of lights": (world('<light name="l"/>'), "no-links", lambda m: len(m.lights) == 1),
    "a world of nothing": (world(""), "no-links", lambda m: m.links == []),
    "a robot of nothing": (robot(""), "no-links", lambda m: m.links == []),
    "an include of nothing known": (world(LINK + INCLUDE.format("none")), "include-without-model", lambda m: m.links),
    "commas": (
        model('<link name="a"><pose>1, 2, 3, 0, 0, 0</pose></link>'),
        "odd-number",
        lambda m: m.links[0].pose[:3] == (1.0, 2.0, 3.0),
    ),
    "a mark behind a number": (
        model('<link name="a"><inertial><mass>2.5"</mass></inertial></link>'),
        "odd-number",
        lambda m: m.links[0].mass == 2.5,
    ),
    "a unit": (
        model('<link name="a"><inertial><mass>2.5kg</mass></inertial></link>'),
        "odd-number",
        lambda m: m.links[0].mass == 2.5,
    ),
    "a zero that is missing": (
        model('<link name="a"><pose>1 2 3 0 0</pose></link>'),
        "odd-number",
        lambda m: m.links[0].pose[:3] == (1.0, 2.0, 3.0),
    ),
    "a fourth scale": (
        robot(visual("1 2 3 1")),
        "odd-number",
        lambda m: m.links[0].visuals[0].geometry.scale[1] == 2.0,
    ),
    "one scale": (robot(visual(".5")), "odd-number", lambda m: m.links[0].visuals[0].geometry.scale == (0.5,) * 3),
    "two models": (
        f'<sdf version="1.9">{LINK}<model name="n"><link name="b"/></model></sdf>',
        "several-models",
        lambda m: [link.name for link in m.links] == ["a"],
    ),
    "a second root": (robot(TWO_LINKS), "several-roots", lambda m: len(m.links) == 2),
    "a left-over tag": (robot('<link name="a"/><xacro:arm side="left"/>'), "left-over", lambda m: len(m.links) == 1),
    "a mimic of a fixed joint": (
        robot(
            f'{TWO_LINKS}<link name="c"/>{JOINT.format("fixed", "")}'
            '<joint name="k" type="continuous"><parent link="b"/><child link="c"/><mimic joint="j"/></joint>'
        ),
        "idle-mimic",
        lambda m: m.joints[1].mimic is None,
    ),
    "a fixed joint that mimics": (
        robot(TWO_LINKS + JOINT.format("fixed", '<mimic joint="j"/>')),
        "idle-mimic",
        lambda m: m.joints[0].mimic is None,
    ),
    "a mimic of nothing": (
        robot(TWO_LINKS + JOINT.format("continuous", '<mimic joint="gone"/>')),
        "idle-mimic",
        lambda m: m.joints[0].mimic is None,
    ),
    "a negative velocity limit": (
        robot(TWO_LINKS + JOINT.format("revolute", '<limit lower="-1e16" upper="1e16" effort="9" velocity="-1"/>')),
        "negative-limit",
        lambda m: (m.joints[0].axes[0].velocity, m.joints[0].axes[0].effort) == (math.inf, 9.0),
    ),
    "a negative effort limit": (
        robot(TWO_LINKS + JOINT.format("prismatic", '<limit lower="0" upper="1" effort="-1" velocity="2"/>')),
        "negative-limit",
        lambda m: (m.joints[0].axes[0].velocity, m.joints[0].axes[0].effort) == (2.0, math.inf),
    ),
    "a link joined to itself": (
        model(f'<model name="n">{FRAMES}{FIXED.format("f", "g")}</model>'),
        "joins-itself",
        lambda m: m.joints == [],
    ),
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "model.sdf").write_text('<sdf version="1.6"><actor name="x"/></sdf>')
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_what_simulators_read_is_read(files, case):
    """Guards each class: one warning that names it, the model as simulators have it; an error if strict."""
    text, code, holds = CASES[case]
    path = files / ("m.urdf" if text.startswith("<robot") else "m.sdf")
    path.write_text(text)
    reading = read(path)
    assert reading.ok
    assert code in [issue.code for issue in reading.issues]
    assert holds(reading.model)
    strict = read(path, strict=True)
    assert code in [issue.code for issue in strict.issues if issue.is_error]


@pytest.mark.parametrize("uri", ["model://sun", "sun", "file://sun"])
def test_an_included_sun_is_a_light(files, uri):
    """Guards Gazebo's classic idiom, of which nothing is wrong: the light is there, and nothing is told."""
    (files / "sun").mkdir()
    (files / "sun" / "model.sdf").write_text(SUN)
    (files / "w").mkdir()
    path = files / "w" / "w.sdf"
    path.write_text(world(LINK + INCLUDE.format(uri), "1.6"))
    reading = read(path, [files], strict=True)
    assert reading.issues == []
    assert [(light.name, light.pose[2]) for light in reading.model.lights] == [("sun", 10.0)]


def test_includes_are_found_beside_any_including_file(files):
    """Guards models in folders of their own that name what lies beside the world."""
    (files / "inner").mkdir()
    (files / "part.sdf").write_text(model('<link name="p"/>'))
    (files / "inner" / "arm.sdf").write_text(model(f'<link name="a"/>{INCLUDE.format("part.sdf")}'))
    path = files / "w.sdf"
    path.write_text(world(INCLUDE.format("inner/arm.sdf")))
    assert read(path, strict=True).ok


def test_flattened_frames(files):
    """Guards files of 1.7 whose inner models were flattened: `a::__model__` is what `a` means."""
    body = (
        '<frame name="M::__model__" attached_to="M::L"><pose relative_to="__model__">10 0 0 0 0 0</pose></frame>'
        '<frame name="M::F" attached_to="M::__model__"><pose>1 0 0 0 0 0</pose></frame>'
        '<link name="M::L"><pose relative_to="M::F"/></link>'
    )
    path = files / "m.sdf"
    path.write_text(model(body, "1.7"))
    reading = read(path)
    assert reading.ok
    assert reading.model.links[0].pose[0] == pytest.approx(11.0)


@pytest.mark.parametrize(
    "text",
    [
        model('<link name="a"><pose>0,5 0 0 0 0 0</pose></link>'),
        model('<link name="a"><inertial><mass>0,5</mass></inertial></link>'),
        model('<link name="a"><inertial><mass>90deg</mass></inertial></link>'),
        model('<link name="a"><pose>1 2 3</pose></link>'),
        model('<link name="a"/><link name="a"/>'),
        model('<link name="__a__"/>'),
        model("<frame name='f'/>"),
        world('<model name="m"/>'),
        world(INCLUDE.format("missing")),
        f'<sdf version="1.9">{INCLUDE.format("none")}</sdf>',
        model('<link name="a"/>' + FIXED.format("j", "a")),
        model('<link name="a"/>' + FIXED.format("a", "a")),
        model('<link name="a"/>' + FIXED.format("a", "world")),
        model(FRAMES + FIXED.format("f", "g")),
        model(FRAMES + FIXED.format("a", "g")),
        model(f'<model name="n">{FRAMES}{FIXED.format("f", "f")}</model>'),
        robot(TWO_LINKS + JOINT.format("continuous", '<mimic joint="j"/>')),
    ],
)
def test_what_is_refused_for_good_reason_stays_so(files, text):
    """Guards against reading too much: decimal commas, degrees, half poses, bad names, circles, world as child, joints
    of a link with itself that libsdformat sees, and no links where a model should have some, or where what would have
    brought them is missing."""
    path = files / ("m.urdf" if text.startswith("<robot") else "m.sdf")
    path.write_text(text)
    assert not read(path).ok


@pytest.mark.parametrize(
    "body",
    [
        '<xacro:include filename="x"/><link name="a"/>',
        "<xacro:arm/>",
        '<link name="a"/><xacro:macro name="x"><link name="b"/></xacro:macro>',
    ],
)
def test_xacro_files_are_none_of_ours(files, body):
    """Guards programs: what xacro has yet to do is told, not passed over."""
    path = files / "m.urdf"
    path.write_text(robot(body))
    with pytest.raises(UnreadableError, match="this is a xacro file"):
        read(path)


def test_a_world_of_lights_goes_through_the_commands(files, capsys):
    """Guards what is read without links: check lets it pass, SDF has it back, URDF cannot have it."""
    path = files / "lights.sdf"
    path.write_text(world('<light name="l"/>'))
    assert cli.main(["check", str(path)]) == 0
    assert "warning no-links" in capsys.readouterr().out
    assert cli.main(["convert", str(path), str(files / "again.sdf")]) == 0
    again = read(files / "again.sdf")
    assert again.ok
    assert (again.model.name, [light.name for light in again.model.lights]) == ("w", ["l"])
    assert cli.main(["convert", str(path), str(files / "again.urdf")]) == 2
    assert "has no links" in capsys.readouterr().err
    assert not (files / "again.urdf").exists()


# ---- the command line


@pytest.fixture
def piped(monkeypatch):
    def pipe(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return pipe


KINEMATIC = robot(
    '<link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual></link>'
    '<link name="b"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>'
    + JOINT.format("revolute", '<limit lower="-1" upper="1" effort="3" velocity="2"/>')
)


def test_a_pipe(piped, capsys):
    """Guards `cat arm.urdf | limberjack info - --json | …`."""
    piped(KINEMATIC)
    assert cli.main(["info", "-", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [link["name"] for link in told["links"]] == ["a", "b"]
    piped("")
    assert cli.main(["info", "-"]) == cli.UNUSABLE
    assert "the file is empty" in capsys.readouterr().err


def test_check_as_json(files, capsys):
    """Guards pipelines: one object, the codes and lines that the text has, also of a file that cannot be read."""
    path = files / "m.sdf"
    path.write_text(model('<link name="a"><pose>x</pose></link>'))
    assert cli.main(["check", str(path), "--json"]) == cli.HAS_ERRORS
    told = json.loads(capsys.readouterr().out)
    assert (told["errors"], told["warnings"]) == (1, 0)
    issue = told["issues"][0]
    assert (issue["code"], issue["line"], issue["file"]) == ("bad-number", 2, str(path))
    path.write_text("<sdf")
    assert cli.main(["check", str(path), "--json"]) == cli.UNUSABLE
    assert json.loads(capsys.readouterr().out)["issues"][0]["code"] == "unreadable"


def test_info_shows_velocity_and_effort(piped, capsys):
    """Guards what a roboticist looks for first."""
    piped(KINEMATIC)
    assert cli.main(["info", "-"]) == 0
    told = capsys.readouterr().out
    assert "114.592 deg/s" in told
    assert "3 N m" in told


def test_density_weighs_what_has_no_masses(files, piped, capsys):
    """Guards kinematics-only robots: 1 m^3 weighs what was asked, they move, and a model with masses stays as it is."""
    path = files / "m.urdf"
    path.write_text(KINEMATIC)
    assert cli.main(["info", str(path), "--density", "1000", "--json"]) == 0
    links = json.loads(capsys.readouterr().out)["links"]
    assert links[0]["mass"] == pytest.approx(1000.0)
    assert links[0]["inertia_com_linkaxes"]["ixx"] == pytest.approx(1000.0 / 6.0)
    assert links[1]["mass"] == pytest.approx(1000.0 * 4.0 / 3.0 * 3.141592653589793e-3)
    assert cli.main(["check", str(path), "--density", "0"]) == cli.UNUSABLE
    heavy = '<inertial><mass value="1"/></inertial>'
    path.write_text(
        KINEMATIC.replace("<visual>", f"{heavy}<visual>", 1).replace("<collision>", f"{heavy}<collision>", 1)
    )
    assert cli.main(["check", str(path), "--density", "10"]) == 0
    assert "has-masses" in capsys.readouterr().out
    piped(KINEMATIC)
    assert cli.main(["convert", "-", str(files / "out.sdf")]) == 0


def test_a_search_folder_that_is_not_there_is_a_warning(piped, capsys):
    """Guards scripts that name folders which some machines lack."""
    piped(KINEMATIC)
    assert cli.main(["info", "-", "--path", "/not/there"]) == 0
    assert "warning: --path /not/there: there is no such folder" in capsys.readouterr().err

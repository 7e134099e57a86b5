# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that a file includes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from limberjack.core import formats
from limberjack.core.formats.sdf.include import MAX_INCLUDES

ARM = (
    '<sdf version="{version}"><model name="arm" canonical_link="hand"><pose>5 0 0 0 0 0</pose><link name="base"/>'
    '<link name="hand"><pose>0 0 1 0 0 0</pose></link><frame name="grip" attached_to="hand"><pose>0 0 0.5 0 0 0</pose>'
    '</frame><joint name="wrist" type="revolute"><pose relative_to="__model__">0 0 0.8 0 0 0</pose>'
    "<parent>base</parent><child>hand</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"
)
QUARTER = math.sqrt(0.5)


@pytest.fixture
def read(tmp_path):
    """Reads a world or a model beside which the model folder `arm` lies."""
    folder = tmp_path / "arm"
    folder.mkdir()
    (folder / "old.sdf").write_text(ARM.format(version="1.4"))
    (folder / "new.sdf").write_text(ARM.format(version="1.9"))
    (folder / "model.config").write_text(
        '<model><sdf version="1.4">old.sdf</sdf><sdf version="1.9">new.sdf</sdf></model>'
    )

    def read_text(inside: str, around: str = "world", version: str = "1.9", **options):
        path = tmp_path / "top.sdf"
        path.write_text(f'<sdf version="{version}"><{around} name="top">{inside}</{around}></sdf>')
        return formats.read(path, **options)

    return read_text


def include(inside: str = "", uri: str = "arm", attributes: str = "") -> str:
    return f"<include {attributes}><uri>{uri}</uri>{inside}</include>"


def near(pose):
    return pytest.approx(pose, abs=1e-12)


@pytest.mark.parametrize("uri", ["arm", "arm/", "arm/new.sdf", "model://arm", "model://arm/new.sdf", "package://arm"])
def test_wherever_the_uri_says(read, uri):
    """Guards every way to name a model that lies beside the file: a folder means its newest file."""
    reading = read(include(uri=uri))
    assert reading.issues == []
    assert [link.name for link in reading.model.links] == ["arm::base", "arm::hand"]
    assert reading.model.link("arm::hand").pose == near((5, 0, 1, 1, 0, 0, 0))


def test_file_uris_and_search_paths(read, tmp_path):
    """Guards absolute file:// uris, and folders that are given to search."""
    assert read(include(uri=(tmp_path / "arm").as_uri())).issues == []
    apart = tmp_path.parent / f"{tmp_path.name}-apart"
    (tmp_path / "arm").rename(apart)
    assert read(include(uri=apart.as_uri())).issues[0].code == "include-not-found"
    elsewhere = read(include(uri=f"model://{apart.name}"), search=[apart.parent])
    assert [link.name for link in elsewhere.model.links] == ["arm::base", "arm::hand"]


def test_what_the_include_says_goes_before_what_the_model_says(read):
    """Guards name, pose and static of an <include>."""
    reading = read(include("<name>left</name><pose>0 2 0 0 0 1.5707963267948966</pose><static>true</static>"))
    model = reading.model
    assert model.link("left::hand").pose == near((0, 2, 1, QUARTER, 0, 0, QUARTER))
    assert [joint.name for joint in model.joints] == ["left::base_static", "left::hand_static"]


def test_a_placement_frame_takes_the_pose(read):
    """Guards placement_frame: the grip, 1.5 above the model's origin, goes where the pose says."""
    reading = read(include("<pose>0 0 10 0 0 0</pose><placement_frame>grip</placement_frame>"))
    assert reading.model.link("arm::base").pose == near((0, 0, 8.5, 1, 0, 0, 0))
    without = read(include("<placement_frame>grip</placement_frame>"))
    assert [issue.code for issue in without.issues] == ["placement-without-pose"]


def test_a_placement_frame_may_stand_on_other_turned_frames(read):
    """Guards the order of a chain of frames: x forward by 1, a quarter turn about z, then x (now y) forward by 2."""
    frames = (
        '<frame name="first"><pose>1 0 0 0 0 1.5707963267948966</pose></frame>'
        '<frame name="second"><pose relative_to="first">2 0 0 0 0 0</pose></frame>'
        '<frame name="third"><pose relative_to="second">0 0 3 1.5707963267948966 0 0</pose></frame>'
    )
    inside = f'<pose>0 0 10 0 0 0</pose><link name="l"/>{frames}'
    model = read(f'<model name="m" placement_frame="second">{inside}</model>').model
    assert model.link("l").pose == near((-2.0, 1.0, 10.0, QUARTER, 0.0, 0.0, -QUARTER))  # (1, 2, 0), turned back
    model = read(f'<model name="m" placement_frame="third">{inside}</model>').model
    assert model.link("l").pose[:3] == near((-2.0, -3.0, 9.0))  # less (1, 2, 3), turned back about z and about x


def test_a_merged_model_has_its_names_without_its_own(read):
    """Guards merge: links, joints and frames come up, and `__model__` in them still means where the model stands."""
    reading = read(include("<pose>0 0 10 0 0 0</pose>", attributes='merge="true"') + '<link name="own"/>', "model")
    assert reading.issues == []
    assert {link.name for link in reading.model.links} == {"own", "base", "hand"}
    joint = reading.model.joint("wrist")
    assert joint.X_PJ == near((0, 0, 0.8, 1, 0, 0, 0))
    assert reading.model.link("hand").pose == near((0, 0, 11, 1, 0, 0, 0))
    assert [(frame.name, frame.link) for frame in reading.model.frames] == [("grip", "hand")]


def test_joints_reach_into_an_included_model(read):
    """Guards references downward, and axes of an old file by the rules of its own version."""
    joint = '<joint name="j" type="fixed"><parent>own</parent><child>arm::grip</child></joint>'
    reading = read('<link name="own"/>' + include() + joint, "model")
    assert (reading.model.joint("j").parent, reading.model.joint("j").child) == ("own", "arm::hand")


def test_a_circle_of_files_is_told(read, tmp_path):
    """Guards against reading for ever: the circle is named."""
    (tmp_path / "arm" / "new.sdf").write_text(
        '<sdf version="1.9"><model name="arm"><link name="a"/>\n<include><uri>model://arm</uri></include></model></sdf>'
    )
    (issue,) = (issue for issue in read(include()).issues if issue.is_error)
    assert (issue.code, issue.line, Path(issue.file).name) == ("include-cycle", 2, "new.sdf")
    assert "new.sdf -> new.sdf" in issue.message


def test_files_that_double_are_stopped(tmp_path):
    """Guards against a bomb of includes: twenty files, each with two of the next, are a million models."""
    for i in range(20):
        twice = "".join(f"<include><name>{n}</name><uri>m{i + 1}.sdf</uri></include>" for n in "ab")
        (tmp_path / f"m{i}.sdf").write_text(f'<sdf version="1.9"><model name="m"><link name="l"/>{twice}</model></sdf>')
    (tmp_path / "m20.sdf").write_text('<sdf version="1.9"><model name="m"><link name="l"/></model></sdf>')
    reading = formats.read(tmp_path / "m0.sdf")
    assert "too-many-includes" in {issue.code for issue in reading.issues}
    assert len(reading.partial.links) <= MAX_INCLUDES + 1


def test_what_is_wrong_in_an_included_file_is_told_with_that_file(read, tmp_path):
    """Guards file and line of findings, the reader's and the model's, in a file that another includes."""
    (tmp_path / "arm" / "new.sdf").write_text(
        '<sdf version="1.9"><model name="arm"><link name="a"/>\n<link name="a"/>\n'
        '<link name="b"><inertial><mass>-1</mass></inertial></link></model></sdf>'
    )
    found = {issue.code: issue.format("top.sdf").partition(": ")[0] for issue in read(include()).issues}
    file = (tmp_path / "arm" / "new.sdf").resolve()
    assert found == {"repeated-name": f"{file}:2", "negative-mass": f"{file}:3"}


@pytest.mark.parametrize(
    ("inside", "code", "severity"),
    [
        (include(uri="model://sun"), "include-not-found", "warning"),
        (include(uri="https://example.org/arm"), "include-not-found", "warning"),
        (include(uri=""), "include-not-found", "warning"),
        (include(uri="../top.sdf"), "include-not-found", "error"),
        (f'<model name="m"><link name="l"/>{include(uri="gone")}</model>', "include-not-found", "error"),
    ],
)
def test_what_cannot_be_included(read, tmp_path, inside, code, severity):
    """Guards against silence: a thing of the world may be missing and is kept, a part of a model may not."""
    (tmp_path.parent / "top.sdf").write_text("<sdf/>")
    issues = read(inside + '<model name="there"><link name="l"/></model>').issues
    found = [(issue.code, issue.severity) for issue in issues]
    assert found == [(code, severity)]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Every number of a file that has them all, one after the other put to each extreme."""

from __future__ import annotations

import json
import re

import pytest

from limberjack.core import formats
from limberjack.core.cli import describe
from limberjack.core.formats import UnwritableError
from support.cases import some

EXTREMES = ("0", "-1", "1e200", "-1e308", "1e-300", "nan", "inf", "1e999")

SHAPES = {
    "box": "<size>1 2 3</size>",
    "sphere": "<radius>1</radius>",
    "cylinder": "<radius>1</radius><length>2</length>",
    "capsule": "<radius>1</radius><length>2</length>",
    "cone": "<radius>1</radius><length>2</length>",
    "ellipsoid": "<radii>1 2 3</radii>",
    "plane": "<normal>0 0 1</normal><size>1 1</size>",
    "polyline": "<point>0 0</point><point>1 0</point><point>0 1</point><height>1</height>",
    "mesh": "<uri>a.obj</uri><scale>1 1 1</scale>",
}
COLLISIONS = "".join(
    f'<collision name="{tag}"><density>1000</density><pose>0 0 1 0 0 0</pose><geometry><{tag}>{text}</{tag}></geometry>'
    "</collision>"
    for tag, text in SHAPES.items()
)
AXIS = (
    "<xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper><effort>2</effort><velocity>3</velocity><stiffness>4"
    "</stiffness><dissipation>5</dissipation></limit><dynamics><damping>1</damping><friction>1</friction>"
    "<spring_reference>0.5</spring_reference><spring_stiffness>2</spring_stiffness></dynamics>"
)
MIMIC = '<mimic joint="j"><multiplier>2</multiplier><offset>1</offset><reference>0.5</reference></mimic>'
SDF = (
    '<sdf version="1.12"><world name="w"><gravity>0 0 -9.8</gravity><light name="s" type="spot"><pose>0 0 5 0 0 0'
    "</pose><intensity>1</intensity><direction>0 0 -1</direction><diffuse>1 1 1 1</diffuse><attenuation><range>9"
    "</range><linear>1</linear></attenuation><spot><inner_angle>0.1</inner_angle><outer_angle>0.2</outer_angle><falloff>1</falloff>"
    '</spot></light><model name="m"><pose>1 2 3 0.1 0.2 0.3</pose><link name="a"><inertial auto="true"><density>7'
    f"</density></inertial>{COLLISIONS}</link>"
    '<link name="b"><pose degrees="true">0 0 1 10 20 30</pose><velocity_decay><linear>0.1</linear><angular>0.2'
    "</angular></velocity_decay><inertial><pose>0 0 0.1 0.1 0 0</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy>"
    "<izz>1</izz><ixy>0.1</ixy></inertia></inertial></link><link name='c'/><link name='d'/>"
    f'<joint name="j" type="revolute"><pose>0 0 0 0.1 0 0</pose><parent>a</parent><child>b</child><axis>{AXIS}</axis>'
    f'</joint><joint name="s" type="screw"><parent>a</parent><child>c</child><screw_thread_pitch>0.01'
    f"</screw_thread_pitch><axis>{AXIS}{MIMIC}</axis></joint>"
    '<joint name="g" type="gearbox"><parent>b</parent><child>c</child><gearbox_reference_body>a'
    "</gearbox_reference_body><gearbox_ratio>2</gearbox_ratio><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0"
    '</xyz></axis2></joint><frame name="f" attached_to="d"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 1'
    '</pose></frame><model_state name="m"><joint_state name="j"><axis_state><position>0.5</position></axis_state>'
    "</joint_state></model_state></model></world></sdf>"
)
OLD_SCREW = (
    '<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><joint name="s" type="screw"><parent>a</parent>'
    "<child>b</child><thread_pitch>-628</thread_pitch><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"
)
URDF = (
    '<robot name="r"><link name="a"><inertial><origin xyz="0 0 1" rpy="0.1 0 0"/><mass value="1"/><inertia ixx="1"'
    ' iyy="1" izz="1" ixy="0.1"/></inertial><visual><origin xyz="0 0 1" rpy="0.1 0 0"/><geometry><cylinder radius="1"'
    ' length="2"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual></link><link name="b"/>'
    '<link name="c"/><joint name="j" type="prismatic"><origin xyz="1 0 0" rpy="0 0.5 0"/><parent link="a"/><child'
    ' link="b"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="2" velocity="3"/><dynamics damping="1"'
    ' friction="2"/></joint><joint name="k" type="planar"><parent link="a"/><child link="c"/><axis xyz="0 1 0"/>'
    '</joint><gazebo reference="j"><springStiffness>3</springStiffness><springReference>1</springReference>'
    "</gazebo></robot>"
)
FILES = {"m.sdf": SDF, "old.sdf": OLD_SCREW, "m.urdf": URDF}
NUMBER = re.compile(r"(?<=[>\" ])-?\d+(?:\.\d+)?(?=[<\" ])")


@pytest.mark.parametrize("extreme", some(EXTREMES, ["1e200", "nan"]))
@pytest.mark.parametrize("name", FILES)
@pytest.mark.filterwarnings("error")
def test_a_file_with_one_extreme_number(tmp_path, name, extreme):
    """Guards against overflow and its like: each is read with findings or without, told, written, and never raised."""
    text = FILES[name]
    path = tmp_path / name
    numbers = [
        found.span() for found in NUMBER.finditer(text) if "version" not in text[found.start() - 10 : found.start()]
    ]
    assert len(numbers) > 5 or name == "old.sdf"
    for begin, end in numbers:
        path.write_text(text[:begin] + extreme + text[end:])
        reading = formats.read(path)
        if not reading.ok:
            continue
        json.dumps(describe(reading.model), allow_nan=False)
        for target in ("out.sdf", "out.urdf"):
            try:
                formats.write(reading.model, tmp_path / target)
            except UnwritableError:
                continue
            assert formats.read(tmp_path / target).ok, text[begin - 40 : begin]


def test_the_file_itself_is_whole(tmp_path):
    """Guards the template: without an extreme there is no error."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
        assert formats.read(tmp_path / name).ok

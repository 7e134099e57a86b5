# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that a format does not define: one warning each with its line, none for a legal file, refused by --strict."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from limberjack.core import cli
from limberjack.core.formats import read
from limberjack.core.formats.sdf.grammar import SDF
from limberjack.core.formats.xml import grammar
from support.shared import SHARED, needs_corpus

CODES = ("unknown-attribute", "unknown-element", "stray-text", "repeated-element", "unknown-names")
SPEC = SHARED / "judges" / "spec"

ATTRIBUTES_LOST = """<sdf version="1.9"><model name="arm">
<link name="bar">
<collision name="c"><geometry><box size="0.1 0.1 0.5"/></geometry></collision>
</link>
<joint name="hinge" type="revolute"><parent>world</parent><child>bar</child>
<axis xyz="0 1 0">
<limit lower="-0.5" upper="0.5"/>
<dynamics damping="0.2" friction="0.2"/>
</axis></joint></model></sdf>"""
CHILDREN_FOR_ATTRIBUTES = """<robot name="r"><link name="base"/>
<link name="bar"><inertial>
<mass>2.5</mass>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.3"/></inertial><collision><geometry><box>
<size>0.1 0.1 0.5</size></box></geometry></collision></link>
<joint name="hinge" type="revolute">
<parent>base</parent>
<child>bar</child><axis>
<xyz>0 1 0</xyz></axis><limit>
<lower>-1</lower>
<upper>1</upper></limit></joint></robot>"""
MISSPELT = """<robot name="r"><link name="base"/><link name="bar"><inertial><mass value="2.5"/>
<origin xyz="0 0 0.3" rpw="0 0 0"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link><link name="tip"/>
<joint name="hinge" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>
<origin xyz="0 0 1" ypr="0 0 0.5"/>
<limit min="-1" max="1" effort="1" velocity="1"/>
<dynamics damp="0.4"/></joint>
<joint name="wheel" type="continuous"><parent link="bar"/><child link="tip"/>
<mimic joint="hinge" multipler="2" ofset="0.3"/></joint></robot>"""
DOUBLED_SDF = """<sdf version="1.9"><model name="m"><link name="bar"><pose>0 0 1 0 0 0</pose>
<pose>0 0 2 0 0 0</pose><inertial><mass>2</mass>
<mass>7</mass></inertial>
<inertial><mass>9</mass><mass>11</mass></inertial></link>
<joint name="h" type="revolute"><parent>world</parent><child>bar</child><axis><xyz>0 1 0</xyz>
<xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit>
<limit><lower>-2</lower></limit><dynamics><damping>1</damping>
<damping>3</damping></dynamics></axis></joint></model></sdf>"""
DOUBLED_URDF = """<robot name="r"><link name="world"/><link name="bar"><inertial><mass value="2"/></inertial>
<inertial><mass value="7"/></inertial></link>
<joint name="h" type="revolute"><parent link="world"/><child link="bar"/><origin xyz="0 0 1"/>
<origin xyz="0 0 2"/><axis xyz="0 1 0"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/><dynamics damping="1"/>
<dynamics damping="2"/></joint></robot>"""
MISPLACED = """<sdf version="1.9">
<link name="outside"/>
<model name="m"><link name="a">
<geometry><sphere><radius>1</radius></sphere></geometry>
<collision name="c">0.5<geometry><box><size>1 1 1</size></box>
<sphere><radius>1</radius></sphere></geometry></collision>
<visual name="v"><geometry><box><size>1 1 1
<x/></size></box></geometry></visual>
</link></model></sdf>"""

CASES = {
    "attributes for children": (
        ATTRIBUTES_LOST,
        [("unknown-attribute", 3, "size"), ("unknown-attribute", 6, "xyz")]
        + [("unknown-attribute", 7, word) for word in ("lower", "upper")]
        + [("unknown-attribute", 8, word) for word in ("damping", "friction")],
    ),
    "children for attributes": (
        CHILDREN_FOR_ATTRIBUTES,
        [
            ("stray-text", 3, "value"),
            ("unknown-element", 5, "size"),
            ("stray-text", 7, "link"),
            ("stray-text", 8, "link"),
            ("unknown-element", 9, "xyz"),
            ("unknown-element", 10, "lower"),
            ("unknown-element", 11, "upper"),
        ],
    ),
    "misspelt attributes": (
        MISSPELT,
        [("unknown-attribute", 2, "did you mean rpy?"), ("unknown-attribute", 5, "ypr")]
        + [("unknown-attribute", 6, word) for word in ("min", "max")]
        + [("unknown-attribute", 7, "did you mean damping?")]
        + [("unknown-attribute", 9, f"did you mean {word}?") for word in ("multiplier", "offset")],
    ),
    "repeated elements of SDF": (
        DOUBLED_SDF,
        [
            ("repeated-element", 2, "<pose>"),
            ("repeated-element", 3, "<mass>"),
            ("repeated-element", 4, "<inertial>"),
            ("repeated-element", 6, "<xyz>"),
            ("repeated-element", 7, "<limit>"),
            ("repeated-element", 8, "<damping>"),
        ],
    ),
    "repeated elements of URDF": (
        DOUBLED_URDF,
        [
            ("repeated-element", 2, "<inertial>"),
            ("repeated-element", 4, "<origin>"),
            ("repeated-element", 5, "<axis>"),
            ("repeated-element", 6, "<limit>"),
            ("repeated-element", 7, "<dynamics>"),
        ],
    ),
    "misplaced elements": (
        MISPLACED,
        [
            ("unknown-element", 2, "<link>"),
            ("unknown-element", 4, "<geometry>"),
            ("stray-text", 5, "0.5"),
            ("repeated-element", 6, "<sphere>"),
            ("unknown-element", 8, "<x>"),
        ],
    ),
}


def read_text(folder, text, **options):
    path = folder / ("m.urdf" if "<robot" in text else "m.sdf")
    path.write_text(text)
    return read(path, **options)


def told(reading):
    return [issue for issue in reading.issues if issue.code in CODES]


@pytest.mark.parametrize("case", CASES)
def test_each_lost_name_is_one_warning(tmp_path, case, capsys):
    """Guards the kinds of loss: one warning each, with its line and what is meant; --strict makes each an error."""
    text, expected = CASES[case]
    found = told(read_text(tmp_path, text))
    assert [(issue.code, issue.line) for issue in found] == [(code, line) for code, line, _ in expected]
    assert all(word in issue.message for issue, (_, _, word) in zip(found, expected, strict=True))
    assert {issue.severity for issue in found} == {"warning"}
    strict = told(read_text(tmp_path, text, strict=True))
    assert [(issue.severity, issue.line) for issue in strict] == [("error", line) for _, line, _ in expected]
    (path,) = tmp_path.iterdir()
    assert cli.main(["check", str(path), "--strict"]) != cli.DONE
    assert capsys.readouterr().out.count(f"{path}:{expected[0][1]}: error {expected[0][0]}") >= 1


LEGAL_SDF = """<sdf version="1.12" xmlns:drake="drake.mit.edu"><world name="w"><gravity>0 0 -9.8</gravity>
<physics name="p" type="ode"><anything at="1"/><anything/></physics><plugin name="q" filename="f"><x y="1"/></plugin>
A comment without marks
<model name="m" canonical_link="a" placement_frame="f"><pose relative_to="world" degrees="true">0 0 1 0 0 0</pose>
<static>false</static><frame name="f" attached_to="a"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose></frame>
<link name="a"><pose frame="">0 0 0 0 0 0</pose><inertial auto="false"><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy>
<izz>1</izz></inertia><fluid_added_mass><xx>0</xx></fluid_added_mass></inertial><gravity>true</gravity>
<sensor name="s" type="imu"><imu/></sensor><sensor name="t" type="imu"/><light name="l" type="spot"><spot>
<inner_angle>1</inner_angle></spot></light><collision name="c"><geometry><polyline><point>0 0</point><point>1 0</point>
<point>0 1</point><height>1</height></polyline><polyline><point>2 0</point></polyline></geometry><surface>
<friction><ode>
<mu>1</mu><fdir1>1 0 0</fdir1></ode><torsional><ode><slip>0</slip></ode></torsional></friction><contact><ode>
<kp>1e9</kp></ode></contact></surface></collision>
<visual name="v"><geometry><mesh><uri>x.dae</uri><submesh><name>n</name></submesh>
</mesh></geometry><material><script><uri>a</uri><uri>b</uri><name>n</name></script><diffuse>1 1 1 1</diffuse></material>
</visual></link><link name="b"/><joint name="j" type="universal"><parent>a</parent><child>b</child><axis>
<xyz expressed_in="__model__">1 0 0</xyz><limit><lower>-1</lower><drake:acceleration>2</drake:acceleration></limit>
<mimic joint="k" axis="axis2"><multiplier>1</multiplier></mimic></axis><axis2><xyz>0 1 0</xyz></axis2><physics><ode>
<cfm_damping>1</cfm_damping></ode></physics></joint><joint name="k" type="universal"><parent>world</parent>
<child>a</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
<model_state name="n"><joint_state name="j"><axis_state><position degrees="true">1</position></axis_state></joint_state>
</model_state></model></world></sdf>"""
LEGAL_URDF = """<robot name="r" version="1.2" xmlns="http://www.ros.org" xmlns:drake="http://drake.mit.edu">
<material name="red"><color rgba="1 0 0 1"/><texture filename="x.png"/></material><link name="a" type="t">
<inertial><origin xyz="0 0 0" quat_xyzw="0 0 0 1"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
izz="1"/></inertial><visual name="v"><geometry><cylinder radius="1" length="2"/></geometry><material name="red"/>
</visual><visual><geometry><mesh filename="x.stl" scale="1 1 1"><drake:declare_convex/></mesh></geometry></visual>
<collision concave="yes"><geometry><capsule radius="1" length="2"/></geometry><verbose value="1"/></collision>
<contact><lateral_friction value="1"/></contact></link><link name="b"/><joint name="j" type="revolute">
<parent link="a"/><child link="b"/><axis xyz="0 0 1"/><calibration rising="0"/><dynamics damping="1" friction="0"/>
<limit lower="-1" upper="1" effort="1" velocity="1" acceleration="1" deceleration="1" jerk="1" drake:acceleration="2"/>
<safety_controller k_velocity="1" k_position="2" soft_lower_limit="-1" soft_upper_limit="1"/></joint>
<transmission name="t"><type>x</type><joint name="j"><hardwareInterface>e</hardwareInterface></joint></transmission>
<gazebo reference="a"><mu1>1</mu1><anything at="1"/></gazebo><gazebo><plugin/></gazebo><mujoco><compiler/></mujoco>
<frame name="f" link="a" xyz="0 0 0" rpy="0 0 0"/></robot>"""


@pytest.mark.parametrize("text", [LEGAL_SDF, LEGAL_URDF], ids=["SDF", "URDF"])
def test_a_legal_file_is_not_blamed(tmp_path, text):
    """Guards against false warnings: optional, old, new, foreign and repeatable elements; nothing is told."""
    assert told(read_text(tmp_path, text, strict=True)) == []


KEPT = (
    "physics",
    "plugin",
    "sensor",
    "transmission",
    "gazebo",
    "mujoco",
    "contact",
    "verbose",
    "script",
    "fluid_added_mass",
)
"""Elements whose content is kept as text. <contact> of SDF is not, but nothing in it has an attribute."""


def read_elements(root):
    """All elements below the root that readers look into."""
    inside = {inner for tag in KEPT for kept in root.iter(tag) for inner in kept.iter()}
    return [element for element in root.iter() if element not in inside and element is not root]


PLAIN_URDF = LEGAL_URDF.replace(' xmlns="http://www.ros.org"', "")


@pytest.mark.parametrize("text", [LEGAL_SDF, PLAIN_URDF], ids=["SDF", "URDF"])
def test_any_misspelt_name_is_told_once(tmp_path, text):
    """Guards the whole table: each attribute and each element that is read gives one warning if it is misspelt."""
    root = ElementTree.fromstring(text)
    elements = [element for element in read_elements(root) if "}" not in element.tag]
    for element in elements:
        tag, element.tag = element.tag, f"x{element.tag}"
        found = told(read_text(tmp_path, ElementTree.tostring(root, encoding="unicode")))
        element.tag = tag
        assert [issue.code for issue in found] == ["unknown-element"], tag
        assert f"<x{tag}>" in found[0].message
        for name in [name for name in element.attrib if "}" not in name]:
            element.attrib[f"x{name}"] = element.attrib.pop(name)
            found = told(read_text(tmp_path, ElementTree.tostring(root, encoding="unicode")))
            element.attrib[name] = element.attrib.pop(f"x{name}")
            assert [issue.code for issue in found] == ["unknown-attribute"], (tag, name)
            assert f"x{name}=" in found[0].message
    assert len(elements) > 25


def test_an_included_file_is_checked_once(tmp_path):
    """Guards includes: a file that two includes name is checked once, and the warning names that file."""
    (tmp_path / "part.sdf").write_text('<sdf version="1.9"><model name="p"><link name="a" mass="2"/></model></sdf>')
    twice = "".join(f"<include><uri>part.sdf</uri><name>{name}</name></include>" for name in "pq")
    found = told(read_text(tmp_path, f'<sdf version="1.9"><world name="w">{twice}</world></sdf>'))
    assert [(issue.code, issue.file) for issue in found] == [("unknown-attribute", str(tmp_path / "part.sdf"))]


def test_a_hostile_file_does_not_fill_the_memory(tmp_path):
    """Guards the number of findings: of many thousand wrong names, the first thousand are listed."""
    wrong = '<visual name="v" a="1" b="2" c="3"/>\n' * 2000
    found = told(read_text(tmp_path, f'<robot name="r"><link name="a">{wrong}</link></robot>'))
    assert len(found) == grammar.MAX_REPORTED + 1
    assert found[-1].code == "unknown-names"


INCLUDED = re.compile(r"^(.*)\.sdf$")


def described(version, name):
    """The element that a description file of the specification defines."""
    return ElementTree.parse(SPEC / version / f"{name}.sdf").getroot()


def unknown_in_table(element, rule, version, path):
    """What an element of the specification may hold and the table does not allow."""
    for attribute in element.findall("attribute"):
        if attribute.get("name") not in rule.attributes:
            yield f"{path}@{attribute.get('name')}"
    inner = [
        (child, child.get("name"), child.get("required")) for child in element.findall("element") if child.get("name")
    ]
    for include in element.findall("include"):
        found = described(version, INCLUDED.match(include.get("filename"))[1])
        inner.append((found, found.get("name"), include.get("required")))
    for child, tag, required in inner:
        if tag not in rule.tags:
            yield f"{path}/{tag}"
        elif required in ("*", "+") and tag in rule.once and tag != "pose":  # 1.5 and 1.6 say so, and read the first
            yield f"{path}/{tag}+"
        elif rule.of(tag) is not None and not child.get("ref"):
            yield from unknown_in_table(child, rule.of(tag), version, f"{path}/{tag}")


@needs_corpus
@pytest.mark.parametrize("version", ["1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12"])
def test_the_table_allows_what_the_specification_defines(version):
    """Guards against false warnings: every attribute and element of SDF's own description files is allowed."""
    assert [*unknown_in_table(described(version, "root"), SDF, version, "sdf")] == []

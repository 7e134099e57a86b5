# SPDX-License-Identifier: GPL-3.0-or-later
"""Default classes."""

import math

import pytest

from support.mjcf_texts import MASS, body, errors_of, model_of

CLASSES = """<default>
  <joint damping="1" armature="0.1"/>
  <default class="arm"><joint damping="2"/>
    <default class="wrist"><joint damping="3" frictionloss="0.3"/></default>
  </default>
  <default class="leg"><joint armature="0.4"/></default>
</default>"""


def values_of(joint, classes=CLASSES, attributes=""):
    axis = model_of(body(joint, attributes), classes).joint("j").axes[0]
    return axis.damping, axis.armature, axis.friction


@pytest.mark.parametrize(
    ("attributes", "childclass", "expected"),
    [
        ("", "", (1.0, 0.1, 0.0)),
        ('class="arm"', "", (2.0, 0.1, 0.0)),
        ('class="wrist"', "", (3.0, 0.1, 0.3)),
        ('class="leg"', "", (1.0, 0.4, 0.0)),
        ("", "wrist", (3.0, 0.1, 0.3)),
        ('class="main"', "wrist", (1.0, 0.1, 0.0)),
        ('damping="9"', "wrist", (9.0, 0.1, 0.3)),
        ('class="leg" damping="9"', "wrist", (9.0, 0.4, 0.0)),
    ],
)
def test_inheritance(attributes, childclass, expected):
    """An element's own values count, then those of its class or the body's childclass, and of the classes around."""
    given = f'childclass="{childclass}"' if childclass else ""
    assert values_of(f'<joint name="j" {attributes}/>', attributes=given) == expected


def test_childclass_goes_down():
    """A childclass holds for all bodies and frames inside, until another one replaces it."""
    model = model_of(
        f"""<body name="a" childclass="arm">{MASS}<joint name="i"/><body name="b">{MASS}<joint name="j"/></body>
        <body name="c" childclass="wrist">{MASS}<joint name="k"/></body>
        <frame childclass="wrist"><body name="d">{MASS}<joint name="l"/></body></frame></body>""",
        CLASSES,
    )
    assert [model.joint(name).axes[0].damping for name in "ijkl"] == [2.0, 2.0, 3.0, 3.0]


def test_a_class_holds_wherever_it_stands():
    """Guards classes that are defined behind the element that uses them, and in several sections."""
    later = (
        '<default><joint damping="1"/></default><default><default class="x"><joint damping="5"/></default></default>'
    )
    assert values_of('<joint name="j" class="x"/>', later)[0] == 5.0
    again = '<default><joint damping="1"/></default><default><joint armature="0.2"/></default>'
    assert values_of('<joint name="j"/>', again) == (1.0, 0.2, 0.0)


def test_a_parent_class_counts_as_it_stands_at_its_end():
    """Guards a class whose children come before its own values, which MuJoCo reads first."""
    classes = '<default><default class="x"><joint armature="0.2"/></default><joint damping="7"/></default>'
    assert values_of('<joint name="j" class="x"/>', classes) == (7.0, 0.2, 0.0)


def test_incomplete_numbers():
    """The numbers that an element leaves out come from its class: friction="0.5" changes the first of three."""
    classes = '<default><geom friction="1 0.02 0.003" condim="6"/></default>'
    geom = '<geom name="g" size="1" friction="0.5"/>'
    surface = model_of(body(f"<freejoint/>{geom}"), classes).link("b").collisions[0].surface
    assert (surface.friction, surface.spinning_friction, surface.rolling_friction) == (0.5, 0.02, 0.003)


def test_size_is_completed():
    """Guards capsules whose class gives radius and length and that give a radius alone."""
    classes = '<default><geom type="capsule" size="0.1 0.5"/></default>'
    geometry = model_of(body('<geom name="g" size="0.2"/>'), classes).link("b").visuals[0].geometry
    assert (geometry.radius, geometry.length) == (0.2, 1.0)


def test_an_orientation_replaces_another_kind():
    """An element has one orientation: its own euler replaces the quat of its class."""
    classes = '<default><geom type="box" size="1 1 1" quat="0 1 0 0"/></default>'
    for geom, expected in (
        ('<geom euler="0 0 90"/>', (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))),
        ("<geom/>", (0.0, 1.0, 0.0, 0.0)),
    ):
        model = model_of(body(geom), classes)
        assert model.link("b").visuals[0].pose[3:] == pytest.approx(expected)


def test_a_material_has_a_class():
    """Guards colours that a material takes from its class."""
    rest = """<default><default class="x"><material rgba="1 0 0 1"/></default></default>
    <asset><material name="red" class="x"/></asset>"""
    assert model_of(body('<geom size="1" material="red"/>'), rest).link("b").visuals[0].color == (1.0, 0.0, 0.0, 1.0)


def test_a_mesh_has_a_class():
    """Guards scales of 0.001, which files give once for all meshes."""
    vertices = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"'
    rest = f'<default><mesh scale="2 2 2"/></default><asset><mesh name="m" {vertices}/></asset>'
    link = model_of('<body name="b"><geom type="mesh" mesh="m"/></body>', rest).link("b")
    assert link.mass == pytest.approx(1000.0 * 8.0 / 6.0)


def test_sites_have_classes():
    """A site's pose may come from its class."""
    model = model_of(body('<site name="s"/>'), '<default><site pos="1 2 3"/></default>')
    assert model.frames[0].pose[:3] == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("joint", "classes", "code"),
    [
        ('<joint class="z"/>', CLASSES, "unknown-class"),
        ("<joint/>", '<default><default><joint damping="1"/></default></default>', "no-name"),
        ("<joint/>", '<default><default class="a"/><default class="a"/></default>', "repeated-name"),
        ("<joint/>", '<default><default class="main"/></default>', "repeated-name"),
        ("<joint/>", '<default><default class="a"><default class="a"/></default></default>', "repeated-name"),
        ("<joint/>", '<default><default class="a"/></default><default><default class="a"/></default>', "repeated-name"),
    ],
)
def test_wrong_classes(joint, classes, code):
    """Guards refusals: each text gives exactly one error."""
    assert errors_of(body(joint), classes) == [code]


def test_a_main_class_with_another_name():
    """Guards old files, which could rename the main class; MuJoCo refuses that now, and so does --strict."""
    classes = '<default class="all"><joint damping="4"/></default>'
    assert values_of('<joint name="j" class="all"/>', classes)[0] == 4.0
    assert values_of('<joint name="j"/>', classes)[0] == 4.0
    assert errors_of(body(""), classes, strict=True) == ["main-renamed"]


def test_an_unknown_childclass():
    """The body that names it is told."""
    assert errors_of(body("", 'childclass="z"'), CLASSES) == ["unknown-class"]

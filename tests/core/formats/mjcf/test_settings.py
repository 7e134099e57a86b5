# SPDX-License-Identifier: GPL-3.0-or-later
"""<compiler> and <option>, which hold for the whole file wherever they stand."""

import math

import pytest

from support.mjcf_texts import body, errors_of, model_of, reading_of

HINGE = '<joint name="j" axis="0 0 1" range="-90 45"/>'


def axis_of(rest, joint=HINGE):
    return model_of(body(joint), rest).joint("j").axes[0]


@pytest.mark.parametrize(
    ("rest", "unit"),
    [
        ("", math.pi / 180.0),
        ('<compiler angle="degree"/>', math.pi / 180.0),
        ('<compiler angle="radian"/>', 1.0),
        ('<compiler angle="degree"/><compiler angle="radian"/>', 1.0),
        ('<compiler angle="radian"/><compiler autolimits="true"/>', 1.0),
    ],
)
def test_angles(rest, unit):
    """Angles are in degrees unless the file says otherwise; the last section that says it counts."""
    axis = axis_of(rest)
    assert (axis.lower, axis.upper) == pytest.approx((-90.0 * unit, 45.0 * unit))


def test_settings_hold_for_what_stands_before_them():
    """Guards ranges in classes of a file whose <compiler> comes last, which would turn into degrees."""
    reading = reading_of(
        f"""<mujoco><default><joint range="-1 1"/></default>
        <worldbody>{body('<joint name="j"/>')}</worldbody><compiler angle="radian"/></mujoco>"""
    )
    assert reading.model.joint("j").axes[0].upper == 1.0


@pytest.mark.parametrize(
    ("rest", "limited", "is_limited"),
    [
        ("", "", True),
        ("", 'limited="auto"', True),
        ("", 'limited="false"', False),
        ('<compiler autolimits="false"/>', "", False),
        ('<compiler autolimits="false"/>', 'limited="true"', True),
        ('<option><flag limit="disable"/></option>', 'limited="true"', False),
        ('<option><flag constraint="disable"/></option>', "", False),
    ],
)
def test_limits_that_follow_from_ranges(rest, limited, is_limited):
    """Guards autolimits, and flags that switch all limits off."""
    assert math.isfinite(axis_of(rest, f'<joint name="j" range="-90 45" {limited}/>').upper) is is_limited


@pytest.mark.parametrize(
    ("flag", "field"),
    [
        ("spring", "spring_stiffness"),
        ("damper", "damping"),
        ("frictionloss", "friction"),
        ("actuation", "drive_damping"),
    ],
)
def test_flags(flag, field):
    """A flag switches off one kind of force, and no other."""
    joint = '<joint name="j" stiffness="1" damping="2" frictionloss="3"/>'
    drive = '<actuator><velocity joint="j" kv="4"/></actuator>'
    axes = [axis_of(drive + option, joint) for option in ("", f'<option><flag {flag}="disable"/></option>')]
    fields = ("spring_stiffness", "damping", "friction", "drive_damping")
    changed = [name for name in fields if getattr(axes[0], name) != getattr(axes[1], name)]
    assert changed == [field]
    assert getattr(axes[1], field) == 0.0


@pytest.mark.parametrize(
    ("option", "gravity"),
    [
        ("", (0.0, 0.0, -9.81)),
        ('<option gravity="1 2 3"/>', (1.0, 2.0, 3.0)),
        ('<option><flag gravity="disable"/></option>', (0.0, 0.0, 0.0)),
    ],
)
def test_gravity(option, gravity):
    """Gravity is MuJoCo's unless the file gives its own or none."""
    assert model_of(body(""), option).gravity == gravity


def test_wind():
    """Wind is the velocity of the medium."""
    assert model_of(body(""), '<option wind="1 0 0"/>').wind == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ('<compiler angle="degrees"/>', "bad-value"),
        ('<compiler angle="Radian"/>', "bad-value"),
        ('<compiler eulerseq="xyw"/>', "bad-value"),
        ('<compiler eulerseq="xy"/>', "bad-value"),
        ('<compiler coordinate="global"/>', "bad-value"),
        ('<compiler boundmass="heavy"/>', "bad-number"),
        ('<option gravity="0 0"/>', "bad-number"),
        ('<option><flag limit="off"/></option>', "bad-value"),
        ('<compiler inertiafromgeom="maybe"/>', "bad-value"),
    ],
)
def test_wrong_settings(rest, code):
    """Guards refusals: each text gives exactly one error, as in MuJoCo."""
    assert errors_of(body(""), rest) == [code]


@pytest.mark.parametrize("attribute", ["meshdir", "assetdir"])
def test_folders(attribute, tmp_path):
    """A mesh lies in meshdir, or in assetdir for all assets; strippath takes folders out of its name."""
    mesh = '<asset><mesh name="m" file="{}"/></asset>'
    for rest in (
        f'<compiler {attribute}="a/b/"/>{mesh.format("m.obj")}',
        f'<compiler {attribute}="a/b" strippath="true"/>{mesh.format("c/m.obj")}',
    ):
        model = reading_of(
            f'<mujoco>{rest}<worldbody><body><geom type="mesh" mesh="m" mass="1"/></body></worldbody></mujoco>'
        ).partial
        assert model.links[0].visuals[0].geometry.uri == "a/b/m.obj"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake's elements in SDF and URDF: springs, ball constraints, filter groups, rotor inertias, planar joints, mimics."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from limberjack.core.formats import read, write
from limberjack.core.kinematics import link_poses
from limberjack.core.simulation import simulate
from limberjack.core.spatial import compose

MASS, STIFFNESS, DAMPING, LENGTH, START = 2.0, 50.0, 3.0, 0.8, 1.2
"""kg, N/m, N s/m, m, m: of a mass that slides along x on a spring."""

SPACE = "http://drake.mit.edu"
BOX = {
    "urdf": '<collision><geometry><box size="1 1 1"/></geometry></collision>',
    "sdf": "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision>",
}
URDF_LINK = (
    '<link name="{}"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    "</inertial>{}</link>"
)
SDF_LINK = (
    '<link name="{}"><inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>'
    "{}</link>"
)


def said(form, tag, attribute, text):
    """A value as URDF has it, in an attribute, or as SDF has it."""
    return f'<drake:{tag} {attribute}="{text}"/>' if form == "urdf" else f"<drake:{tag}>{text}</drake:{tag}>"


def between(form, kind, a, p_AP, b, p_BQ, **numbers):
    """A spring or a ball constraint."""
    inner = said(form, f"{kind}_body_A", "name", a) + said(form, f"{kind}_p_AP", "value", p_AP)
    inner += said(form, f"{kind}_body_B", "name", b) + said(form, f"{kind}_p_BQ", "value", p_BQ)
    inner += "".join(said(form, f"{kind}_{name}", "value", value) for name, value in numbers.items())
    return f"<drake:{kind}>{inner}</drake:{kind}>"


def joint(form, name, kind, parent, child, origin, inner=""):
    """A joint along or about x, with its child at `origin`."""
    if form == "urdf":
        ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{origin}"/><axis xyz="1 0 0"/>'
        return f'<joint name="{name}" type="{kind}">{ends}{inner}</joint>'
    ends = f"<parent>{parent}</parent><child>{child}</child><axis><xyz>1 0 0</xyz></axis>"
    return f'<joint name="{name}" type="{kind}">{ends}{inner}</joint>'


def link(form, name, at="0 0 0", inner=""):
    if form == "urdf":
        return URDF_LINK.format(name, inner)
    return SDF_LINK.format(name, f"<pose>{at} 0 0 0</pose>{inner}")


def read_text(folder, form, body, **options):
    if form == "urdf":
        text = f'<robot name="m" xmlns:drake="{SPACE}"><link name="world"/>\n{body}\n</robot>'
    else:
        text = f'<sdf version="1.9" xmlns:drake="{SPACE}"><model name="m">\n{body}\n</model></sdf>'
    (folder / f"m.{form}").write_text(text)
    return read(folder / f"m.{form}", **options)


def sliding_mass(form):
    """A mass on a slider along x, START from the world's origin, where a spring holds it."""
    limit = '<limit lower="-9" upper="9" effort="9" velocity="99"/>' if form == "urdf" else ""
    slider = joint(form, "slide", "prismatic", "world", "mass", f"{START} 0 0", limit)
    numbers = {"free_length": LENGTH, "stiffness": STIFFNESS, "damping": DAMPING}
    spring = between(form, "linear_spring_damper", "world", "-0.1 0 0", "mass", "-0.1 0 0", **numbers)
    return link(form, "mass", f"{START} 0 0") + slider + spring


@pytest.mark.parametrize("form", ["urdf", "sdf"])
def test_a_spring_acts_as_its_formula(tmp_path, form):
    """Guards drake:linear_spring_damper: a mass on it follows the damped oscillation of its three numbers."""
    reading = read_text(tmp_path, form, sliding_mass(form))
    assert [issue.code for issue in reading.issues] == []
    spring = reading.model.joint("world_mass_spring")
    assert spring.type == "distance"
    motion = simulate(reading.model, 1.0, accuracy="exact")
    decay = DAMPING / (2.0 * MASS)
    omega = math.sqrt(STIFFNESS / MASS - decay**2)
    t = motion.times
    stretch = (START - LENGTH) * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    assert motion.link("mass")[:, 0] == pytest.approx(LENGTH + stretch, abs=1e-8)


@pytest.mark.parametrize("form", ["urdf", "sdf"])
def test_a_spring_alone_holds_what_floats(tmp_path, form):
    """Guards a spring to a link without joints: it swings about the world's point at the rate of its stiffness."""
    numbers = {"free_length": 1.0, "stiffness": STIFFNESS, "damping": 0.0}
    spring = between(form, "linear_spring_damper", "mass", "0 0 0", "world", "0 0 1", **numbers)
    model = read_text(tmp_path, form, link(form, "mass") + spring).model
    motion = simulate(model, 1.0, accuracy="exact")
    drop = model.gravity[2] * MASS / STIFFNESS * (1.0 - np.cos(math.sqrt(STIFFNESS / MASS) * motion.times))
    assert motion.link("mass")[:, 2] == pytest.approx(drop, abs=1e-8)


@pytest.mark.parametrize("form", ["urdf", "sdf"])
def test_a_ball_constraint_closes_a_loop(tmp_path, form):
    """Guards drake:ball_constraint: its two points stay together, and the hinges remain the joints of the tree."""
    hinges = joint(form, "i", "continuous", "world", "a", "0 0 0") + joint(
        form, "j", "continuous", "world", "c", "0 1 0"
    )
    hinges += joint(form, "k", "continuous", "c", "b", "0 0 -1")
    ball = between(form, "ball_constraint", "a", "0 0 -1", "b", "0 -1 0")
    links = link(form, "a") + link(form, "b", "0 1 -1") + link(form, "c", "0 1 0")
    reading = read_text(tmp_path, form, links + hinges + ball)
    assert [issue.code for issue in reading.issues] == []
    model = reading.model
    assert [loop.joint.name for loop in model.loops()] == ["a_b_ball"]
    motion = simulate(model, 0.5, qd={"i": 1.0})
    assert abs(motion.joint("i")[-1, 0]) > 0.05
    for X_WA, X_WB in zip(motion.link("a"), motion.link("b"), strict=True):
        P = compose(tuple(X_WA), (0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0))[:3]
        Q = compose(tuple(X_WB), (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0))[:3]
        assert P == pytest.approx(Q, abs=1e-9)


def group(form, name, members=(), inner=(), ignored=(), more=""):
    words = [said(form, "member", "link", each) for each in members]
    words += [said(form, "member_group", "name", each) for each in inner]
    words += [said(form, "ignored_collision_filter_group", "name", each) for each in ignored]
    return f'<drake:collision_filter_group name="{name}"{more}>{"".join(words)}</drake:collision_filter_group>'


@pytest.mark.parametrize("form", ["urdf", "sdf"])
def test_filter_groups_become_pairs(tmp_path, form):
    """Guards drake:collision_filter_group: pairs within a group, between groups, of groups in groups; ignored ones."""
    links = "".join(link(form, name, "0 0 0", BOX[form]) for name in "abcd") + link(form, "bare")
    groups = group(form, "ab", ["a", "b", "bare"], ignored=["ab"]) + group(form, "c", ["c"])
    groups += group(form, "all", inner=["ab"], ignored=["c"]) + group(
        form, "off", ["d"], ignored=["ab"], more=' ignore="true"'
    )
    reading = read_text(tmp_path, form, links + groups)
    assert not [issue for issue in reading.issues if issue.code != "several-roots"]
    pairs = {(pair.a, pair.b) for pair in reading.model.contact_pairs}
    assert pairs == {("a", "b"), ("a", "c"), ("b", "c")}
    assert not any(pair.meets for pair in reading.model.contact_pairs)


ROTOR, RATIO = 1.5, 300.0


@pytest.mark.parametrize("form", ["urdf", "sdf"])
def test_a_rotor_inertia_is_an_armature(tmp_path, form):
    """Guards rotor_inertia and gear_ratio: the joint's mass matrix grows by rotor inertia times ratio squared."""
    rotor = said(form, "rotor_inertia", "value", ROTOR) + said(form, "gear_ratio", "value", RATIO)
    inner = rotor if form == "sdf" else ""
    body = link(form, "a") + joint(form, "j", "continuous", "world", "a", "0 0 0", inner)
    if form == "urdf":
        kind = "<type>transmission_interface/SimpleTransmission</type>"
        body += f'<transmission name="t">{kind}<joint name="j"/><actuator name="m">{rotor}</actuator></transmission>'
    reading = read_text(tmp_path, form, body)
    assert [issue.code for issue in reading.issues] == []
    assert reading.model.joint("j").axes[0].armature == ROTOR * RATIO**2
    assert not any("rotor" in extra.text for extra in (*reading.model.extras, *reading.model.joint("j").extras))


def test_a_planar_joint_of_drake_in_sdf(tmp_path):
    """Guards <drake:joint>: it moves in the XY plane of the named frames, which coincide at zero, with its damping."""
    frames = '<frame name="F"><pose>0 0 1 0 1.5707963267948966 0</pose></frame>'
    frames += '<frame name="M" attached_to="a"><pose>0 0 0.25 0 0 0</pose></frame>'
    planar = "<drake:parent>F</drake:parent><drake:child>M</drake:child><drake:damping>0.1 0.2 0.3</drake:damping>"
    anchor = joint("sdf", "fix", "fixed", "world", "base", "")
    body = link("sdf", "base") + anchor + link("sdf", "a") + frames.replace('name="F"', 'name="F" attached_to="base"')
    reading = read_text(tmp_path, "sdf", body + f'<drake:joint name="p" type="planar">{planar}</drake:joint>')
    assert [issue.code for issue in reading.issues] == []
    model = reading.model
    assert [axis.damping for axis in model.joint("p").axes] == [0.1, 0.2, 0.3]
    poses = link_poses(model, {"p": [0.3, 0.4, 0.0]})
    # F turns by 90 degrees about y: its x points down and its z along the world's x. M is 0.25 above a's origin.
    assert poses["a"][:3] == pytest.approx([-0.25, 0.4, 0.7], abs=1e-12)


WRONG = {
    "unknown-link": between("urdf", "ball_constraint", "a", "0 0 0", "nobody", "0 0 0"),
    "bad-number": between("urdf", "linear_spring_damper", "a", "0 0", "world", "0 0 0", free_length=1, stiffness=1),
    "unknown-group": group("urdf", "g", ["a"], ignored=["nothing"]),
    "not-simulated": '<drake:linear_bushing_rpy><drake:bushing_frameA name="a"/></drake:linear_bushing_rpy>',
}


@pytest.mark.parametrize("code", WRONG)
def test_what_cannot_be_read_is_told(tmp_path, code):
    """Guards messages about Drake's elements: one line each that names what is wrong, with its line."""
    reading = read_text(tmp_path, "urdf", link("urdf", "a") + WRONG[code])
    found = [issue for issue in reading.issues if issue.code == code]
    assert found
    assert {issue.line for issue in found} == {2}


def test_a_rotor_on_a_joint_of_several_axes_is_told(tmp_path):
    """Guards a rotor that a joint cannot have: one warning, and the element is kept for an export."""
    rotor = said("sdf", "rotor_inertia", "value", 1)
    joint_text = f'<joint name="j" type="ball"><parent>world</parent><child>a</child>{rotor}</joint>'
    reading = read_text(tmp_path, "sdf", link("sdf", "a") + joint_text)
    assert [issue.code for issue in reading.issues] == ["not-simulated"]
    assert [extra.tag for extra in reading.model.joint("j").extras] == ["drake:rotor_inertia"]


def test_too_many_pairs_are_refused(tmp_path):
    """Guards the number of pairs: groups of thousands of links are refused with one line, not computed for minutes."""
    links = "".join(link("urdf", f"l{i}", inner=BOX["urdf"]) for i in range(500))
    everything = group("urdf", "g", [f"l{i}" for i in range(500)], ignored=["g"])
    reading = read_text(tmp_path, "urdf", links + everything)
    assert [issue.code for issue in reading.issues if issue.is_error] == ["too-many-pairs"]


def looped(form):
    """A four-bar linkage that a ball constraint closes, with a spring across and a rotor on one hinge."""
    rotor = said(form, "rotor_inertia", "value", ROTOR) + said(form, "gear_ratio", "value", 10)
    hinge = joint(form, "i", "continuous", "world", "a", "0 0 0", rotor if form == "sdf" else "")
    body = link(form, "a", inner=BOX[form]) + link(form, "b", "0 1 -1", BOX[form]) + link(form, "c", "0 1 0") + hinge
    body += joint(form, "j", "continuous", "world", "c", "0 1 0") + joint(form, "k", "continuous", "c", "b", "0 0 -1")
    body += between(form, "ball_constraint", "a", "0 0 -1", "b", "0 -1 0")
    numbers = {"free_length": 0.5, "stiffness": 40, "damping": 3}
    body += between(form, "linear_spring_damper", "a", "0 0.25 0", "b", "0 0 -0.5", **numbers)
    body += group(form, "g", ["a", "b"], ignored=["g"])
    if form == "urdf":
        kind = "<type>transmission_interface/SimpleTransmission</type>"
        drives = f'<joint name="i"/><actuator name="m"><mechanicalReduction>1</mechanicalReduction>{rotor}</actuator>'
        body += f'<transmission name="t">{kind}{drives}</transmission>'
    return body


@pytest.mark.parametrize("form", ["urdf", "sdf"])
@pytest.mark.parametrize("into", ["urdf", "sdf"])
def test_drakes_elements_come_back(tmp_path, form, into):
    """Guards the way back: written to either format and read again, the model moves as before; each is told once."""
    model = read_text(tmp_path, form, looped(form)).model
    losses = write(model, tmp_path / f"out.{into}")
    said_to_drake = [line for line in losses if "which Drake reads" in line]
    assert len(said_to_drake) == (4 if into == "urdf" else 3)  # SDF has balls that close loops
    reading = read(tmp_path / f"out.{into}")
    assert [issue.code for issue in reading.issues if issue.is_error] == []
    back = reading.model
    assert {(pair.a, pair.b, pair.meets) for pair in back.contact_pairs} == {("a", "b", False)}
    assert back.joint("i").axes[0].armature == ROTOR * 100.0
    assert [(loop.joint.type, loop.joint.parent, loop.joint.child) for loop in back.loops()].count(
        ("ball", "a", "b")
    ) == 1
    one, other = (simulate(each, 0.3, qd={"i": 1.0}, contact=False) for each in (model, back))
    assert abs(one.joint("i")[-1, 0]) > 0.05
    assert one.link("a") == pytest.approx(other.link("a"), abs=1e-7)
    text = (tmp_path / f"out.{into}").read_text()
    assert text.count("<drake:rotor_inertia") == 1
    if form == into == "urdf":
        assert text.count("<transmission") == 1


def test_a_moved_frame_takes_its_points_along(tmp_path):
    """Guards URDF's frames: if a link's frame moves to its joint, the spring still ends at the same material point."""
    model = read_text(tmp_path, "sdf", looped("sdf")).model
    hinge = model.joint("k")
    shifted = (0.0, 0.1, 0.2, 1.0, 0.0, 0.0, 0.0)
    hinge.X_CJ, hinge.X_PJ = shifted, compose(hinge.X_PJ, shifted)
    write(model, tmp_path / "out.urdf")
    back = read(tmp_path / "out.urdf").model
    spring = next(each for each in back.joints if each.type == "distance")
    assert spring.X_CJ[:3] == pytest.approx([0.0, -0.1, -0.7], abs=1e-12)


MIMIC = '<drake:mimic joint="lead" multiplier="-2" offset="0.7"/>'


def following(folder, inner, kind="revolute"):
    """A model in which the joint `follow`, with something in it, is to follow the joint `lead` after it."""
    links = "".join(link("sdf", name) for name in "abc")
    joints = joint("sdf", "follow", kind, "a", "c", "", inner) + joint("sdf", "lead", "revolute", "a", "b", "")
    return read_text(folder, "sdf", links + joints)


def standard(multiplier, offset, reference):
    """A <mimic> of SDF 1.11."""
    numbers = f"<multiplier>{multiplier}</multiplier><offset>{offset}</offset><reference>{reference}</reference>"
    return f"<mimic joint='lead'>{numbers}</mimic>"


def with_both(folder, mimic):
    """The model of `following`, with a <mimic> in the axis and Drake's beside it."""
    following(folder, MIMIC)
    path = folder / "m.sdf"
    path.write_text(path.read_text().replace("</axis><drake:mimic", f"{mimic}</axis><drake:mimic"))
    return read(path)


def test_a_mimic_of_drake_is_read(tmp_path):
    """Guards SDF files for Drake, which reads no other mimic: q = multiplier * q of the leader + offset."""
    reading = following(tmp_path, MIMIC)
    assert not [issue for issue in reading.issues if "mimic" in issue.message]
    mimic = reading.model.joint("follow").mimic
    assert (mimic.leader, mimic.multiplier, mimic.offset - mimic.multiplier * mimic.reference) == ("lead", -2.0, 0.7)
    assert reading.model.joint("follow").extras == ()


def test_both_mimics_are_one(tmp_path):
    """Guards what we write ourselves; if the two differ, that of SDF counts, and a warning says so."""
    reading = with_both(tmp_path, standard(-2, 0.1, 0.3))  # the offset of Drake's is 0.1 + 2 * 0.3
    assert not [issue for issue in reading.issues if issue.code == "two-mimics"]
    mimic = reading.model.joint("follow").mimic
    assert (mimic.multiplier, mimic.offset, mimic.reference) == (-2.0, 0.1, 0.3)
    reading = with_both(tmp_path, standard(-2, 0.2, 0.3))
    assert [issue.subject for issue in reading.issues if issue.code == "two-mimics"] == ["joint 'follow'"]
    assert reading.model.joint("follow").mimic.offset == 0.2


@pytest.mark.parametrize(
    ("inner", "kind", "severity", "said"),
    [
        (MIMIC.replace(' offset="0.7"', ""), "revolute", "error", "<drake:mimic> has no offset"),
        (MIMIC, "universal", "warning", "joints of one axis only"),
    ],
)
def test_mimics_that_drake_refuses(tmp_path, inner, kind, severity, said):
    """Guards attributes that Drake requires, and joints of several axes, on which it ignores the element."""
    issues = following(tmp_path, inner, kind).issues
    assert [issue.severity for issue in issues if said in issue.message] == [severity]


def test_a_mimic_is_written_for_drake_too(tmp_path):
    """Guards exports: the element is beside that of SDF, with the reference in its offset, and both come back as one.

    Drake refuses leaders in other models, and ignores joints of several axes: there it is not written.
    """
    model = with_both(tmp_path, standard(-2, 0.1, 0.3)).model
    write(model, tmp_path / "out.sdf")
    text = (tmp_path / "out.sdf").read_text()
    (line,) = [line for line in text.splitlines() if "drake:mimic" in line]
    assert line.strip() == '<drake:mimic joint="lead" multiplier="-2" offset="0.7" />'
    reading = read(tmp_path / "out.sdf")
    assert reading.model.joint("follow").mimic == model.joint("follow").mimic
    assert not [issue for issue in reading.issues if "mimic" in issue.message]
    model.joint("lead").type = "universal"
    write(model, tmp_path / "out.sdf")
    assert "drake:mimic" not in (tmp_path / "out.sdf").read_text()


def test_a_mimic_of_another_model_is_not_written_for_drake(tmp_path):
    """Guards machines of nested models: Drake refuses a file whose <drake:mimic> names a joint of another model."""
    model = following(tmp_path, MIMIC).model
    model.joint("lead").name = model.joint("follow").mimic.leader = "inner::lead"
    model.link("b").name = model.joint("inner::lead").child = "inner::b"
    model.links.append(replace(model.link("a"), name="inner::a"))
    model.joint("inner::lead").parent = "inner::a"
    write(model, tmp_path / "out.sdf")
    text = (tmp_path / "out.sdf").read_text()
    assert '<mimic joint="inner::lead">' in text
    assert "drake:mimic" not in text

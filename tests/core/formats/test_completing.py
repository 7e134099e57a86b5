# SPDX-License-Identifier: GPL-3.0-or-later
"""What `read` adds on request: masses by a density, and joints that hold the base."""

import math

import pytest

import limberjack as lj

BOX = '<visual name="v"><geometry><box size="1 2 3"/></geometry></visual>'
HINGE = '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>'
ROBOT = f"""<robot name="r"><link name="base">{BOX}</link><link name="arm"><inertial><mass value="7"/><inertia ixx="1"
iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{BOX}</link><link name="tool"/><joint name="t" type="fixed"><parent
link="arm"/><child link="tool"/></joint>{HINGE}</robot>"""
SDF_BOX = BOX.replace('<box size="1 2 3"/>', "<box><size>1 2 3</size></box>")


@pytest.fixture
def file(tmp_path):
    def write(text, name="m.urdf"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def codes(reading):
    return [(issue.code, issue.subject) for issue in reading.issues]


def test_a_density_weighs_the_links_that_have_no_mass(file):
    """Guards robots with masses for some links: the others are weighed, and these and bare frames stay as they are."""
    path = file(ROBOT)
    assert lj.read(path).model.link("base").mass == 0.0
    reading = lj.read(path, density=100.0)
    base, arm, tool = reading.model.links
    assert base.mass == pytest.approx(600.0)
    moments = [50.0 * (a * a + b * b) for a, b in ((2, 3), (1, 3), (1, 2))]
    assert base.inertia == pytest.approx((moments[0], 0.0, 0.0, moments[1], 0.0, moments[2]))
    assert (arm.mass, arm.inertia) == (7.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    assert tool.mass == 0.0
    assert codes(reading) == []
    assert ("massless", "link 'base'") in codes(lj.read(path))


def test_a_density_weighs_links_of_sdf_without_inertial(file):
    """Guards SDF's default of 1 kg: it counts as no mass; a mass or an inertia in the file stays."""
    inertials = {
        "a": "",
        "b": "<inertial/>",
        "c": "<inertial><mass>1</mass></inertial>",
        "d": '<inertial auto="true"/>',
    }
    links = "".join(f'<link name="{name}">{text}{SDF_BOX}</link>' for name, text in inertials.items())
    path = file(f'<sdf version="1.11"><model name="m">{links}</model></sdf>', "m.sdf")
    assert [link.mass for link in lj.read(path).model.links] == [1.0] * 4
    assert [link.mass for link in lj.read(path, density=10.0).model.links] == pytest.approx([60.0, 60.0, 1.0, 60.0])
    collision = SDF_BOX.replace("visual", "collision")
    path = file(f'<sdf version="1.11"><model name="m"><link name="d">{inertials["d"]}{collision}</link></model></sdf>')
    assert lj.read(path, density=10.0).model.link("d").mass == pytest.approx(6000.0)  # SDF's own density, of water


def test_what_a_density_cannot_weigh_is_reported_with_its_line(file):
    """Guards against silence: the mesh that is not there, and a density that changes nothing."""
    mesh = BOX.replace('<box size="1 2 3"/>', '<mesh filename="gone.stl"/>')
    path = file(f'<robot name="r">\n<link name="a">{mesh}</link></robot>')
    found = {issue.code: issue for issue in lj.read(path, density=1.0).issues}
    assert found["not-weighed"].line == found["weighed-as"].line == 2
    assert "its mass stays 0 kg: give it a mass" in found["not-weighed"].message
    heavy = '<link name="a"><inertial><mass value="2"/></inertial></link>'
    assert ("has-masses", "model 'r'") in codes(lj.read(file(f'<robot name="r">{heavy}</robot>'), density=1.0))


@pytest.mark.parametrize("density", [0, -1.0, math.nan, math.inf, "1000", True])
def test_a_density_is_a_number_above_zero(file, density):
    """Guards the message, before the file is read."""
    with pytest.raises(lj.ModelError, match=r"density takes a finite number above 0 .* such as 1000 for water; found"):
        lj.read(file("<robot"), density=density)


def test_a_fixed_base_stays_where_it_stands(file):
    """Guards the one line that robots need: the base is held and does not fall; a base that is held stays as it is."""
    reading = lj.read(file(ROBOT), fix_base=True, density=100.0)
    model = reading.model
    (held,) = [joint for joint in model.joints if joint.parent == lj.WORLD]
    assert (held.name, held.type, held.child) == ("base_static", "fixed", "base")
    motion = lj.simulate(model, 0.2)
    assert motion.link("base")[-1] == pytest.approx(motion.link("base")[0], abs=1e-12)
    losses = lj.write(model, reading.files[0].with_name("held.sdf"))
    again = lj.read(reading.files[0].with_name("held.sdf"), fix_base=True)
    assert [joint.name for joint in again.model.joints] == [joint.name for joint in model.joints], losses


def test_one_of_several_bases_is_named(file):
    """Guards loose things beside a robot: none is held unless its name is given, and the error lists the names."""
    path = file(f'<robot name="r"><link name="base">{BOX}</link><link name="arm">{BOX}</link></robot>')
    with pytest.raises(lj.ModelError, match=r"2 links float: base, arm; name those to fix, as in fix_base=\['base'\]"):
        lj.read(path, fix_base=True)
    for names in ("arm", ["arm"], ["base", "arm"]):
        model = lj.read(path, fix_base=names).model
        assert [joint.child for joint in model.joints] == ([names] if isinstance(names, str) else names)
    with pytest.raises(lj.ModelError, match="leg"):
        lj.read(path, fix_base="leg")


def test_a_file_with_errors_stays_as_it_is(file):
    """Guards the errors of the file, which come first."""
    reading = lj.read(file(ROBOT.replace('"7"', '"seven"')), fix_base="leg", density=1.0)
    with pytest.raises(lj.ModelError, match="seven"):
        _ = reading.model
    with pytest.warns(UserWarning, match="not complete"):
        reading = lj.read(file(ROBOT.replace('"7"', '"seven"')), allow_errors=True, fix_base=True, density=100.0)
    assert reading.model.link("base").mass == pytest.approx(600.0)
    assert reading.model.carrier("base").type == "fixed"

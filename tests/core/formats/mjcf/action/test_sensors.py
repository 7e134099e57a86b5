# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors are kept, and written again into MJCF."""

from xml.etree import ElementTree

from limberjack.core.formats import read, write
from limberjack.core.model.editing.editing import rename_joint, rename_link
from support.mjcf_texts import MASS, model_of

BODIES = f"""
<body name="a">{MASS}<joint name="j"/><geom name="shin" size="1"/>
<site name="foot" type="box" size="0.1 0.2 0.3"/><site name="bar" type="capsule" size="0.01" fromto="0 0 0 0 0 0.5"/>
<body name="b">{MASS}<joint name="x" type="slide" axis="1 0 0"/><joint name="y" axis="0 1 0"/></body></body>
<body name="c"><freejoint/><geom name="ball" size="0.2"/></body>"""
REST = """
<actuator><position name="servo" joint="y" kp="3"/><motor name="geared" joint="x" gear="5" ctrlrange="0 1"/></actuator>
<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
"""
SENSORS = """<sensor>
<jointpos name="angle" joint="j" noise="0.1"/>
<jointvel joint="y"/>
<touch name="step" site="foot"/>
<insidesite name="in" site="bar" objtype="xbody" objname="c" enclosed="true"/>
<gyro site="foot" cutoff="3"/>
<framepos name="seen" objtype="body" objname="b" reftype="site" refname="foot"/>
<framelinvel objtype="xbody" objname="a"/>
<distance geom1="shin" geom2="ball" cutoff="1"/>
<subtreecom body="a"/>
<actuatorfrc name="force" actuator="servo"/>
<clock/>
</sensor>"""


def sensors_of(path):
    """Tag and attributes of each sensor of a file."""
    return [(each.tag, dict(each.attrib)) for each in ElementTree.parse(path).getroot().findall("sensor/*")]


def written(model, folder):
    losses = write(model, folder / "m.xml")
    return sensors_of(folder / "m.xml"), losses


def test_sensors_are_written_again(tmp_path):
    """They have the same attributes, but for what names have become; the shapes of sites that matter stay."""
    model = model_of(BODIES, REST + SENSORS)
    found, losses = written(model, tmp_path)
    assert losses == []
    given = [(each.tag, dict(each.attrib)) for each in ElementTree.fromstring(SENSORS)]
    joints = {axis.get("name") for axis in ElementTree.parse(tmp_path / "m.xml").getroot().iter("joint")}
    second = found[1][1]["joint"]
    assert second in joints
    assert found[9][1]["actuator"] == second  # actuators have the names of their joints
    expected = [*given]
    expected[1] = ("jointvel", {"joint": second})
    expected[9] = ("actuatorfrc", {"name": "force", "actuator": second})
    assert found == expected
    sites = {site.get("name"): site for site in ElementTree.parse(tmp_path / "m.xml").getroot().iter("site")}
    assert (sites["foot"].get("type"), sites["foot"].get("size")) == ("box", "0.1 0.2 0.3")
    assert (sites["bar"].get("type"), sites["bar"].get("size")) == ("capsule", "0.01 0.25")
    assert read(tmp_path / "m.xml").model.extras == written_again(tmp_path)


def written_again(folder):
    """The extras after a second round, which must not lose more."""
    write(read(folder / "m.xml").model, folder / "again.xml")
    return read(folder / "again.xml").model.extras


def test_names_that_have_gone_are_told(tmp_path):
    """Sensors of renamed parts, of tendons, and of geared actuators cannot stay; others do."""
    model = model_of(
        BODIES,
        REST
        + """<sensor><jointpos name="p" joint="j"/><actuatorfrc actuator="geared"/><tendonpos name="l" tendon="t"/>
        <subtreecom body="a"/><camprojection site="foot" camera="eye"/><clock name="now"/></sensor>""",
    )
    rename_joint(model, "j", "knee")
    rename_link(model, "a", "leg")
    found, losses = written(model, tmp_path)
    assert found == [("clock", {"name": "now"})]
    assert [line.partition(" is left out: ")[2] for line in losses] == [
        f"the {what}, which it names, is not in the file"
        for what in ("joint 'j'", "actuator 'geared'", "tendon 't'", "body 'a'", "camera 'eye'")
    ]
    assert losses[1].startswith("sensor 'actuatorfrc' ")


def test_sensors_of_an_attached_file(tmp_path):
    """Their names have the prefix of <attach>."""
    inner = f"""<mujoco model="in"><worldbody><body name="a">{MASS}<joint name="j"/></body></worldbody>
        <sensor><jointpos name="p" joint="j"/></sensor></mujoco>"""
    (tmp_path / "inner.xml").write_text(inner)
    (tmp_path / "outer.xml").write_text(
        '<mujoco><asset><model name="in" file="inner.xml"/></asset>'
        '<worldbody><attach model="in" body="a" prefix="left_"/></worldbody></mujoco>'
    )
    found, losses = written(read(tmp_path / "outer.xml").model, tmp_path)
    assert (found, losses) == ([("jointpos", {"name": "left_p", "joint": "left_j"})], [])


def test_other_formats_tell_one_line(tmp_path):
    """SDF and URDF have no such sensors; one line has their count."""
    model = model_of(BODIES, REST + SENSORS)
    for name, count in (("m.sdf", "(11 times)"), ("m.urdf", "(11 found)")):
        (line,) = [line for line in write(model, tmp_path / name) if "sensor" in line]
        assert line.endswith(count)

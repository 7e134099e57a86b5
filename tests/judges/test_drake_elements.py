# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake's own elements, as Drake reads them: in files by hand, and in those that we write."""

import json
import subprocess

import pytest

from limberjack.core.formats import read, write
from limberjack.core.simulation import simulate
from support.judges import PYTHON, ROOT, needs_python_judges

SAMPLES = ROOT / "sample_scenes"
PROGRAM = ROOT / "tests" / "judges" / "drake_elements.py"
SPRING_AND_ROTOR = """<robot name="m" xmlns:drake="http://drake.mit.edu"><link name="world"/>
<link name="a"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0"
izz="0.1"/></inertial></link>
<link name="b"><inertial><origin xyz="0 0.1 -0.4"/><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0"
izz="0.15"/></inertial></link>
<joint name="i" type="continuous"><parent link="world"/><child link="a"/><axis xyz="1 0 0"/></joint>
<joint name="j" type="continuous"><parent link="world"/><child link="b"/><origin xyz="0.2 1 0"/>
<axis xyz="0 1 0"/></joint>
<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="i"/><actuator name="m">
<drake:rotor_inertia value="0.002"/><drake:gear_ratio value="30"/></actuator></transmission>
<drake:linear_spring_damper><drake:linear_spring_damper_body_A name="a"/><drake:linear_spring_damper_p_AP
value="0.1 0.2 -0.8"/><drake:linear_spring_damper_body_B name="b"/><drake:linear_spring_damper_p_BQ
value="0 -0.1 -0.5"/>
<drake:linear_spring_damper_free_length value="0.4"/><drake:linear_spring_damper_stiffness value="70"/>
<drake:linear_spring_damper_damping value="4"/></drake:linear_spring_damper></robot>"""
BOX = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
BALL_AND_GROUP = (
    SPRING_AND_ROTOR.partition("<transmission")[0].replace("</inertial>", f"</inertial>{BOX}")
    + """
<drake:ball_constraint><drake:ball_constraint_body_A name="a"/><drake:ball_constraint_p_AP value="0 0.5 -1"/>
<drake:ball_constraint_body_B name="b"/><drake:ball_constraint_p_BQ value="0 -0.5 -1"/></drake:ball_constraint>
<drake:collision_filter_group name="g"><drake:member link="a"/><drake:member link="b"/>
<drake:ignored_collision_filter_group name="g"/></drake:collision_filter_group></robot>"""
)


def drake(path, *numbers):
    done = subprocess.run([PYTHON, PROGRAM, path, *map(str, numbers)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-600:]
    return json.loads(done.stdout.splitlines()[-1])


@needs_python_judges
@pytest.mark.parametrize("into", ["", "urdf", "sdf"])
def test_the_motion_is_drakes(tmp_path, into):
    """Guards springs and rotors: a motion as Drake has it, of a file by hand and of those that we write."""
    path = tmp_path / "m.urdf"
    path.write_text(SPRING_AND_ROTOR)
    model = read(path).model
    if into:
        path = tmp_path / f"out.{into}"
        write(model, path)
    q = {"i": 0.4, "j": -0.7}
    ours = simulate(model, 0.5, q=q, accuracy="exact")
    theirs = drake(path, 0.5, *q.values())
    assert [ours.joint(name)[-1, 0] for name in q] == pytest.approx(theirs, abs=1e-7)
    assert abs(theirs[0] - 0.4) > 0.01


@needs_python_judges
@pytest.mark.parametrize("into", ["", "urdf"])
def test_constraints_and_filters_are_drakes(tmp_path, into):
    """Guards ball constraints and filter groups: Drake finds them in what we write as in the file by hand."""
    path = tmp_path / "m.urdf"
    path.write_text(BALL_AND_GROUP)
    model = read(path).model
    if into:
        path = tmp_path / f"out.{into}"
        write(model, path)
    count, filtered = drake(path)
    assert count == len(model.loops())
    assert filtered == [[pair.a, pair.b] for pair in model.contact_pairs]


@needs_python_judges
@pytest.mark.parametrize(("name", "mimics", "couplers"), [("gear_train.sdf", 4, 4), ("hand.sdf", 10, 8)])
def test_drake_couples_what_follows(tmp_path, name, mimics, couplers):
    """Guards mimics in SDF, which Drake reads from its own element only, and only between joints of one axis.

    Two joints of the hand's thumb follow a universal joint.
    """
    path = tmp_path / "out.sdf"
    model = read(SAMPLES / name).model
    write(model, path)
    assert sum(joint.mimic is not None for joint in model.joints) == mimics
    assert drake(path)[0] == couplers

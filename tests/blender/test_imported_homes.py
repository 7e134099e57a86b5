# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that give an initial pose: their links stand in it after an import, and the scene reads as the same model."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene import write as module
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.bridge.scene.write import write_scene
from limberjack.core.formats import read, write
from limberjack.core.model import WORLD, Axis, Joint, Link, Mimic, Model
from limberjack.core.simulation import Simulation
from support.linkages import upright_four_bar
from support.shared import CORPUS, needs_corpus

ARM = """<mujoco model="arm"><compiler angle="radian"/><worldbody>
<body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/><geom size="0.1 0.2 0.3" type="box"/>
<body name="fore" pos="0.5 0 0"><joint name="elbow" type="slide" axis="1 0 0"/><geom size="0.1"/></body></body>
<body name="ball" pos="3 0 1"><freejoint name="free"/><geom size="0.1"/></body>
</worldbody><keyframe><key name="other" qpos="0 0 0 0 0 1 0 0 0"/>
<key name="home" qpos="{shoulder} 0.2 4 5 6 0 0 0 1"/></keyframe></mujoco>"""
SHOULDER = 0.5 * math.pi


@pytest.fixture
def arm(tmp_path):
    """A hinge about y at 90 degrees, with a slide along x by 0.2 m on it, and a ball that floats elsewhere."""
    path = tmp_path / "arm.xml"
    path.write_text(ARM.format(shoulder=SHOULDER))
    return path


def bring_in(path, **options):
    assert bpy.ops.limberjack.import_model(filepath=str(path), fixed_base="FREE", **options) == {"FINISHED"}
    return bpy.context.scene


def start_of(model):
    """The pose of each link where a simulation starts, shape (7,), by name."""
    motion = Simulation(model, np.array([0.0, 1e-3])).run()
    return {name: motion.link(name)[0] for name in motion.link_names}


def assert_at(scene, places):
    unit = scene.unit_settings.scale_length
    for name, place in places.items():
        assert unit * np.array(scene.objects[name].matrix_world.translation) == pytest.approx(place, abs=1e-6), name


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_links_stand_at_the_key_home(scene, arm, unit):
    """Guards robots in MJCF: they stood at q = 0, and jumped as Play began. By hand, the hinge turns x to -z."""
    scene.unit_settings.scale_length = unit
    bring_in(arm)
    assert_at(scene, {"upper": (0.0, 0.0, 1.0), "fore": (0.0, 0.0, 1.0 - 0.5 - 0.2), "ball": (4.0, 5.0, 6.0)})
    along = np.array(scene.objects["fore"].matrix_world)[:3, 0]
    assert along == pytest.approx([0.0, 0.0, -1.0], abs=1e-6)
    shape = next(obj for obj in scene.objects["upper"].children if obj.type == "MESH")
    assert np.array(shape.matrix_world.translation) * unit == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)
    assert_at(scene, {name: pose[:3] for name, pose in start_of(read_scene(scene)).items()})
    assert not [problem for problem in show_rig(scene).problems if problem.code == "link-left"]


def test_a_place_moves_the_pose_along(scene, arm):
    """Guards models that are dropped somewhere: the initial pose is relative to that place."""
    bring_in(arm, place=(10.0, 0.0, 0.0))
    assert_at(scene, {"fore": (10.0, 0.0, 0.3), "ball": (14.0, 5.0, 6.0)})


@pytest.mark.parametrize("suffix", [".sdf", ".urdf", ".xml"])
def test_exports_are_as_before(scene, arm, tmp_path, monkeypatch, suffix):
    """Guards files: the pose in which links stand is in none of them, to the last digit."""
    written = []
    for number in range(2):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        write_scene(read(arm).model, bpy.context.scene)
        path = tmp_path / f"{number}" / f"arm{suffix}"
        path.parent.mkdir()
        options = {"sdf_version": "1.12"} if suffix == ".sdf" else {}
        write(read_scene(bpy.context.scene, with_shapes=True), path, **options)
        written.append(path.read_text())
        monkeypatch.setattr(module, "move_to_initial_pose", lambda *_: [])
    assert written[0] == written[1]


def _scaled():
    bpy.ops.transform.resize(value=(2.0, 2.0, 2.0), center_override=(0.0, 0.0, 0.0))


def _moved():
    bpy.ops.transform.translate(value=(1.0, 2.0, 3.0))


def _turned():
    bpy.ops.transform.rotate(value=0.5, orient_axis="Z", center_override=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("change", [_scaled, _moved, _turned])
@pytest.mark.parametrize("slide", ["1 0 0", "0 0 1"])
def test_a_machine_is_changed_as_a_whole(scene, arm, monkeypatch, change, slide):
    """Guards Scale, Move and Rotate of all that was imported: frames and poses are those of an import at q = 0.

    The slide also lies along the line from its parent, where the Empty alone does not tell that the link has moved too.
    """
    arm.write_text(arm.read_text().replace('type="slide" axis="1 0 0"', f'type="slide" axis="{slide}"'))
    found = []
    for _ in range(2):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scene = bring_in(arm)
        for obj in scene.objects:
            obj.select_set(obj.limberjack_link.is_link or obj.limberjack_joint.is_joint)
        change()
        bpy.context.view_layer.update()
        model = read_scene(scene)
        poses = [(joint.X_PJ, joint.X_CJ) for joint in model.joints]
        found.append([*np.ravel(poses).tolist(), *np.ravel([link.pose for link in model.links]).tolist()])
        monkeypatch.setattr(module, "move_to_initial_pose", lambda *_: [])
    assert found[0] == pytest.approx(found[1], abs=2e-6)


def test_every_format_is_alike(scene, arm, tmp_path):
    """Guards SDF 1.12, which has initial poses, too."""
    write(read(arm).model, tmp_path / "arm.sdf", sdf_version="1.12")
    bring_in(tmp_path / "arm.sdf")
    assert_at(scene, {"fore": (0.0, 0.0, 0.3), "ball": (4.0, 5.0, 6.0)})


def test_other_machines_stay(scene, arm, build):
    """Guards scenes that have machines already: only what is imported is posed."""
    bars, joints = build.pendulum(1)
    joints[0].limberjack_joint.use_home, joints[0].limberjack_joint.coordinates[0].home = True, 1.0
    before = bars[0].matrix_world.copy()
    bring_in(arm)
    assert bars[0].matrix_world == before


URDF = """<robot name="m"><link name="base"/><link name="fore"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0"
ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link><joint name="j" type="prismatic"><parent link="base"/>
<child link="fore"/><axis xyz="1 0 0"/><limit lower="0.5" upper="1" effort="1" velocity="1"/></joint></robot>"""


def test_a_file_without_a_home_stands_as_it_is_drawn(scene, tmp_path):
    """Guards limits that exclude 0: a start that only limits cause moves nothing."""
    (tmp_path / "m.urdf").write_text(URDF)
    assert read(tmp_path / "m.urdf").model.joint("j").home == (0.5,)
    bring_in(tmp_path / "m.urdf")
    assert_at(scene, {"fore": (0.0, 0.0, 0.0)})


def test_loops_are_closed(scene):
    """Guards linkages: the links stand where a simulation starts them, with loops closed."""
    model = upright_four_bar()
    run = Simulation(model, np.array([0.0, 1e-3]), initial={"q": {"crank_pivot": 0.6}}).run()
    for (name, _), value in zip(run.q_names, run.q[0].tolist(), strict=True):
        model.joint(name).home = (value,)
    _, notes = write_scene(model, scene)
    assert notes == []
    assert_at(scene, {name: pose[:3] for name, pose in start_of(model).items()})
    assert scene.objects["crank"].matrix_world.to_euler().z == pytest.approx(0.6, abs=1e-6)


def test_followers_follow(scene):
    """Guards a finger that mimics another one: q = -2 q of the leader + 0.1."""
    links = [Link(name, 1.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1)) for name in ("palm", "one", "other")]
    joints = [Joint("hold", "fixed", WORLD, "palm")]
    for name in ("one", "other"):
        joints.append(Joint(f"to {name}", "prismatic", "palm", name, axes=[Axis(xyz=(1.0, 0.0, 0.0))]))
    joints[1].home, joints[2].mimic = (0.3,), Mimic("to one", multiplier=-2.0, offset=0.1)
    write_scene(Model("hand", links, joints), scene)
    assert_at(scene, {"one": (0.3, 0.0, 0.0), "other": (-0.5, 0.0, 0.0)})


def test_loops_that_cannot_be_closed_are_told(scene):
    """Guards starts that no pose has: the links stay as they are drawn, and a note says so."""
    model = upright_four_bar()
    model.joint("crank_pivot").home = (0.6,)
    for joint in model.joints:
        joint.axes[0].lower, joint.axes[0].upper = (0.5, 0.7) if joint.name == "crank_pivot" else (-1e-3, 1e-3)
    _, notes = write_scene(model, scene)
    assert [note for note in notes if "loops cannot be closed" in note]
    assert_at(scene, {link.name: link.pose[:3] for link in model.links})


@needs_corpus
def test_a_robot_of_seven_joints(scene, tmp_path):
    """Guards a real arm with a key as robots have it: it stands where a simulation starts it."""
    text = (CORPUS / "mjcf/robosuite_panda/robot.xml").read_text()
    key = '<keyframe><key name="home" qpos="0 0.4 0 -1.6 0 2.0 0.785"/></keyframe></mujoco>'
    path = tmp_path / "panda.xml"
    path.write_text(text.replace("</mujoco>", key))
    bring_in(path)
    places = start_of(read(path).model)
    assert_at(scene, {name: pose[:3] for name, pose in places.items()})
    assert np.ptp([pose[0] for pose in places.values()]) > 0.4

# SPDX-License-Identifier: GPL-3.0-or-later
"""Ragdolls of Rigify's human, as its metarig and as the rig with controls that it generates, and of its wolf."""

from types import SimpleNamespace

import addon_utils
import bpy
import numpy as np
import pytest
from mathutils import Matrix

from limberjack.addon.bridge.joints.axis_views import view_joint
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.gizmos.joint import LIMBERJACK_GGT_joint, shown_handles

from .baked import bake
from .bone_rig import errors
from .characters import FINGER, choose, skin
from .conftest import link
from .ragdolls import make, names_of, parents_in, remove, stored, told
from .rigs import select_bones

pytestmark = pytest.mark.slow  # Rigify takes several seconds to generate a rig

HEIGHT = 2.0
"""Height of the human [m]."""

LIMBS = {
    "shoulder": "spine.003",
    "upper_arm": "shoulder",
    "forearm": "upper_arm",
    "hand": "forearm",
    "thigh": "spine",
    "shin": "thigh",
    "foot": "shin",
}
TREE = {
    **{"spine.001": "spine", "spine.002": "spine.001", "spine.003": "spine.002"},
    **{"spine.004": "spine.003", "spine.006": "spine.004"},
    **{
        f"{name}.{s}": above if above.startswith("spine") else f"{above}.{s}"
        for s in "LR"
        for name, above in LIMBS.items()
    },
}
"""Part above each part, by the names of the metarig: 19 joints, so 20 parts."""

FACE = ("jaw", "lip", "eye", "brow", "nose", "ear", "tongue", "cheek", "chin", "teeth", "temple", "forehead", "lid")

RADII = {"thigh": 0.07, "shin": 0.05, "upper_arm": 0.045, "forearm": 0.04, "hand": 0.03, "foot": 0.04, "shoulder": 0.04}


@pytest.fixture(scope="module")
def files(tmp_path_factory, _add_on):
    """Files with the human's metarig, with the rig that Rigify generates of it, and with the metarig of a wolf."""
    folder = tmp_path_factory.mktemp("rigify")
    addon_utils.enable("rigify", default_set=True)
    for name, add in (
        ("metarig", bpy.ops.object.armature_human_metarig_add),
        ("wolf", lambda: bpy.ops.object.armature_wolf_metarig_add()),
    ):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        add()
        bpy.context.object.name = "Rig"
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{name}.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "metarig.blend"))
    metarig = bpy.data.objects["Rig"]
    choose(metarig)
    bpy.ops.pose.rigify_generate()
    (rig,) = (obj for obj in bpy.context.scene.objects if obj.type == "ARMATURE" and obj != metarig)
    bpy.data.objects.remove(metarig)
    rig.name = "Rig"
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "generated.blend"))
    addon_utils.disable("rigify", default_set=True)
    return folder


def opened(files, name):
    bpy.ops.wm.open_mainfile(filepath=str(files / f"{name}.blend"))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 24
    return bpy.data.objects["Rig"]


def dressed(rig):
    """Give each deforming bone a tube."""

    def radius(name):
        return RADII.get(name.removeprefix("DEF-").partition(".")[0], 0.12 if "spine" in name else FINGER)

    names = [bone.name for bone in rig.data.bones if bone.use_deform]
    return skin(rig, names, {name: radius(name) for name in names})


def short(name):
    return name.removeprefix("ORG-").removeprefix("tweak_").removeprefix("DEF-")


def tree(scene):
    return {short(name): short(above) for name, above in parents_in(scene).items()}


@pytest.mark.parametrize("has_mesh", [True, False], ids=["mesh", "bare"])
@pytest.mark.parametrize("name", ["metarig", "generated"])
def test_the_human_is_a_body_of_twenty_parts(files, name, has_mesh):
    """Guards Rigify's human of up to 706 bones: its parts are the limbs, spine, neck and head, with the parents that
    the author of the metarig gave them; none is facial, a twist bone, a finger or a toe."""
    rig = opened(files, name)
    if has_mesh:
        dressed(rig)
    make(rig)
    assert tree(bpy.context.scene) == TREE
    assert len(names_of(rig)) == 20
    assert "a creature" not in told()


@pytest.mark.parametrize("name", ["metarig", "generated"])
def test_fingers_and_toes_by_choice(files, name):
    """Guards the option: three bones of each finger, and the toes, are added on hands and feet, and still no face."""
    rig = opened(files, name)
    dressed(rig)
    make(rig, fingers=True)
    found = tree(bpy.context.scene)
    fingers = {
        each for each in found if each.partition(".")[0] in ("thumb", "f_index", "f_middle", "f_ring", "f_pinky")
    }
    assert len(fingers) == 30
    assert found["toe.L"] == "foot.L"
    assert {each: above for each, above in found.items() if each in TREE} == TREE
    assert not [each for each in found if each.startswith(FACE)]


def test_controls_stand_for_bones(files):
    """Guards artists who select controls: the bones that these move become parts, and hang on the next one above."""
    rig = opened(files, "generated")
    dressed(rig)
    select_bones(rig, "upper_arm_fk.L", "forearm_fk.L", "hand_fk.L")
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    assert {short(name) for name in names_of(rig)} == {"shoulder.L", "upper_arm.L", "forearm.L", "hand.L"}


def set_hidden(bone):
    """Hide a bone, in Blender 4.5 as in 5."""
    (bone if hasattr(bone, "hide") else bone.bone).hide = True


class InView:
    """The context of a view that shows handles."""

    space_data = SimpleNamespace(show_gizmo=True)
    region = SimpleNamespace(width=1000, height=800)
    region_data = SimpleNamespace(perspective_matrix=Matrix.Identity(4), window_matrix=Matrix.Identity(4))

    def __getattr__(self, name):
        return getattr(bpy.context, name)


def test_a_control_shows_the_limits_of_its_part(files):
    """Guards who selects a control, and sees the panel of the part that it moves: the handles of its limits are shown,
    too, but none that would pose the bone, which the control does."""
    rig = opened(files, "generated")
    dressed(rig)
    make(rig)
    select_bones(rig, "upper_arm_fk.L")
    rig.data.bones.active = rig.data.bones["upper_arm_fk.L"]
    context = InView()
    assert LIMBERJACK_GGT_joint.poll(context)
    part = LIMBERJACK_GGT_joint.node_of(context)
    assert short(part.name) == "upper_arm.L"
    view = view_joint(part, bpy.context.scene)
    assert {role for role, *_ in shown_handles(view, part, context)} == {"lower", "upper", "aim"}
    set_hidden(rig.pose.bones["upper_arm_fk.L"])
    assert not LIMBERJACK_GGT_joint.poll(context)


def test_the_human_falls_as_simulated(files):
    """Guards the bake of the rig with controls: its bones are where the trajectory has them, within the limits that
    connected bones have, and all of it can be taken away again."""
    rig = opened(files, "generated")
    dressed(rig)
    before = stored(rig)
    make(rig, weight=70.0)
    scene = bpy.context.scene
    assert sum(item.mass for item in read_scene(scene).links) == pytest.approx(70.0, rel=1e-6)
    scene.limberjack.contact = False
    run = bake(scene)
    way, turned = errors(scene, run, HEIGHT)
    assert max(way, turned) < 1e-4
    fallen = run.trajectory.X_WL[0, :, 2] - run.trajectory.X_WL[-1, :, 2]
    np.testing.assert_allclose(fallen, 0.5 * 9.81 * (23.0 / 24.0) ** 2, atol=0.35)
    remove(rig)
    assert stored(rig) == before


def test_a_wolf_is_a_creature(files):
    """Guards animals, whose bones are called as a human's: its joints are those of a creature, and those of a human
    only if the user wants it."""
    rig = opened(files, "wolf")
    make(rig)
    assert {link(rig.pose.bones[name]).body_part for name in names_of(rig)} <= {"limb", "tail"}
    make(rig, preset="HUMAN")
    assert "thigh" in {link(rig.pose.bones[name]).body_part for name in names_of(rig)}

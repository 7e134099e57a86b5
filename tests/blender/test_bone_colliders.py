# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones as Colliders and Fit to Mesh: which bones get a capsule, how large it is, and what is told."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.bridge.skins.bone_fitting import fit_bones
from limberjack.addon.bridge.skins.rest_skins import rest_skin
from limberjack.addon.ids import LINK
from limberjack.addon.overlays.model import capsule_layout
from limberjack.addon.preferences import preferences
from limberjack.addon.props import is_joint, is_link
from limberjack.addon.props.settings import window_status
from limberjack.core.geometry import Capsule
from support.processor import recording

from .baked import bake
from .characters import FINGER, RADII, character, choose, skin
from .conftest import link
from .rigs import armature, chain, in_mode, select_bones, tag

LARGE = tuple(RADII)
"""Bones of the character that are not fingers."""


@pytest.fixture
def figure(scene):
    return character()


def colliders(rig):
    return [bone.name for bone in rig.pose.bones if is_link(bone)]


def notes():
    return window_status(bpy.context.window_manager).notes


def press(*objects, **options):
    choose(*objects)
    assert bpy.ops.limberjack.bones_as_colliders(**options) == {"FINISHED"}


def measures(rig, name):
    """Radius, and y of both ends, of the capsule of a bone in the model [m]."""
    item = read_scene(bpy.context.scene, with_shapes=True).link(f"{rig.name}:{name}")
    (shape,) = item.collisions
    assert isinstance(shape.geometry, Capsule)
    half = shape.geometry.length / 2.0 + shape.geometry.radius
    return shape.geometry.radius, shape.pose[1] - half, shape.pose[1] + half


def test_bones_get_the_shape_of_their_meshes(scene, figure):
    """Guards the fit: radius and ends are those of the tube around each bone, whose round ends lie beyond it, along the
    bone (o3de#2609), and weights count by their ratios, as in the Armature modifier."""
    rig, _ = figure
    press(rig)
    for name in ("hips", "chest", "head", "thigh", "shin", "arm"):
        length, radius = rig.data.bones[name].length, RADII[name]
        assert measures(rig, name) == pytest.approx((radius, -radius, length + radius), abs=1e-3)
        (shape,) = read_scene(scene, with_shapes=True).link(f"Rig:{name}").collisions
        x, y, z, w = shape.pose[4], shape.pose[5], shape.pose[6], shape.pose[3]
        axis = 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)
        np.testing.assert_allclose(np.abs(axis), (0.0, 1.0, 0.0), atol=1e-12)


def test_small_bones_belong_to_those_above(scene, figure):
    """Guards fingers: they are left out, and the hand reaches over them. With 0 %, each bone has a capsule."""
    rig, _ = figure
    press(rig, smallest=0.0)
    alone = measures(rig, "hand")
    assert colliders(rig) == [bone.name for bone in rig.pose.bones]
    press(rig)
    assert sorted(colliders(rig)) == sorted(LARGE)
    assert measures(rig, "hand")[2] > alone[2] + 0.001
    assert {link(rig.pose.bones[name]).motion for name in LARGE} == {"KINEMATIC"}
    assert not any(is_joint(bone) for bone in rig.pose.bones)


def test_bones_that_are_left_out_get_no_settings(scene, figure):
    """Guards files: Blender would save the settings of each bone that was looked at."""
    rig, _ = figure
    press(rig)
    assert [bone.name for bone in rig.pose.bones if bone.is_property_set(LINK)] == [
        bone.name for bone in rig.pose.bones if bone.name in LARGE
    ]


@pytest.mark.parametrize("chosen", ["armature", "mesh", "pose"])
def test_it_runs_where_artists_are(scene, figure, chosen):
    """Guards the places: with the armature or its mesh selected, and in Pose Mode, which stays."""
    rig, body = figure
    if chosen == "pose":
        in_mode(rig, "POSE")
    else:
        choose(rig if chosen == "armature" else body)
    assert bpy.ops.limberjack.bones_as_colliders.poll()
    assert bpy.ops.limberjack.bones_as_colliders() == {"FINISHED"}
    assert bpy.context.mode == ("POSE" if chosen == "pose" else "OBJECT")
    assert rig.data.pose_position == "POSE"
    assert sorted(colliders(rig)) == sorted(LARGE)


def test_nothing_to_press_it_for(scene, build):
    """Guards the button where there is no character."""
    build.select(build.cube())
    assert not bpy.ops.limberjack.bones_as_colliders.poll()


def test_it_is_one_step(scene, figure):
    """Guards undo: one step takes all links away, and the armature is as it was."""
    choose(figure[0])
    bpy.ops.ed.undo_push(message="Character")
    assert bpy.ops.limberjack.bones_as_colliders("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.ops.ed.undo()
    assert colliders(bpy.data.objects["Rig"]) == []


def test_controls_and_bones_without_weights_are_left_out(scene, figure):
    """Guards rigs with controls: bones that deform nothing get no links, and neither do bones whose groups are only
    named like them because they do not deform."""
    rig, _ = figure
    in_mode(rig, "EDIT")
    for name in ("control", "target"):
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = (1.0, 0.0, 0.0), (1.0, 0.0, 0.5)
    in_mode(rig, "OBJECT")
    rig.data.bones["thigh"].use_deform = False
    press(rig)
    assert sorted(colliders(rig)) == sorted(set(LARGE) - {"thigh"})


def test_a_rig_without_weights_has_shapes_from_bones(scene):
    """Guards rigs that no mesh follows (FlaxEngine#4260): each bone is a capsule of a tenth of its length, and it is
    told."""
    rig = chain(3)
    press(rig)
    assert colliders(rig) == ["b0", "b1", "b2"]
    assert "no mesh follows the bones of 'Rig' by weights, so their shapes are capsules of a tenth" in notes()
    assert measures(rig, "b0") == pytest.approx((0.1, 0.0, 1.0))


def test_deforming_bones_that_hang_on_controls(scene):
    """Guards rigs such as Rigify's, whose deforming bones hang on controls at the place of other deforming bones: a
    finger belongs to the hand at the place of its control."""
    rig = armature(
        [
            ("root", (0, 0, 0), (0, 0, 1), ""),
            ("ctl_hand", (0, 0, 1), (0.2, 0, 1), "root"),
            ("hand", (0, 0, 1), (0.2, 0, 1), ""),
            ("finger", (0.2, 0, 1), (0.23, 0, 1), "ctl_hand"),
        ]
    )
    body = skin(rig, ("root", "hand", "finger"))
    press(rig)
    assert colliders(rig) == ["root", "hand"]
    skinned = rest_skin(rig, [body], bpy.context.view_layer)
    alone = fit_bones(rig, {"hand": skinned["hand"]}, ["hand"]).by_bone["hand"]
    own = link(rig.pose.bones["hand"])
    assert own.bone_end != pytest.approx(alone.end, abs=1e-3), "the finger does not count for the hand"


def test_fans_and_rows_of_small_bones(scene):
    """Guards palms and ponytails: of bones side by side, each is judged by its own points, so they belong to the hand;
    bones in a row that are short each become one capsule together."""
    fan = [(f"palm{i}", (0.3, 0.03 * i, 1), (0.34, 0.03 * i, 1), "hand") for i in range(3)]
    fingers = [(f"finger{i}", (0.34, 0.03 * i, 1), (0.38, 0.03 * i, 1), f"palm{i}") for i in range(3)]
    row = [
        (f"tail{i}", (0, 0, 1 + 0.04 * i), (0, 0, 1.04 + 0.04 * i), f"tail{i - 1}" if i else "body") for i in range(5)
    ]
    rig = armature(
        [("body", (0, 0, 0), (0, 0, 1), ""), ("hand", (0.2, 0, 1), (0.3, 0, 1), "body"), *fan, *fingers, *row]
    )
    skin(rig, radii={"body": 0.1, "hand": 0.03})
    press(rig, smallest=8.0)
    made = colliders(rig)
    assert made[:2] == ["body", "hand"]
    assert made[2:]
    assert all(name.startswith("tail") for name in made[2:])
    assert len(made[2:]) < 5
    assert measures(rig, "hand")[2] > 0.14, "palms and fingers do not belong to the hand"


@pytest.mark.parametrize("scale", [0.01, 10.0])
def test_scaled_characters(scene, scale):
    """Guards scale (godot#52971, #82223): capsules are as large as the mesh, no scale is changed, and a second press
    changes nothing."""
    rig, body = character()
    rig.scale = (scale,) * 3
    bpy.context.view_layer.update()
    press(rig)
    first = {name: measures(rig, name) for name in ("thigh", "arm")}
    for name, (radius, start, end) in first.items():
        length = rig.data.bones[name].length
        expected = np.array((RADII[name], -RADII[name], length + RADII[name])) * scale
        np.testing.assert_allclose((radius, start, end), expected, atol=1e-3 * scale)
    press(rig)
    assert {name: measures(rig, name) for name in first} == first
    assert tuple(rig.scale) == pytest.approx((scale,) * 3)
    assert tuple(body.scale) == (1.0, 1.0, 1.0)
    assert all(tuple(bone.scale) == (1.0, 1.0, 1.0) for bone in rig.pose.bones)


def test_modifiers_and_poses(scene, figure):
    """Guards characters that are modelled by half (Mirror), and poses: the fit is made at rest, with all modifiers."""
    rig, body = figure
    body.modifiers.new("Mirror", "MIRROR")
    body.modifiers.move(1, 0)
    rig.data.bones["arm"].name = "arm.L"
    in_mode(rig, "EDIT")
    bone = rig.data.edit_bones.new("arm.R")
    bone.head, bone.tail, bone.parent = (-0.2, 0.0, 1.5), (-0.5, 0.0, 1.5), rig.data.edit_bones["chest"]
    in_mode(rig, "OBJECT")
    body.vertex_groups.new(name="arm.R")
    body.data.update()  # Python's new groups are evaluated by then only
    rig.pose.bones["arm.L"].rotation_mode = "XYZ"
    rig.pose.bones["arm.L"].rotation_euler = (0.7, 0.1, 0.4)
    bpy.context.view_layer.update()
    press(rig)
    for name in ("arm.L", "arm.R"):
        assert measures(rig, name) == pytest.approx((0.05, -0.05, 0.35), abs=1e-3)


def test_the_mesh_is_no_collider_any_more(scene, figure):
    """Guards the remedy of a collider that bones deform: the error names it, and its button solves the problem."""
    rig, body = figure
    cube = bpy.data.objects.new("cube", bpy.data.meshes.new("cube"))
    cube.data.from_pydata(
        [(0, 0, 3), (1, 0, 3), (0, 1, 3), (0, 0, 4)], [], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    )
    scene.collection.objects.link(cube)
    choose(cube)
    bpy.ops.limberjack.link_tag()
    rig.pose.bones["arm"].keyframe_insert("rotation_quaternion", frame=1)
    rig.pose.bones["arm"].rotation_quaternion.x = 0.5
    rig.pose.bones["arm"].keyframe_insert("rotation_quaternion", frame=20)
    own = link(body)  # as in files of older versions, and of scripts
    own.is_link, own.motion = True, "KINEMATIC"
    (told,) = [each for each in show_rig(scene).problems if each.severity == "error"]
    assert (told.code, told.name) == ("collider-follows-bones", "Body")
    assert "press Bones as Colliders" in told.message
    assert bpy.ops.limberjack.problem_mend(name="Body", code=told.code, label="Bones as Colliders") == {"FINISHED"}
    assert not is_link(body)
    forget_rigs()
    assert [each.message for each in show_rig(scene).problems if each.severity == "error"] == []
    bake(scene, first=1, last=3)


def test_shapes_of_other_links_are_seen_only(scene, figure):
    """Guards a character below an Empty that is a collider: what bones deform collides no more, and is told."""
    rig, body = figure
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    body.parent = holder
    link(holder).is_link, link(holder).motion = True, "KINEMATIC"
    press(rig)
    assert link(body).role == "VISUAL"
    assert "'Body': no collider any more, since the bones collide in its place" in notes()


def test_the_collider_button_names_it(scene, figure):
    """Guards artists who press Collider for a character: the refusal says what to press instead."""
    choose(figure[1])
    with pytest.raises(RuntimeError, match="press Bones as Colliders, and the bones collide in its place"):
        bpy.ops.limberjack.collider_add()


def test_simulated_bones_stay_simulated(scene, figure):
    """Guards hair and tails: free bones keep their motion and their capsules, and what they deform counts for none."""
    rig, _ = figure
    (hand,) = tag(rig, "hand")
    press(rig)
    assert link(hand).motion == "FREE"
    assert (round(link(hand).bone_radius, 6), link(hand).is_fitted) == (0.1, False)
    assert measures(rig, "arm")[2] == pytest.approx(0.35, abs=1e-3)
    assert "'Rig:hand': already simulated or static, so left as before" in notes()


def test_ragdolls_are_fitted(scene, figure):
    """Guards Fit to Mesh: selected links in Pose Mode, which stay free; the mass follows, and bones without links count
    for the link above."""
    rig, _ = figure
    tag(rig, "hips", "chest", "arm")
    before = read_scene(scene).link("Rig:arm").mass
    select_bones(rig, "chest", "arm")
    assert bpy.ops.limberjack.bones_fit_to_mesh(selected_only=True) == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert link(rig.pose.bones["hips"]).is_fitted is False
    assert {link(rig.pose.bones[name]).motion for name in ("hips", "chest", "arm")} == {"FREE"}
    assert measures(rig, "arm")[2] > 0.4, "the hand belongs to the arm"
    assert read_scene(scene).link("Rig:arm").mass > 4.0 * before
    choose(rig)
    assert bpy.ops.limberjack.bones_fit_to_mesh() == {"FINISHED"}
    assert link(rig.pose.bones["hips"]).is_fitted


def test_objects_on_a_fitted_bone_count_too(scene, build, figure):
    """Guards helmets and eyes: a head keeps its fitted capsule beside them, in contact and in the mass."""
    rig, _ = figure
    press(rig)
    alone = read_scene(scene).link("Rig:head").mass
    helmet = build.cube("helmet", (0.0, 0.0, 1.9), 0.2)
    helmet.parent, helmet.parent_type, helmet.parent_bone = rig, "BONE", "head"
    bpy.context.view_layer.update()
    item = read_scene(scene, with_shapes=True).link("Rig:head")
    assert len(item.collisions) == len(item.visuals) == 2
    assert item.mass == pytest.approx(alone + 8.0, rel=1e-5)


def test_bones_that_change_their_size_are_left_out(scene, figure):
    """Guards squash and stretch: a bone with keys of its scale cannot be rigid, and it is told which."""
    rig, _ = figure
    for frame, size in ((1, 1.0), (10, 1.3)):
        rig.pose.bones["arm"].scale = (size,) * 3
        rig.pose.bones["arm"].keyframe_insert("scale", frame=frame)
    press(rig)
    assert "bone 'Rig:arm': it changes its size in its animation" in notes()
    assert not is_link(rig.pose.bones["arm"])
    assert is_link(rig.pose.bones["chest"])


def test_characters_without_a_size(scene, figure):
    """Guards armatures that are scaled to zero or mirrored: one sentence says what to do."""
    rig, _ = figure
    for scale, words in (
        ((0.0, 1.0, 1.0), "'Rig' has a scale of zero"),
        ((-1.0, 1.0, 1.0), "is mirrored by a negative"),
    ):
        rig.scale = scale
        bpy.context.view_layer.update()
        choose(rig)
        with pytest.raises(RuntimeError, match=words):
            bpy.ops.limberjack.bones_as_colliders()
    assert colliders(rig) == []


def test_flat_objects_on_bones(scene, figure):
    """Guards cards and decals on bones, which have no volume: they are no obstacle, since a collider weighs nothing."""
    rig, _ = figure
    bpy.ops.mesh.primitive_plane_add(size=0.1, location=(0.0, 0.0, 1.9))
    card = bpy.context.object
    card.parent, card.parent_type, card.parent_bone = rig, "BONE", "head"
    bpy.context.view_layer.update()
    press(rig)
    assert "head" in colliders(rig)
    assert link(rig.pose.bones["head"]).mass_source == "CUSTOM"
    assert len(read_scene(scene).link("Rig:head").collisions) == 2


def test_defaults_are_as_in_older_versions(scene):
    """Guards scenes of older versions: without settings, a bone is a capsule of its length with a tenth as its radius,
    to the last bit."""
    rig = chain(1, tail=(0.3, 0.8, 0.5))
    tag(rig)
    (shape,) = read_scene(scene, with_shapes=True).link("Rig:b0").collisions
    length = float(f"{float(str(np.float32(rig.data.bones['b0'].length))):.9g}")
    assert shape.geometry == Capsule(0.1 * length, length - 2.0 * (0.1 * length))
    assert shape.pose[:3] == (0.0, length / 2.0, 0.0)


def test_a_capsule_as_long_as_wide_is_a_ball(scene):
    """Guards round limbs, such as parts of a spine: rounding leaves a length of 1e-16 m, with which no simulation
    starts."""
    rig = chain(1)
    tag(rig)
    settings = link(rig.pose.bones["b0"])
    settings.bone_radius, settings.bone_start, settings.bone_end = 0.7, -0.3, 1.1
    assert 1.1 + 0.3 - 2.0 * 0.7 > 0.0  # as numbers of a computer
    (shape,) = read_scene(scene, with_shapes=True).link("Rig:b0").collisions
    assert shape.geometry == Capsule(0.7, 0.0)
    bake(scene, last=3)


def test_linked_rigs_are_refused_and_overrides_work(scene, tmp_path):
    """Guards characters of other files (wiggle-2#8, #21): linked ones are refused with the remedy, and on overrides it
    works, also after the file was opened again."""
    rig, body = character()
    kept = bpy.data.collections.new("kept")
    scene.collection.children.link(kept)
    for obj in (rig, body):
        scene.collection.objects.unlink(obj)
        kept.objects.link(obj)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "rig.blend"), link=True) as (_, here):
        here.collections = ["kept"]
    collection = here.collections[0]
    bpy.context.scene.collection.children.link(collection)
    bpy.context.view_layer.update()
    choose(bpy.context.scene.objects["Rig"])
    with pytest.raises(RuntimeError, match="make it yours by Object > Library Override > Make"):
        bpy.ops.limberjack.bones_as_colliders()
    made = collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    bpy.context.scene.collection.children.unlink(collection)
    if made.name not in bpy.context.scene.collection.children:
        bpy.context.scene.collection.children.link(made)
    bpy.context.view_layer.update()
    rig = next(obj for obj in made.all_objects if obj.type == "ARMATURE")
    press(rig)
    expected = {name: measures(rig, name) for name in LARGE}
    assert expected["arm"] == pytest.approx((0.05, -0.05, 0.35), abs=1e-3)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    rig = next(obj for obj in bpy.context.scene.objects if obj.type == "ARMATURE")
    assert {name: measures(rig, name) for name in LARGE} == expected


def test_no_function_depends_on_the_processor(scene, figure):
    """Guards the same capsules on all processors, since motions depend on them."""
    choose(figure[0])
    with recording() as calls:
        bpy.ops.limberjack.bones_as_colliders()
    assert not [call for call in calls if "/addon/" in call or "/core/" in call]


def test_capsules_are_drawn(scene, figure):
    """Guards the overlay: the outline of each bone's capsule is as far from its axis as its radius, and ends where it
    ends."""
    press(figure[0])
    layout = capsule_layout(show_rig(scene), scene, preferences())
    assert len(layout.names) == len(LARGE)
    points = layout.points[layout.owners == layout.names.index("Rig:arm")].reshape(-1, 3)
    radius, start, end = measures(figure[0], "arm")
    across = np.hypot(points[:, 0], points[:, 2])
    assert (across.max(), points[:, 1].min(), points[:, 1].max()) == pytest.approx((radius, start, end), abs=1e-4)


def test_limbs_that_overlap_at_rest(scene):
    """Guards ragdolls that collide with themselves (shock2quest#277, #283): thighs that overlap where they start do not
    fly apart, joined bones do not collide, limbs do not sink into the floor, and a button leaves the pair out."""
    rig = armature(
        [
            ("hips", (0, 0, 1), (0, 0, 1.2), ""),
            ("thigh.L", (0.06, 0, 1), (0.06, 0, 0.5), "hips"),
            ("thigh.R", (-0.06, 0, 1), (-0.06, 0, 0.5), "hips"),
        ]
    )
    radii = {"hips": 0.1, "thigh.L": 0.08, "thigh.R": 0.08}
    skin(rig, tuple(radii), radii=radii)
    for bone in tag(rig):
        link(bone).self_collide = True
    choose(rig)
    bpy.ops.limberjack.bones_fit_to_mesh()
    scene.limberjack.ground, scene.frame_end = True, 36
    found = [each for each in show_rig(scene).problems if each.code == "overlapping"]
    assert [(each.name, "'Rig:thigh.R'" in each.message) for each in found] == [("Rig:thigh.L", True)]
    for label, words in (("Move Apart", "joined or held"), ("Shrink", "make its shape smaller, in the panel Link")):
        with pytest.raises(RuntimeError, match=words):
            bpy.ops.limberjack.problem_mend(name="Rig:thigh.L", code="overlapping", label=label)
    for is_left_out in (False, True):
        if is_left_out:
            bpy.ops.limberjack.problem_mend(name="Rig:thigh.L", code="overlapping", label="Leave Pair Out")
            forget_rigs()
            assert not [each for each in show_rig(scene).problems if each.code == "overlapping"]
        run = bake(scene, overwrite=True).trajectory
        total = run.kinetic + run.potential
        assert (np.diff(total) < 1e-3 * np.ptp(run.potential)).all(), "self-collision adds energy"
        lowest = np.array([run.link(f"Rig:{name}")[:, 2].min() for name in radii])
        assert lowest.min() > 0.05
        bpy.ops.limberjack.bake_clear()


@pytest.mark.slow
def test_rigify(scene):
    """Guards Rigify's human of 706 bones, whose deforming bones hang on controls: its limbs collide, and fingers,
    bones of the palms, toes and the face belong to hands, feet and head."""
    import addon_utils

    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.pose.rigify_generate()
    rig = bpy.data.objects["rig"]
    choose(rig)
    thick = {"thigh": 0.08, "shin": 0.06, "arm": 0.05, "foot": 0.05, "hand": 0.035, "spine": 0.12}
    deforming = [bone.name for bone in rig.data.bones if bone.use_deform]
    radii = {name: next((size for word, size in thick.items() if word in name), FINGER) for name in deforming}
    skin(rig, deforming, radii)
    press(rig)
    made = colliders(rig)
    assert len(deforming) == 160
    assert not [
        name
        for name in made
        if any(word in name for word in ("f_", "palm", "thumb", "toe", "lid", "lip", "jaw", "nose"))
    ]
    for side in "LR":
        limbs = ("thigh", "thigh.{}.001", "shin", "foot", "upper_arm", "forearm", "forearm.{}.001", "hand")
        names = {f"DEF-{limb.format(side) if '{' in limb else f'{limb}.{side}'}" for limb in limbs}
        assert names <= set(made)
    length = rig.data.bones["DEF-hand.L"].length
    assert measures(rig, "DEF-hand.L")[2] > 1.5 * length, "fingers do not belong to the hand"
    assert all(name.startswith("DEF-") for name in made)

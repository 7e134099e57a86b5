# SPDX-License-Identifier: GPL-3.0-or-later
"""A ragdoll by mouse alone: from Pose Mode to a falling character in three clicks, and to its keys in four."""

import math
import time

import bpy
import harness
import people
from harness import Steps, drag, over_viewport, press, screenshot, status, until
from mathutils import Vector
from sidebar import ROW, click_beside, click_button, click_tab, find_button, forget_places, scrolled
from test_handles import look_at, redo, undo
from test_overlays import IDLE, Clock, redraws
from test_words import choose_first

from support.plan import walk

FROM_LEFT = (0.65, 0.6, 0.32, 0.33)
"""Rotation of the view: the character from its front and its left."""

LONGEST = 3.0
"""Longest time that Make Ragdoll may take for Rigify's human [s]."""

LAST = 48
"""Last frame of the bakes. After two seconds, a character that stood has fallen."""

DOT = "limberjack.setting_key"
"""The button beside Stiffness of the active part, by which the buttons are found that cannot say their names."""

TO_FOLLOWS = -2.6
"""Rows from it to the buttons Physics and Animation."""

TO_LAST_LIMIT = 3.3
"""Rows from it to the last limit of a ball."""


def stage(make) -> Steps:
    """A character in Pose Mode above the ground, with the tab in front and nothing selected."""
    yield from harness.compile_solver()
    people.empty_scene()
    rig = make()
    bpy.context.scene.limberjack.ground = bpy.context.scene.limberjack.contact = True
    bpy.context.scene.frame_end = LAST
    bpy.context.scene.frame_set(1)
    look_at((0.0, -0.4, 0.8), 4.2, FROM_LEFT)
    people.in_pose_mode(rig)
    yield from click_tab()


def rig() -> bpy.types.Object:
    return bpy.context.object


def preview():
    return harness.module("preview").current()


def parts() -> list[bpy.types.PoseBone]:
    return harness.module("props.ragdoll").ragdoll_bones(rig())


def body() -> list[Vector]:
    """Return the vertices of the mesh in the world."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    obj = bpy.data.objects["Body"].evaluated_get(depsgraph)
    return [obj.matrix_world @ vertex.co for vertex in obj.data.vertices]


def longest_edge() -> float:
    places, mesh = body(), bpy.data.objects["Body"].data
    return max((places[a] - places[b]).length for a, b in (edge.vertices for edge in mesh.edges))


def select_all() -> Steps:
    """The first click."""
    yield from over_viewport()
    yield from press("A")


def make_ragdoll() -> Steps:
    """The second click."""
    yield from click_button("limberjack.make_ragdoll")
    assert not status().error, status().error


def play(name: str) -> Steps:
    """The third click, and Esc."""
    before = body()
    yield from click_button("limberjack.preview()", across=0.2)
    yield from until(lambda: preview() is not None and preview().shown >= 30, "the character falls", timeout=120)
    yield from screenshot(f"ragdoll_{name}_play")
    assert max(point.z for point in body()) < max(point.z for point in before) - 0.4, "it does not fall"
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: preview() is None, "Esc ends it")
    assert max((a - b).length for a, b in zip(body(), before, strict=True)) < 1e-4, "Esc does not put it back"


def simulate(name: str) -> Steps:
    """The fourth click. The mesh lies on the ground at the end, in one piece."""
    stretched = longest_edge()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from harness.simulated()
    bpy.context.scene.frame_set(LAST)
    yield from over_viewport()
    yield from screenshot(f"ragdoll_{name}_baked")
    heights = [point.z for point in body()]
    assert max(heights) < 0.9, f"it has not fallen: {max(heights)}"
    assert min(heights) > -0.05, f"it sinks in: {min(heights)}"
    assert longest_edge() < 6.0 * stretched, f"a part of the mesh stays behind: {longest_edge()}, {stretched} before"


@walk
def test_a_metarig_falls():
    """A metarig with automatic weights: three clicks to a falling character, a fourth to keys, one undo for each."""
    yield from stage(people.metarig)
    yield from select_all()
    yield from make_ragdoll()
    yield from over_viewport()
    yield from screenshot("ragdoll_metarig")
    assert 15 <= len(parts()) <= 20, [bone.name for bone in parts()]
    yield from play("metarig")
    yield from simulate("metarig")
    assert all(bone.bone.select if bpy.app.version < (5, 0, 0) else bone.select for bone in rig().pose.bones)
    yield from undo()
    assert rig().animation_data is None or rig().animation_data.action is None, "one undo leaves the bake"
    assert parts(), "the undo of the bake takes the ragdoll away"
    yield from undo()
    assert not parts(), "one undo leaves parts"
    assert not harness.module("props.settings").tagged_bones(rig()), "one undo leaves links or joints"
    assert bpy.context.mode == "POSE"
    yield from redo()
    assert 15 <= len(parts()) <= 20, "a redo does not make the ragdoll again"


def test_rigifys_human_falls_out_of_its_walk():
    """Rigify's human that walks by its controls: it falls as fast as it walks, and nothing of it stays behind."""
    yield from stage(people.rigify)
    yield from select_all()
    operator = harness.module("ops.characters.ragdoll").LIMBERJACK_OT_make_ragdoll
    seconds, execute = [], operator.execute

    def timed(self, context):
        begun = time.perf_counter()
        result = execute(self, context)
        seconds.append(time.perf_counter() - begun)
        return result

    operator.execute = timed
    yield from make_ragdoll()
    operator.execute = execute
    print(f"RAGDOLL Rigify's human: {seconds[0]:.2f} s", flush=True)
    assert seconds[0] < LONGEST, seconds
    yield from over_viewport()
    yield from screenshot("ragdoll_rigify")
    assert 15 <= len(parts()) <= 20, [bone.name for bone in parts()]
    assert bpy.context.scene.limberjack.bake.start == "KEYS"
    assert "'rig' is animated, so its fall begins with its motion" in status().notes
    yield from play("rigify")
    yield from simulate("rigify")
    ways = []
    for frame in (1, 3):
        bpy.context.scene.frame_set(frame)
        ways.append(sum(body(), Vector()) / len(body()))
    speed = (ways[1] - ways[0]) * bpy.context.scene.render.fps / 2.0
    assert abs(speed.y + people.PACE) < 0.15, f"it walks at {people.PACE} m/s along -y, and falls at {speed}"
    assert abs(speed.x) < 0.1, speed
    yield from click_button("limberjack.bake_clear")
    yield from click_button("limberjack.remove_ragdoll")
    assert parts() == []
    assert bpy.context.scene.limberjack.bake.start == "HOME"


def test_a_character_of_mixamo_falls():
    """Mixamo's names, centimetres and turned axes: the same clicks; F3 finds the button by the word of an artist."""
    yield from stage(people.mixamo)
    yield from choose_first("limp")
    assert len(parts()) == 15, [bone.name for bone in parts()]
    yield from undo()
    assert parts() == [], "one undo leaves parts"
    yield from select_all()
    yield from make_ragdoll()
    yield from over_viewport()
    yield from screenshot("ragdoll_mixamo")
    yield from play("mixamo")
    yield from simulate("mixamo")


def activate(name: str) -> bpy.types.PoseBone:
    bones = rig().pose.bones
    for bone in bones:
        bone.select = bone.name == name
    rig().data.bones.active = bones[name].bone
    bpy.ops.ed.undo_push(message="Select")
    return bones[name]


def handle(role: str):
    """Return the place of a handle of the active part's shape on the screen."""
    view = harness.module("bridge.links.capsule_views").view_capsule(bpy.context.active_pose_bone, bpy.context.scene)
    towards = harness.viewport().spaces.active.region_3d.view_rotation @ Vector((0.0, 0.0, -1.0))
    group, bone = harness.module("gizmos.capsule"), bpy.context.active_pose_bone
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        handles = [*group.handles_of(view, towards, group.handles_of_joint(bone, bpy.context))]
    return harness.on_screen(next(point for kind, _, _, point in handles if kind == role))


def shape(name: str) -> tuple[float, ...]:
    own = rig().pose.bones[name].limberjack_link
    return own.bone_start, own.bone_end, own.bone_radius


def test_the_shape_of_a_part_is_dragged():
    """The ends and the radius of the active part, each drag in one undo step; Esc restores, the other side follows."""
    yield from stage(people.metarig)
    yield from make_ragdoll()
    name, other = "thigh.L", "thigh.R"
    activate(name)
    yield from harness.at_rest()
    yield from screenshot("ragdoll_part")
    before = shape(name)
    x, y = handle("capsule_radius")
    middle = harness.on_screen(rig().matrix_world @ rig().pose.bones[name].center)
    out = 1 if x > middle[0] else -1
    yield from harness.hold((x, y), (x + 40 * out, y))
    yield from screenshot("ragdoll_radius")
    yield from press("ESC")
    harness.send("LEFTMOUSE", "RELEASE")
    yield from harness.at_rest()
    assert shape(name) == before, "Esc does not restore the radius"
    rig().pose.use_mirror_x = True
    bpy.ops.ed.undo_push(message="Mirror")
    yield from drag((x, y), (x + 40 * out, y))
    thick = shape(name)
    assert thick[2] > 1.2 * before[2], f"the radius was dragged outward: {before[2]}, then {thick[2]}"
    assert shape(other)[2] == thick[2], "the other side does not follow"
    x, y = handle("capsule_end")
    yield from drag((x, y), (x, y - 40))
    assert shape(name)[1] > thick[1] + 0.05, "the end was dragged along the thigh"
    assert math.isclose(shape(name)[0], thick[0], abs_tol=1e-6), "the start has moved"
    yield from screenshot("ragdoll_dragged")
    yield from undo()
    assert shape(name) == thick, "one undo does not take the end back"
    yield from undo()
    assert shape(name) == before, "one undo does not take the radius back"


def test_a_part_follows_the_animation():
    """The buttons Physics and Animation of the active part: the chest stays, and with it what it hangs on."""
    yield from stage(people.mixamo)
    yield from make_ragdoll()
    chest = activate("mixamorig:Spine")
    yield from harness.at_rest()
    yield from click_beside(DOT, across=0.65, found_at=0.83, rows_below=TO_FOLLOWS)
    led = {bone.name for bone in parts() if bone.limberjack_link.motion == "KINEMATIC"}
    assert led == {chest.name, "mixamorig:Hips"}, led
    yield from over_viewport()
    yield from screenshot("ragdoll_follows")
    before = [[*chest.matrix.translation], rig().pose.bones["mixamorig:LeftHand"].matrix.translation.copy()]
    yield from click_button("limberjack.simulate", across=0.6)
    yield from harness.simulated()
    bpy.context.scene.frame_set(LAST)
    yield from over_viewport()
    yield from screenshot("ragdoll_hangs")
    hand = rig().pose.bones["mixamorig:LeftHand"].matrix.translation
    assert [*rig().pose.bones[chest.name].matrix.translation] == before[0], "the chest does not stay"
    assert (hand - before[1]).length * people.CENTIMETRE > 0.3, "the arm does not hang down"


def test_redraws_cost_little():
    """Guards the viewport: without a ragdoll, and with one at rest, the overlay costs less than a millisecond."""
    yield from stage(people.mixamo)
    overlay, laid_out = harness.module("overlays.ragdoll"), []
    layout = overlay._layout
    overlay._layout = lambda *arguments: laid_out.append(arguments) or layout(*arguments)
    try:
        for state in ("none", "ragdoll"):
            if state == "ragdoll":
                yield from make_ragdoll()
            yield from redraws(5)
            laid_out.clear()
            clock = Clock(overlay, "up_to_date")
            yield from redraws(20)
            clock.stop()
            assert not laid_out, f"{state}: shapes are computed while nothing changes"
            print(f"RAGDOLL overlay, {state}: least {min(clock.times) * 1e3:.3f} ms", flush=True)
            assert min(clock.times) < IDLE, f"{state}: {clock.times}"
        clock = Clock(overlay, "_place")
        for _ in range(5):
            rig().pose.bones["mixamorig:Spine"].location.x += 0.1
            yield from redraws(2)
        clock.stop()
        print(f"RAGDOLL overlay, moving: least {min(clock.times) * 1e3:.2f} ms", flush=True)
    finally:
        overlay._layout = layout


def test_the_tab_of_a_ragdoll_fits():
    """The settings of the active part are in view in a window of 900 pixels, and its limits in one of 720."""
    size = harness.window().width, harness.window().height
    yield from stage(people.mixamo)
    yield from make_ragdoll()
    for name, title in (("mixamorig:LeftLeg", "hinge"), ("mixamorig:LeftUpLeg", "ball")):
        activate(name)
        yield from harness.at_rest()
        yield from screenshot(f"ragdoll_tab_{title}")
        forget_places()
        for button in ("limberjack.preview", "limberjack.make_ragdoll", "limberjack.remove_ragdoll"):
            yield from find_button(button, across=0.25)
            assert scrolled() <= 1.0, f"{button} is scrolled away"
    yield from harness.resize(1280, 720)
    try:
        forget_places()
        yield from screenshot("ragdoll_tab_small")
        _, y = yield from find_button(DOT, across=0.83)
        assert scrolled() <= 1.0, "the stiffness of the part is scrolled away"
        assert y - TO_LAST_LIMIT * ROW > harness.region("UI").y, "its limits are scrolled away"
    finally:
        yield from harness.resize(*size)
        forget_places()

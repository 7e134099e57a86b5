# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo and redo of each step of working with bones in Pose Mode: one key takes back one step, and all of it."""

from collections.abc import Callable, Iterator

import bpy
import harness
from figures import figure
from harness import Steps, drag, over_viewport, press, screenshot, simulated, status, until
from sidebar import click_button, click_tab
from test_bone_handles import handle
from test_handles import look_at, redo, undo

from support.plan import walk

LEG = ("thigh.L", "shin.L", "foot.L")
"""The bones that become free links, with their images on the right."""

BODY = ("hips", "chest", "upper_arm.L")
"""The bones that become colliders. The legs hang on the first one."""

GROUPS = ("limberjack_link", "limberjack_joint", "limberjack_before")
"""The property groups of the add-on on objects and bones."""

_states: list[dict] = []
"""The state before each step of undo so far."""


def character() -> None:
    """A character in Pose Mode, seen from its left, with nothing selected. It nods, and a foot has a constraint."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    look_at((0.1, 0.0, 0.8), 3.5, (0.5, 0.5, 0.5, 0.5))
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        armature, _ = figure()
    for frame, angle in ((1, 0.0), (8, 0.5)):
        armature.pose.bones["head"].rotation_quaternion = (1.0, angle, 0.0, 0.0)
        armature.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=frame)
    armature.pose.bones["foot.R"].constraints.new("LIMIT_ROTATION")
    bpy.context.scene.frame_end = 8
    bpy.context.scene.frame_set(1)  # the keys apply
    bpy.ops.object.select_all(action="DESELECT")
    armature.select_set(True)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="POSE")
    for bone in armature.pose.bones:
        bone.select = False
    bpy.ops.ed.undo_push(message="Character")


def rig() -> bpy.types.Object:
    return bpy.data.objects["Figure"]


def joint(name: str) -> bpy.types.PropertyGroup:
    return rig().pose.bones[name].limberjack_joint


def choose(*names: str) -> None:
    """Select these bones, and make the first one active. As a click does, this is an undo step of its own."""
    _states.append(state())
    for bone in rig().pose.bones:
        bone.select = bone.name in names
    rig().data.bones.active = rig().data.bones[names[0]] if names else None
    bpy.ops.ed.undo_push(message="Select")


def state() -> dict:
    """All of the file that a step may change, as numbers and words by their names."""
    scene, found = bpy.context.scene, {}
    for obj in bpy.data.objects:
        found[obj.name] = [*obj.matrix_basis], _groups(obj), obj.limberjack_link.before_preview
        for bone in obj.pose.bones if obj.pose else ():
            channels = [*bone.location, *bone.rotation_euler, *bone.rotation_quaternion, *bone.scale]
            muted = [constraint.mute for constraint in bone.constraints]
            found[bone.name] = channels, bone.rotation_mode, bone.select, muted, _groups(bone)
    for action in bpy.data.actions:
        bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
        curves = [curve for bag in bags for curve in bag.fcurves]
        keys = [(curve.data_path, *(point.co[:] for point in curve.keyframe_points)) for curve in curves]
        found[f"action {action.name}"] = keys, [*action.keys()]
    animation = rig().animation_data
    found["plays"] = animation.action.name if animation and animation.action else ""
    found["scene"] = _values(scene.limberjack), scene.frame_current, bpy.context.mode
    model = harness.module("bridge.rig").last_rig(scene).model
    found["bake"] = harness.module("bake.receipts.staleness").out_of_date(scene, model)
    return found


def _groups(node) -> dict:
    found = {name: _values(getattr(node, name)) for name in GROUPS if node.is_property_set(name)}
    return {name: values for name, values in found.items() if values}


def _values(group) -> dict:
    """Return the values of a property group that are no defaults, by the names of its properties.

    Reading a property of a bone stores empty groups, so these do not count.
    """
    found = {}
    for item in group.bl_rna.properties:
        name = item.identifier
        if name == "rna_type" or not group.is_property_set(name):
            continue
        value, default = getattr(group, name), getattr(item, "default", None)
        if item.type == "COLLECTION":
            value = [_values(each) for each in value]
        elif item.type == "POINTER":
            value = _values(value) if isinstance(value, bpy.types.PropertyGroup) else getattr(value, "name", "")
        elif getattr(item, "is_array", False):
            value, default = [*value], [*item.default_array]
        if value not in ("", {}, [], default):
            found[name] = value
    return found


def assert_same(found: dict, expected: dict, what: str) -> None:
    told = [text for name in {**found, **expected} for text in _changes(name, found.get(name), expected.get(name))]
    assert not told, f"{what}: {'; '.join(told)}"


def _changes(name: str, one, other) -> Iterator[str]:
    """Return the differences of two states, as deep within them as possible."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            yield from _changes(f"{name} {key}", one.get(key), other.get(key))
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for number, (here, there) in enumerate(zip(one, other, strict=True)):
            yield from _changes(f"{name} {number}", here, there)
    elif one != other:
        yield f"{name} is {one}, not {other}"


def undone_and_redone(what: str, step: Callable[[], Steps]) -> Steps:
    """Do a step; one undo and one redo must give the states before and after it."""
    yield from harness.at_rest()
    before = state()
    yield from step()
    yield from harness.at_rest()
    assert not status().error, f"{what}: {status().error}"
    after = state()
    assert after != before, f"{what} changes nothing"
    yield from undo()
    assert_same(state(), before, f"undo of {what}")
    yield from redo()
    assert_same(state(), after, f"redo of {what}")
    _states.append(before)


def operator(name: str, **options) -> Callable[[], Steps]:
    """A step that runs an operator as its button does."""

    def run() -> Steps:
        with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
            module, _, verb = name.partition(".")
            assert getattr(getattr(bpy.ops, module), verb)("INVOKE_DEFAULT", True, **options) == {"FINISHED"}
        yield from harness.drawn()

    return run


def joint_type(kind: str) -> Callable[[], Steps]:
    path = "active_pose_bone.limberjack_joint.type"
    return operator("wm.context_set_enum", data_path=path, value=kind)


def dragged(role: str, right: int, up: int) -> Callable[[], Steps]:
    """A step that drags a handle of the active bone by some pixels."""

    def run() -> Steps:
        start = handle(role)
        yield from drag(start, (start[0] + right, start[1] + up))

    return run


@walk
def test_each_step_is_undone_and_redone():
    """Guards every step from an armature to keys: one undo gives all that was before, one redo all that was after."""
    _states.clear()
    character()
    yield from click_tab()
    yield from harness.compile_solver()
    choose(*LEG)
    yield from undone_and_redone("Tag as Links", lambda: click_button("limberjack.link_tag", across=0.25))
    choose("shin.L")
    yield from undone_and_redone("the limit of a cone", dragged("upper", 30, -20))
    yield from undone_and_redone("the type of a joint", joint_type("revolute"))
    yield from undone_and_redone("the limit of a hinge", dragged("upper", -30, -40))
    yield from undone_and_redone("turning a hinge", dragged("pose", 20, 20))
    yield from screenshot("undo_hinge")
    yield from undone_and_redone("Lock", operator("limberjack.joint_hold"))
    choose(*LEG)
    yield from undone_and_redone("Mirror", operator("limberjack.mirror"))
    choose(*BODY)
    colliders = operator("limberjack.bones_as_colliders", selected_only=True)
    yield from undone_and_redone("Bones as Colliders", colliders)
    choose("thigh.L", "shin.L")
    yield from undone_and_redone("Fit to Mesh", operator("limberjack.bones_fit_to_mesh", selected_only=True))
    yield from undone_and_redone("Simulate and Bake", baked)
    yield from screenshot("undo_baked")
    yield from undone_and_redone("Clear Bake", operator("limberjack.bake_clear"))
    yield from undone_and_redone("Apply Pose", played_and_applied)
    choose("thigh.L", "shin.L")
    yield from undone_and_redone("Untag", operator("limberjack.link_untag"))
    yield from over_viewport()
    for _ in _states:
        yield from press("Z", ctrl=True)
    yield from harness.at_rest()
    assert_same(state(), _states[0], f"as many undos as steps, {len(_states)}")  # unless a step takes two


def baked() -> Steps:
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    assert not state()["bake"], f"the bake is out of date: {state()['bake']}"


def played_and_applied() -> Steps:
    preview = harness.module("preview").current
    yield from click_button("limberjack.preview()", across=0.2)
    yield from until(lambda: preview() is not None and preview().shown >= 3, "the character plays", timeout=60)
    yield from over_viewport()
    yield from press("SPACE")
    yield from click_button("limberjack.preview_keep_pose", across=0.25)
    assert preview() is None

# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake is not out of date because another frame is shown, or because its scene has a linked copy.

In each case something in the scene is another thing at another frame, so that a simulation started there would give
another motion; nobody has edited anything.
"""

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bridge.joints.frames import was_moved_since_stored
from limberjack.addon.bridge.scene.read import read_scene

from .baked import bake, show, turning_holder
from .conftest import joint, link

FRAMES = (1, 9, 13.5, 24, 60, -3)
MODEL = "links, joints or gravity were changed"


def told(scene):
    return out_of_date(scene, read_scene(scene))


def key(owner, path, first, last):
    """Key a property at frames 1 and 24."""
    group, _, name = path.rpartition(".")
    holder = owner.path_resolve(group) if group else owner
    for frame, value in ((1, first), (24, last)):
        setattr(holder, name, value)
        owner.keyframe_insert(path, frame=frame)


def drive(owner, path, index=-1):
    owner.driver_add(path, index).driver.expression = "1.0 + 0.01 * frame"


def plate(build, bars):
    """A plate on the second bar, which is a shape of it."""
    obj = build.cube("plate", (1.5, 0.0, 2.2), 0.2)
    build.select(obj, bars[1])
    bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)
    return obj


def plain(scene, build, bars, empties):
    """Nothing."""


def waving_mesh(scene, build, bars, empties):
    bars[1].modifiers.new("wave", "WAVE")


def waving_collider(scene, build, bars, empties):
    scene.limberjack.contact = True
    bars[1].modifiers.new("wave", "WAVE")


def mesh_mirrored_at_the_other_link(scene, build, bars, empties):
    bars[1].modifiers.new("mirror", "MIRROR").mirror_object = bars[0]


def keyed_modifier(scene, build, bars, empties):
    bars[1].modifiers.new("bevel", "BEVEL")
    key(bars[1], 'modifiers["bevel"].width', 0.01, 0.05)


def shape_keys(scene, build, bars, empties):
    bars[1].shape_key_add(name="Basis")
    bars[1].shape_key_add(name="longer").data[0].co.x += 0.3
    block = bars[1].data.shape_keys.key_blocks["longer"]
    for frame, value in ((1, 0.0), (24, 1.0)):
        block.value = value
        block.keyframe_insert("value", frame=frame)


def driven_shape(scene, build, bars, empties):
    drive(plate(build, bars), "location", 0)


def keyed_density(scene, build, bars, empties):
    key(bars[1], f"{ids.LINK}.density", 100.0, 200.0)


def keyed_limit(scene, build, bars, empties):
    joint(empties[1]).axes[0].use_upper = True
    key(empties[1], f"{ids.JOINT}.axes[0].upper", 1.0, 2.0)


def driven_friction(scene, build, bars, empties):
    drive(empties[1], f"{ids.JOINT}.axes[0].friction")


def keyed_start(scene, build, bars, empties):
    joint(empties[1]).use_home = True
    key(empties[1], f"{ids.JOINT}.coordinates[0].home", 0.1, 0.4)


def keyed_air_resistance(scene, build, bars, empties):
    key(bars[0], f"{ids.LINK}.linear_damping", 0.1, 0.7)


def moving_named_frame(scene, build, bars, empties):
    link(turning_holder(scene)).is_frame = True


def instance(scene, build, bars, empties):
    collection = bpy.data.collections.new("kit")
    collection.objects.link(bpy.data.objects.new("nut", bars[0].data.copy()))
    shown = bpy.data.objects.new("kit", None)
    shown.instance_type, shown.instance_collection = "COLLECTION", collection
    shown.location = (0.3, 0.1, 0.2)
    scene.collection.objects.link(shown)
    shown.parent = bars[1]


def joint_carried_by_a_shape(scene, build, bars, empties):
    obj = plate(build, [bars[1], bars[0]])
    build.select(empties[1], obj)
    bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)


def joint_carried_by_its_child(scene, build, bars, empties):
    build.select(empties[1], bars[1])
    bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)


def keyed_gravity(scene, build, bars, empties):
    key(scene, "gravity", (0.0, 0.0, -9.0), (0.0, 0.0, -3.0))


CASES = (
    *(plain, waving_mesh, waving_collider, mesh_mirrored_at_the_other_link, keyed_modifier, shape_keys, driven_shape),
    *(keyed_density, keyed_limit, driven_friction, keyed_start, keyed_air_resistance, moving_named_frame, instance),
    *(joint_carried_by_a_shape, joint_carried_by_its_child, keyed_gravity),
)


def baked_machine(scene, build, case):
    bars, empties = build.pendulum(2)
    case(scene, build, bars, empties)
    show(scene, 1)
    bake(scene, overwrite=True)
    return bars, empties


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_another_frame(scene, build, case):
    """Guards scrubbing: whatever depends on the frame, nothing is told at any frame, nor do joints seem to be moved."""
    _, empties = baked_machine(scene, build, case)
    for frame in FRAMES:
        show(scene, frame)
        assert told(scene) == "", frame
        assert not any(map(was_moved_since_stored, empties)), frame


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_linked_copy(scene, build, case):
    """Guards linked copies of a scene: the same objects play the same bake there, at whatever frame each scene is."""
    baked_machine(scene, build, case)
    bpy.ops.scene.new(type="LINK_COPY")
    copy = bpy.context.scene
    assert copy != scene
    assert set(copy.objects) == set(scene.objects)
    for frame in FRAMES:
        show(copy, frame)
        assert told(copy) == "", frame
        assert told(scene) == "", frame


def test_a_copy_that_was_changed(scene, build):
    """Guards that a linked copy is compared all the same: with another gravity, it would give another motion."""
    baked_machine(scene, build, plain)
    bpy.ops.scene.new(type="LINK_COPY")
    bpy.context.scene.gravity = (0.0, 0.0, -1.62)
    assert told(bpy.context.scene) == MODEL
    assert told(scene) == ""


def edit_mesh(scene, bars, empties):
    for vertex in bars[1].data.vertices:
        vertex.co.x *= 1.5
    bars[1].data.update()


def edit_keys(owner_of, path):
    def edit(scene, bars, empties):
        owner = owner_of(bars, empties)
        bag = owner.animation_data.action.layers[0].strips[0].channelbag(owner.animation_data.action_slot)
        bag.fcurves.find(path).keyframe_points[1].co.y += 0.2

    return edit


def set_number(owner_of, name, value):
    def edit(scene, bars, empties):
        setattr(owner_of(bars, empties), name, value)

    return edit


def axis_of(bars, empties):
    return joint(empties[1]).axes[0]


@pytest.mark.parametrize(
    ("case", "edit"),
    [
        (waving_mesh, edit_mesh),
        (shape_keys, set_number(lambda bars, _: link(bars[1]), "density", 77.0)),
        (driven_shape, edit_mesh),
        (waving_mesh, set_number(lambda bars, _: bars[1], "scale", (2.0, 0.1, 0.1))),
        (keyed_density, edit_keys(lambda bars, _: bars[1], f"{ids.LINK}.density")),
        (keyed_density, edit_mesh),
        (keyed_limit, edit_keys(lambda _, empties: empties[1], f"{ids.JOINT}.axes[0].upper")),
        (keyed_limit, set_number(axis_of, "friction", 0.4)),
        (keyed_limit, set_number(axis_of, "use_upper", False)),
        (driven_friction, set_number(axis_of, "damping", 0.4)),
        (keyed_start, edit_keys(lambda _, empties: empties[1], f"{ids.JOINT}.coordinates[0].home")),
        (keyed_start, set_number(lambda _, empties: joint(empties[0]), "enabled", False)),
        (keyed_air_resistance, set_number(lambda bars, _: link(bars[0]), "angular_damping", 0.4)),
        (instance, edit_mesh),
    ],
)
def test_an_edit_beside_it(scene, build, case, edit):
    """Guards that an edit is told though something beside it differs from frame to frame."""
    bars, empties = baked_machine(scene, build, case)
    show(scene, 9)
    assert told(scene) == ""
    edit(scene, bars, empties)
    bpy.context.view_layer.update()
    assert told(scene) == MODEL

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user is told of keys and drivers: in the panels, in the notes of a bake and of an export."""

import bpy

from limberjack.addon import ids
from limberjack.addon.bridge.joints.read_joints import read_joint
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import scan_scene
from limberjack.addon.bridge.scene.write import store_joint

from .baked import bake, show
from .conftest import joint
from .paper import draw
from .test_inputs import ON_AXIS, controls_of, key, wheel


def test_a_driver_that_waits_for_the_simulation_is_told(scene, build):
    """Guards a wish that cannot come true: a target that reads a joint of the same simulation, told by both names."""
    _, empty = wheel(build, drive_mode="position", drive_stiffness=1.0)
    driver = empty.driver_add(f"{ON_AXIS}drive_target_angle").driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = empty, f"{ids.JOINT}.coordinates[0].q"
    driver.expression = "var + 1"
    told = [note for note in bake(scene).notes if "before the simulation" in note]
    assert told == [
        f"joint '{empty.name}': its drive target has a driver that reads joint '{empty.name}', and finds it where it "
        "stood before the simulation"
    ]


def test_what_is_not_followed_is_told(scene, build):
    """Guards against keys without effect: friction is no input, and a note says so."""
    _, empty = wheel(build)
    key(empty, f"{ON_AXIS}friction", (1, 0.0), (24, 1.0))
    key(empty, f"{ON_AXIS}use_effort", (1, False), (24, True))
    notes = " ".join(bake(scene).notes)
    for what in ("friction", "effort"):
        assert f"its {what} is animated, which simulations do not follow" in notes


def test_exports_tell_what_is_animated(scene, build):
    """Guards the roboticist: a file has the numbers of this frame, and the loss is told."""
    _, empty = wheel(build, drive_mode="position")
    key(empty, f"{ON_AXIS}drive_target_angle", (1, 0.0), (24, 1.0))
    notes = scan_scene(scene, with_shapes=True).notes
    assert [note for note in notes if "exported as it is at this frame" in note] == [
        f"joint '{empty.name}': its drive target is animated, which files cannot express: it is exported as it is "
        "at this frame"
    ]


def test_a_scene_without_keys_is_not_looked_at(scene, build):
    """Guards the price: where nothing is animated no frame is shown before a simulation."""
    wheel(build, drive_mode="velocity", drive_damping=1.0, drive_target=1.0)
    shown = []
    bpy.app.handlers.frame_change_pre.append(lambda *_: shown.append(1))
    controls = controls_of(scene)
    assert shown == []
    assert controls.schedule.is_steady


def test_panels(scene, build):
    """Guards that all of it can be found: strength, forces, wind, and a word where wind blows past everything."""
    cube, empty = wheel(build, drive_mode="velocity")
    getattr(scene, ids.SCENE).wind = (1.0, 0.0, 0.0)
    build.select(cube)
    show_rig(scene)
    shown = draw(cube)
    assert {"force", "torque", "force_turns_along", "use_gravity", "gravity", "wind"} <= set(shown.props)
    assert "no link feels it" in " ".join(shown.texts)
    assert "drive_strength" in draw(empty).props


def test_a_drive_that_is_limp_just_now_is_no_problem(scene, build):
    """Guards against a warning that comes and goes with the playhead: a strength that is keyed 0 at this frame."""
    _, empty = wheel(build, drive_mode="velocity", drive_damping=1.0, drive_target=1.0)
    key(empty, f"{ids.JOINT}.drive_strength", (1, 1.0), (24, 0.0))
    show(scene, 24)
    assert bake(scene).notes == []
    assert show_rig(scene).problems == []


def test_strength_is_not_stored_twice(scene, build):
    """Guards presets and limits, which read a joint and store it again: its drives keep their whole numbers."""
    _, empty = wheel(build, drive_mode="position", drive_stiffness=100.0)
    joint(empty).drive_strength = 0.25
    store_joint(read_joint(empty, scene), empty, scene)
    assert joint(empty).axes[0].drive_stiffness == 100.0
    assert scan_scene(scene).model.joints[0].axes[0].drive_stiffness == 25.0

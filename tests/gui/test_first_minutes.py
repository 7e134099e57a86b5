# SPDX-License-Identifier: GPL-3.0-or-later
"""What a newcomer meets in the first ten minutes: a robot that falls, a chain that stands still, objects that are no
links; each is told where it is seen, and mended by a click."""

from pathlib import Path

import bpy
import harness
import models
import sidebar
from harness import Steps, press, screenshot, until
from mathutils import Vector
from models import folder_of_models
from scenes import hanging_bars, select, two_bars
from sidebar import click_button, click_tab, open_tab
from test_exchange import empty_scene, file_dialog, import_by_drop
from test_newcomer import rig
from test_preview import FROM_X, caught_up, compiled, paused, play, preview
from test_pull import look_at

from support.plan import walk


def _told() -> list[str]:
    return [problem.code for problem in rig().problems] if rig() else []


def _in_view() -> Steps:
    yield from compiled()
    yield from look_at(Vector((0.0, 0.0, 0.5)), 8.0, FROM_X)
    yield from open_tab()


def _height(name: str) -> float:
    return bpy.data.objects[name].matrix_world.translation.z


def test_a_robot_that_nothing_holds():
    """It says so in Problems, and again where it is played; the button holds it while it plays."""
    hanging_bars(240)
    bpy.data.objects.remove(bpy.data.objects["Upper_joint"])
    yield from _in_view()
    yield from until(lambda: _told() == ["falls-freely"], "the fall is foreseen")
    yield from screenshot("falls_in_problems")
    before = _height("Upper")
    yield from play()
    yield from paused(10)
    assert _height("Upper") < before - 0.1, "it does not fall"
    yield from screenshot("falls_in_play")
    old = preview().motion
    yield from click_button("limberjack.problem_mend", across=0.25)
    assert bpy.data.objects["Upper"].limberjack_link.motion == "STATIC"
    yield from caught_up(old)
    assert abs(_height("Upper") - before) < 1e-6, "it falls though its base is fixed"
    yield from until(lambda: _told() == [], "nothing is told any more")
    yield from screenshot("held_in_play")
    yield from press("ESC")


def loose_robot() -> Path:
    """A file whose robot nothing holds: a real one, where run.py has found it, or an arm without its stand."""
    real = harness.OUT / "r2d2.urdf"
    if real.is_file():
        return real
    path = folder_of_models() / "loose.urdf"
    stand = '<joint name="stand" type="fixed"><parent link="world"/><child link="base"/></joint>'
    path.write_text(models.URDF.replace(stand, "").replace('<link name="world"/>', ""), encoding="utf-8")
    return path


def test_a_dropped_robot_stands_and_is_baked_by_one_click():
    """A URDF without a base: dropping it holds its base in the world, so one click bakes a robot that stands."""
    empty_scene()
    robot = loose_robot()
    yield from import_by_drop(robot.parent, robot.name)
    bpy.context.scene.frame_end = 24
    yield from open_tab()
    yield from until(lambda: rig() is not None, "the scene is read")
    assert "falls-freely" not in _told(), "nothing holds it"
    held = [name for name in harness.links() if bpy.data.objects[name].limberjack_link.motion == "STATIC"]
    assert len(held) == 1, held
    yield from screenshot("dropped_robot")
    before = {name: _height(name) for name in harness.links()}
    yield from click_button("limberjack.simulate", across=0.6)
    yield from harness.simulated()
    bpy.context.scene.frame_set(24)
    assert abs(_height(held[0]) - before[held[0]]) < 1e-6
    assert max(abs(_height(name) - before[name]) for name in before) < 1.0, "it falls"
    yield from screenshot("dropped_robot_baked")


def test_a_model_of_mujoco_is_dropped_and_plays():
    """An MJCF file: its base stands and its box floats, as it says; drives hold the arm, and the box falls onto the
    floor of the file."""
    empty_scene()
    bpy.context.scene.frame_end = 48
    yield from import_by_drop(folder_of_models(), "playground.xml")
    yield from open_tab()
    yield from until(lambda: rig() is not None, "the scene is read")
    assert bpy.data.objects["box"].limberjack_link.motion == "FREE"
    assert _told() == []
    yield from screenshot("mujoco_dropped")
    yield from compiled()
    yield from play()
    yield from paused(30)
    assert abs(_height("box") - 0.2) < 0.01, "it does not lie on the floor"
    assert 0.6 < _height("hand") < 0.8, "its drives do not hold the arm at the pose of the key"
    yield from screenshot("mujoco_plays")
    yield from press("ESC")


@walk
def test_a_robot_is_imported_and_baked_by_mouse_alone():
    """Seven clicks from an empty scene to a robot that stands, and another one for each folder that is opened on the
    way to its file: the tab, Import / Export, Import, the file, its button, Simulate and Bake, after N."""
    empty_scene()
    robot = loose_robot()
    bpy.context.preferences.view.filebrowser_display_type = "SCREEN"
    bpy.context.scene.frame_end = 24
    yield from click_tab()
    yield from sidebar.click_beside("limberjack.joint_pick", across=0.3, rows_below=6.6)
    assert (yield from sidebar.is_open("LIMBERJACK_PT_exchange")), "a click on its header opens no Import / Export"
    yield from click_button("limberjack.import")
    yield from until(file_dialog, "the file dialog opens")
    _, area = file_dialog()
    area.spaces.active.params.directory = str(robot.parent).encode()
    yield 1.0  # Blender reads the folder in another thread, and nothing tells when it has
    rows, confirm = (next(it for it in area.regions if it.type == kind) for kind in ("WINDOW", "EXECUTE"))
    for y in range(rows.y + rows.height - 12, rows.y, -12):
        yield from harness.click((rows.x + 60, y))
        if area.spaces.active.params.filename == robot.name:
            break
    yield from screenshot("robot_in_dialog")
    yield from harness.click((confirm.x + confirm.width - 60, confirm.y + confirm.height // 2))
    yield from until(harness.links, "the robot is imported")
    yield from until(lambda: rig() is not None, "the scene is read")
    assert "falls-freely" not in _told(), "nothing holds it"
    before = {name: _height(name) for name in harness.links()}
    yield from screenshot("robot_imported")
    # Beside the list of warnings, which Blender has put under the mouse, and which a real mouse closes as it leaves
    yield from harness.click((harness.window().width * 3 // 4, harness.window().height - 8))
    yield from click_button("limberjack.simulate", across=0.6)
    yield from harness.simulated()
    bpy.context.scene.frame_set(24)
    assert max(abs(_height(name) - before[name]) for name in before) < 1.0, "it falls"
    yield from screenshot("robot_baked")


def test_a_chain_from_a_hierarchy_swings():
    """From Hierarchy gives it axes on which it swings. Along it, nothing moves: Play says so, a click turns them."""
    two_bars(240)
    upper, lower = bpy.data.objects["Upper"], bpy.data.objects["Lower"]
    lower.parent, lower.matrix_parent_inverse = upper, upper.matrix_world.inverted()
    select("Upper")
    yield from _in_view()
    yield from sidebar.click_beside("limberjack.joint_pick", across=0.46)
    yield from harness.choose_from_menu(1)
    yield from until(lambda: rig() and len(rig().model.joints) == 2, "both are joined")
    axes = [bpy.data.objects[f"{name}_joint"].limberjack_joint.axes[0] for name in ("Upper", "Lower")]
    assert [abs(axis.xyz[0]) for axis in axes] == [1.0, 1.0], [tuple(axis.xyz) for axis in axes]
    assert _told() == [], _told()
    for axis in axes:
        axis.xyz = (0.0, 1.0, 0.0)
        axis.id_data.update_tag()
    yield from until(lambda: _told() == ["gravity-cannot-turn"], "it is told that nothing moves")
    yield from play()
    yield from paused(10)
    place = bpy.data.objects["Lower"].matrix_world.translation.copy()
    assert (place - Vector((0.0, 0.0, 1.0))).length < 1e-6, "it moves about axes that lie along it"
    yield from screenshot("stands_in_play")
    old = preview().motion
    yield from click_button("limberjack.problem_mend")
    yield from caught_up(old)
    way = (bpy.data.objects["Lower"].matrix_world.translation - place).length
    assert way > 0.1, "its axes are turned, and it does not swing"
    yield from screenshot("swings_in_play")
    yield from press("ESC")


def test_a_box_selection_is_tagged_as_far_as_it_can_be():
    """Blender's own first scene, all selected: the cube is a link, the light and the camera are named."""
    for obj in bpy.context.scene.objects:
        obj.select_set(True)
    yield from open_tab()
    yield from click_button("limberjack.link_tag", across=0.25)
    yield from harness.at_rest()
    yield from screenshot("tagged_what_can_be")
    assert harness.links() == ["Cube"], harness.links()

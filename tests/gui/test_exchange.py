# SPDX-License-Identifier: GPL-3.0-or-later
"""A roboticist's first minutes: models come in by drag and drop and by the menu, and leave by the file dialog."""

import importlib
import importlib.util
import tempfile
from pathlib import Path

import bpy
import harness
import sidebar
from harness import PACKAGE, links, over_viewport, press, region, screenshot, until, viewport, window
from models import ARM, folder_of_models
from scenes import select
from sidebar import click_button, find_button, open_tab
from test_handles import redo, undo

from support.plan import walk


def over_3d_view():
    return bpy.context.temp_override(window=window(), area=viewport(), region=region())


def empty_scene() -> None:
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.ops.ed.undo_push(message="Nothing")


def drop(folder: Path, *names: str):
    """As a file manager would, up to the dialog that then opens."""
    yield from over_viewport()
    with over_3d_view():
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(folder), files=[{"name": name} for name in names])
    yield from harness.at_rest()


def import_by_drop(folder: Path, *names: str):
    yield from drop(folder, *names)
    yield from press("RET")
    yield from until(links, f"{', '.join(names)} is imported")
    with over_3d_view():
        bpy.ops.view3d.view_all()
    yield from harness.at_rest()


def objects_named() -> set[str]:
    return {obj.name for obj in bpy.context.scene.objects}


def info_lines() -> str:
    """What the Info editor, and the status bar for a while, tell the user."""
    area = viewport()
    area.type = "INFO"
    try:
        with bpy.context.temp_override(window=window(), area=area, region=area.regions[-1]):
            bpy.ops.info.select_all(action="SELECT")
            bpy.ops.info.report_copy()
    finally:
        area.type = "VIEW_3D"
    return bpy.context.window_manager.clipboard


def file_dialog() -> tuple[bpy.types.Window, bpy.types.Area] | None:
    for opened in bpy.context.window_manager.windows:
        for area in opened.screen.areas:
            if area.type == "FILE_BROWSER" and area.spaces.active.active_operator:
                return opened, area
    return None


def open_file_dialog(button: str):
    """In the main window: without a window manager, a second window would come to lie anywhere."""
    bpy.context.preferences.view.filebrowser_display_type = "SCREEN"
    yield from click_button(button)
    yield from until(file_dialog, "the file dialog opens")
    yield from harness.at_rest()


def leave_file_dialog(action: str, path: Path | None = None):
    opened, area = file_dialog()
    if path:
        area.spaces.active.params.directory = str(path.parent).encode()
        area.spaces.active.params.filename = path.name
        yield from harness.at_rest()
    with bpy.context.temp_override(window=opened, area=area, region=area.regions[-1]):
        getattr(bpy.ops.file, action)()
    yield from until(lambda: file_dialog() is None, "the file dialog closes")
    yield from harness.at_rest()


def read(path: Path):
    return importlib.import_module(f"{PACKAGE}.core.formats").read(path)


def test_a_dropped_urdf_becomes_links_joints_and_shapes():
    """Box, cylinder, capsule and mesh are seen, collisions are not, and the panel tells a joint's type and limits."""
    empty_scene()
    yield from drop(folder_of_models(), "arm.urdf")
    yield from screenshot("import_dialog")
    assert not links(), "the model is there before the dialog was answered"
    yield from press("RET")
    yield from until(links, "the model is imported")
    assert sorted(links()) == sorted(ARM), f"links: {links()}"
    for name in ("block", "rod", "pill", "wedge"):
        obj = bpy.data.objects[name]
        assert obj.visible_get(), f"'{name}' is hidden"
        assert obj.data.polygons, f"'{name}' has no faces"
    hulls = [obj for obj in bpy.context.scene.objects if obj.name.endswith("_hull")]
    assert len(hulls) == 2, f"collisions: {hulls}"
    assert not any(obj.visible_get() for obj in hulls), "collisions are seen"
    select("shoulder")
    with over_3d_view():
        bpy.ops.view3d.view_all()
    yield from open_tab()
    yield from find_button('bpy.data.objects["shoulder"].limberjack_joint.type')
    yield from find_button('bpy.data.objects["shoulder"].limberjack_joint.axes[0].upper')
    axis = bpy.data.objects["shoulder"].limberjack_joint.axes[0]
    assert (axis.use_lower, axis.use_upper) == (True, True), "the limits are off"
    assert (round(axis.lower, 5), round(axis.upper, 5)) == (-1.0472, 1.5708)
    yield from screenshot("imported_urdf")


def test_a_dropped_sdf_brings_its_light():
    """A world's light comes with its model, and its panel shows what files say of it."""
    empty_scene()
    yield from import_by_drop(folder_of_models(), "arm.sdf")
    assert sorted(links()) == sorted(ARM), f"links: {links()}"
    lamp = bpy.data.objects["lamp"]
    assert lamp.type == "LIGHT"
    assert lamp.data.type == "POINT"
    assert bpy.data.objects["elbow"].limberjack_joint.type == "ball"
    assert not bpy.data.objects["block_hull"].visible_get(), "a collision is seen"
    yield from open_tab()
    yield from screenshot("imported_sdf")
    select("lamp")
    region("UI").tag_redraw()
    yield from harness.at_rest()
    yield from screenshot("light")


def test_one_undo_takes_an_import_back():
    """An import is one step of undo and redo, however many objects and collections it makes."""
    empty_scene()
    yield from import_by_drop(folder_of_models(), "arm.urdf")
    imported = objects_named()
    collections = set(bpy.data.collections.keys())
    yield from over_viewport()
    yield from press("Z", ctrl=True)
    yield from screenshot("import_undone")
    assert not objects_named(), f"one Ctrl-Z leaves {sorted(objects_named())}"
    yield from press("Z", ctrl=True, shift=True)
    yield from screenshot("import_redone")
    assert objects_named() == imported, f"Shift-Ctrl-Z does not bring back {sorted(imported - objects_named())}"
    assert set(bpy.data.collections.keys()) == collections
    hidden = [obj.name for obj in bpy.context.scene.objects if obj.name.endswith("_hull") and obj.visible_get()]
    assert not hidden, f"after a redo these collisions are seen: {hidden}"


def test_several_files_are_dropped_at_once():
    """All of them come in, each as a collection, under names that tell them apart."""
    empty_scene()
    yield from drop(folder_of_models(), "arm.urdf", "arm.sdf")
    yield from screenshot("import_dialog_of_two")
    yield from press("RET")
    yield from until(links, "the models are imported")
    assert len(links()) == 2 * len(ARM), f"links: {links()}"
    names = set(bpy.data.collections.keys())
    assert {"urdf_arm", "sdf_arm"} <= names, f"collections: {names}"
    with over_3d_view():
        bpy.ops.view3d.view_all()
    yield from screenshot("imported_two")
    assert "is named 'base.001'" in info_lines(), info_lines()
    assert "urdf_arm: 4 links, 4 joints; sdf_arm: 4 links, 4 joints" in info_lines().splitlines()[-1], info_lines()


def test_a_broken_file_changes_nothing():
    """Of several files with one that cannot be read, none comes in, and the panel says which one and why."""
    empty_scene()
    folder = folder_of_models()
    (folder / "broken.urdf").write_text("<robot name='half'><link name='a'>")
    yield from open_tab()
    yield from drop(folder, "arm.urdf", "broken.urdf")
    yield from press("RET")
    yield from harness.at_rest()
    yield from screenshot("import_failed")  # the panel says so, too
    assert not objects_named(), f"left behind: {sorted(objects_named())}"
    error = bpy.context.window_manager.limberjack_status.error
    assert "broken.urdf" in error, error


def test_a_stage_of_usd_without_pxr_says_what_to_install():
    """Blender builds without USD tell it in one line; nothing is imported."""
    if importlib.util.find_spec("pxr"):
        return
    empty_scene()
    folder = folder_of_models()
    (folder / "arm.usda").write_text(
        '#usda 1.0\ndef Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n}\n'
    )
    yield from open_tab()
    with over_3d_view():
        bpy.ops.limberjack.import_model("INVOKE_DEFAULT", filepath=str(folder / "arm.usda"))
    yield from press("RET")
    yield from harness.at_rest()
    yield from screenshot("import_usd")
    assert not objects_named(), f"left behind: {sorted(objects_named())}"
    error = bpy.context.window_manager.limberjack_status.error
    assert "USD files are opened by the package usd-core" in error, error


def test_the_menus_and_the_import_dialog():
    """For the eye: File > Import and Export, and the options beside the files."""
    for menu in ("import", "export"):
        yield from over_viewport()
        with over_3d_view():
            bpy.ops.wm.call_menu("INVOKE_DEFAULT", name=f"TOPBAR_MT_file_{menu}")
        yield from screenshot(f"menu_{menu}")
        yield from press("ESC")
    yield from open_exchange()
    yield from open_file_dialog("limberjack.import_model")
    yield from screenshot("import_files")
    folder = folder_of_models()
    yield from leave_file_dialog("execute", folder / "arm.urdf")
    assert sorted(links()) == sorted(ARM), f"links: {links()}"


def open_exchange():
    """With nothing active, so that the panel is in sight."""
    select()
    yield from open_tab()
    yield from sidebar.open_panel("LIMBERJACK_PT_exchange")


def test_an_empty_scene_says_why_nothing_is_exported():
    """Greyed buttons tell what is missing."""
    empty_scene()
    yield from open_exchange()
    with over_3d_view():
        assert not bpy.ops.limberjack.export_sdf.poll()
    yield from find_button("limberjack.export_sdf")
    yield harness.TOOLTIP
    yield from screenshot("exchange_empty")


@walk
def test_export_by_the_panel_and_the_file_dialog():
    """What the dialog's options promise is what the files hold, and what is lost is told."""
    empty_scene()
    yield from import_by_drop(folder_of_models(), "arm.sdf")
    yield from open_exchange()
    yield from screenshot("exchange")
    out = Path(tempfile.mkdtemp(prefix="exports_"))

    yield from open_file_dialog("limberjack.export_sdf")
    browser = file_dialog()[1]
    browser.spaces.active.active_operator.layout_as = "WORLD"
    browser.tag_redraw()
    yield from screenshot("export_sdf")
    yield from leave_file_dialog("execute", out / "yard.sdf")
    reading = read(out / "yard.sdf")
    assert reading.ok, reading.issues
    assert sorted(link.name for link in reading.model.links) == sorted(ARM)
    assert [light.name for light in reading.model.lights] == ["lamp"]

    yield from open_file_dialog("limberjack.export_urdf")
    yield from screenshot("export_urdf")
    yield from leave_file_dialog("execute", out / "arm.urdf")
    yield from screenshot("exported_urdf")
    reading = read(out / "arm.urdf")
    assert reading.ok, reading.issues
    told = info_lines()
    assert f"Written: {out / 'arm.urdf'}" in told, told
    assert "elbow" in told, f"nothing is said of the ball joint, which URDF does not have: {told}"


HOMED = """<mujoco model="homed"><worldbody><body name="fore" pos="0 0 1"><joint name="elbow" type="slide"
axis="1 0 0"/><geom size="0.1"/></body></worldbody><keyframe><key name="home" qpos="0.2"/></keyframe></mujoco>"""


def test_an_import_in_its_initial_pose_is_one_step():
    """The links stand where the file says that they start; one Ctrl-Z takes the import back, redo brings it back."""
    folder = Path(tempfile.mkdtemp())
    (folder / "homed.xml").write_text(HOMED)
    empty_scene()
    yield from import_by_drop(folder, "homed.xml")
    place = bpy.data.objects["fore"].matrix_world.translation
    assert abs(place.x - bpy.data.objects["elbow"].matrix_world.translation.x - 0.2) < 1e-6, place
    yield from undo()
    assert not links(), links()
    yield from redo()
    place = bpy.data.objects["fore"].matrix_world.translation
    assert abs(place.x - bpy.data.objects["elbow"].matrix_world.translation.x - 0.2) < 1e-6, place

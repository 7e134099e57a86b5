"""Runs inside a Blender with a clean profile: installs a zip, uses it, removes it, and says what was not right.

python session.py ZIP SAMPLE LAST_FRAME compiled|uncompiled|either

Compiled: by the numba of the zip; either: by that or by Blender's own.
"""

import os
import sys
import tempfile
import traceback
from pathlib import Path

import bpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).parent))
from traces import extensions_folder, left, traces

REPOSITORY, ID = "user_default", "limberjack"
PACKAGE = f"bl_ext.{REPOSITORY}.{ID}"
VISIBLE = 1e-3  # m


def main(zip_file: str, sample: str, last_frame: int, word: str) -> None:
    before = traces()
    install(zip_file)
    keeps_to_its_corner(set(before["sys.path"]))
    use(sample, last_frame, word)
    keeps_to_its_corner(set(before["sys.path"]))
    switch_off_and_on(before)
    remove()
    traces_left = [trace for trace in left(before) if not _is_blenders_own(trace)]
    assert not traces_left, "the removal leaves\n  " + "\n  ".join(traces_left)


def install(zip_file: str) -> None:
    done = bpy.ops.extensions.package_install_files(filepath=zip_file, repo=REPOSITORY, enable_on_install=True)
    assert done == {"FINISHED"}, f"the installation gives {done}"
    assert PACKAGE in bpy.context.preferences.addons, "the add-on is not enabled after its installation"
    assert "numba" not in sys.modules, "enabling brings numba in"


def keeps_to_its_corner(paths_before: set[str]) -> None:
    """As extensions.blender.org demands: no module under a name of the top level, no path added but Blender's own."""
    folder = Path(sys.modules[PACKAGE].__file__).parent
    strays = [name for name, module in list(sys.modules.items()) if _lies_in(folder, module)]
    strays = [name for name in strays if not name.startswith("bl_ext.")]
    assert not strays, f"imported from the extension's folder under other names: {strays}"
    new_paths = {path for path in sys.path if path not in paths_before and not path.endswith("site-packages")}
    assert not new_paths, f"sys.path has grown by {new_paths}"


def use(sample: str, last_frame: int, word: str) -> None:
    """Open, bake, export: what comes out is a motion, and a model that is read again."""
    folder = Path(sys.modules[PACKAGE].__file__).parent
    bpy.ops.wm.open_mainfile(filepath=str(folder / "sample_scenes" / sample))
    scene = bpy.context.scene
    scene.frame_end = scene.frame_start + last_frame - 1
    scene.frame_set(scene.frame_start)
    begun = _places(scene)
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    scene.frame_set(scene.frame_end)
    moved = [name for name, place in _places(scene).items() if (place - begun[name]).length > VISIBLE]
    assert moved, "nothing moves in what was baked"
    has_numba = "numba" in sys.modules
    assert has_numba == (word != "uncompiled"), f"numba is {'' if has_numba else 'not '}used"
    if word == "compiled":
        where = sys.modules["numba"].__file__
        assert Path(where).is_relative_to(extensions_folder()), f"numba is not the zip's, it comes from {where}"
    with tempfile.TemporaryDirectory() as out:
        path = Path(out) / "model.sdf"
        assert bpy.ops.limberjack.export_sdf(filepath=str(path)) == {"FINISHED"}
        read = sys.modules[f"{PACKAGE}.core.formats"].read
        links = read(path).model.links
        assert len(links) >= len(moved), f"{len(moved)} links move, {len(links)} are in the exported file"


def switch_off_and_on(before: dict) -> None:
    """Off, all but the modules is gone; on again, there is nothing to trip over."""
    for _ in range(2):
        bpy.ops.preferences.addon_disable(module=PACKAGE)
        assert PACKAGE not in bpy.context.preferences.addons
        hanging = [trace for trace in left(before) if not trace.startswith(("sys.", "files:"))]
        assert not hanging, "disabled, it leaves\n  " + "\n  ".join(hanging)
        bpy.ops.preferences.addon_enable(module=PACKAGE)
        assert PACKAGE in bpy.context.preferences.addons


def remove() -> None:
    repositories = bpy.context.preferences.extensions.repos
    index = next(i for i, repository in enumerate(repositories) if repository.module == REPOSITORY)
    assert bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id=ID) == {"FINISHED"}


def _is_blenders_own(trace: str) -> bool:
    """Blender's index of a repository, and the folder that it puts wheels into."""
    return trace.startswith(("files: .cache/", f"files: {REPOSITORY}/.blender_ext/")) or (
        trace.startswith("sys.path: ") and trace.endswith("site-packages")
    )


def _places(scene) -> dict[str, Vector]:
    """Of the links."""
    return {obj.name: obj.matrix_world.translation.copy() for obj in scene.objects if obj.limberjack_link.is_link}


def _lies_in(folder: Path, module) -> bool:
    file = getattr(module, "__file__", None)
    return bool(file) and Path(file).is_relative_to(folder)


zip_file, sample, last_frame, word = sys.argv[-4:]
code = 0
try:
    main(zip_file, sample, int(last_frame), word)
except Exception:
    traceback.print_exc()
    code = 1
sys.stdout.flush()
os._exit(code)  # bpy may crash when the interpreter ends

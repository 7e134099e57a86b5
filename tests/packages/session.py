# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside a Blender with a profile of its own: does things with the extension, and says what was not right.

python session.py TASK SAMPLE LAST_FRAME ARGUMENT…

    whole ZIP WAY     install, use, switch off and on, remove; WAY is how kernels run: library (the zip's own, and no
                      numba), numba (Blender's own) or python
    install ZIP       and no more
    upgrade OLD ZIP   use an older one, install this while it is enabled and its library is open, use this
    upgrade_locked OLD ZIP    the same where the older library cannot be removed, as on Windows while another Blender
                      has it open
    use COUNT         what is installed, beside COUNT - 1 other Blenders with the same profile, all at once
"""

import json
import os
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path

import bpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).parent))
from traces import extensions_folder, left, traces

REPOSITORY, ID = "user_default", "limberjack"
PACKAGE = f"bl_ext.{REPOSITORY}.{ID}"
VISIBLE = 1e-3  # m
PATIENCE = 300  # seconds for other Blenders to come


def whole(sample: str, last_frame: int, zip_file: str, way: str) -> None:
    before = traces()
    install(sample, last_frame, zip_file)
    keeps_to_its_corner(set(before["sys.path"]))
    bake_and_export(sample, last_frame)
    runs_by(way)
    divides(is_there=way == "library")
    keeps_to_its_corner(set(before["sys.path"]))
    switch_off_and_on(before)
    remove()
    traces_left = [trace for trace in left(before) if not _is_blenders_own(trace)]
    assert not traces_left, "the removal leaves\n  " + "\n  ".join(traces_left)


def install(_sample: str, _last_frame: int, zip_file: str) -> None:
    done = bpy.ops.extensions.package_install_files(filepath=zip_file, repo=REPOSITORY, enable_on_install=True)
    assert done == {"FINISHED"}, f"the installation gives {done}"
    assert PACKAGE in bpy.context.preferences.addons, "the add-on is not enabled after its installation"
    assert "numba" not in sys.modules, "enabling brings numba in"


def upgrade(sample: str, last_frame: int, old: str, new: str) -> None:
    library_before = _upgraded(sample, last_frame, old, new, nullcontext)
    assert not library_before.exists(), f"the older library is still there, {library_before.name}"


def upgrade_locked(sample: str, last_frame: int, old: str, new: str) -> None:
    library_before = _upgraded(sample, last_frame, old, new, _locked)
    assert library_before.exists(), "it was to be locked"


def _upgraded(sample: str, last_frame: int, old: str, new: str, meanwhile) -> Path:
    """The older library. `meanwhile` makes a context of it, in which the new one is installed."""
    install(sample, last_frame, old)
    bake_and_export(sample, last_frame)
    library_before = runs_by("library")
    with meanwhile(library_before):
        install(sample, last_frame, new)
    assert not _is_open(library_before), "the older library is still open, so Windows would not have removed it"
    bake_and_export(sample, last_frame)
    library = runs_by("library")
    assert library.name != library_before.name, f"the library is still the older one, {library.name}"
    return library_before


def _is_open(library: Path) -> bool:
    """In this process, as far as the system tells."""
    told = Path("/proc/self/maps")
    return told.exists() and str(library) in told.read_text()


@contextmanager
def _locked(library: Path):
    """Neither it nor a folder with it can be removed, renamed or written to."""

    def refusing(function):
        def called(path, *arguments, **named):
            whole = library.parent / path if "dir_fd" in named else Path(path)  # as shutil.rmtree names files
            if library == whole or library.is_relative_to(whole):
                raise PermissionError(13, "it is in use", str(path))
            return function(path, *arguments, **named)

        return called

    names = ("unlink", "remove", "rename", "replace", "rmdir")
    before = {name: getattr(os, name) for name in names}
    for name, function in before.items():
        setattr(os, name, refusing(function))
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(os, name, function)


def use(sample: str, last_frame: int, count: str) -> None:
    if PACKAGE not in bpy.context.preferences.addons:
        bpy.ops.preferences.addon_enable(module=PACKAGE)
    bake_and_export(sample, last_frame)
    _meet(int(count))  # from here on, all have the library open
    bake_and_export(sample, last_frame)
    runs_by("library")


def _meet(count: int) -> None:
    """Wait until so many Blenders have come here."""
    folder = Path(bpy.utils.user_resource("CONFIG")) / "meeting"
    folder.mkdir(parents=True, exist_ok=True)  # Blender's own `create` fails where two make it at once
    (folder / str(os.getpid())).touch()
    deadline = time.monotonic() + PATIENCE
    while len(list(folder.iterdir())) < count:
        assert time.monotonic() < deadline, f"no other Blender has come in {PATIENCE} s"
        time.sleep(0.05)


def keeps_to_its_corner(paths_before: set[str]) -> None:
    """As extensions.blender.org demands: no module under a name of the top level, no path added but Blender's own."""
    folder = Path(sys.modules[PACKAGE].__file__).parent
    strays = [name for name, module in list(sys.modules.items()) if _lies_in(folder, module)]
    strays = [name for name in strays if not name.startswith("bl_ext.")]
    assert not strays, f"imported from the extension's folder under other names: {strays}"
    new_paths = {path for path in sys.path if path not in paths_before and not path.endswith("site-packages")}
    assert not new_paths, f"sys.path has grown by {new_paths}"


def bake_and_export(sample: str, last_frame: int) -> None:
    """What comes out is a motion, and a model that is read again."""
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
    with tempfile.TemporaryDirectory() as out:
        path = Path(out) / "world.sdf"
        assert bpy.ops.limberjack.export_sdf(filepath=str(path), layout_as="WORLD") == {"FINISHED"}
        read = sys.modules[f"{PACKAGE}.core.formats"].read
        links = read(path).model.links
        assert len(links) >= len(moved), f"{len(moved)} links move, {len(links)} are in the exported file"


def divides(is_there: bool) -> None:
    """Whether a bent link gets convex pieces, by the library that the zips for a system bring along."""
    corners = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    faces = [(i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i) for i in range(6)]
    mesh = bpy.data.meshes.new("bent")
    mesh.from_pydata([(x, y, z) for z in (0, 1) for x, y in corners], [], [*faces, (5, 4, 3, 2, 1, 0), range(6, 12)])
    bent = bpy.data.objects.new("bent", mesh)
    bpy.context.scene.collection.objects.link(bent)
    bpy.ops.object.select_all(action="DESELECT")
    bent.select_set(True)
    bpy.context.view_layer.objects.active = bent
    bpy.ops.limberjack.link_tag()
    assert (find_spec("coacd") is not None) == is_there
    assert bpy.ops.limberjack.collision_add() == {"FINISHED"}
    found = len(bent.children)
    assert found == (2 if is_there else 1), f"a bent link gets {found} collision shapes"


def runs_by(way: str) -> Path | None:
    """Whether kernels have run in this way. Returns the library's file, if it is by one."""
    jit = sys.modules[f"{PACKAGE}.core.compilation.jit"]
    assert jit.way().value == way, f"kernels run by {jit.way().value}, and not by {way}"
    assert ("numba" in sys.modules) == (way == "numba"), f"numba is {'' if way == 'numba' else 'not '}asked for"
    if way != "library":
        return None
    folder = jit.library().folder
    path = (folder / json.loads((folder / "kernels.json").read_text(encoding="utf-8"))["library"]).resolve()
    assert path.is_relative_to(extensions_folder().resolve()), f"the library is not the zip's, it lies in {path}"
    return path


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


TASKS = {task.__name__: task for task in (whole, install, upgrade, upgrade_locked, use)}


def main(task: str, sample: str, last_frame: str, *arguments: str) -> int:
    try:
        TASKS[task](sample, int(last_frame), *arguments)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
code = main(*given)
sys.stdout.flush()
os._exit(code)  # bpy may crash when the interpreter ends

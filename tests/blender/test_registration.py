# SPDX-License-Identifier: GPL-3.0-or-later
"""Switching the add-on on and off."""

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import bpy
import pytest

import limberjack
from limberjack.addon import ids, registry
from limberjack.core.compilation import kernel_cache
from limberjack.core.version import VERSION

ROOT = Path(limberjack.__file__).parent

HEAVY = (
    "core.batch",
    "core.check",
    "core.dynamics",
    "core.kinematics",
    "core.plots",
    "core.simulation",
    "core.solvers",
    *("core.formats.sdf", "core.formats.urdf"),
    "core.files.xml",
    *("core.geometry.features.walls", "core.geometry.features.features", "core.geometry.features.fits"),
    *("core.geometry.mass", "core.geometry.shapes"),
    *("core.model.elements", "core.model.model", "core.model.compiling.compile", "core.model.editing.editing"),
    *("core.trajectory.files.tables", "core.trajectory.touches", "core.trajectory.trajectory"),
    "core.trajectory.reduction",
    *("addon.bake.baking", "addon.bake.inputs.simulation_inputs", "addon.bake.replay_bake", "addon.bake.keys.writing"),
    "addon.preview.preview_bake",
    *("addon.bridge.joints.axis_views", "addon.bridge.links.mass", "addon.bridge.scene.mirroring"),
    *("addon.bridge.viewport.picking", "addon.bridge.posing.posing", "addon.bridge.findings.problems"),
    *("addon.bridge.posing.pulling", "addon.bridge.scene.read", "addon.bridge.findings.stored_findings"),
    *("addon.bridge.joints.joint_edits", "addon.bridge.scene.write"),
)
"""What is loaded only when a model is worked on: it would take Blender's start longer than all else of ours."""


def test_off_and_on_again():
    """Disabling and enabling twice leaves nothing behind that the next registration would trip over."""
    for _ in range(2):
        limberjack.unregister()
        assert not hasattr(bpy.types.Object, "limberjack_link")
        limberjack.register()
        assert hasattr(bpy.types.Object, "limberjack_link")


@pytest.mark.skipif(bool(bpy.app.binary_path), reason="inside Blender, whose Python cannot import bpy by itself")
def test_enabling_is_fast_to_import():
    """Enabling the add-on brings in neither numba nor what is needed only once there is a model to work on."""
    script = (
        "import bpy, sys, os, limberjack; limberjack.register();"
        "print('LOADED', *sys.modules); sys.stdout.flush(); os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = next(line for line in done.stdout.splitlines() if line.startswith("LOADED")).split()
    heavy = {"numba", "scipy", "matplotlib"} | {f"limberjack.{name}" for name in HEAVY}
    assert not heavy.intersection(loaded)


@pytest.mark.parametrize("module", HEAVY)
def test_what_enabling_leaves_out_is_there(module):
    """Those names are names of modules, so that none is left out just because it was renamed."""
    assert importlib.util.find_spec(f"limberjack.{module}")


@pytest.mark.skipif(bool(bpy.app.binary_path), reason="inside Blender, whose Python cannot import bpy by itself")
def test_a_file_without_a_model_loads_nothing():
    """Changes, frames, undo and the reading of a scene load nothing of what works on models where there is none."""
    script = (
        "import bpy, sys, os, limberjack; limberjack.register(); from limberjack.addon.bridge.rig import show_rig;"
        "bpy.ops.mesh.primitive_cube_add(); bpy.context.scene.frame_set(5); bpy.ops.ed.undo_push();"
        "show_rig(bpy.context.scene);"
        "print('LOADED', *sys.modules); sys.stdout.flush(); os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = next(line for line in done.stdout.splitlines() if line.startswith("LOADED")).split()
    assert {"limberjack.core.kinematics", "limberjack.core.check", "limberjack.addon.bridge.scene.read"}.isdisjoint(
        loaded
    )


def test_every_tooltip_follows_blenders_habits():
    """Names and descriptions of our operators and properties carry no final full stop, and none is missing."""
    from limberjack.addon import ops, props

    for cls in (*ops.CLASSES, *props.CLASSES):
        for prop in cls.bl_rna.properties:
            assert not prop.description.endswith("."), f"{cls.__name__}.{prop.identifier}"
    for cls in ops.CLASSES:
        assert cls.__doc__
        assert not cls.__doc__.endswith(".")


def test_manifest():
    """Blender's own validator accepts the checkout as it is, and the code has the manifest's version."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == VERSION
    assert len(manifest["tagline"]) <= 64
    folders = [Path(bpy.utils.resource_path(kind)) for kind in ("LOCAL", "SYSTEM")]
    tool = next(path for folder in folders for path in folder.glob("scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    done = subprocess.run([sys.executable, str(tool), "validate", str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_cache_of_an_extension(tmp_path, monkeypatch):
    """An extension keeps its kernels in the folder that Blender gives it."""
    monkeypatch.setattr(kernel_cache, "_root", None)
    monkeypatch.setattr(registry, "ROOT_PACKAGE", "bl_ext.user_default.limberjack")
    monkeypatch.setattr(bpy.utils, "extension_path_user", lambda package, path, create: f"{tmp_path}/{package}/{path}")
    limberjack.unregister()
    limberjack.register()
    assert kernel_cache.cache_folder().parent == tmp_path / "bl_ext.user_default.limberjack" / "kernels"


def test_accuracies_are_the_cores():
    """The scene's choices, which are spelt out so that enabling loads no solver, are those of the solvers."""
    from limberjack.core.simulation import ACCURACIES

    choices = getattr(bpy.context.scene, ids.SCENE).bl_rna.properties["accuracy"].enum_items
    assert tuple(choice.identifier for choice in choices) == ACCURACIES

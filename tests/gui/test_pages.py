# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages' lines for Blender's own command line, typed into this Blender's."""

import glob
import os
import shlex
import subprocess
import sys
from pathlib import Path

import bpy
import harness
import scenes
from harness import OUT, PACKAGE, Steps, until

from support.plan import walk

SOURCE = Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE / "tests"))
from support.pages import PAGES, commands_of  # noqa: E402 - lies in the folder just added

LINES = sorted({line for page in PAGES for line in commands_of(page) if line.startswith("blender ")})
JOBS = 'files = "arm.sdf"\noutputs = "{name}.npz"\n[simulate]\nduration = 0.1\n[grid]\n"shoulder.damping" = [0.1, 1]\n'


def new_folder(name: str) -> Path:
    """Make a folder where the pages' lines are typed, one for each test, since two windows may run both at once."""
    folder = OUT / f"pages_{name}"
    (folder / "dist").mkdir(parents=True, exist_ok=True)
    return folder


def typed(folder: Path, line: str, **environment: str) -> Steps:
    """As the shell would; what stands for any name becomes the names."""
    words = [name for word in shlex.split(line)[1:] for name in glob.glob(word, root_dir=folder) or [word]]
    log = folder / "log.txt"
    with log.open("w") as stream:
        child = subprocess.Popen(
            [bpy.app.binary_path, *words], cwd=folder, stdout=stream, stderr=stream, env=os.environ | environment
        )
    yield from until(lambda: child.poll() is not None, f"this ends: {line}", timeout=300)
    assert child.returncode == 0, f"{line}\nended with code {child.returncode}:\n{log.read_text()}"


@walk
def test_lines_of_blender():
    """With the scene that is open and with a batch: each line ends well, and leaves what it says."""
    yield from harness.compile_solver()
    folder = new_folder("scene")
    scenes.hanging_bars()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"), copy=True)
    (folder / "arm.sdf").write_bytes((SOURCE / "sample_scenes" / "double_pendulum.sdf").read_bytes())
    (folder / "JOBS.toml").write_text(JOBS)
    lines = [line for line in LINES if "--command limberjack" in line]
    assert len(lines) > 2
    for line in lines:
        yield from typed(folder, line.replace("--command", f"--addons {PACKAGE} --command", 1))
    assert (folder / "baked.blend").exists()
    assert len(list(folder.glob("*.npz"))) == 2


def test_lines_that_install():
    """The line that installs the extension, in a profile of its own: it is enabled there for the lines that follow."""
    zips = list(OUT.glob("limberjack-*.zip"))
    folder = new_folder("install")
    (folder / "dist" / "limberjack-0-linux_x64.zip").write_bytes(zips[0].read_bytes())
    own = {"BLENDER_USER_RESOURCES": str(folder / "profile")}
    lines = [line for line in LINES if "--command extension" in line]
    assert lines
    for line in lines:
        yield from typed(folder, line, **own)
    yield from typed(folder, f"blender -b --python-exit-code 1 --python-expr 'import {PACKAGE}'", **own)
    scenes.hanging_bars()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"), copy=True)
    yield from typed(folder, "blender -b scene.blend --command limberjack info", **own)

# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a newcomer waits for the first moving frame, with an extension's zip and nothing else; see README.md.

Each Blender has a clean profile, empty caches, and no numba but the zip's own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
sys.path.insert(0, str(TESTS / "gui"))
import run as gui  # noqa: E402 - lies in a folder just added

OUT = ROOT / "out" / "first_play"
SESSION = Path(__file__).with_name("first_play_session.py")
RESULT = "result.json"
TIME_LIMIT = 400  # seconds for a Blender; kernels may be compiled meanwhile

NOT_THEIRS = ("numba", "llvmlite")
"""What distributions install beside Blender, and blender.org's Blenders do not have."""

PACKAGES = "usr/lib/python3/dist-packages"

# In mounts of its own, what is hidden is a device 0:0 on top, as overlayfs has it. $1: the tops, $2: what lies below.
HIDE = 'mount -t overlay overlay -o "lowerdir=$1:$2" "$2"; shift 2; exec "$@"'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("zip", type=Path, help="as `make extension` builds it for this platform")
    parser.add_argument("--sample", default="crane")
    parser.add_argument("--no-window", action="store_true", help="leave the window out, which needs root on Linux")
    parser.add_argument("--json", action="store_true", help="print one JSON object, as the last line")
    options = parser.parse_args()
    found = {"zip_mb": options.zip.stat().st_size / 1e6}
    print(f"{options.zip.name}: {found['zip_mb']:.2f} MB", flush=True)
    if not options.no_window:
        found["window"] = in_window(options.zip, options.sample)
        tell("Play in a window", found["window"])
    for python in ("3.11", "3.13"):
        interpreter = ROOT / f".venv-blender-{python}" / "bin" / "python"
        if interpreter.exists():
            found[f"no_window.{python}"] = without_window(interpreter, options.zip, options.sample)
            tell("a bake of two frames without a window", found[f"no_window.{python}"])
    if options.json:
        print(json.dumps(found))
    return 0


def tell(what: str, one: dict) -> None:
    blender = f"Blender {one['blender']}, Python {one['python']}"
    waited = f"{one['first_frame_s']:.2f} s from {what} to the first frame that moves"
    print(f"{blender}: {waited}, {one['again_s']:.2f} s when asked again", flush=True)


def in_window(zip_file: Path, sample: str) -> dict:
    """What the session has found in the Blender of the tests with a window, its screenshots beside it."""
    gui.require_tools()
    gui.install_blender()
    folder = staged(OUT / "window", zip_file)
    for part in (TESTS / "gui" / "harness.py", TESTS / "packages" / "traces.py"):
        shutil.copy(part, folder)
    command = [gui.SHARED / "run_gui.sh", gui.BLENDER, folder, "blender", "--factory-startup"]
    command += ["--enable-event-simulate", "--window-geometry", "0", "0", "1600", "900", "--gpu-backend", "opengl"]
    command += ["--python-exit-code", "3", "--python", f"{gui.INSIDE}/{SESSION.name}", "--"]
    below = gui.BLENDER / PACKAGES
    hidden = ["unshare", "-m", "--propagation", "private", "bash", "-euc", HIDE, "run", tops(folder, below), below]
    return run([*hidden, *command, f"{gui.INSIDE}/{zip_file.name}", sample], folder, {"GUI_TIMEOUT": str(TIME_LIMIT)})


def tops(folder: Path, below: Path) -> Path:
    """A folder that hides packages where it is mounted over those of Blender's Python."""
    folder = folder.parent / "tops"
    folder.mkdir(exist_ok=True)
    for name in NOT_THEIRS:
        for path in below.glob(f"{name}*"):
            if not (folder / path.name).exists():
                os.mknod(folder / path.name, 0o020000, os.makedev(0, 0))
    return folder


def without_window(interpreter: Path, zip_file: Path, sample: str) -> dict:
    """What the session has found in a bpy wheel."""
    folder = staged(OUT / interpreter.parents[1].name, zip_file)
    own = {"BLENDER_USER_RESOURCES": str(folder / "profile"), "XDG_CACHE_HOME": str(folder / "cache")}
    return run([interpreter, SESSION.name, zip_file.name, sample], folder, own)


def staged(folder: Path, zip_file: Path) -> Path:
    """A clean folder with what every session needs."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "profile").mkdir(parents=True)
    shutil.copy(zip_file, folder)
    shutil.copy(SESSION, folder)
    return folder


def run(command: list, folder: Path, settings: dict[str, str]) -> dict:
    """What the session has written. Ends the program where it has written nothing."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LIMBERJACK", "PYTHON"))}
    log = folder / "blender.log"
    with log.open("w") as stream:
        streams = {"stdin": subprocess.DEVNULL, "stdout": stream, "stderr": stream}
        subprocess.run(command, cwd=folder, env=kept | settings, check=False, **streams)
    if not (folder / RESULT).is_file():
        sys.exit(f"no result; the end of {log}:\n{gui.last_lines(log)}")
    return json.loads((folder / RESULT).read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())

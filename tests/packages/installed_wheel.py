# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel of dist/ for this platform, installed where there is no numba, simulates a sample by its own library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# As the command does it, in a process that can be asked afterwards
CHILD = """
import sys
from pathlib import Path
import limberjack
from limberjack.addon import cli
from limberjack.core.compilation import jit
code = cli.main()
assert code == 0, f"the command ends with {code}"
assert jit.way() is jit.Way.LIBRARY, f"kernels run by {jit.way()}"
assert jit.library().folder == Path(limberjack.__file__).parent / "core" / "kernels", jit.library().folder
assert "numba" not in sys.modules, "numba is asked for"
print("by the library")
"""


def failure_of(wheel: Path, interpreter: Path, out: Path) -> str:
    """What was not right, nothing if all was.

    Args:
        interpreter: of an environment with what the wheel needs and no numba. out: an empty folder.
    """
    site, motion = out / "site", out / "crane.npz"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", "--no-deps"]
    try:
        _run([*pip, "--target", str(site), str(wheel)], {})
        verb = ["simulate", str(ROOT / "sample_scenes" / "crane.sdf"), "--duration", "1", "-o", str(motion)]
        own = {"PYTHONPATH": str(site), "LIMBERJACK_CACHE": str(out / "cache")}
        told = _run([str(interpreter), "-c", CHILD, *verb], own)
    except subprocess.CalledProcessError as error:
        return f"{error}\n{error.stderr}"
    if not told.endswith("by the library\n"):
        return f"it has not come to its end:\n{told}"
    if (out / "cache").exists():
        return "it has compiled into its cache"
    return "" if motion.stat().st_size else "the motion is empty"


def _run(command: list[str], settings: dict[str, str]) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LIMBERJACK", "PYTHON"))}
    return subprocess.run(command, env=kept | settings, capture_output=True, text=True, check=True).stdout

# SPDX-License-Identifier: GPL-3.0-or-later
"""Times of a bake in a real window and of the same operator from a script in that window; see README.md.

    python3 benchmarks/window_bake.py --json

Scenes are the sample Car, a tower of 45 bricks, and 27 balls that fall onto a plane.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from targets import as_json, table

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "gui"))
import run as gui  # noqa: E402 - lies in a folder just added
from windows import last_lines  # noqa: E402

RESULT = gui.OUT / "window_bake.json"
SESSION = f"{gui.INSIDE}/source/benchmarks/window_bake_session.py"

TIME_LIMIT = "1500"
"""Time after which Blender is ended [s]."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object, as the last line")
    options = parser.parse_args()
    try:
        gui.require_tools()
        gui.clear_output()
        gui.install_blender()
        gui.stage_source()
        gui.add_library()
        gui.build_extension()
    except (gui.CannotRunError, gui.BuildError) as error:
        sys.exit(f"benchmark: {error}")
    log = gui.OUT / "window_bake.log"
    with log.open("w") as stream:
        subprocess.run(
            gui.window_command(SESSION),
            env=os.environ | {"GUI_TIMEOUT": TIME_LIMIT},
            stdout=stream,
            stderr=stream,
            check=False,
        )
    if not RESULT.is_file():
        sys.exit(f"benchmark: no result; the end of {log}:\n{last_lines(log)}")
    figures = json.loads(RESULT.read_text(encoding="utf-8"))
    print(table(figures))
    if options.json:
        print(as_json(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())

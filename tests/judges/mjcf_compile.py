# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: what MuJoCo compiles of MJCF texts.

Use: mjcf_compile.py TEXTS.json ARRAY... TEXTS.json is a list of MJCF texts. Prints a list with an object for each: the
arrays of mjModel that are named, by name, or "error", the message of the compiler.
"""

import json
import sys
from pathlib import Path

import mujoco


def compiled(text, names):
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        return {"error": str(error)}
    return {name: getattr(model, name).tolist() for name in names}


def main():
    texts = json.loads(Path(sys.argv[1]).read_text())
    print(json.dumps([compiled(text, sys.argv[2:]) for text in texts]))


if __name__ == "__main__":
    main()

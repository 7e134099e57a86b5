# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: what a judge reads in many files, in one process, since each takes seconds to start.

Use: read_all.py JUDGES drake|mujoco|pinocchio [--lenient] [--out FILE] FILE_OR_FOLDER... JUDGES is the folder that
holds drake_dump.py and its like. A folder stands for the .sdf and .urdf files in it and below. Writes FILE.JUDGE.json
beside each, or FILE.JUDGE_lenient.json; with --out, one list of all readings into that file. For --lenient, Drake is
handed a copy of each file's folder without what it does not know: files that are alone in their folders are read
soonest.
"""

import argparse
import json
import os
import sys
from pathlib import Path

MODULES = {"drake": "drake_dump", "mujoco": "mujoco_dump", "pinocchio": "pin_dump"}


def reader(judge, lenient):
    """What makes a path a reading."""
    module = __import__(MODULES[judge])
    if judge == "drake":
        return lambda path: module.dump(path, [], lenient)
    if judge == "mujoco":
        return lambda path: module.dump(path, False)
    return module.dump


def files_in(places):
    for place in map(Path, places):
        if place.is_dir():
            yield from sorted(path for path in place.rglob("*") if path.suffix in (".sdf", ".urdf"))
        else:
            yield place


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judges")
    parser.add_argument("judge", choices=MODULES)
    parser.add_argument("--lenient", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.judges)
    dump = reader(arguments.judge, arguments.lenient)
    suffix = arguments.judge + "_lenient" * arguments.lenient
    readings = {path: reading(dump, path, arguments.judge) for path in files_in(arguments.files)}
    if arguments.out:
        arguments.out.write_text(json.dumps(list(readings.values())))
    else:
        for path, told in readings.items():
            path.with_name(f"{path.name}.{suffix}.json").write_text(json.dumps(told))


def reading(dump, path, judge):
    try:
        return dump(os.fspath(path))
    except Exception as error:  # one file must not take the others' readings with it
        return {"judge": judge, "ok": False, "errors": [f"{type(error).__name__}: {error}"], "warnings": []}


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of a bake, to the last bit; as a script, `python baked_keys.py FILE.blend OUT.json`."""

import json
import sys
from pathlib import Path

import bpy

Keys = dict[str, list[list[float]]]


def keys_of_bake() -> Keys:
    """Frame and value of every key, in Blender's units, by "SLOT PATH[INDEX]", of all actions in the open file."""
    bags = [
        (slot, bag)
        for action in bpy.data.actions
        for slot in action.slots
        for layer in action.layers
        for strip in layer.strips
        if (bag := strip.channelbag(slot))
    ]
    return {
        f"{slot.identifier} {curve.data_path}[{curve.array_index}]": [list(key.co) for key in curve.keyframe_points]
        for slot, bag in bags
        for curve in bag.fcurves
    }


def main(blend: str, out: str) -> None:
    bpy.ops.wm.open_mainfile(filepath=blend)
    Path(out).write_text(json.dumps(keys_of_bake()))


if __name__ == "__main__":
    main(*sys.argv[1:])

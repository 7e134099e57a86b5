# SPDX-License-Identifier: GPL-3.0-or-later
"""Time what Blender calls at a redraw, in a scene of 5,000 objects of which 50 are links.

Prints milliseconds for the checks of all operators, for all panels of the tab, for a change of the frame and for one
moved object. No window is opened; the panels are drawn onto the paper of the tests.
"""

import argparse
import contextlib
import io
import json
import sys
import time
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests")]

import limberjack  # noqa: E402


def make_scene(objects: int, links: int) -> None:
    """Hanging bars, each on a hinge, among objects that are nothing of ours."""
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_cube_add(size=0.2)
    mesh = bpy.context.object.data
    bpy.data.objects.remove(bpy.context.object)
    for number in range(objects - links - 1):
        scene.collection.objects.link(bpy.data.objects.new(f"stone{number}", mesh))
    bars = [bpy.data.objects.new(f"bar{number}", mesh) for number in range(links)]
    for number, bar in enumerate(bars):
        bar.location = (number, 0.0, 2.0)
        scene.collection.objects.link(bar)
    bpy.context.view_layer.update()
    for obj in scene.objects:
        obj.select_set(obj in bars)
    bpy.context.view_layer.objects.active = bars[0]
    bpy.ops.limberjack.link_tag()


def milliseconds(work, times: int) -> float:
    """Return the time of one call, as the least of several."""
    work()
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return 1000.0 * min(found)


def measure(times: int) -> dict[str, float]:
    """Return milliseconds by what was done."""
    from blender.paper import draw

    from limberjack.addon import ops, watch
    from limberjack.addon.bridge.animation.keyed_motion import follow_keys
    from limberjack.addon.bridge.rig import show_rig

    scene, bar = bpy.context.scene, bpy.context.object
    show_rig(scene)
    polls = [cls for cls in ops.CLASSES if issubclass(cls, bpy.types.Operator)]
    names = [cls.bl_idname.split(".") for cls in polls]
    operators = [getattr(getattr(bpy.ops, module), name) for module, name in names]
    return {
        "polls": milliseconds(lambda: [operator.poll() for operator in operators], times),
        "panels": milliseconds(lambda: draw(bar), times),
        "frame": milliseconds(lambda: follow_keys(scene, bpy.context.evaluated_depsgraph_get()), times),
        "change": milliseconds(lambda: watch.note_change([bar]), times),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=5000)
    parser.add_argument("--links", type=int, default=50)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    limberjack.register()
    with contextlib.redirect_stdout(io.StringIO()):
        make_scene(options.objects, options.links)
        found = measure(options.times)
    text = json.dumps(found) if options.json else "\n".join(f"{name:8} {time:8.3f} ms" for name, time in found.items())
    print(text)


if __name__ == "__main__":
    main()

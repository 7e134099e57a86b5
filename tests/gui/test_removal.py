# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension goes without a trace; as the last of all tests, since it then is gone."""

import bpy
import harness
from harness import PACKAGE, module, over_viewport, simulated, traces_before_install, until
from scenes import hanging_bars
from sidebar import click_button, open_tab
from traces import left

from support.plan import walk

# Blender's index of the repository, and the folder that it puts wheels into
BLENDERS_OWN = ("files: .cache/", "files: user_default/.blender_ext/", "sys.path: /tmp/home/blender/extensions/.local/")


@walk
def test_switched_off_and_on_and_removed():
    """Used in a window that has drawn all of it, switched off and on twice, it works; removed, nothing is left."""
    hanging_bars()
    yield from open_tab()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    for _ in range(2):
        bpy.ops.preferences.addon_disable(module=PACKAGE)
        yield from over_viewport()
        yield from harness.at_rest()
        hanging = [trace for trace in left(traces_before_install) if not trace.startswith(("sys.", "files:"))]
        assert not hanging, f"disabled, it leaves {hanging}"
        bpy.ops.preferences.addon_enable(module=PACKAGE)
        rig = module("bridge.rig")
        yield from until(
            lambda rig=rig: rig.last_rig(bpy.context.scene), "switched on, it reads the scene that is open"
        )
    yield from open_tab()
    yield from click_button("limberjack.bake_clear")

    repositories = bpy.context.preferences.extensions.repos
    index = next(i for i, repository in enumerate(repositories) if repository.module == "user_default")
    bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id="limberjack")
    yield from over_viewport()
    yield from harness.at_rest()
    traces_left = [trace for trace in left(traces_before_install) if not trace.startswith(BLENDERS_OWN)]
    assert not traces_left, f"removed, it leaves {traces_left}"

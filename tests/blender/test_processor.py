# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing between a scene and its keys calls functions of NumPy whose last digits depend on the processor."""

import bpy
import pytest

from limberjack.addon.bridge.scene.read import read_scene
from support.processor import recording

from .baked import bake
from .samples import NAMES, open_sample

BAKED = ("ragdoll", "tumble", "desk_lamp")
"""Samples with contact and with joint curves; `benchmarks/scene_digests.py` compares all of them."""


def require_none(calls):
    assert not [call for call in calls if "/addon/" in call or "/core/" in call]


@pytest.mark.parametrize("name", NAMES)
def test_models_of_samples(name):
    scene = open_sample(name)
    with recording() as calls:
        read_scene(scene, with_shapes=True)
    require_none(calls)


@pytest.mark.parametrize("name", BAKED)
def test_bakes_of_samples(name):
    scene = open_sample(name)
    scene.frame_end = scene.frame_start + 4
    with recording() as calls:
        bake(scene)
    require_none(calls)


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE"])
def test_bakes_in_each_rotation_mode(scene, build, mode):
    """Guards keys of objects that are turned, scaled, parented and have a delta rotation."""
    bars, _ = build.pendulum(3)
    for bar in bars:
        bar.rotation_mode, bar.delta_rotation_euler, bar.scale = mode, (0.1, 0.2, 0.3), (0.5, 0.5, 0.5)
    bpy.context.view_layer.update()
    scene.frame_end = 6
    with recording() as calls:
        bake(scene)
    require_none(calls)

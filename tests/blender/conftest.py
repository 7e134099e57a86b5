# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Blender, as the bpy module: the add-on is switched on once, and every test starts with an empty scene."""

import os
import sys

import pytest

import limberjack
from limberjack.addon import ids

try:
    import bpy
except ImportError:
    bpy = None

exit_status = [0]


class NeedsBlender(pytest.Module):
    """A test file that cannot be run here."""

    def collect(self):
        pytest.skip("needs Blender as a Python module (pip install bpy)", allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    return None if bpy else NeedsBlender.from_parent(parent, path=module_path)


def pytest_sessionfinish(exitstatus):
    exit_status[0] = int(exitstatus)


def pytest_unconfigure(config):
    """bpy may crash when the interpreter ends while classes are registered: end without that."""
    if bpy:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(exit_status[0])


@pytest.fixture(scope="session", autouse=True)
def _add_on():
    limberjack.register()


@pytest.fixture(autouse=True)
def scene(_add_on):
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)  # a seventh of what reading preferences takes
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    return scene


class Build:
    """Scenes as a user makes them, by the operators."""

    def cube(self, name="Cube", location=(0.0, 0.0, 0.0), size=2.0, **settings):
        bpy.ops.mesh.primitive_cube_add(size=size, location=location)
        obj = bpy.context.object
        obj.name = name
        for key, value in settings.items():
            setattr(obj, key, value)
        bpy.context.view_layer.update()
        return obj

    def select(self, *objects):
        bpy.ops.object.select_all(action="DESELECT")
        for obj in objects:
            obj.select_set(True)
        if objects:
            bpy.context.view_layer.objects.active = objects[-1]

    def tag(self, *objects):
        self.select(*objects)
        bpy.ops.limberjack.link_tag()

    def tagged_cube(self, name, location=(0.0, 0.0, 5.0), size=0.5):
        """A cube that is a link."""
        cube = self.cube(name, location, size)
        self.tag(cube)
        return cube

    def join(self, child, parent=None, **options):
        self.select(*([parent, child] if parent else [child]))
        bpy.ops.limberjack.joint_add(**options)
        return bpy.context.object

    def pendulum(self, count=2, **settings):
        """A chain of bars along x, each hinged about y at its left end, the first to the world."""
        bars = []
        for i in range(count):
            bar = self.cube(f"bar{i}", size=1.0, **settings)
            for vertex in bar.data.vertices:
                vertex.co.x += 0.5
            bar.scale = (1.0, 0.1, 0.1)
            bar.location = (float(i), 0.0, 2.0)
            bars.append(bar)
        bpy.context.view_layer.update()
        self.tag(*bars)
        joints = [self.join(bar, bars[i - 1] if i else None) for i, bar in enumerate(bars)]
        for joint in joints:
            getattr(joint, ids.JOINT).axes[0].xyz = (0.0, 1.0, 0.0)
        return bars, joints


@pytest.fixture
def build():
    return Build()


def link(obj):
    return getattr(obj, ids.LINK)


def joint(obj):
    return getattr(obj, ids.JOINT)

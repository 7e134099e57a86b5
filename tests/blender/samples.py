# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample scenes, and the modules that made them."""

import importlib
import sys
from pathlib import Path

import bpy

SAMPLES = Path(__file__).parents[2] / "sample_scenes"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.json"))


def open_sample(name):
    bpy.ops.wm.open_mainfile(filepath=str(SAMPLES / f"{name}.blend"))
    return bpy.context.scene


def maker(name):
    """The module of that name in sample_scenes/making."""
    sys.path.insert(0, str(SAMPLES / "making"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparison with other simulators, by the panel and by the export dialog, with a simulator that is made up."""

import sys
import tempfile
import time
from pathlib import Path

import bpy
import harness
from harness import PACKAGE, press, screenshot, status, until
from scenes import hanging_bars
from sidebar import click_button
from test_exchange import file_dialog, leave_file_dialog, open_exchange, open_file_dialog

from support.plan import walk

FAKE = """#!{python}
import json, sys, time
if sys.argv[1] == "-c":
    print(json.dumps(["mujoco"]))
    sys.exit()
time.sleep({seconds})
json.dump({{"error": "it cannot be read"}}, open(sys.argv[3], "w"))
"""
REFUSED = "MuJoCo has no model of model.xml: it cannot be read"


def install(name: str, seconds: float) -> None:
    """Have the preferences name a simulator that answers after a time. Each needs a new name: Blender remembers."""
    fake = Path(tempfile.mkdtemp(prefix="simulator_")) / name
    fake.write_text(FAKE.format(python=sys.executable, seconds=seconds))
    fake.chmod(0o755)
    status().notes = ""
    bpy.context.preferences.addons[PACKAGE].preferences.judge_python = str(fake)


def compared():
    yield from until(lambda: REFUSED in status().notes and not status().running, "MuJoCo's refusal", timeout=60.0)
    yield from harness.at_rest()


@walk
def test_the_button_of_the_panel():
    """The popup has a row for each reader, and the panel tells what differs."""
    hanging_bars()
    install("quick", 0.0)
    yield from open_exchange()
    yield from click_button("limberjack.prove")
    yield from compared()
    yield from screenshot("compared")
    yield from press("ESC")


def test_esc_while_a_simulator_works():
    """Esc ends it at once, whatever the simulator does, and nothing is told as compared."""
    hanging_bars()
    install("slow", 600.0)
    yield from open_exchange()
    yield from click_button("limberjack.prove")
    yield from until(lambda: status().text.startswith("MuJoCo"), "MuJoCo is asked", timeout=60.0)
    yield from screenshot("comparing")
    begun = time.monotonic()
    yield from press("ESC")
    yield from until(lambda: not status().running, "Esc ends it")
    assert time.monotonic() - begun < 10.0
    assert not status().notes, status().notes


@walk
def test_the_option_of_the_export_dialog():
    """The dialog names the simulators that were found; the file is written first, then the comparison runs."""
    hanging_bars()
    install("asked", 0.0)
    yield from open_exchange()
    out = Path(tempfile.mkdtemp(prefix="exports_")) / "arm.sdf"
    yield from open_file_dialog("limberjack.export_sdf")
    browser = file_dialog()[1]
    browser.spaces.active.active_operator.compares = True
    browser.tag_redraw()
    yield from screenshot("export_compared")
    yield from leave_file_dialog("execute", out)
    yield from compared()
    assert out.is_file()
    yield from press("ESC")

# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab in German, in a Blender that has languages.

A distribution may leave them out, and Blender reads which there are when it starts: so this is a second Blender, which
sees a list of languages in a mount of its own.
"""

import ctypes
import json
import subprocess
from pathlib import Path

from harness import PACKAGE, screenshot, until

from support.plan import walk

READY = Path("/mnt/host/german.json")
LIST = "1:English (English):en_US\n2:German (Deutsch):de_DE\n"
FOLDER = Path("/usr/share/locale")
OWN_MOUNTS = 0x00020000  # CLONE_NEWNS of Linux

SCRIPT = f"""
import addon_utils, bpy, importlib, json
from bpy.app.translations import pgettext_iface
addon_utils.enable("{PACKAGE}", default_set=True)
view = bpy.context.preferences.view
view.show_splash = False
view.language, view.use_translate_interface = "de_DE", True
translations = importlib.import_module("{PACKAGE}.addon.translations")
title = lambda: pgettext_iface("Gravity and Wind")
seen = [pgettext_iface("Simulate and Bake", "Operator"), title()]
translations.stop()
seen.append(title())
translations.start()
seen.append(title())
area = next(area for area in bpy.context.window_manager.windows[0].screen.areas if area.type == "VIEW_3D")
area.spaces.active.show_region_ui = True
def show():
    next(region for region in area.regions if region.type == "UI").active_panel_category = "Limberjack"
    bpy.app.timers.register(tell, first_interval=0.5)  # once the tab is drawn
def tell():
    open("{READY}", "w").write(json.dumps(seen))
bpy.app.timers.register(show, first_interval=1.0)
"""


def see_languages() -> None:
    """In the child, before it becomes Blender: what is mounted there nobody else sees, and it goes with the child."""
    system = ctypes.CDLL(None)
    assert system.unshare(OWN_MOUNTS) == 0
    assert system.mount(b"tmpfs", bytes(FOLDER), b"tmpfs", 0, None) == 0
    (FOLDER / "languages").write_text(LIST)


@walk
def test_the_tab_speaks_german():
    """Who has chosen German sees it on operators' buttons and on titles; a switched-off add-on leaves no word."""
    command = ["blender", "--factory-startup", "--window-geometry", "0", "0", "1600", "900", "--python-expr", SCRIPT]
    log = READY.with_suffix(".log").open("w")
    child = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=see_languages)
    try:
        yield from until(lambda: READY.exists() or child.poll() is not None, "the second Blender speaks", timeout=60)
        assert READY.exists(), f"the second Blender has ended: see {log.name}"
        yield from screenshot("german")
    finally:
        child.terminate()
        child.wait()
    seen = json.loads(READY.read_text())
    wanted = ["Simulieren und backen", "Schwerkraft und Wind", "Gravity and Wind", "Schwerkraft und Wind"]
    assert seen == wanted, f"on a button, a title, with the add-on off, and on again: {seen}"

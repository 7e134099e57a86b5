# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension keeps to its own corner of Python."""

import sys
from pathlib import Path

from harness import OUT, PACKAGE, modules_before_install, simulated
from scenes import hanging_bars
from sidebar import click_button, open_tab

from support.plan import walk


def test_no_module_outside_of_bl_ext():
    """The extension platform refuses add-ons that import their files under names of the top level."""
    hanging_bars()
    yield from open_tab()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()

    folder = Path(sys.modules[PACKAGE].__file__).parent
    ours = {name for name, module in sys.modules.items() if _lies_in(folder, module)}
    strays = sorted(name for name in ours - modules_before_install if not name.startswith("bl_ext."))
    assert f"{PACKAGE}.core.simulation" in ours, "nothing was simulated, so this test has seen nothing"
    assert not strays, f"imported from the extension's folder under other names: {strays}"
    assert not [path for path in sys.path if Path(path).is_relative_to(folder)], f"sys.path leads into {folder}"


@walk
def test_kernels_run_by_the_library():
    """What the zips bring is what these tests show: by a library, where the extension has one, and nothing compiled."""
    hanging_bars()
    yield from open_tab()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()

    way = sys.modules[f"{PACKAGE}.core.compilation.jit"].way().value
    wanted = "library" if (OUT / "source" / "wheels").exists() else "numba"
    assert way == wanted, f"kernels run by {way}, and not by {wanted}"
    assert ("numba" in sys.modules) == (way == "numba"), f"kernels run by {way}, and numba is imported or is not"


def _lies_in(folder: Path, module) -> bool:
    file = getattr(module, "__file__", None)
    return bool(file) and Path(file).is_relative_to(folder)

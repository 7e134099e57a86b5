# SPDX-License-Identifier: GPL-3.0-or-later
"""Wheels of compiled kernels: a package `limberjack_kernels` with one platform's library and what it tells of itself.

Blender takes binaries in wheels alone. Any index of packages would take these. No ABI of Python is touched, so
one serves every Blender of a platform.

As a program, `kernel_wheels.py STAGED` adds to an extension's staged sources the wheel of this machine's library, if
the checkout has one that fits, and what is bundled with it. It says which, or why none is added: then its exit code
is 1.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bundled_wheels import LICENSES, fetch
from even_zips import write_zip
from staging import PLATFORMS, ROOT, commit_seconds, version

from limberjack.core.compilation.kernel_cache import CORE_FOLDER
from limberjack.core.compilation.kernel_table import TABLE, MisfitError, table_text, this_platform
from limberjack.core.compilation.library import PACKAGE, Library

DOCSTRING = '''"""Limberjack's kernels, compiled ahead of time for one platform: data, with nothing to import.

Limberjack finds a table beside this file, which tells where the library is. Its sources are in Limberjack's own
repository, at the version that this package has.
"""
'''

METADATA = """\
Metadata-Version: 2.4
Name: limberjack-kernels
Version: {version}
Summary: The compiled kernels of Limberjack, physically exact motion for articulated models
License-Expression: GPL-3.0-or-later
License-File: LICENSE
Requires-Python: >=3.11
Description-Content-Type: text/plain

What Limberjack (the Blender extension and Python package) runs instead of compiling its kernels when they are first
called: one shared library for one platform. It is used where it was made from the very sources that are installed.
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: limberjack
Root-Is-Purelib: false
Tag: {tag}
"""


def main(staged: Path) -> int:
    try:
        library = Library(CORE_FOLDER / "kernels")
    except MisfitError as misfit:
        print(f"no library of kernels: {misfit}")
        return 1
    here = this_platform()
    add_wheels(staged, {here: library.folder}, fetch([here]).get(here, []))
    print(f"kernels run by {library.path.name}")
    return 0


def add_wheels(staged: Path, platforms: Mapping[str, Path], others: Sequence[Path] = ()) -> None:
    """Put them beside what is staged, and name them in its manifest alone: a checkout has none.

    platforms: folders with their libraries. others: wheels that are brought along as they are.
    """
    folder = staged / "wheels"
    folder.mkdir()
    names = [
        write_wheel(kernels, folder, version(), PLATFORMS[name].wheel, commit_seconds()).name
        for name, kernels in platforms.items()
    ]
    for wheel in others:
        shutil.copyfile(wheel, folder / wheel.name)
        names.append(wheel.name)
    if others:
        shutil.copytree(LICENSES, staged / "licenses")
    manifest = staged / "blender_manifest.toml"
    named = f"platforms = {_toml(platforms)}\nwheels = {_toml(f'./wheels/{name}' for name in names)}\n"
    manifest.write_text(named + manifest.read_text(encoding="utf-8"), encoding="utf-8")


def _toml(words: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def write_wheel(kernels: Path, dist: Path, version: str, platform_tag: str, seconds: int) -> Path:
    """The wheel in `dist` of the library in `kernels`. The same content gives the same bytes.

    Its version is that of a post-release whose number follows from the content: Blender leaves a wheel as it is where
    one of that version is installed, and would keep the library of an earlier build, which fits other sources. The
    library lies in a folder with that number: Windows removes no file that is in use, so Blender removes a wheel's
    folders when it next starts, and what a newer wheel has put into them meanwhile.

    Args:
        platform_tag: as wheels name the platform, such as win_amd64.
        seconds: what all its files are dated [s, since 1970].
    """
    told = (kernels / TABLE).read_bytes()
    table = json.loads(told)
    library = kernels / table["library"]
    number = hashlib.sha256(told).hexdigest()[:8]
    version = f"{version}.post{int(number, 16)}"
    place = f"{PACKAGE}_{number}/{library.name}"
    tag = f"py3-none-{platform_tag}"
    about = f"{PACKAGE}-{version}.dist-info"
    files = {
        f"{PACKAGE}/__init__.py": DOCSTRING.encode(),
        f"{PACKAGE}/{TABLE}": table_text(table | {"library": f"../{place}"}).encode(),
        place: library.read_bytes(),
        f"{about}/METADATA": METADATA.format(version=version).encode(),
        f"{about}/WHEEL": WHEEL.format(tag=tag).encode(),
        f"{about}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    files[f"{about}/RECORD"] = _record(files, f"{about}/RECORD")
    wheel = dist / f"{PACKAGE}-{version}-{tag}.whl"
    write_zip(wheel, files, seconds)
    return wheel


def _record(files: dict[str, bytes], own: str) -> bytes:
    """Every file's hash and size, and itself without, as the specification of wheels has it."""
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{own},,\n"]).encode()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

# SPDX-License-Identifier: GPL-3.0-or-later
"""A zip of a platform as an older version would be, for tests of upgrades: python older.py ZIP FOLDER [VERSION].

It differs in its version and in the name of its library. Given the version that it has, it differs in the latter alone,
as one does that was built from the same version on another day.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / ".ci"))
from kernel_wheels import PACKAGE, TABLE, table_text, write_wheel
from staging import commit_seconds

VERSION = "0.0.9"


def write_older(zip_file: Path, folder: Path, version: str = VERSION) -> Path:
    """The zip, in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    older = folder / re.sub(r"-[\d.]+-", f"-{version}-", zip_file.name)
    with tempfile.TemporaryDirectory() as unpacked, zipfile.ZipFile(zip_file) as given:
        given.extractall(unpacked)
        root = Path(unpacked)
        wheel = next(root.glob(f"wheels/{PACKAGE}-*.whl"))
        kernels = _kernels_of(wheel, root / "kernels")
        wheel.unlink()
        new_wheel = write_wheel(kernels, wheel.parent, version, _platform_tag(wheel), commit_seconds())
        manifest = root / "blender_manifest.toml"
        text = re.sub(r'(?m)^version = ".*"', f'version = "{version}"', manifest.read_text(encoding="utf-8"))
        manifest.write_text(text.replace(wheel.name, new_wheel.name), encoding="utf-8")
        names = [name for name in given.namelist() if not name.endswith(("/", wheel.name))]
        with zipfile.ZipFile(older, "w", zipfile.ZIP_DEFLATED) as stream:
            for name in [*names, f"wheels/{new_wheel.name}"]:
                stream.write(root / name, name)
    return older


def _kernels_of(wheel: Path, folder: Path) -> Path:
    """The wheel's library, under another name, and what tells of it."""
    with zipfile.ZipFile(wheel) as stream:
        stream.extractall(folder)
    kernels = next(folder.glob(f"*/{TABLE}")).parent
    table = json.loads((kernels / TABLE).read_text(encoding="utf-8"))
    called = f"kernels-older{Path(table['library']).suffix}"
    (kernels / table["library"]).rename(kernels / called)
    (kernels / TABLE).write_text(table_text(table | {"library": called}), encoding="utf-8")
    return kernels


def _platform_tag(wheel: Path) -> str:
    return wheel.stem.rpartition("-")[2]


if __name__ == "__main__":
    print(write_older(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]))

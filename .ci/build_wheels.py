# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the package's wheels into dist/: one for each platform whose compiled kernels `make kernels` has left.

Where it has left none, the one that runs anywhere, compiled by numba where that is installed. The same commit and the
same libraries give the same wheels, byte for byte. `--into` names another folder.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from even_zips import even_out
from staging import BUILD, ROOT, commit_seconds, fitting_kernels, stage_sources


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, metavar="DIST", default=ROOT / "dist")
    dist = parser.parse_args().into
    dist.mkdir(parents=True, exist_ok=True)
    BUILD.mkdir(exist_ok=True)
    for old in dist.glob("limberjack-*.whl"):
        old.unlink()
    for kernels in fitting_kernels().values() or [None]:
        _build(kernels, dist)
    for wheel in sorted(dist.glob("limberjack-*.whl")):
        print(f"{wheel.stat().st_size / 1e6:8.1f} MB  {os.path.relpath(wheel)}")


def _build(kernels: Path | None, dist: Path) -> None:
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        staged, built = Path(folder, "sources"), Path(folder, "built")
        stage_sources(staged)
        if kernels:
            shutil.copytree(kernels, staged / "core" / "kernels")
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-build-isolation", "--wheel-dir", str(built), str(staged)]
        subprocess.run(command, check=True)
        for wheel in built.glob("*.whl"):
            even_out(wheel, commit_seconds())
            shutil.move(wheel, dist / wheel.name)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Compile all kernels ahead of time: `make kernels`, or `PLATFORMS="linux-x64 …"` for those alone.

What numba compiles is kept in the user's cache folder, for all checkouts of the same sources. build/kernels/PLATFORM/
gets a library and the table that core/compilation/library.py holds against the sources and against memory; this
machine's is also put where a checkout looks for it. A platform whose library cannot be linked is told in a line, and
the others are made; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from limberjack.core.compilation.kernel_sources import sources
from limberjack.core.compilation.kernel_table import TABLE, VERSION, sources_digest, table_text, this_platform

from . import exercise, modules
from .emitting import LinkError, link, write_object
from .platforms import PLATFORMS

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "kernels"
"""Folder of all built libraries, one folder for each platform."""
INSTALLED = ROOT / "core" / "kernels"
"""Folder in which a checkout looks for the library of its machine."""
KEPT = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "limberjack-build"
"""Folder of compiled modules, shared by all checkouts: compiling takes minutes, and few changes touch a kernel."""
MOST_KEPT = 3
"""Number of versions of the sources whose compiled modules are kept, of 50 MB each."""

FIXED = {
    "PYTHONHASHSEED": "0",  # so that the same sources give the same bytes
    "LIMBERJACK_KERNELS": "numba",
    "LIMBERJACK_CACHE": os.devnull + "/none",  # functions from numba's cache have no LLVM module
}
"""Environment variables under which the build runs."""


def main() -> int:
    """Build the libraries of the platforms that are named on the command line. Return the exit code of the program."""
    wanted = platforms_asked_for(sys.argv[1:])
    table, text = compiled_modules()
    failed = []
    for name in wanted:
        try:
            library = build(name, table, text)
        except (LinkError, OSError) as error:
            failed.append(name)
            print(f"FAILED   {name}: {error}", flush=True)
        else:
            print(f"{library.stat().st_size / 1e6:6.2f} MB  {library.relative_to(ROOT)}", flush=True)
            if name == this_platform():
                shutil.rmtree(INSTALLED, ignore_errors=True)
                shutil.copytree(library.parent, INSTALLED)
    return 1 if failed else 0


def build(name: str, table: dict, text: str) -> Path:
    """Build the library of a platform, with its table beside it, and return its path.

    If the library cannot be built, the platform's folder is removed.

    Args:
        table, text: the result of `compiled_modules`.

    Raises:
        LinkError: if the linker fails. OSError: if a file cannot be written.
    """
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        code, linked = folder / "kernels.o", folder / "kernels"
        write_object(text, PLATFORMS[name], code)
        link([code], PLATFORMS[name], linked)
        code.unlink()
        digest = hashlib.sha256(linked.read_bytes()).hexdigest()
        library = linked.rename(folder / f"kernels-{digest[:12]}{PLATFORMS[name].suffix}")
        described = {"version": VERSION, "platform": name, "library": library.name, "library_sha256": digest}
        (folder / TABLE).write_text(table_text(table | described), encoding="utf-8")
    except (LinkError, OSError):
        shutil.rmtree(folder)
        raise
    return library


def platforms_asked_for(words: list[str]) -> list[str]:
    """Return the platforms that are named on the command line; all of them if none is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    # Python 3.11 checks that the default is one of the choices.
    parser.add_argument("platforms", nargs="*", choices=[*PLATFORMS, []], default=[])
    return parser.parse_args(words).platforms or list(PLATFORMS)


def compiled_modules() -> tuple[dict, str]:
    """Return the parts that are the same for all platforms: the table, and all kernels as LLVM assembly.

    Both are kept in `KEPT` under a digest of everything that they are made from.
    """
    kept = KEPT / _digest()
    if not kept.is_dir():
        table, text = _compile_modules()
        KEPT.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=KEPT))
        (partial / TABLE).write_text(json.dumps(table), encoding="utf-8")
        (partial / "kernels.ll").write_text(text, encoding="utf-8")
        with suppress(OSError):  # another process may have kept the same meanwhile
            partial.rename(kept)
        for old in sorted(KEPT.iterdir(), key=lambda folder: folder.stat().st_mtime)[:-MOST_KEPT]:
            shutil.rmtree(old)
        return table, text
    return json.loads((kept / TABLE).read_text(encoding="utf-8")), (kept / "kernels.ll").read_text(encoding="utf-8")


def _compile_modules() -> tuple[dict, str]:
    kernels, types, files = modules.kernels_called(exercise.call_all), modules.Types(), sorted(sources())
    table = {
        "sources": files,
        "sources_sha256": sources_digest(files),
        "kernels": {kernel.name: modules.entry_of(kernel, types) for kernel in kernels},
        "types": types.entries,
    }
    return table, str(modules.joined(kernels))


def _digest() -> str:
    """Return a digest of all that determines the compiled modules: versions, sources, and this folder's code."""
    digest = hashlib.sha256(f"{sys.version} {metadata.version('numba')} {metadata.version('llvmlite')}".encode())
    for module in (modules, exercise):
        digest.update(Path(module.__file__).read_bytes())
    for path, text in sources().items():
        digest.update(path.encode() + text)
    return digest.hexdigest()


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in FIXED.items()):
        os.execve(sys.executable, [sys.executable, "-m", "native.build", *sys.argv[1:]], os.environ | FIXED)
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Tampered libraries of kernels: each is refused in one line before the system opens it."""

import ctypes
import json
import logging
import os
import random
import shutil
import sys
from pathlib import Path

import pytest

from limberjack.core.compilation import jit, library
from limberjack.core.compilation.kernel_cache import CORE_FOLDER
from limberjack.core.compilation.kernel_table import TABLE, MisfitError, read_table, table_text
from limberjack.core.compilation.library import Library

MADE = CORE_FOLDER / "kernels"

pytestmark = pytest.mark.skipif(
    not (MADE / TABLE).is_file() or jit.library() is None, reason="there is no library: `make kernels` makes one"
)

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders, and links need a right")


@pytest.fixture
def folder(tmp_path):
    """A copy of the library and its table, to be tampered with."""
    return Path(shutil.copytree(MADE, tmp_path / "package" / "kernels"))


def library_of(folder: Path) -> Path:
    return folder / json.loads((MADE / TABLE).read_text())["library"]


def write_anew(path: Path, content: bytes) -> None:
    """Write to a new file: whoever has opened the old one keeps it whole."""
    path.unlink()
    path.write_bytes(content)


def change_library(change):
    """Return a function that changes a library's content by another function."""

    def tamper(folder):
        path = library_of(folder)
        content = bytearray(path.read_bytes())
        write_anew(path, bytes(change(content)))

    return tamper


def flip(content: bytearray, place: int) -> bytearray:
    content[place] ^= 4
    return content


def zero(content: bytearray, begin: int, end: int) -> bytearray:
    content[begin:end] = bytes(end - begin)
    return content


def replace_library(make):
    """Return a function that puts something else in the library's place."""

    def tamper(folder):
        path = library_of(folder)
        kept = path.rename(folder.parent / path.name)
        make(path, kept)

    return tamper


def make_sparse(path: Path, _kept: Path) -> None:
    """Make a file that is larger than memory, though it takes no room."""
    with path.open("wb") as file:
        file.truncate(1 << 35)


def replace_table(make):
    def tamper(folder):
        (folder / TABLE).unlink()
        make(folder / TABLE)

    return tamper


def edit(**entries):
    """Return a function that changes entries of the table, but not its digest."""

    def tamper(folder):
        table = json.loads((folder / TABLE).read_text())
        (folder / TABLE).write_text(json.dumps(table | entries))

    return tamper


def forge(**entries):
    """Return a function that changes entries of the table, and its digest."""

    def tamper(folder):
        table = json.loads((folder / TABLE).read_text())
        (folder / TABLE).write_text(table_text(table | entries))

    return tamper


def swap_arguments(folder):
    table = json.loads((folder / TABLE).read_text())
    entry = next(entry for entry in table["kernels"].values() if len(set(entry["takes"])) > 1)
    entry["takes"].reverse()
    (folder / TABLE).write_text(json.dumps(table))


def point_elsewhere(folder):
    """The table names a library by its whole path, outside of the package."""
    path = library_of(folder)
    forge(library=str(path.rename(folder.parent.parent / path.name)))(folder)


def climb(folder):
    path = library_of(folder)
    path.rename(folder.parent / path.name)
    forge(library=f"../{path.name}")(folder)


OTHER_LIBRARY = Path(sys.modules["_ctypes"].__file__)

TAMPERED = {
    "truncated": (change_library(lambda content: content[:-1000]), "damaged"),
    "bit of the header": (change_library(lambda content: flip(content, 24)), "damaged"),
    "bit of the code": (change_library(lambda content: flip(content, len(content) // 2)), "damaged"),
    "zeroed part": (change_library(lambda content: zero(content, 4096, 8192)), "damaged"),
    "longer": (change_library(lambda content: content + b"\0"), "damaged"),
    "empty": (change_library(lambda _: b""), "damaged"),
    "text": (change_library(lambda _: b"This is no library."), "damaged"),
    "other library": (change_library(lambda _: OTHER_LIBRARY.read_bytes()), "damaged"),
    "missing": (replace_library(lambda path, kept: None), "cannot be read"),
    "folder": (replace_library(lambda path, kept: path.mkdir()), "cannot be read"),
    "larger than memory": (replace_library(make_sparse), "more than"),
    "digest": (edit(library_sha256="0" * 64), "differs from its own digest"),
    "digest of another library": (forge(library_sha256="0" * 64), "damaged"),
    "platform": (forge(platform="amiga-68k"), "made for 'amiga-68k'"),
    "version": (edit(version=1), "version 1"),
    "other sources": (forge(sources_sha256="0" * 64), "made from other sources"),
    "sources that never end": (forge(sources=["/dev/zero"]), "no file of core"),
    "arguments in another order": (swap_arguments, "differs from its own digest"),
    "no kernels": (edit(kernels={}), "differs from its own digest"),
    "no types": (edit(types=None), "differs from its own digest"),
    "library by its whole path": (point_elsewhere, "must lie beside it"),
    "library in the folder above": (climb, "must lie beside it"),
    "library is no name": (forge(library=7), "kernels.json: cannot be read"),
    "table is a folder": (replace_table(lambda path: path.mkdir()), "cannot be read"),
    "table is empty": (replace_table(lambda path: path.touch()), "cannot be read"),
    "table is a list": (replace_table(lambda path: path.write_text("[]")), "cannot be read"),
    "table is binary": (replace_table(lambda path: path.write_bytes(bytes(range(256)))), "cannot be read"),
    "table is deep": (replace_table(lambda path: path.write_text("[" * 100_000)), "cannot be read"),
    "table is large": (replace_table(lambda path: make_sparse(path, path)), "more than"),
}

LINKED = {
    "link to elsewhere": (replace_library(lambda path, kept: path.symlink_to(kept)), "leads out of the package"),
    "link to itself": (replace_library(lambda path, kept: path.symlink_to(path)), "cannot be read"),
    "pipe": (replace_library(lambda path, kept: os.mkfifo(path)), "a pipe or a device"),
    "device": (replace_library(lambda path, kept: path.symlink_to("/dev/zero")), "leads out of the package"),
    "table is a pipe": (replace_table(os.mkfifo), "a pipe or a device"),
    "table is a device": (replace_table(lambda path: path.symlink_to("/dev/zero")), "a pipe or a device"),
    "table is a broken link": (replace_table(lambda path: path.symlink_to("gone")), "cannot be read"),
}
"""What only POSIX systems have."""

CASES = [*TAMPERED.items(), *LINKED.items()]


def refuse_to_open(*_):
    pytest.fail("a tampered library is opened, which executes its code")


@pytest.mark.parametrize(
    ("tamper", "words"),
    [pytest.param(*case, id=name, marks=[on_posix] if name in LINKED else []) for name, case in CASES],
)
def test_tampered_libraries_are_refused(folder, monkeypatch, caplog, tamper, words):
    """Guards users of a damaged or forged library: one line says what is wrong, none of its code runs, the process goes
    on by another way, and it neither hangs nor fails."""
    tamper(folder)
    monkeypatch.setattr(ctypes, "PyDLL", refuse_to_open)
    monkeypatch.setattr(library, "_folders", lambda: [folder])
    with caplog.at_level(logging.WARNING):
        assert jit.library.__wrapped__() is None
    (record,) = caplog.records
    told = record.getMessage()
    assert words in told
    assert str(folder) in told
    assert len(told.splitlines()) == 1


def test_every_flipped_bit_of_a_table_is_found(folder):
    """Guards against tables that were damaged: what a kernel takes is never read from one."""
    draw = random.Random(0)
    text = (folder / TABLE).read_bytes()
    for _ in range(300):
        content = bytearray(text)
        content[draw.randrange(len(text))] ^= 1 << draw.randrange(8)
        (folder / TABLE).write_bytes(content)
        with pytest.raises(MisfitError):
            read_table(folder)
    (folder / TABLE).write_bytes(text)
    read_table(folder)


@on_posix
def test_links_of_installers_are_followed(folder, tmp_path):
    """Guards build systems that install a package as links to its files: table and library lie beside each other
    there."""
    linked = tmp_path / "linked"
    linked.mkdir()
    for path in folder.iterdir():
        (linked / path.name).symlink_to(path)
    opened = Library(linked)
    opened.close()
    assert opened.path == library_of(folder)

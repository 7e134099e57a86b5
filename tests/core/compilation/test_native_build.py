# SPDX-License-Identifier: GPL-3.0-or-later
"""How `make kernels` is asked, what must not be in what it makes, and what it does where a platform cannot be made."""

import json
import os
import sys

import pytest

from native import build, emitting  # of the checkout, beside the package
from native.build import platforms_asked_for
from native.emitting import _without_messages
from native.platforms import PLATFORMS

ARCHITECTURES = {"x86_64": ("x86_64", "amd64"), "aarch64": ("aarch64", "arm64"), "arm64": ("arm64",)}
"""Names in the tags of wheels, by the name in LLVM's triple."""
SYSTEMS = {"linux": "manylinux", "windows": "win", "macos": "macosx"}
"""How the tags of wheels begin, by Blender's names for systems."""


@pytest.mark.parametrize("name", PLATFORMS)
def test_the_tag_of_a_wheel_names_the_machine_that_its_library_is_for(name):
    """Guards against wheels that pip installs on another machine, or on none."""
    platform = PLATFORMS[name]
    assert platform.wheel.endswith(ARCHITECTURES[platform.triple.partition("-")[0]])
    assert platform.wheel.startswith(SYSTEMS[name.partition("-")[0]])
    assert platform.linker.partition("-")[0] == platform.triple.partition("-")[0].replace("arm64", "aarch64")


def test_all_platforms_are_compiled_for_where_none_is_named(capsys):
    """Guards `make kernels` alone, and with names; a name that is none is refused with those that there are."""
    assert platforms_asked_for([]) == list(PLATFORMS)
    assert platforms_asked_for(["macos-arm64", "linux-x64"]) == ["macos-arm64", "linux-x64"]
    with pytest.raises(SystemExit):
        platforms_asked_for(["amiga"])
    assert "linux-x64" in capsys.readouterr().err


@pytest.fixture
def compilations(tmp_path, monkeypatch):
    """The list of texts of sources that were compiled, with a cache of its own; a test sets the sources."""
    done = []

    def compile_modules():
        done.append(build.sources()["core/kernel.py"])
        return {"number": len(done)}, f"module {len(done)}"

    monkeypatch.setattr(build, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(build, "_compile_modules", compile_modules)
    return done


def made_of(text, monkeypatch):
    monkeypatch.setattr(build, "sources", lambda: {"core/kernel.py": text})
    return build.compiled_modules()[1]


def test_what_is_compiled_is_kept_for_its_sources(compilations, monkeypatch):
    """Guards the cache of builds: the same sources are not compiled again, and other ones always are."""
    assert [made_of(text, monkeypatch) for text in (b"a", b"a", b"b", b"a")] == [
        "module 1",
        "module 1",
        "module 2",
        "module 1",
    ]
    assert compilations == [b"a", b"b"]


def test_the_newest_builds_are_kept(compilations, monkeypatch):
    """Guards the cache's size, and that the build in use is not what is removed."""
    for number in range(5):
        made_of(str(number).encode(), monkeypatch)
        for kept in build.KEPT.iterdir():  # so that the order of their times is certain
            os.utime(kept, (kept.stat().st_mtime - 1.0,) * 2)
    assert len(list(build.KEPT.iterdir())) == build.MOST_KEPT
    made_of(b"4", monkeypatch)
    made_of(b"2", monkeypatch)
    assert len(compilations) == 5
    made_of(b"1", monkeypatch)
    assert len(compilations) == 6


MODULE = """@.const.pickledata.{name} = internal constant [9 x i8] c"{said}"
@.const.picklebuf.{name} = internal constant {{ ptr, i32 }} {{ ptr @.const.pickledata.{name}, i32 {size} }}
store ptr @.const.picklebuf.{name}, ptr %excinfo, align 8
"""


def test_libraries_know_nothing_of_the_checkout():
    """Guards that two builds give equal bytes: what an exception would say has the path of its file in it."""
    texts = [
        MODULE.format(name=name, said=said, size=len(said))
        for name, said in (("a767Ne.3", "in /home/one"), ("N0b1", "in /tmp/two/of/another"))
    ]
    empty = [_without_messages(text) for text in texts]
    assert all("in /" not in text for text in empty)
    ends = [text.partition("\n")[2] for text in empty]  # nothing shown leads to the first line any more
    assert ends[0] == ends[1]
    assert "zeroinitializer" in ends[0]
    assert "pickle" not in ends[0]


TINY = """target triple = ""
target datalayout = ""
define i32 @lj_one() {
  ret i32 1
}
"""

LINKER = f"""#!{sys.executable}
import sys
if "x86_64-windows-gnu" in sys.argv:
    sys.exit("warning: strange\\nerror: no symbol " + 20_000 * "x" + "\\nnote: elsewhere")
out = next(word for word in sys.argv if word.startswith("-femit-bin="))
open(out.removeprefix("-femit-bin="), "w").write("linked")
"""
"""Links for all systems but one."""


def test_a_platform_that_cannot_be_linked_keeps_no_other_from_being_made(tmp_path, monkeypatch, capsys):
    """Guards `make kernels` where a linker lacks one system: the others are there and whole, the failure is one line,
    and nothing is left that packages could take for a library."""
    linker = tmp_path / "linker"
    linker.write_text(LINKER)
    linker.chmod(0o755)
    monkeypatch.setattr(emitting, "ZIG", linker)
    for name in ("ROOT", "OUT"):
        monkeypatch.setattr(build, name, tmp_path)
    monkeypatch.setattr(build, "INSTALLED", tmp_path / "installed")
    monkeypatch.setattr(build, "compiled_modules", lambda: ({"kernels": {}}, TINY))
    monkeypatch.setattr(build, "this_platform", lambda: "macos-arm64")
    (tmp_path / "windows-x64").mkdir()
    (tmp_path / "windows-x64" / build.TABLE).write_text("of an earlier build")

    monkeypatch.setattr(sys, "argv", ["build", "linux-x64", "windows-x64", "macos-arm64"])
    assert build.main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["0.00", "FAILED", "0.00"]
    assert lines[1].startswith("FAILED   windows-x64: cannot be linked: error: no symbol xxx")
    assert len(lines[1]) < 2 * emitting.MOST_SAID
    assert not (tmp_path / "windows-x64").exists()
    for folder in ("linux-x64", "macos-arm64", "installed"):
        table = json.loads((tmp_path / folder / build.TABLE).read_text())
        assert (tmp_path / folder / table["library"]).read_text() == "linked"
        assert sorted(path.name for path in (tmp_path / folder).iterdir()) == sorted([build.TABLE, table["library"]])

    monkeypatch.setattr(sys, "argv", ["build", "linux-x64"])
    assert build.main() == 0

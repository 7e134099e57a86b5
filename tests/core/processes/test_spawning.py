# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that this program starts execute nothing from the folder in which they work."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import limberjack as lj
from limberjack.core.cli import main
from limberjack.core.processes import helper, spawning

ROOT = Path(__file__).parents[3]
ARM = ROOT / "sample_scenes" / "crane.sdf"

PLANTED = ("limberjack", "json", "numpy", "threading", "subprocess", "signal", "argparse", "core", "addon", "bpy")
"""Modules that a process of ours imports, as files of strangers may be called."""

STARTERS = {
    *(("subprocess", name) for name in ("Popen", "run", "call", "check_call", "check_output", "getoutput")),
    *(("os", name) for name in ("system", "popen", "fork", "posix_spawn", "posix_spawnp", "startfile")),
    *(("os", f"{kind}{way}") for kind in ("spawn", "exec") for way in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
    ("asyncio", "create_subprocess_exec"),
    ("asyncio", "create_subprocess_shell"),
    ("pty", "spawn"),
}


@pytest.fixture
def trap(tmp_path, monkeypatch):
    """A folder with modules that leave a mark when they are executed; it is the one where this process works."""
    for name in PLANTED:
        lines = "import os, pathlib", f"pathlib.Path({str(tmp_path)!r}, 'EXECUTED').write_text({name!r})", "os._exit(7)"
        (tmp_path / f"{name}.py").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not (tmp_path / "EXECUTED").exists(), (tmp_path / "EXECUTED").read_text()


def test_only_one_module_starts_processes():
    """Guards processes that somebody adds: whatever starts one does so through core/processes/spawning.py."""
    found = set()
    for path in [*(ROOT / "core").rglob("*.py"), *(ROOT / "addon").rglob("*.py"), *ROOT.glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if (module, name) in STARTERS:
                    found.add((path.relative_to(ROOT).as_posix(), name))
                case ast.ImportFrom(module=module, names=names):
                    found |= {
                        (path.relative_to(ROOT).as_posix(), each.name)
                        for each in names
                        if (module, each.name) in STARTERS
                    }
                    assert module not in ("multiprocessing", "concurrent.futures.process"), path
                case ast.Import(names=names):
                    assert not any(each.name.startswith("multiprocessing") for each in names), path
                case ast.Attribute(attr="ProcessPoolExecutor"):
                    pytest.fail(f"{path} has a pool of processes")
    assert found == {("core/processes/spawning.py", "Popen")}


def test_a_child_looks_for_no_module_in_its_folder(trap, monkeypatch):
    """Guards the search path of a child, whatever its parent's has, such as that of `python -c` or of a notebook."""
    monkeypatch.setattr(sys, "path", ["", str(trap), *sys.path])
    monkeypatch.setenv("PYTHONPATH", f"{os.pathsep}/elsewhere")  # as of PYTHONPATH="$PYTHONPATH:/elsewhere"
    for paths in (None, spawning.search_path()):
        child = spawning.start(
            [sys.executable, "-c", "import sys; print(*sys.path, sep='|')"], paths, stdout=subprocess.PIPE
        )
        with child:
            found = child.communicate()[0].decode().strip().split("|")
        assert child.returncode == 0
        assert str(trap) not in found
        assert "" not in found
        assert ("/elsewhere" in found) == (paths is None)


def test_a_package_that_lies_in_the_folder_is_found(monkeypatch):
    """Guards who works in the folder where the package lies, and has not installed it: its children find it."""
    home = str(Path(spawning.__file__).resolve().parents[3])
    monkeypatch.chdir(home)
    monkeypatch.setattr(sys, "path", [home, *sys.path])
    assert home in spawning.search_path()
    assert home in spawning.inherited_path()


def test_a_process_that_compiles(trap):
    """Guards the second process of the compiler."""
    with helper.started("version", "__name__.upper") as child:  # no such function, which comes after all imports
        child.wait(60)


@pytest.mark.parametrize("options", [[], ["--scheduler", "local"]])
def test_batches(trap, options):
    """Guards workers of batches, which begin in the folder of strangers' models."""
    if options:
        pytest.importorskip("distributed")
    shutil.copy(ARM, trap)
    (trap / "JOBS.toml").write_text('files = ["crane.sdf"]\noutputs = "out/crane.npz"\n[simulate]\nduration = 0.1\n')
    assert main(["batch", "JOBS.toml", "--workers", "1", *options]) == 0
    assert (trap / "out" / "crane.npz").is_file()


def test_pictures_by_blender(trap):
    """Guards `show`, which has Blender write a file in a process of its own."""
    pytest.importorskip("bpy")
    lj.show(lj.read(ARM).model, path=trap / "crane.blend")
    assert (trap / "crane.blend").is_file()


def test_the_command(trap):
    """Guards the installed command: its own start looks into no folder of strangers either."""
    command = Path(sys.executable).with_name("limberjack")
    shutil.copy(ARM, trap)
    done = subprocess.run([command, "check", "crane.sdf"], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr

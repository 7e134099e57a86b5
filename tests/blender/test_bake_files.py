# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack bake` where files fail it: an exit code, one line, and what was there before stays whole."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from support.cases import some

SAMPLES = Path(__file__).parents[2] / "sample_scenes"
PENDULUM = SAMPLES / "double_pendulum.sdf"
CRANE = SAMPLES / "crane.blend"
OLD = b"what was there before"
UNUSABLE = 2
NOBODY = 65534


def limberjack(*argv, **options):
    """In a process of its own, which a broken file or a full disk may take down."""
    command = [sys.executable, "-m", "limberjack", *map(str, argv)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def require_one_line(done, *words):
    assert done.returncode == UNUSABLE, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr


@pytest.fixture(scope="module")
def _compiled(tmp_path_factory):
    """The solver, which is compiled once and needs room for that."""
    done = limberjack("bake", PENDULUM, "-o", tmp_path_factory.mktemp("first") / "out.blend", "--frames", 1, 2)
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("_compiled")
@pytest.mark.parametrize("room", [0, 4096, 60_000])
@pytest.mark.parametrize("is_new", [True, False], ids=["new", "over an old file"])
@pytest.mark.slow
def test_a_full_disk(tmp_path, room, is_new):
    """Guards a disk that is full at once or on the way: the old file stays whole, and no part of a new one is left."""
    out = tmp_path / "out.blend"
    if not is_new:
        out.write_bytes(OLD)

    def fill_up():
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    done = limberjack("bake", PENDULUM, "-o", out, "--frames", 1, 2000, preexec_fn=fill_up)
    require_one_line(done, f"{out}: error unwritable: cannot be saved: ")
    assert [path.name for path in tmp_path.iterdir()] == ([] if is_new else ["out.blend"])
    assert is_new or out.read_bytes() == OLD


def random_bytes(real):
    return b"BLENDER-v405" + bytes((37 * n * n + 11 * n) % 256 for n in range(5000))


BROKEN = {
    "half": lambda real: real[: len(real) // 2],
    "all but the end": lambda real: real[:-100],
    "a header": lambda real: real[:12],
    "random": random_bytes,
    "nothing": lambda real: b"",
}


@pytest.mark.parametrize("how", some(BROKEN, ["half"]))
@pytest.mark.parametrize("verb", ["bake", "info"])
def test_a_corrupt_blend(tmp_path, how, verb):
    """Guards files that were cut off or overwritten: named, and not a word of Blender's own around it."""
    broken, out = tmp_path / "broken.blend", tmp_path / "out.blend"
    broken.write_bytes(BROKEN[how](CRANE.read_bytes()))
    kept = broken.read_bytes()
    argv = [broken, "-o", out, "--frames", 1, 5] if verb == "bake" else [broken]
    require_one_line(limberjack(verb, *argv), f"{broken}: error unreadable: Blender cannot open it: ")
    assert broken.read_bytes() == kept
    assert not out.exists()


@pytest.fixture
def locked_folder():
    """A folder that anyone may read and nobody write to. Outside pytest's own, which nobody else may enter."""
    folder = Path(tempfile.mkdtemp())
    (folder / "out.blend").write_bytes(OLD)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.usefixtures("_compiled")
def test_a_read_only_folder(locked_folder):
    """Guards an output that may not be written: said before Blender's own words for it, and the old file stays."""
    script = (
        "import os, sys\n"
        "from limberjack.addon import cli\n"
        "import limberjack.addon.bridge.scene.write\n"
        f"for path in ({str(CRANE)!r}, {str(PENDULUM)!r}):\n"
        "    assert cli.main(['info', path]) == 0\n"  # so that all is loaded while it may be
        "if os.geteuid() == 0:\n"  # to whom everything is open
        f"    os.setegid({NOBODY}); os.seteuid({NOBODY})\n"
        f"cli.end(cli.main(['bake', {str(PENDULUM)!r}, '-o', {str(locked_folder / 'out.blend')!r}]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == UNUSABLE, done.stderr
    # Blender may add that it cannot look into the real root's folders.
    assert "out.blend: error unwritable: cannot be saved: permission denied" in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr
    assert [path.name for path in locked_folder.iterdir()] == ["out.blend"]
    assert (locked_folder / "out.blend").read_bytes() == OLD


@pytest.mark.slow
def test_no_room_for_the_compiled_solver(tmp_path):
    """Guards the first simulation on a machine that has no room: it names the folder, and what to do."""

    def fill_up():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    environment = os.environ | {"LIMBERJACK_CACHE": str(tmp_path / "cache"), "LIMBERJACK_KERNELS": "numba"}
    argv = ("bake", PENDULUM, "-o", tmp_path / "out.blend", "--frames", 1, 2)
    done = limberjack(*argv, preexec_fn=fill_up, env=environment)
    assert done.returncode == UNUSABLE
    told = done.stderr.splitlines()[-1]
    assert f"{tmp_path / 'cache'}" in told
    assert "the compiled solver cannot be kept there" in told
    assert "Traceback" not in done.stderr

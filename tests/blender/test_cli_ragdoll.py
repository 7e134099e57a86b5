# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack ragdoll`: what it makes, what it tells, how it refuses, and that other commands take its output."""

import bpy
import numpy as np
import pytest

from limberjack.addon.cli import blend, main_inside_blender
from limberjack.core import cli as core_cli
from limberjack.core.formats import read
from limberjack.core.trajectory.files.reading import read_trajectory
from support.output_schema import validated

from .characters import BODY, character
from .conftest import joint, link
from .ragdolls import make, names_of, stored
from .rigs import armature, chain, tag
from .test_cli import SAMPLES, run

CREATURE = (
    ("trunk", (0.0, 0.0, 1.0), (0.0, 1.0, 1.0), ""),
    ("beam", (0.0, 1.0, 1.0), (0.0, 1.5, 1.3), "trunk"),
    ("fin", (0.0, 0.0, 1.0), (0.0, -0.6, 1.0), "trunk"),
)
"""Bones without hips, thighs and shins."""


JOBS = """
files = "out.blend"
outputs = "{number}.npz"
[bake]
frames = [1, 5]
[grid]
"world.gravity" = [[0, 0, -9.81], [0, 0, -1.62]]
"""


@pytest.fixture
def path(scene, tmp_path):
    """A file with a character of seven parts and two bones of a finger, and a creature beside it, which is selected."""
    character()
    armature(CREATURE, "Creature")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    return tmp_path / "scene.blend"


def opened(path, name="Rig"):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.objects[name]


def test_it_makes_what_the_button_makes(path, tmp_path, capsys):
    """Guards the command against the operator: all settings of all bones are the same, with the same notes, and
    nothing else in the file is changed, although another armature is selected."""
    out = tmp_path / "out.blend"
    assert run("ragdoll", path, "--armature", "Rig", "-o", out, "--json") == core_cli.DONE
    found = validated("ragdoll", 0, capsys.readouterr().out)
    by_command, chosen = stored(opened(out)), [obj.name for obj in bpy.context.selected_objects]
    assert names_of(bpy.data.objects["Creature"]) == []
    rig = opened(path)
    assert chosen == [obj.name for obj in bpy.context.selected_objects] == ["Creature"]
    make(rig)
    assert stored(rig) == by_command
    assert [item["bone"] for item in found["bones"]] == ["hips", "chest", "thigh", "head", "arm", "shin", "hand"]
    above = {name: parent for name, _, _, parent in BODY}
    assert {item["bone"]: item["parent"] or "" for item in found["bones"]} == {
        name: above[name] for name in names_of(rig)
    }
    assert found["mass"] == pytest.approx(sum(item["mass"] for item in found["bones"]))
    assert (found["human"], found["armature"], found["output"]) == (True, "Rig", str(out))
    assert found["merged"] == {"finger": "finger", "tip": "finger"}
    assert found["notes"] == ["2 bones follow the bones above them: 2 × finger"]


@pytest.mark.parametrize("shape", ["capsule", "box", "hull"])
def test_the_shapes_of_the_parts(path, tmp_path, capsys, shape):
    """Guards --shapes: all parts have the shape, the answer says so, and the file stores it."""
    out = tmp_path / "out.blend"
    assert run("ragdoll", path, "--armature", "Rig", "--shapes", shape, "-o", out, "--json") == core_cli.DONE
    found = validated("ragdoll", 0, capsys.readouterr().out)
    assert {item["shape"] for item in found["bones"]} == {shape}
    rig = opened(out)
    assert {link(rig.pose.bones[name]).bone_shape for name in names_of(rig)} == {shape.upper()}


def test_its_options(path, tmp_path, capsys):
    """Guards each option: chosen bones, which hang on the next one, fingers, weight, stiffness, self-collision and the
    preset of a creature."""
    out = tmp_path / "out.blend"
    options = ["--weight", 60, "--stiffness", 0.5, "--no-self-collision", "--fingers", "--bones", "chest, arm,hand,tip"]
    assert run("ragdoll", path, "--armature", "Rig", *options, "-o", out, "--json") == core_cli.DONE
    found = validated("ragdoll", 0, capsys.readouterr().out)
    masses = {item["bone"]: item["mass"] for item in found["bones"]}
    assert sum(masses.values()) - masses["hips"] == pytest.approx(60.0, rel=1e-6)
    assert found["mass"] == pytest.approx(sum(masses.values()))
    assert {name for name, reason in found["merged"].items() if reason == "not chosen"} == {
        *("head", "thigh", "shin", "finger")
    }
    rig = opened(out)
    assert names_of(rig) == ["hips", "chest", "arm", "hand", "tip"]
    bones = [rig.pose.bones[name] for name in names_of(rig)]
    assert {joint(bone).drive_strength for bone in bones} == {0.5}
    assert not any(link(bone).self_collide for bone in bones)
    assert run("ragdoll", path, "--armature", "Rig", "--preset", "creature", "-o", out, "--json") == core_cli.DONE
    found = validated("ragdoll", 0, capsys.readouterr().out)
    assert (found["human"], {item["part"] for item in found["bones"]}) == (False, {"limb"})


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--armature", "Rug"], 2, "scene.blend: no armature 'Rug'; there are: 'Rig', 'Creature'"),
        (["--armature", "Body"], 2, "no armature 'Body'; there are: 'Rig', 'Creature'"),
        (["--armature", "Rig", "--bones", "chest,hed"], 2, "armature 'Rig' has no bone 'hed'; did you mean 'head'?"),
        (
            ["--armature", "Rig", "--bones", "@"],
            2,
            "has no bone '@'; there are: 'hips', 'chest', 'head', 'arm', 'hand'",
        ),
        (["--armature", "Rig", "--bones", ""], 2, "has no bone ''"),
        (["--armature", "Rig", "--bones", "finger,tip"], 1, "armature 'Rig' has no bones to make a ragdoll of"),
        (["--armature", "Creature", "--preset", "human"], 1, "no bones that are known as hips, thighs and shins"),
        (["--armature", "Rig", "--stiffness", "1.5"], 2, "1.5 is not a number from 0 to 1"),
        (["--armature", "Rig", "--stiffness", "nan"], 2, "nan is not a number from 0 to 1"),
        (["--armature", "Rig", "--weight", "0"], 2, "0 is not a number above 0"),
        ([], 2, "the following arguments are required: --armature"),
    ],
)
def test_bad_use(path, tmp_path, capsys, options, code, words):
    """Guards one clear line and the exit code, with nothing written."""
    assert run("ragdoll", path, *options, "-o", tmp_path / "out.blend") == code
    told = capsys.readouterr().err
    assert words in told.splitlines()[-1]
    assert "Traceback" not in told
    assert [each.name for each in tmp_path.iterdir()] == ["scene.blend"]


def test_files_of_other_kinds(path, tmp_path, capsys):
    """Guards inputs and outputs that can hold no armature, and scenes without one."""
    out = tmp_path / "out.blend"
    assert run("ragdoll", SAMPLES / "crane.sdf", "--armature", "Rig", "-o", out) == 2
    assert "crane.sdf: only a .blend file has armatures, found '.sdf'" in capsys.readouterr().err
    assert run("ragdoll", SAMPLES / "crane.blend", "--armature", "Rig", "-o", out) == 2
    assert "no armature 'Rig'; there are no armatures" in capsys.readouterr().err
    assert run("ragdoll", path, "--armature", "Rig", "-o", tmp_path / "out.sdf") == 2
    assert "the name must end in .blend, found '.sdf'" in capsys.readouterr().err
    assert run("ragdoll", tmp_path / "none.blend", "--armature", "Rig", "-o", out) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert not out.exists()


def test_the_output_is_written_whole_or_not_at_all(path, tmp_path, capsys, monkeypatch):
    """Guards files: if Blender cannot save, a former output stays as it was, and no other file is left behind."""
    out = tmp_path / "out.blend"
    out.write_bytes(b"former")

    def fail(part):
        part.write_bytes(b"half")
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(blend, "save_copy", fail)
    assert run("ragdoll", path, "--armature", "Rig", "-o", out) == 2
    assert "out.blend: error unwritable: cannot be saved: no space left on device" in capsys.readouterr().err
    assert out.read_bytes() == b"former"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.blend", "scene.blend"]


def test_inside_blender_it_takes_the_open_scene(path, tmp_path, capsys, monkeypatch):
    """Guards `blender -b FILE --command limberjack ragdoll`, which names no file: the file itself stays as it was."""
    monkeypatch.setattr("limberjack.addon.cli.end_output", lambda: None)  # would close this process's stdout
    out, before = tmp_path / "out.blend", path.read_bytes()
    opened(path)
    assert main_inside_blender(["ragdoll", "--armature", "Rig", "-o", str(out), "--json"]) == 0
    validated("ragdoll", 0, capsys.readouterr().out)
    assert path.read_bytes() == before
    assert len(names_of(opened(out))) == 7


def test_other_commands_take_its_output(path, tmp_path, capsys):
    """Guards the way to a baked character: checked, baked onto its bones, and exported, without contact with anything;
    for the first third of a second, it falls as a body without air does."""
    out, baked, motion = (tmp_path / name for name in ("out.blend", "baked.blend", "motion.npz"))
    assert run("ragdoll", path, "--armature", "Rig", "-o", out) == core_cli.DONE
    assert run("check", out) == core_cli.DONE
    assert run("bake", out, "-o", baked, "-o", motion, "--frames", 1, 9) == core_cli.DONE
    assert run("convert", out, tmp_path / "out.sdf") == core_cli.DONE
    assert len(read(tmp_path / "out.sdf").model.links) == 7
    found, rig = read_trajectory(motion), opened(baked)
    masses = np.array([link(rig.pose.bones[name.partition(":")[2]]).mass for name in found.link_names])
    assert len(masses) == 7
    middles = np.array([_centre(found.X_WL[:, number], rig, name) for number, name in enumerate(found.link_names)])
    height = np.tensordot(masses, middles, 1)[:, 2] / masses.sum()
    times = np.arange(9) / 24.0
    np.testing.assert_allclose(height - height[0], -0.5 * 9.81 * times**2, atol=2e-4)


@pytest.mark.parametrize("count", [1, 2])
def test_a_ragdoll_is_meant_to_fall(scene, tmp_path, capsys, count):
    """Guards check, bake, simulate and the doctor: none of them says that nothing holds a ragdoll, which falls on
    purpose, also if there are two; of a machine beside them, they do."""
    for number in range(count):
        rig, _ = character(f"Rig{number}")
        rig.location.x = 3.0 * number
        bpy.context.view_layer.update()
        make(rig)
    scene.frame_end = 3
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    verbs = (("check",), ("bake", "-o", tmp_path / "out.npz"), ("simulate", "--duration", 0.1))
    for verb, *options in verbs:
        assert run(verb, path, *options) == core_cli.DONE
        assert "nothing holds it" not in "".join(capsys.readouterr())
    tag(chain(2, "Loose"))
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    for verb, *options in verbs:
        assert run(verb, path, *options) == core_cli.DONE
        told = "".join(capsys.readouterr())
        assert "link 'Loose:b0'" in told
        assert "nothing holds it" in told
        assert "link 'Rig0:hips': nothing" not in told


def _centre(X_WL, rig, name):
    """Middle of a part of a tube's shape, which is that of its bone, along its trajectory [m], shape (F, 3)."""
    own, length = link(rig.pose.bones[name.partition(":")[2]]), rig.data.bones[name.partition(":")[2]].length
    along = 0.5 * (own.bone_start + own.bone_end) * length
    w, x, y, z = X_WL[:, 3:].T
    axis = np.stack((2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)), axis=1)
    return X_WL[:, :3] + along * axis


@pytest.mark.slow
def test_a_batch_of_ragdolls(path, tmp_path, capsys):
    """Guards farms: a batch bakes the output on the Earth and on the Moon, in a process of its own."""
    out = tmp_path / "out.blend"
    assert run("ragdoll", path, "--armature", "Rig", "-o", out) == core_cli.DONE
    (tmp_path / "jobs.toml").write_text(JOBS)
    assert run("batch", tmp_path / "jobs.toml", "--workers", 1) == core_cli.DONE
    fallen = 0.5 * (4.0 / 24.0) ** 2
    heights = [read_trajectory(each).X_WL[:, 0, 2] for each in sorted(tmp_path.glob("*.npz"))]
    np.testing.assert_allclose([float(np.ptp(each)) for each in heights], [fallen * 9.81, fallen * 1.62], atol=2e-3)

# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack bake`, `demo` and .blend files on the command line, in the real bpy."""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from limberjack.addon import cli
from limberjack.addon.cli.blend import load_blend
from limberjack.core import cli as core_cli
from limberjack.core.cli import describe
from limberjack.core.formats import read
from limberjack.core.simulation import Simulation
from support.shared import CORPUS, needs_corpus

from .samples import maker

SAMPLES = Path(__file__).parents[2] / "sample_scenes"
PENDULUM = SAMPLES / "double_pendulum.sdf"
RAISED = {"q": {"shoulder": 1.0, "elbow": 0.5}}


def run(*argv):
    return cli.main([str(word) for word in argv])


def state_file(folder, state):
    path = folder / "state.json"
    path.write_text(json.dumps(state))
    return path


def evaluated_poses(names, frames):
    """Matrices of the link objects as Blender evaluates them, shape (F, L, 4, 4)."""
    scene, out = bpy.context.scene, []
    for frame in frames:
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        out.append([np.array(bpy.data.objects[name].evaluated_get(depsgraph).matrix_world) for name in names])
    return np.array(out)


def matrices(X_WL):
    """Poses, shape (..., 7), as matrices, shape (..., 4, 4)."""
    w, x, y, z = np.moveaxis(X_WL[..., 3:], -1, 0)
    out = np.zeros((*X_WL.shape[:-1], 4, 4))
    out[..., 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1)
    out[..., 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1)
    out[..., 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1)
    out[..., :3, 3], out[..., 3, 3] = X_WL[..., :3], 1.0
    return out


UR5 = {"q": {"shoulder_lift_joint": -1.2, "elbow_joint": 0.8}}
REAL = {"q": {"upper_joint": 1.0, "lower_joint": 0.5}}


@pytest.mark.parametrize(
    ("path", "initial"),
    [
        (PENDULUM, RAISED),
        (SAMPLES / "crane.sdf", {}),
        pytest.param(CORPUS / "urdf/erd_ur5_robot/ur5_robot.urdf", UR5, marks=needs_corpus),
        pytest.param(CORPUS / "sdf/sdformat_double_pendulum/double_pendulum.sdf", REAL, marks=needs_corpus),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)
def test_the_baked_file_holds_the_motion(tmp_path, path, initial):
    """Guards the main job: in the reopened file every link is where the simulation put it, at every frame."""
    out = tmp_path / "out.blend"
    assert run("bake", path, "-o", out, "--frames", 1, 100, "--initial", state_file(tmp_path, initial)) == core_cli.DONE
    bpy.ops.wm.open_mainfile(filepath=str(out))
    motion = Simulation(read(path).model, np.arange(100) / 24, "good", initial).run()
    found = evaluated_poses(motion.link_names, range(1, 101))
    assert np.abs(found - matrices(motion.X_WL)).max() < 1e-5
    assert np.ptp(found[:, :, :3, 3], axis=0).max() > 0.1


def test_bake_of_a_blend_file(tmp_path, capsys):
    """Guards .blend inputs, the range of the scene, and --json: one object and nothing else on stdout."""
    out = tmp_path / "out.blend"
    assert run("bake", SAMPLES / "crane.blend", "-o", out, "--frames", 10, 40, "--json") == core_cli.DONE
    report = json.loads(capsys.readouterr().out)
    assert (report["first"], report["last"], report["frames"], report["links"]) == (10, 40, 31, 10)
    assert report["relative_energy_drift"] < 1e-5
    assert out.exists()


def test_the_same_keys_every_time(tmp_path):
    """Guards determinism on the command line: two bakes of one file hold the same keys, to the last bit."""
    keys = []
    for name in ("a.blend", "b.blend"):
        assert run("bake", SAMPLES / "crane.blend", "-o", tmp_path / name, "--frames", 1, 30) == core_cli.DONE
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / name))
        keys.append(evaluated_poses(["hook", "bucket"], range(1, 31)).tobytes())
    assert keys[0] == keys[1]


FLOATING = """<sdf version="1.9"><model name="m"><pose>1 2 3 0.1 0.2 0.3</pose>
<link name="base"><visual name="arm"><geometry><box><size>1 1 1</size></box></geometry></visual></link>
<link name="arm"><pose>0 0 1 0 0 0</pose></link>
<joint name="hinge" type="revolute"><parent>base</parent><child>arm</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""


def test_a_baked_model_is_still_the_model(tmp_path):
    """Guards floating bases and names: what lies in the baked file is the model that went in, where it was drawn."""
    source, out, again = (tmp_path / name for name in ("in.sdf", "out.blend", "again.sdf"))
    source.write_text(FLOATING)
    assert run("bake", source, "-o", out, "--frames", 1, 10) == core_cli.DONE
    assert run("convert", out, again) == core_cli.DONE
    first, second = (describe(read(path).model) for path in (source, again))
    for kind in ("links", "joints"):
        assert [item["name"] for item in second[kind]] == [item["name"] for item in first[kind]]
        for before, after in zip(first[kind], second[kind], strict=True):
            assert flat(after) == pytest.approx(flat(before), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("more", "motion"), [([], "FREE"), (["--fix-base"], "STATIC")])
def test_a_base_that_is_fixed_is_static_in_a_scene(tmp_path, more, motion):
    """Guards --fix-base on the way to a .blend: the base is held by its Motion, as the import dialog holds it."""
    source, out = tmp_path / "in.sdf", tmp_path / "out.blend"
    source.write_text(FLOATING)
    assert run("convert", source, out, *more) == core_cli.DONE
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert bpy.data.objects["base"].limberjack_link.motion == motion
    assert "base_static" not in bpy.data.objects


def test_set_changes_the_motion_and_is_saved(tmp_path):
    """Guards --set on model files and on .blend files alike."""
    for source in (PENDULUM, PENDULUM.with_suffix(".blend")):
        out = tmp_path / "out.blend"
        state = state_file(tmp_path, RAISED)
        argv = ["bake", source, "-o", out, "--frames", 1, 48, "--initial", state, "--set", "shoulder.damping=500"]
        assert run(*argv) == core_cli.DONE
        bpy.ops.wm.open_mainfile(filepath=str(out))
        assert bpy.data.objects["shoulder"].limberjack_joint.axes[0].damping == 500.0
        path = evaluated_poses(["lower"], [1, 48])[:, 0, :3, 3]
        assert np.linalg.norm(path[1] - path[0]) < 0.5


def test_sample_blends_hold_their_sdf(tmp_path):
    """Guards the committed .blend files against their .sdf: the same links and joints, to single precision.

    Scenes that were made of their .sdf have a floor besides.
    """
    for path in SAMPLES.glob("*.blend"):
        floors = path.stem in maker("make").IMPORTED
        assert run("convert", path, tmp_path / "again.sdf") == core_cli.DONE
        ours, source = (describe(read(file).model) for file in (tmp_path / "again.sdf", path.with_suffix(".sdf")))
        for kind in ("links", "joints"):
            by_name = {item["name"]: item for item in ours[kind]}
            assert len(by_name) == len(source[kind]) + floors
            for item in source[kind]:
                assert flat(by_name[item["name"]]) == pytest.approx(flat(item), rel=1e-6, abs=1e-6)


def flat(value, path=""):
    """Every number in nested data, by its path; a quaternion by its sign-free square, since q and -q are one."""
    if isinstance(value, dict):
        return {k: v for key, item in value.items() for k, v in flat(item, f"{path}.{key}").items()}
    if isinstance(value, list):
        sign = -1.0 if path.endswith("quat_wxyz") and value[0] < 0.0 else 1.0
        return {k: v for i, item in enumerate(value) for k, v in flat(scaled(item, sign), f"{path}.{i}").items()}
    return {path: float(value)} if not isinstance(value, str) or value.endswith("inf") else {}


def scaled(item, sign):
    return item * sign if isinstance(item, float) else item


def test_info_and_check_of_a_blend_file(capsys):
    """Guards core's verbs on .blend files."""
    assert run("info", SAMPLES / "crane.blend", "--json") == core_cli.DONE
    assert len(json.loads(capsys.readouterr().out)["links"]) == 11  # and the yard
    assert run("check", SAMPLES / "crane.blend") == core_cli.DONE
    assert capsys.readouterr().out == "0 errors, 0 warnings\n"


def test_a_blend_file_is_loaded_whole_for_export(tmp_path):
    """Guards exports by the command: with its lights and what belongs to no link, and with meshes as glTF, if asked."""
    bpy.ops.wm.open_mainfile(filepath=str(SAMPLES / "crane.blend"))
    mesh = bpy.data.meshes.new("pavement")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    for name, data in (("pavement", mesh), ("lamp", bpy.data.lights.new("lamp", "POINT"))):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, data))
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    bare = load_blend(path).model
    whole = load_blend(path, with_surroundings=True, mesh_format="GLTF").model
    assert {item.name for item in whole.links} - {item.name for item in bare.links} >= {"pavement"}
    assert "lamp" in {light.name for light in whole.lights}
    assert not bare.lights
    assert whole.link("pavement").visuals[0].geometry.glb.startswith(b"glTF")


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["bake", "missing.sdf", "-o", "{out}"], 2, "missing.sdf: error unreadable"),
        (["bake", "missing.blend", "-o", "{out}"], 2, "there is no such file"),
        (["bake", "{folder}", "-o", "{out}"], 2, "this is a folder"),
        (["bake", PENDULUM, "-o", "out.png"], 2, "must end in .blend"),
        (["bake", PENDULUM, "-o", "/nowhere/out.blend"], 2, "there is no folder"),
        (["bake", PENDULUM, "-o", "{out}", "--frames", 9, 3], 2, "the last frame lies before the first"),
        (["bake", PENDULUM, "-o", "{out}", "--frames", 1, 99999999], 2, "frames end at 1048574"),
        (["bake", PENDULUM, "-o", "{out}", "--set", "shoulder=3"], 2, "write OWNER.PROPERTY=VALUE"),
        (["bake", PENDULUM, "-o", "{out}", "--set", "knee.damping=3"], 2, "no joint or link 'knee'"),
        (["bake", PENDULUM, "-o", "{out}", "--set", "elbow.colour=3"], 2, "has no property 'colour'"),
        (["bake", PENDULUM], 2, "required: -o"),
        (["convert", PENDULUM, "{folder}/nowhere/out.blend"], 2, "nowhere'; make it first"),
        (["convert", PENDULUM, "/proc/out.blend"], 2, "/proc/out.blend: error unwritable: cannot be saved: no such"),
    ],
)
def test_bad_input(tmp_path, capsys, argv, code, words):
    """Guards exit codes, one clear line, and that nothing is written."""
    out = tmp_path / "out.blend"
    assert run(*(str(word).format(out=out, folder=tmp_path) for word in argv)) == code
    told = capsys.readouterr()
    assert words in told.err
    assert "Traceback" not in told.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_blend(tmp_path, capsys):
    """Guards against what only looks like a .blend."""
    fake = tmp_path / "fake.blend"
    fake.write_text("not a blend")
    assert run("info", fake) == core_cli.UNUSABLE
    assert "Blender cannot open it" in capsys.readouterr().err


def test_animation_is_not_overwritten_unasked(scene, build, tmp_path, capsys):
    """Guards the user's keys: exit 1 and a word, until --overwrite is given; then they are kept as an action."""
    bars, _ = build.pendulum()
    bars[1].keyframe_insert("location", frame=1)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "in.blend"))
    out = tmp_path / "out.blend"
    assert run("bake", tmp_path / "in.blend", "-o", out) == core_cli.HAS_ERRORS
    assert "'bar1' is animated already" in capsys.readouterr().err
    assert not out.exists()
    assert run("bake", tmp_path / "in.blend", "-o", out, "--overwrite") == core_cli.DONE
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert len(bpy.data.actions) == 2


@pytest.mark.slow
def test_demo(tmp_path, capsys, monkeypatch):
    """Guards the first thing a user sees: everything is there, the picture shows something, the SDF reads back."""
    monkeypatch.chdir(tmp_path)
    assert run("demo") == core_cli.DONE
    told = capsys.readouterr()
    assert told.err == ""  # a loss would puzzle who sees this first
    steps = ["simulated", "drift", "baked", "exported", "rendered"]
    assert [line.split()[0] for line in told.out.splitlines()] == steps
    picture = bpy.data.images.load(str(tmp_path / "out" / "crane.png"))
    pixels = np.array(picture.pixels[:]).reshape(-1, 4)[:, :3]
    assert len(np.unique((pixels * 20).astype(int), axis=0)) > 20
    reading = read(tmp_path / "out" / "crane.sdf")
    assert reading.issues == []
    assert {link.name for link in reading.model.links} > {"bucket", "yard"}
    assert (tmp_path / "out" / "crane" / "model.config").exists()

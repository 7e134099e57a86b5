# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: exit codes, where each line goes, and what it says."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from limberjack.core import answer, cli, formats
from limberjack.core.cli import framework
from limberjack.core.model.text import counted

DATA = Path(__file__).parents[2] / "data"
FRAMES = str(DATA / "frames_1_9.sdf")
TREE = str(DATA / "tree.urdf")


def test_info_table(capsys):
    """A person sees masses, joints and limits in degrees; what was left aside goes to stderr."""
    assert cli.main(["info", TREE]) == cli.DONE
    told = capsys.readouterr()
    assert "r: 3 links, 3 joints, 2 kg" in told.out
    assert "-2 * slider + 0.5" in told.out
    assert "0 .. 0 m" in told.out
    assert ": note: the mesh 'package://r/base.stl' is not found" in told.err
    assert cli.main(["info", FRAMES]) == cli.DONE
    assert "-inf .. 114.592 deg" in capsys.readouterr().out


def test_info_json(capsys):
    """The shape of the judges' readings, in world axes, with infinities as text."""
    assert cli.main(["info", "--json", FRAMES]) == cli.DONE
    told = json.loads(capsys.readouterr().out)
    hinge = told["joints"][0]
    assert (hinge["name"], hinge["type"], hinge["parent"], hinge["child"]) == ("hinge", "revolute", "base", "arm")
    assert hinge["X_WJ"]["xyz"] == pytest.approx([-1, 0, 14])
    assert hinge["axes"][0]["xyz_world"] == pytest.approx([0, 1, 0])
    assert (hinge["axes"][0]["lower"], hinge["axes"][0]["upper"]) == ("-inf", 2.0)
    assert told["links"][1]["inertia_com_linkaxes"]["ixx"] == pytest.approx(2.0)
    assert told["notes"] == []
    assert cli.main(["info", "--json", TREE]) == cli.DONE
    told = json.loads(capsys.readouterr().out)
    assert told["joints"][2]["mimic"] == {"joint": "slider", "multiplier": -2.0, "offset": 0.5, "reference": 0.0}
    assert len(told["notes"]) == 1


def test_check(capsys, tmp_path):
    """Findings on stdout, a count at the end, and 0 as long as there are only warnings."""
    assert cli.main(["check", TREE]) == cli.DONE
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{TREE}:16: warning massless: link 'slide': ")
    assert ": note: the mesh 'package://r/base.stl' is not found" in lines[-2]
    assert lines[-1] == "0 errors, 3 warnings"
    bad = tmp_path / "bad.sdf"
    bad.write_text(Path(FRAMES).read_text().replace("<mass>2</mass>", "<mass>-2</mass>"))
    assert cli.main(["check", str(bad)]) == cli.HAS_ERRORS
    assert capsys.readouterr().out.splitlines()[-1] == "1 error, 0 warnings"


def test_convert_with_substitutes(capsys, tmp_path):
    """A joint that URDF has none of is left out, or becomes several where substitutes are asked for; both are told."""
    path, out = tmp_path / "in.sdf", tmp_path / "out.urdf"
    links = '<link name="a"/><link name="b"/>'
    joint = '<joint name="j" type="ball"><parent>a</parent><child>b</child></joint>'
    path.write_text(f'<sdf version="1.9"><model name="m">{links}{joint}</model></sdf>')
    assert cli.main(["convert", str(path), str(out)]) == cli.DONE
    assert f"{out}: loss: joint 'j' is left out, as URDF has no ball joint" in capsys.readouterr().err
    assert cli.main(["convert", str(path), str(tmp_path / "whole.sdf"), "--fail-on-loss"]) == cli.DONE
    capsys.readouterr()
    assert cli.main(["convert", str(path), str(out), "--fail-on-loss"]) == cli.SIMULATION_FAILED
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == f"{out}: has {counted(said[:-1], 'loss', 'losses')}, and --fail-on-loss allows none"
    assert cli.main(["convert", str(path), str(out), "--substitute"]) == cli.DONE
    assert f"{out}: loss: joint 'j' (ball) is written as 'j_1'" in capsys.readouterr().err
    assert [one.name for one in formats.read(out).model.joints] == ["j_1", "j_2", "j_3"]


def test_convert(capsys, tmp_path):
    """URDF to SDF and back in: the same links and joints, with what the mimic asks for told on stderr."""
    out = tmp_path / "r.sdf"
    assert cli.main(["convert", TREE, str(out)]) == cli.DONE
    told = capsys.readouterr()
    assert told.out == ""
    assert f"{out}: loss: written as SDF 1.11, since 1.9 has no mimics" in told.err
    assert cli.main(["convert", TREE, str(out), "--sdf-version", "1.11"]) == cli.DONE
    (told,) = (line for line in capsys.readouterr().err.splitlines() if ": loss:" in line)
    assert "<transmission> means nothing in SDF" in told
    before, after = formats.read(TREE).model, formats.read(out).model
    assert [j.mimic for j in after.joints] == [j.mimic for j in before.joints]
    assert after.link("spin").pose == pytest.approx(before.link("spin").pose, abs=1e-12)


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["dance"],
        ["info"],
        ["info", "a", "b"],
        ["convert", FRAMES, "x.sdf", "--sdf-version", "0.1"],
        ["convert", FRAMES, "x.obj"],
        ["convert", FRAMES, "/dev/null/x.sdf"],
    ],
)
def test_wrong_use(argv, capsys):
    """Wrong use is exit 2, with a reason and without a traceback."""
    assert cli.main(argv) == cli.UNUSABLE
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (
            "x.obj",
            "the name must end in .sdf, .world, .urdf, .xml, .mjcf, .usda, .usd, .usdc, .usdz, .blend; found '.obj'",
        ),
        ("x", "found ''"),
        ("folder", "this is a folder; name a file"),
        ("nowhere/x.blend", "nowhere'; make it first"),
        ("in.blend", "this is the input"),
    ],
)
def test_a_result_that_cannot_be_kept(monkeypatch, capsys, tmp_path, target, words):
    """It is told in one line before anything is read or written, for what the add-on writes as well."""
    monkeypatch.setitem(framework.LOADERS, ".blend", lambda path, **_of_scene: pytest.fail("it was read"))
    monkeypatch.setitem(framework.SAVERS, ".blend", lambda model, path: pytest.fail("it was written"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "in.blend").touch()
    assert cli.main(["convert", str(tmp_path / "in.blend"), str(tmp_path / target)]) == cli.UNUSABLE
    (told,) = capsys.readouterr().err.splitlines()
    assert words in told


def test_options_without_effect_are_told(capsys, tmp_path):
    """Who asks for a world in a URDF learns that there is none."""
    out = tmp_path / "m.urdf"
    assert cli.main(["convert", FRAMES, str(out), "--world", "--sdf-version", "1.10", "--pose", "home"]) == cli.DONE
    assert f"{out}: note: --sdf-version, --world: without effect" in capsys.readouterr().err
    assert cli.main(["convert", FRAMES, str(tmp_path / "m.sdf"), "--world", "--pose", "home"]) == cli.DONE
    assert "without effect" not in capsys.readouterr().err


def test_results_are_written_though_nobody_listens(tmp_path):
    """Guards `limberjack convert … 2>&1 | head -1`: what is told ends early, the file is whole."""
    out = tmp_path / "r.sdf"
    listens, tells = os.pipe()
    os.close(listens)
    command = [sys.executable, "-c", "import sys; from limberjack.core.cli import main; sys.exit(main())"]
    done = subprocess.run([*command, "convert", TREE, out], stderr=tells)
    os.close(tells)
    assert done.returncode == cli.DONE
    assert formats.read(out).ok


def test_help_and_version(capsys):
    """Help names every verb."""
    assert cli.main(["--help"]) == cli.DONE
    told = capsys.readouterr().out
    assert all(verb.name in told for verb in cli.VERBS)
    assert cli.main(["--version"]) == cli.DONE


def test_further_inputs_and_outputs_can_be_added(capsys, monkeypatch, tmp_path):
    """The add-on hooks .blend in by suffix, on both sides."""
    saved, asked = [], []

    def loader(path, **of_scene):
        asked.append(of_scene)
        return formats.read(FRAMES)

    monkeypatch.setitem(framework.LOADERS, ".blend", loader)
    monkeypatch.setitem(framework.SAVERS, ".blend", lambda model, path: saved.append(model.name) or ["a shade"])
    assert cli.main(["convert", "in.blend", "out.blend"]) == cli.DONE
    assert saved == ["m"]
    assert "out.blend: loss: a shade" in capsys.readouterr().err
    options = ["--world", "--meshes", "gltf", "--set", "a.mass=2"]
    assert cli.main(["convert", "in.blend", "out.blend", *options]) == cli.DONE
    assert asked[1] == {
        "with_surroundings": True,
        "is_released": False,
        "mesh_format": "GLTF",
        "split_meshes": False,
        "settings": ["a.mass=2"],
    }


def test_a_loop_is_told(tmp_path, capsys):
    """A loop is no finding in SDF, but a person who simulates next should know of it."""
    path = tmp_path / "loop.sdf"
    path.write_text(
        """<sdf version="1.9"><model name="m"><link name="bar"/>
        <joint name="a" type="ball"><parent>world</parent><child>bar</child></joint>
        <joint name="b" type="ball"><parent>world</parent><child>bar</child></joint></model></sdf>"""
    )
    assert cli.main(["check", str(path)]) == cli.DONE
    told = capsys.readouterr().out
    assert "note second-parent: joint 'b': holds link 'bar', which joint 'a' holds as well" in told
    assert "simulated" not in told
    assert told.endswith("0 errors, 0 warnings\n")


def test_a_world_around_one_model_adds_no_prefix(tmp_path, capsys):
    """Other gravity than the Earth's needs a world; names must not grow by it at every conversion."""
    path = tmp_path / "moon.sdf"
    path.write_text(
        """<sdf version="1.9"><world name="moon"><gravity>0 0 -1.62</gravity>
        <model name="m"><link name="a"/></model></world></sdf>"""
    )
    for _ in range(2):
        assert cli.main(["convert", str(path), str(path)]) == cli.DONE
    assert [link.name for link in formats.read(path).model.links] == ["a"]
    assert formats.read(path).model.gravity == (0.0, 0.0, -1.62)


CODE = """if True:
    import sys
    from limberjack.addon import cli
    from limberjack.addon.cli.bpy_session import require_blender
    def load(path, **rest):
        {blender}
        raise KeyError("boom")
    cli.LOADERS[".sdf"] = load
    sys.exit(cli.end(cli.main(["check", "x.sdf"])))
"""


@pytest.mark.parametrize("blender", ["", "require_blender()"])
def test_a_defect_has_a_code_of_its_own(tmp_path, blender):
    """Guards farms, which take a crash for the machine's: what nobody has foreseen ends with 70, with Blender too."""
    if blender:
        pytest.importorskip("bpy")
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", CODE.format(blender=blender)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (answer.DEFECT, "")
    (told,) = done.stderr.splitlines()
    assert told.startswith(
        "limberjack: error: a defect of Limberjack, KeyError in <string>:7: 'boom'; the details are in "
    )
    (details,) = tmp_path.glob("limberjack-*.txt")
    assert "Traceback" in details.read_text()
    assert str(details) in told

# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of older versions are what they were: opened, migrated, baked, saved, linked and appended."""

import importlib.util
import json
import math
from dataclasses import field, make_dataclass
from pathlib import Path

import bpy
import numpy as np
import pytest

import limberjack
from limberjack.addon import ids, migration, watch
from limberjack.addon.bake.receipts.receipt import Receipt, is_edited, receipt_of
from limberjack.addon.bake.receipts.restore import bake_of, objects_with_user_animation
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.cli.blend import load_open_scene
from limberjack.addon.migration import MIGRATIONS, Migration, version_of
from limberjack.core import cli as core_cli
from limberjack.core.geometry import Mesh, Shape
from limberjack.core.model import Axis, Joint, Link, Model
from limberjack.core.version import VERSION, numbers_of

from .conftest import joint, link
from .paper import draw
from .test_cli import PENDULUM, SAMPLES, run

SCENES = Path(__file__).parents[1] / "data" / "scenes"
FILES = sorted(SCENES.glob("*/*.blend"))
BAKED = SCENES / "0.1.0" / "baked.blend"

OLDER = "links, joints or gravity were changed, or an older version made the bake"

ABSOLUTE, RELATIVE = 1e-5, 1e-6
"""Of a key [m or rad]. The solver's own error at accuracy `good`, which another machine's rounding may bring out
differently, is below the first; Blender's keys are in single precision, of which the second is eight roundings."""


@pytest.fixture(scope="module")
def keys_of():
    spec = importlib.util.spec_from_file_location("make_scenes", SCENES / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.keys_of


def opened(path):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.context.scene


def saved(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def require_same(got, path):
    wanted = json.loads(path.with_suffix(".json").read_text())
    assert got.keys() == wanted.keys()
    for name, numbers in wanted.items():
        np.testing.assert_allclose(got[name], numbers, rtol=RELATIVE, atol=ABSOLUTE, err_msg=name)


def name_of(path):
    return f"{path.parent.name}-{path.stem}"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_the_same_keys(path, keys_of):
    """Guards every version's scenes: baked by this version in the add-on, they have the keys that their own gave."""
    scene = opened(path)
    SimulationBake(scene, overwrite=True).run()
    require_same(keys_of(scene), path)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_the_same_keys_on_the_command_line(path, keys_of, tmp_path, capsys):
    """Guards `limberjack bake` on them, which says nothing of versions, and stores its own in what it saves."""
    out = tmp_path / "out.blend"
    assert run("bake", path, "-o", out, "--overwrite") == core_cli.DONE
    assert "warning" not in capsys.readouterr().err
    scene = opened(out)
    require_same(keys_of(scene), path)
    assert scene.limberjack.version == VERSION


def test_a_bake_of_an_older_version_is_known():
    """Guards receipts: the bake is ours, unedited, and told in the panel; nobody can tell whether its masses changed.

    Versions before DIGEST_VERSION 3 computed other digests.
    """
    scene = opened(BAKED)
    assert receipt_of(bake_of(scene)).version == "0.1.0"
    assert not is_edited(bake_of(scene))
    assert objects_with_user_animation(scene.objects) == []
    assert out_of_date(scene, read_scene(scene)) == OLDER
    assert any(text.endswith("Limberjack 0.1.0") for text in draw(scene.objects["arm"]).texts)
    SimulationBake(scene, overwrite=True).run()
    assert out_of_date(scene, read_scene(scene)) == ""
    joint(scene.objects["hand_joint"]).axes[0].damping = 0.5
    assert out_of_date(scene, read_scene(scene)) == "links, joints or gravity were changed"


def test_fields_that_are_new_change_no_digest():
    """Guards bakes: a field of core's model that an older version lacks is marked, `metadata={"since": "x.y.z"}`.

    The digest is of a model with numbers that no rounding changes, as the version 0.1.0 computed it.
    """
    model = Model(links=[Link("a", 2.0, (0.0, 0.0, -1.0))], joints=[Joint("j", "revolute", "world", "a")])
    model.links[0].collisions.append(Shape("s", Mesh("a.obj")))
    assert model.digest() == "bc822029bae244e9a118054880ffb2e3aa722462a149a1fbd0cd4ac10e5b96fa"


def test_a_bake_of_an_older_version_is_cleared():
    """Guards what a bake of 0.1.0 took the place of: the user's keys and poses come back, and no bake is left."""
    scene = opened(BAKED)
    bpy.ops.limberjack.bake_clear()
    arm, hand = scene.objects["arm"], scene.objects["hand"]
    assert bake_of(scene) is None
    assert arm.animation_data is None
    assert (tuple(arm.location), tuple(arm.rotation_euler)) == ((0.0, 0.0, 3.0), (0.0, 0.0, 0.0))
    curves = hand.animation_data.action.layers[0].strips[0].channelbags[0].fcurves
    assert [tuple(point.co) for point in curves.find("location", index=2).keyframe_points] == [(1.0, 3.0), (3.0, 3.25)]
    assert [action for action in bpy.data.actions if ids.BAKE_MARK in action] == []


@pytest.mark.parametrize("is_newer", [False, True])
def test_receipts_of_other_versions(is_newer):
    """Guards a receipt that has fields more, fewer, or of another kind: what it tells is understood."""
    scene = opened(BAKED)
    action = bake_of(scene)
    told = json.loads(action[ids.BAKE_MARK])
    own = receipt_of(action)
    told |= {"version": "0.9.0", "collisions": {"kind": "all"}, "angle": 0} if is_newer else {}
    told["written"] = "many"
    del told["result"]
    action[ids.BAKE_MARK] = json.dumps(told)
    assert receipt_of(action) == own._replace(version=told["version"], written=0, result="")
    assert out_of_date(scene, read_scene(scene)) == OLDER
    assert not is_edited(action)
    draw(scene.objects["arm"])


@pytest.mark.parametrize("text", ["", "[1]", "null", "baked", "{"])
def test_what_is_no_receipt(text):
    """Guards against a mark that no version has written: no receipt, and no error."""
    scene = opened(BAKED)
    action = bake_of(scene)
    action[ids.BAKE_MARK] = text
    assert receipt_of(action) is None
    assert not is_edited(action)
    draw(scene.objects["arm"])


def test_every_field_of_a_receipt_has_a_default():
    """Guards fields to come: one without a default would make bakes before it foreign."""
    assert set(Receipt._fields) == set(Receipt._field_defaults)


def test_a_field_that_was_added_changes_no_digest():
    """Guards bakes from before a part of the model had a field: out of date where it says something, and not before."""
    geared = make_dataclass("Geared", [("gear", float, field(default=1.0, metadata={"since": "9.9.9"}))], bases=(Axis,))

    def digest(axis):
        return Model("m", [Link("a")], [Joint("j", "revolute", "world", "a", axes=[axis])]).digest()

    assert digest(geared()) == digest(Axis()) != digest(geared(gear=2.0))


def versions(scene):
    return {owner.name: migration.settings_of(owner).version for owner in (scene, *scene.objects)}


def test_versions_are_stored(tmp_path):
    """Guards what later versions go by: all that is ours says its version once an old file is opened and saved."""
    scene = opened(BAKED)
    bpy.data.objects.new("bystander", None)
    scene.collection.objects.link(bpy.data.objects["bystander"])
    assert versions(opened(saved(tmp_path / "out.blend"))) == {
        "Scene": VERSION,
        **dict.fromkeys(("arm", "hand", "arm_joint", "hand_joint"), VERSION),
        "bystander": "",
    }


def test_what_is_new_says_its_version(scene, build, tmp_path):
    """Guards operators, scripts and undo: links and joints say it from the first, the scene once it is saved."""
    bars, joints = build.pendulum(1)
    script = build.cube("script")
    link(script).is_link = True
    assert [link(obj).version for obj in (*bars, *joints, script)] == [VERSION] * 3
    bpy.ops.ed.undo_push(message="before")
    saved(tmp_path / "out.blend")
    assert set(versions(scene).values()) == {VERSION}
    build.select(bars[0])
    bpy.ops.limberjack.link_untag("EXEC_DEFAULT", True)  # True: with an undo step, as from the window
    bpy.ops.ed.undo()
    assert versions(bpy.context.scene).keys() == {"Scene", "bar0", "bar0_joint", "script"}
    assert link(bpy.data.objects["bar0"]).is_link
    assert set(versions(opened(saved(tmp_path / "again.blend"))).values()) == {VERSION}


def test_settings_alone_are_ours(scene, tmp_path):
    """Guards a scene whose settings somebody has made before there is a link."""
    scene.limberjack.bake.onto = "BOTH"
    assert opened(saved(tmp_path / "out.blend")).limberjack.version == VERSION


def test_nothing_of_ours_is_left_alone(scene, build, tmp_path):
    """Guards other people's files: looked at, saved and opened, they hold nothing of ours."""
    draw(build.cube("cube"))
    show_rig(scene)
    scene = opened(saved(tmp_path / "out.blend"))
    assert set(versions(scene).values()) == {""}


def test_files_of_the_command_line_and_samples(tmp_path):
    """Guards what is made without a window: a converted model, and a sample that a user keeps."""
    assert run("convert", PENDULUM, tmp_path / "out.blend") == core_cli.DONE
    found = versions(opened(tmp_path / "out.blend"))
    assert found.pop("Scene") == VERSION
    assert {version for name, version in found.items() if link(bpy.data.objects[name]).is_link} == {VERSION}
    bpy.ops.limberjack.sample_open(name="crane")
    assert opened(saved(tmp_path / "crane.blend")).limberjack.version == VERSION


@pytest.fixture
def migrations(monkeypatch):
    """Two versions on, with three migrations in no order; what they have done, as (version, name)."""
    done = []

    def noting(version):
        return lambda owner: done.append((version, owner.name))

    table = (
        Migration("0.3.0", "Third", bpy.types.Object, noting("0.3.0")),
        Migration("0.2.0", "First", bpy.types.Object, noting("0.2.0")),
        Migration("0.2.0", "Second", bpy.types.Scene, noting("scene")),
    )
    monkeypatch.setattr(migration, "VERSION", "0.3.0")
    monkeypatch.setattr("limberjack.core.version.VERSION", "0.3.0")
    monkeypatch.setattr(migration, "MIGRATIONS", table)
    return done


OURS = ("arm", "arm_joint", "hand", "hand_joint")


def test_migrations_run_in_order_and_once(migrations, tmp_path):
    """Guards the table: what has fewer versions behind it is migrated first, everything of ours once, and kept so."""
    scene = opened(BAKED)
    assert [version for version, _ in migrations] == ["0.2.0"] * 4 + ["scene"] + ["0.3.0"] * 4
    assert sorted(migrations) == sorted([(v, name) for v in ("0.2.0", "0.3.0") for name in OURS] + [("scene", "Scene")])
    assert set(versions(scene).values()) == {"0.3.0"}
    migrations.clear()
    migration.migrate_all()
    opened(saved(tmp_path / "out.blend"))
    assert migrations == []


def test_an_object_of_two_scenes_is_migrated_once(monkeypatch, migrations, tmp_path):
    """Guards migrations that would harm what was migrated already; and shapes, which go with their links."""
    with monkeypatch.context() as before:
        before.setattr(migration, "MIGRATIONS", ())
        before.setattr(migration, "VERSION", "0.2.0")
        scene = opened(BAKED)
        other = bpy.data.scenes.new("other")
        other.collection.objects.link(scene.objects["arm"])
        shape = bpy.data.objects.new("shape", bpy.data.meshes.new("shape"))
        other.collection.objects.link(shape)
        shape.parent = scene.objects["arm"]
        saved(tmp_path / "both.blend")
    opened(tmp_path / "both.blend")
    assert sorted(migrations) == [("0.3.0", name) for name in (*OURS, "shape")]
    assert set(versions(bpy.data.scenes["other"]).values()) == {"0.3.0"}


@pytest.mark.parametrize("begin", [watch._enabled, load_open_scene], ids=["window", "command"])
def test_a_file_that_was_open_before_the_add_on(migrations, begin):
    """Guards an add-on that is enabled late, in the preferences or by an option after the file's name."""
    limberjack.unregister()
    opened(BAKED)
    limberjack.register()
    assert migrations == []
    begin()
    assert len(migrations) == 9
    assert set(versions(bpy.context.scene).values()) == {"0.3.0"}


def taken_from(path, name, is_linked):
    with bpy.data.libraries.load(str(path), link=is_linked) as (_, wanted):
        wanted.objects = [name]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    return wanted.objects[0]


def test_what_is_appended_is_migrated(migrations, scene, build):
    """Guards old things in new files: they alone are migrated, with what came along."""
    build.pendulum(1)
    migrations.clear()
    taken_from(BAKED, "hand_joint", is_linked=False)
    came = [name for name in OURS if name != "arm_joint"]
    assert sorted(set(migrations)) == sorted((version, name) for version in ("0.2.0", "0.3.0") for name in came)
    assert len(migrations) == len(set(migrations))


def test_what_is_linked_is_told(migrations, scene):
    """Guards libraries: nothing is written to what they hold, and the user reads which file to bring up to date."""
    arm = taken_from(BAKED, "arm", is_linked=True)
    assert (migrations, link(arm).version) == ([], "")
    (problem,) = (item for item in show_rig(scene).problems if item.code == "old-library")
    assert problem.name == "arm"
    assert "a file of Limberjack 0.1.0" in problem.message
    assert "open that file with 0.3.0" in problem.message


def test_a_migration_that_fails(monkeypatch, migrations, tmp_path, capsys):
    """Guards a file that is not as a migration expects it: it opens, it is told, and the next version tries again."""

    def fail(owner):
        if owner.name == "hand_joint":
            raise RuntimeError("no pitch")

    table = (Migration("0.2.0", "A screw's pitch is in metres", bpy.types.Object, fail), *migration.MIGRATIONS)
    monkeypatch.setattr(migration, "MIGRATIONS", table)
    scene = opened(BAKED)
    assert versions(scene) == {"Scene": "0.3.0", **dict.fromkeys(OURS, "0.3.0"), "hand_joint": "0.1.0"}
    assert not any(name == "hand_joint" for _, name in migrations)
    (problem,) = (item for item in show_rig(scene).problems if item.code == "not-migrated")
    assert problem.name == "hand_joint"
    assert "from Limberjack 0.1.0 to 0.3.0" in problem.message
    assert "(A screw's pitch is in metres: no pitch)" in problem.message
    assert len(read_scene(scene).joints) == 2
    assert versions(opened(saved(tmp_path / "out.blend")))["hand_joint"] == "0.1.0"
    capsys.readouterr()
    assert run("info", tmp_path / "out.blend") == core_cli.DONE
    assert "warning not-migrated: object 'hand_joint' could not be brought" in capsys.readouterr().err


def test_the_migration_of_the_developers_guide(monkeypatch):
    """Guards the example that is copied first: of a scene that is older, it changes the joints and nothing else."""
    page = (SCENES.parents[2] / "docs" / "developer.md").read_text(encoding="utf-8")
    names = {}
    exec(compile(page.split("```python\n")[-1].split("```")[0], "developer.md", "exec"), names)
    scene = opened(BAKED)
    screw = scene.objects["hand_joint"]
    joint(screw).pitch, link(screw).version = math.tau, "0.1.0"
    monkeypatch.setattr(migration, "VERSION", "0.2.0")
    monkeypatch.setattr(migration, "MIGRATIONS", (names["PITCH"],))
    migration.migrate_all()
    migration.migrate_all()
    assert joint(screw).pitch == pytest.approx(1.0)


def test_the_table():
    """Guards new migrations: each leads to a version that there is, and says what it does in a sentence."""
    for entry in MIGRATIONS:
        assert numbers_of(migration.OLDEST) < entry.numbers <= numbers_of(VERSION)
        assert entry.description[:1].isupper()
        assert not entry.description.endswith(".")


def test_a_table_that_leads_nowhere():
    """Guards a slip in the table itself."""
    with pytest.raises(ValueError, match=r"'Pitch' leads to 'soon', which is no version: give x\.y\.z"):
        _ = Migration("soon", "Pitch", bpy.types.Object, print).numbers


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("0.1.0", (0, 1, 0)), ("0.10.2", (0, 10, 2)), ("1.0.0-beta.2", (1, 0, 0)), ("1.0.0+linux", (1, 0, 0))]
    + [(text, None) for text in ("", "1", "1.0", "1.0.0.0", "v1.0.0", "1.0.x", "-1.0.0", "1.0.0 ", "².0.0", "9" * 99)],
)
def test_numbers_of_a_version(version, numbers):
    """Guards what versions are compared by: as numbers, not as text; what is no version is none."""
    assert numbers_of(version) == numbers


@pytest.mark.parametrize("path", [BAKED, SAMPLES / "crane.blend"], ids=["baked", "sample"])
def test_what_says_nothing_is_of_the_oldest(monkeypatch, path):
    """Guards files from before versions were stored, samples among them."""
    monkeypatch.setattr(migration, "migrate", lambda _items: None)
    assert version_of(opened(path)) == "0.1.0"

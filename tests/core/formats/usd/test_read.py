# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole stages: units and axes, gravity, names, composition, and files that cannot be read."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import limberjack as lj
from limberjack.core.files.errors import UnreadableError
from limberjack.core.formats import read
from limberjack.core.kinematics import forward_kinematics
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.spatial import quat_rotate
from support.usd import SOLID, body, codes_of, joint, model_of, prim, reading_of, stage

pytest.importorskip("pxr", reason="usd-core is not installed")

TO_Y_UP = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)
"""Rotation that takes our axes to those of a stage with Y up."""


def arm(unit: float, up: str, kilogram: float = 1.0) -> str:
    """A stage: an arm of two links with a drive, a limit, a slider and a spring, in any units and axes."""
    length = 1.0 / unit
    weight = 1.0 / kilogram
    inertia = weight * length**2

    def at(x: float, y: float, z: float) -> tuple[float, ...]:
        scaled = (x * length, y * length, z * length)
        return quat_rotate(TO_Y_UP, scaled) if up == "Y" else scaled

    turn = {"turn": TO_Y_UP} if up == "Y" else {}
    heavy = f"float physics:mass = {2 * weight}\nfloat3 physics:diagonalInertia = ({0.1 * inertia}, {0.2 * inertia}, "
    heavy += f"{0.25 * inertia})\npoint3f physics:centerOfMass = ({0.1 * length}, {0.2 * length}, 0)"
    drive = f"float drive:angular:physics:stiffness = {0.05 * inertia}\nfloat drive:angular:physics:damping = "
    drive += (
        f"{0.01 * inertia}\nfloat drive:angular:physics:targetPosition = 40\nfloat drive:angular:physics:maxForce = "
    )
    drive += f'{20 * inertia}\nfloat physics:upperLimit = 35\nuniform token physics:axis = "Y"'
    slide = f"float physics:lowerLimit = {-0.1 * length}\nfloat drive:linear:physics:stiffness = {30 * weight}\n"
    slide += f'uniform token physics:axis = "Z"\nfloat mjc:damping = {0.5 * weight}'
    near, far = tuple(0.5 * length * x for x in (1, 0, 0)), tuple(-0.5 * length * x for x in (1, 0, 0))
    root = TO_Y_UP if up == "Y" else (1.0, 0.0, 0.0, 0.0)
    return stage(
        body("a", heavy, at=at(0.5, 0, 2), **turn)
        + body("b", heavy, at=at(1.5, 0, 2), **turn)
        + joint("Revolute", "j", drive, ("", "/a"), ["PhysicsDriveAPI:angular"], ((*at(0, 0, 2), *root), far))
        + joint("Prismatic", "k", slide, ("/a", "/b"), ["PhysicsDriveAPI:linear"], (near, far)),
        unit,
        up,
        f"kilogramsPerUnit = {kilogram}",
    )


def motion_of(text: str) -> np.ndarray:
    """Positions of all links after a second [m]."""
    model = reading_of(text).model
    trajectory = lj.simulate(model, 1.0)
    poses = forward_kinematics(compile_model(model), np.array(trajectory.q[-1]))[0]
    return np.array(poses)[:, :3]


@pytest.mark.parametrize(("unit", "up", "kilogram"), [(0.01, "Z", 1.0), (0.01, "Y", 1.0), (0.0254, "Y", 0.45)])
def test_motion_does_not_depend_on_units_and_axes(unit, up, kilogram):
    """A machine in centimetres or inches, grams or pounds, with Y up moves as in metres, kilograms and Z up."""
    wanted = motion_of(arm(1.0, "Z"))
    assert np.abs(wanted - np.array([(0.5, 0, 2), (1.5, 0, 2)])).max() > 0.1
    assert np.abs(motion_of(arm(unit, up, kilogram)) - wanted).max() < 1e-6


def test_a_stage_without_units_is_in_centimetres_with_y_up():
    """Files that say nothing have UsdGeom's defaults."""
    text = f"#usda 1.0\n{body('a', at=(1, 2, 3))}"
    assert reading_of(text).model.links[0].pose[:3] == pytest.approx((0.01, -0.03, 0.02))


def gravity_of(content: str | None, **units: object) -> tuple[float, ...]:
    scene = "" if content is None else prim("PhysicsScene", "scene", content)
    return model_of(body("a") + scene, **units).gravity


def test_gravity():
    """It is that of the earth, downwards, unless the scene says else; in units and axes of the stage."""
    earth = pytest.approx((0, 0, -9.81))
    assert gravity_of(None) == earth
    assert gravity_of("", unit=0.01, up="Y") == earth
    assert gravity_of("float physics:gravityMagnitude = -inf\nvector3f physics:gravityDirection = (0, 0, 0)") == earth
    assert gravity_of("float physics:gravityMagnitude = 162", unit=0.01, up="Y") == pytest.approx((0, 0, -1.62))
    assert gravity_of("vector3f physics:gravityDirection = (0, 0, 2)", unit=0.01, up="Y") == pytest.approx(
        (0, -9.81, 0)
    )
    assert gravity_of("float physics:gravityMagnitude = 0") == pytest.approx((0, 0, 0))


def test_second_scenes_are_told():
    """The first scene counts, and a note says so."""
    scenes = "".join(prim("PhysicsScene", f"s{n}", f"float physics:gravityMagnitude = {n}") for n in (1, 2))
    reading = reading_of(stage(body("a") + scenes))
    assert reading.model.gravity == pytest.approx((0, 0, -1))
    assert any(note.startswith("2 physics scenes") for note in reading.notes)


def test_names_that_occur_twice():
    """A prim's name, or as much of its path as tells it from others; display names come first."""
    arms = "".join(prim("Xform", side, body("arm") + body("hand")) for side in ("left", "right"))
    shown = body("x1", metadata='displayName = "Kurbel"')
    names = [link.name for link in model_of(arms + body("base") + shown).links]
    assert names == ["left::arm", "left::hand", "right::arm", "right::hand", "base", "Kurbel"]
    assert [link.name for link in model_of(body("world")).links] != ["world"]
    hinges = prim("Xform", "y", joint("Fixed", "j", "", ("", "/a"))) + joint("Fixed", "j", "", ("", "/b"))
    assert len({found.name for found in model_of(body("a") + body("b") + hinges).joints}) == 2


def test_the_model_has_the_name_of_the_default_prim():
    """Without a default prim, it has that of the first one."""
    two = prim("Xform", "a") + prim("Xform", "b", body("c"))
    assert model_of(two, metadata='defaultPrim = "b"').name == "b"
    assert model_of(two).name == "a"


def test_variants_and_references_are_read_as_composed(tmp_path):
    """A reference brings the bodies of another file, an overriding opinion and the selected variant count."""
    (tmp_path / "part.usda").write_text(
        stage(body("arm", "float physics:mass = 2"), metadata='defaultPrim = "arm"'), encoding="utf-8"
    )
    variant = (
        'def Xform "b" (\nvariants = { string size = "big" }\nprepend variantSets = "size"\n'
        'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]\n) {\n'
        'variantSet "size" = { "big" {\nfloat physics:mass = 7\n} "small" {\nfloat physics:mass = 1\n} }\n}\n'
    )
    path = tmp_path / "whole.usda"
    reference = (
        'def "a" (references = @part.usda@) {}\ndef "c" (references = @part.usda@) {\nfloat physics:mass = 3\n}\n'
    )
    path.write_text(stage(reference + variant), encoding="utf-8")
    assert {link.name: link.mass for link in read(path).model.links} == {"a": 2, "c": 3, "b": 7}


def test_inactive_prims_and_classes_are_not_read():
    """A prim that is switched off, abstract or only an override is not there."""
    off = body("off", metadata="active = false")
    over = 'over "x" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}\nclass "y" (prepend apiSchemas = '
    text = body("a") + off + over + '["PhysicsRigidBodyAPI"]) {}\n'
    assert [link.name for link in model_of(text).links] == ["a"]


@pytest.mark.parametrize("suffix", [".usda", ".usd", ".usdc"])
def test_every_suffix(tmp_path, suffix):
    """Text and crates are read, whatever the suffix says of the two that may be either."""
    from pxr import Usd

    source = tmp_path / "source.usda"
    source.write_text(stage(body("a")), encoding="utf-8")
    path = tmp_path / f"m{suffix}"
    Usd.Stage.Open(str(source)).Export(str(path))
    assert [link.name for link in read(path).model.links] == ["a"]
    assert [link.name for link in read(Path(path.name), data=path.read_bytes()).model.links] == ["a"]


def test_packages(tmp_path):
    """A .usdz is read with what is packed into it."""
    from pxr import Sdf, UsdUtils

    (tmp_path / "part.usda").write_text(stage(body("arm"), metadata='defaultPrim = "arm"'), encoding="utf-8")
    path = tmp_path / "whole.usda"
    path.write_text(stage('def "a" (references = @part.usda@) {}\n'), encoding="utf-8")
    assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(path)), str(tmp_path / "m.usdz"))
    assert [link.name for link in read(tmp_path / "m.usdz").model.links] == ["a"]


def test_a_missing_reference_is_one_warning(capfd):
    """It names the file and the prim, and nothing of where pxr looked; nothing is printed."""
    reading = reading_of(stage(body("a") + 'def "b" (references = @gone.usda@) {}\n'))
    (issue,) = reading.issues
    assert (issue.severity, issue.code, issue.prim) == ("warning", "not-found", "/b")
    assert issue.message == "Could not open asset @gone.usda@ for reference introduced by </b>."
    assert capfd.readouterr() == ("", "")


def test_cycles_of_references_are_warnings(capfd):
    """Each prim of a cycle gives one line, and the rest is read."""
    reading = reading_of(stage(body("a") + 'def "b" (references = </c>) {}\ndef "c" (references = </b>) {}\n'))
    assert [(issue.code, issue.prim) for issue in reading.issues] == [("not-found", "/b"), ("not-found", "/c")]
    assert all("\n" not in issue.message for issue in reading.issues)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("m.usda", b"garbage", "is not a valid usda layer"),
        ("m.usda", b'#usda 1.0\ndef Xform "a" {', "Expected }"),
        ("m.usdc", b"PXR-USDC" + bytes(40), "File too small"),
        ("m.usdc", b"PXR-USDC" + bytes((0, 3, 0)) + bytes(200), "0.4.0"),
        ("m.usdc", b"PXR-USDC" + bytes((0, 8, 0)) + bytes(200), ""),
        ("m.usdc", b"nothing", "File too small"),
        ("m.usdz", b"PK\3\4junk", "Failed to open layer"),
        ("m.usd", b"junk of any kind", ""),
    ],
)
def test_broken_files_are_one_line(tmp_path, capfd, name, data, words):
    """The line has the file's name, what pxr says, and no name of pxr's own files and functions."""
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UnreadableError) as caught:
        read(path)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert "pxrInternal" not in message
    assert "opt/USD" not in message
    assert name in message
    assert capfd.readouterr() == ("", "")


def test_an_empty_stage_has_no_links():
    """It is read, with a warning."""
    assert codes_of("") == ["no-links"]


@pytest.mark.parametrize(
    "metadata", ["metersPerUnit = 0", "metersPerUnit = -1", "metersPerUnit = inf", "kilogramsPerUnit = -2"]
)
def test_units_that_are_no_units(metadata):
    """They are errors; the rest is read in metres and kilograms."""
    reading = reading_of(f"#usda 1.0\n(\n{metadata}\n)\n{body('a')}", allow_errors=True)
    assert [issue.code for issue in reading.issues if issue.severity == "error"] == ["bad-number"]


def shaped(kind: str, content: str) -> str:
    """A body with a collider."""
    return body("a", f"{SOLID}" + prim(kind, "c", content, ["PhysicsCollisionAPI"]))


NUMBERS = {
    "position": body("a", at=(math.nan, 0, 0)),
    "infinite position": body("a", at=(math.inf, 0, 0)),
    "scale": body("a", "float physics:mass = 1\n" + prim("Cube", "c", "", ["PhysicsCollisionAPI"], size=(0, 0, 0))),
    "velocity": body("a", "vector3f physics:velocity = (inf, 0, 0)\nfloat physics:mass = 1"),
    "gravity": body("a") + prim("PhysicsScene", "s", "float physics:gravityMagnitude = inf"),
    "direction": body("a") + prim("PhysicsScene", "s", "vector3f physics:gravityDirection = (nan, 0, 0)"),
    "frame": body("a") + joint("Fixed", "j", "point3f physics:localPos1 = (nan, 0, 0)", ("", "/a")),
    "rotation": body("a") + joint("Fixed", "j", "quatf physics:localRot1 = (nan, 0, 0, 0)", ("", "/a")),
    "limit": body("a") + joint("Revolute", "j", "float physics:lowerLimit = nan", ("", "/a")),
    "drive": body("a")
    + joint("Revolute", "j", "float drive:angular:physics:stiffness = inf", ("", "/a"), ["PhysicsDriveAPI:angular"]),
    "target": body("a")
    + joint(
        "Revolute",
        "j",
        "float drive:angular:physics:stiffness = 1\nfloat drive:angular:physics:targetPosition = inf",
        ("", "/a"),
        ["PhysicsDriveAPI:angular"],
    ),
    "size": body("a", "float physics:mass = 1\n" + prim("Cube", "c", "double size = nan", ["PhysicsCollisionAPI"])),
    "negative size": body(
        "a", "float physics:mass = 1\n" + prim("Cube", "c", "double size = -1", ["PhysicsCollisionAPI"])
    ),
    "radius": body(
        "a", "float physics:mass = 1\n" + prim("Sphere", "c", "double radius = inf", ["PhysicsCollisionAPI"])
    ),
    "colour": body(
        "a", "float physics:mass = 1\n" + prim("Cube", "c", "color3f[] primvars:displayColor = [(nan, 0, 0)]")
    ),
}


@pytest.mark.parametrize("name", [*NUMBERS])
def test_numbers_that_are_not_finite(name):
    """Each is reported, and none gets into the model in silence."""
    reading = reading_of(stage(NUMBERS[name]), allow_errors=True)
    found = [issue for issue in reading.issues if issue.code not in ("no-mass",)]
    assert found
    assert all("\n" not in issue.message for issue in found)


def test_a_file_that_changes_is_read_again(tmp_path):
    """pxr keeps layers that are in use; a reading leaves none behind."""
    path = tmp_path / "m.usda"
    for name in ("a", "b", "c"):
        path.write_text(stage(body(name)), encoding="utf-8")
        assert [link.name for link in read(path).model.links] == [name]


def test_many_prims():
    """A stage with 200,000 prims is read in seconds; those without physics cost little."""
    part = "".join(f'def Xform "p{number}" {{}}\n' for number in range(1000))
    wide = prim("Xform", "part", part)
    copies = "".join(f'def "c{number}" (references = </part>) {{}}\n' for number in range(199))
    assert [link.name for link in model_of(wide + copies + body("a")).links] == ["a"]


def test_many_bodies_and_joints():
    """Thousands of bodies, joints and filtered pairs take time in proportion to their number."""
    count = 2000
    pair = "rel physics:filteredPairs = </b0>\nfloat physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)"
    bodies = "".join(body(f"b{number}", pair, ["PhysicsFilteredPairsAPI"]) for number in range(count))
    joints = "".join(joint("Revolute", f"j{n}", "", (f"/b{n}", f"/b{n + 1}")) for n in range(count - 1))
    model = model_of(bodies + joints)
    assert (len(model.joints), len(model.contact_pairs)) == (count - 1, count - 1)


def test_the_command_line(tmp_path):
    """`info` prints a stage, and nothing on stderr."""
    path = tmp_path / "m.usda"
    path.write_text(stage(body("a")), encoding="utf-8")
    command = [sys.executable, "-m", "limberjack", "info", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "a" in done.stdout
    assert done.stderr == ""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are broken, or are not what their names say: one clear line, an exit code, and nothing written."""

import re
from pathlib import Path

import pytest

from limberjack.core import cli
from limberjack.core.files.errors import UnreadableError
from limberjack.core.formats import read
from limberjack.core.formats.source import Source
from limberjack.core.formats.usd.stage import refusing_what_pxr_refuses
from support.usd import SOLID, body, prim, reading_of, stage

pytest.importorskip("pxr", reason="usd-core is not installed")

GOOD = stage(body("a"))
REFERENCE = 'def "b" (references = @part.usda@) {}\n'


def crate_of(text: str) -> bytes:
    """Return a stage as the content of a binary file."""
    from limberjack.core.formats.usd.library import binary

    return binary(text, ".usdc")


REFUSED = {
    "empty.usda": (lambda: b"", "the file is empty"),
    "empty.usdc": (lambda: b"", "the file is empty"),
    "empty.usdz": (lambda: b"\n", "the file is empty"),
    "cut.usda": (lambda: GOOD[: GOOD.index("}")].encode(), "Expected }"),
    "cut.usdc": (lambda: crate_of(GOOD)[:400], "possibly truncated"),
    "old.usdc": (
        lambda: b"PXR-USDC" + bytes((0, 3, 0)) + bytes(200),
        "The oldest version this software supports is 0.4.0",
    ),
    "robot.usda": (lambda: b"<robot name='r'/>", "is not a valid usda layer"),
    "text.usdc": (GOOD.encode, "it is text of USD, but '.usdc' is not the suffix of one; name it text.usda"),
    "text.usdz": (GOOD.encode, "it is text of USD, but '.usdz' is not the suffix of one; name it text.usda"),
    "text.urdf": (GOOD.encode, "it is text of USD, but '.urdf' is not the suffix of one; name it text.usda"),
    "crate.usda": (lambda: crate_of(GOOD), "it is a binary file of USD, but '.usda' is not the suffix of one"),
    "archive.usda": (lambda: b"PK\3\4rest", "it is an archive of USD, but '.usda' is not the suffix of one"),
    "latin.usda": (lambda: GOOD.encode() + b'def "\xff\xfe" {}\n', "it has names or texts that are not UTF-8"),
}
"""Files that pxr cannot read: what is in them, and words of the line."""


@pytest.mark.parametrize("name", [*REFUSED])
def test_a_file_that_cannot_be_read_is_one_line(name, tmp_path, capfd):
    """Guards both commands: they end with the code of unreadable files, say what is wrong, and write nothing."""
    content, words = REFUSED[name]
    path, target = tmp_path / name, tmp_path / "out.sdf"
    path.write_bytes(content())
    for command in (["check", str(path)], ["convert", str(path), str(target)]):
        assert cli.main(command) == cli.UNUSABLE
        (line,) = [each for each in "".join(capfd.readouterr()).splitlines() if each]
        assert line.startswith(f"{path}: error unreadable: ")
        assert words in line
    assert [each.name for each in tmp_path.iterdir()] == [name]


NUMBERS = {
    "mass": body("a", "float physics:mass = nan\nfloat3 physics:diagonalInertia = (1, 1, 1)"),
    "inertia": body("a", "float physics:mass = 1\nfloat3 physics:diagonalInertia = (inf, 1, 1)"),
    "place": body("a", at=(float("nan"), 0, 0)),
}


@pytest.mark.parametrize("name", [*NUMBERS])
def test_numbers_that_are_not_finite_are_errors(name, tmp_path, capfd):
    """Guards both commands: the line names the prim, and nothing is written."""
    path, target = tmp_path / "m.usda", tmp_path / "out.sdf"
    path.write_text(stage(NUMBERS[name]), encoding="utf-8")
    for command in (["check", str(path)], ["convert", str(path), str(target)]):
        assert cli.main(command) == cli.HAS_ERRORS
        lines = [line for line in "".join(capfd.readouterr()).splitlines() if ": error " in line]
        assert len(lines) == 1
        assert lines[0].startswith(f"{path}</a>: error ")
    assert not target.exists()


COMPOSED = {
    "missing reference": (
        body("a") + 'def "b" (references = @gone.usda@) {}\n',
        "",
        "Could not open asset @gone.usda@",
    ),
    "missing payload": (body("a") + 'def "b" (payload = @gone.usda@) {}\n', "", "Could not open asset @gone.usda@"),
    "missing layer": (body("a"), "subLayers = [@gone.usda@]", "sublayer @gone.usda@ of layer @m.usda@; skipping"),
    "cycle": (body("a") + 'def "b" (references = @m.usda@</b>) {}\n', "", "Cycle detected"),
    "cycle of layers": (body("a"), "subLayers = [@m.usda@]", "layer @m.usda@ was seen"),
}
"""Stages whose composition fails in a part: prims, metadata, and words of the line."""


@pytest.mark.parametrize("name", [*COMPOSED])
def test_a_stage_of_which_a_part_is_missing_is_read_with_a_line(name, tmp_path, capfd):
    """Guards references: the rest is read and written, and one warning names what is not there."""
    prims, metadata, words = COMPOSED[name]
    path, target = tmp_path / "m.usda", tmp_path / "out.sdf"
    path.write_text(stage(prims, metadata=metadata), encoding="utf-8")
    assert cli.main(["convert", str(path), str(target)]) == cli.DONE
    (line,) = [each for each in "".join(capfd.readouterr()).splitlines() if "not-found" in each]
    assert words in line
    assert [link.name for link in read(target).model.links] == ["a"]


def test_a_binary_file_without_a_name_is_read():
    """Guards what comes from stdin: its first bytes say what it is."""
    for data in (GOOD.encode(), crate_of(GOOD)):
        assert [link.name for link in read(Path("stdin"), data=data).model.links] == ["a"]


def test_errors_of_pxr_that_come_late_are_one_line():
    """Guards values that pxr reads when they are asked for: what it says of broken ones is no defect."""
    from pxr import Tf

    with pytest.raises(UnreadableError) as caught, refusing_what_pxr_refuses(Source(Path("m.usdc"))):
        Tf.RaiseRuntimeError("a value is\nbroken")
    assert re.fullmatch(r"m\.usdc: error unreadable: pxr cannot read it: .*a value is broken", str(caught.value))


def test_transforms_that_flatten_are_no_defect():
    """Guards shapes whose transform has two parallel axes, for which there is no nearest rotation."""
    rows = "((1, 0, 0, 0), (1, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))"
    flat = f'matrix4d xformOp:transform = {rows}\nuniform token[] xformOpOrder = ["xformOp:transform"]'
    reading = reading_of(stage(body("a", SOLID + prim("Cube", "c", flat, ["PhysicsCollisionAPI"]))))
    assert [link.name for link in reading.model.links] == ["a"]

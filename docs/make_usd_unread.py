# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the table in docs/formats.md of the contents of public USD stages that are not read. It needs ../shared."""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from limberjack.core.formats import read
from support.shared import CORPUS

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("formats.md")
FOLDER = CORPUS / "usd"

BEGIN, END = "<!-- Written by docs/make_usd_unread.py. -->\n", "<!-- End of the table. -->\n"
"""Lines around the table."""

UNREAD = {
    r"springs and dampers of limits": ("springs and dampers of limits (PhysX)", "a stop is rigid"),
    r"states of joints": ("states of joints (PhysX)", "a joint starts where its bodies are drawn"),
    r"shapes that belong to no body": ("shapes that neither move nor collide", "they have no effect"),
    r"it has no geometry of its own": ("colliders that are transforms without a geometry", "they touch nothing"),
    r"actuators are not read": ("actuators (Newton, MuJoCo)", "drives are read instead"),
    r"tendons are not read": ("tendons (PhysX)", "a model has no springs across several joints"),
    r"equality constraints": ("equality constraints (MuJoCo)", "joints of UsdPhysics close loops instead"),
    r"deformable bodies": ("deformable bodies (Newton)", "bodies are rigid"),
    r"convex decompositions": (
        "convex decompositions of moving meshes",
        "they collide as convex hulls, unless `LINK.collisions=pieces` is set",
    ),
    r"convex hulls": ("convex hulls of static meshes", "static meshes collide as drawn"),
    r"target velocity": ("velocities of position drives", "a drive has one target"),
    r"Could not open asset": ("references", "the file is not there"),
    r"joins no body": ("joints between prims without a rigid body", "pxr's parser finds no body there either"),
    r"<\w+> is not read; its bodies": ("joints of other schemas", "UsdPhysics does not define them"),
}
"""Kinds of contents that are not read, each with the reason, by a pattern of the words of its finding."""

READ = (
    "kinematic bodies stand",
    "where it cannot move",
    "outside its limits",
    "nothing gives its mass",
    "has no links",
)
"""Words of findings about what is read."""

OTHERS = {
    r"\w*Light|Camera|Render\w+": ("lights, cameras and settings of renderers", "a model has no place for them"),
}
"""Kinds of contents that are not read and give no finding, each with the reason, by a pattern of types of prims."""

SETTINGS = re.compile(r"(newton|mjc|physx\w*):")
"""Beginnings of names of attributes of other schemas."""

OF_ENGINES = ("other attributes of PhysX, Newton and MuJoCo", "settings of their solvers, sleep, sensors and materials")


def table() -> str:
    """Return the table.

    Raises:
        ValueError: if a finding is neither in `UNREAD` nor in `READ`.
    """
    counts: Counter[tuple[str, str]] = Counter()
    stages: Counter[tuple[str, str]] = Counter()
    paths = [FOLDER / name for name in (FOLDER / "files.txt").read_text(encoding="utf-8").split()]
    for path in paths:
        found = _in_stage(path)
        counts += found
        stages.update(found.keys())
    rows = [
        f"| {kind} | {counts[kind, why]} | {stages[kind, why]} | {why} |"
        for kind, why in sorted(counts, key=lambda row: (-counts[row], row))
    ]
    head = [f"| not read of {len(paths)} public stages | count | stages | why |", "|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def _in_stage(path: Path) -> Counter[tuple[str, str]]:
    """Return what is not read of a stage, with the counts."""
    from pxr import Usd

    found: Counter[tuple[str, str]] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reading = read(path, allow_errors=True)
    for text in (*(issue.message for issue in reading.issues), *reading.notes):
        row = next((row for words, row in UNREAD.items() if re.search(words, text)), None)
        if row:
            number = re.search(r"(\d+) found", text) or re.match(r"(\d+) shapes", text)
            found[row] += int(number[1]) if number else 1
        elif not any(words in text for words in READ):
            raise ValueError(f"{path.name}: nothing says why this is not read: {text}")
    source = "".join(each.read_text(encoding="utf-8") for each in (ROOT / "core/formats/usd").glob("*.py"))
    stage = Usd.Stage.Open(str(path))
    for prim in stage.Traverse():
        for words, row in OTHERS.items():
            found[row] += bool(re.fullmatch(words, prim.GetTypeName()))
        names = (each.GetName() for each in prim.GetAuthoredAttributes())
        found[OF_ENGINES] += sum(1 for name in names if SETTINGS.match(name) and not _is_told(name, source))
    return +found


def _is_told(name: str, source: str) -> bool:
    """Return whether an attribute of another schema is read, or is a part of what a finding tells."""
    return name in source or name.startswith(("physxLimit:", "physxTendon:", "physxMimicJoint:"))


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()

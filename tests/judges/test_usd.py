# SPDX-License-Identifier: GPL-3.0-or-later
"""USD as Blender 4.5's pxr has it, 25.02: its usdchecker accepts what we write, and by it we read the same models."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from limberjack.core.formats import UnreadableError, read, write
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import simulate
from support.dressed import dressed_model
from support.judges import JUDGES, ROOT, needs
from support.models import aimed, axes
from support.shared import CORPUS, needs_corpus

pytest.importorskip("pxr", reason="no pxr: pip install usd-core")

OLDER = JUDGES / "usd-25.2"
STAGES = CORPUS / "usd" / "files.txt"

pytestmark = needs(OLDER)


def judged(verb: str, paths: list[Path], folder: Path) -> list[dict]:
    """Return what the older pxr makes of files, by a process of its own.

    verb: "check" or "read", as of older_usd.py. folder: for its answer.
    """
    out = folder / "older.json"
    script = [sys.executable, str(ROOT / "tests" / "judges" / "older_usd.py"), verb, str(out), *map(str, paths)]
    environment = {**os.environ, "PYTHONPATH": str(OLDER)}
    done = subprocess.run(script, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-400:]
    found = json.loads(out.read_text(encoding="utf-8"))
    assert {each["version"] for each in found} == {"0.25.2"}
    return found


def digest(path: Path) -> str:
    """Return the digest of a model by the pxr here; of a file that is refused, the message without its path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read(path, allow_errors=True).model.digest()
        except UnreadableError as error:
            return str(error).replace(str(path), "")


def of_type(kind: str) -> Model:
    """Return a chain of joints of a type, with limits and drives."""
    along = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    directions = [along[number % 3] for number in range(axes(kind))]
    given = {"lower": -0.5, "upper": 0.5, "drive_mode": "position", "drive_stiffness": 4.0}
    made = [
        Joint(f"j{name}", kind, parent, name, axes=aimed(kind, [Axis(each, **given) for each in directions]))
        for parent, name in ((WORLD, "a"), ("a", "b"))
    ]
    return Model(kind, [Link("a"), Link("b")], made)


def test_what_we_write(tmp_path):
    """Guards samples, every type of joint, odd models and motions, as text and as binary files."""
    samples = {path.stem: read(path).model for path in sorted((ROOT / "sample_scenes").glob("*.sdf"))}
    models = {**samples, **{kind: of_type(kind) for kind in JOINT_TYPES}}
    models |= {f"dressed{seed}": dressed_model(seed) for seed in range(12)}
    paths = []
    for name, model in models.items():
        for suffix in (".usda", ".usdc"):
            paths.append(tmp_path / f"{name}{suffix}")
            write(model, paths[-1])
    paths.append(tmp_path / "crane.usdz")
    write(samples["crane"], paths[-1])
    paths.append(tmp_path / "motion.usda")
    write(samples["crane"], paths[-1], motion=simulate(samples["crane"], 0.5))
    found = judged("check", paths, tmp_path)
    assert {path.name: each["complaints"] for path, each in zip(paths, found, strict=True) if each["complaints"]} == {}
    assert [each["digest"] for each in found] == [digest(path) for path in paths]


def test_the_judge_objects(tmp_path):
    """Guards the judge itself: it objects to a stage that says neither its axes nor its default prim."""
    path = tmp_path / "bare.usda"
    path.write_text('#usda 1.0\ndef Xform "a" {}\n', encoding="utf-8")
    (found,) = judged("check", [path], tmp_path)
    assert any("upAxis" in each for each in found["complaints"])


@needs_corpus
def test_what_others_write(tmp_path):
    """Guards readings of public stages: both versions of pxr give the same model, or the same message."""
    paths = [CORPUS / "usd" / name for name in STAGES.read_text().split()]
    found = judged("read", paths, tmp_path)
    differ = {path.name for path, each in zip(paths, found, strict=True) if each["digest"] != digest(path)}
    assert differ == set()

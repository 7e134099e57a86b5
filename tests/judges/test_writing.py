# SPDX-License-Identifier: GPL-3.0-or-later
"""What we write, as libsdformat and Drake read it: every real file that we can read, and hundreds of random models.

libsdformat is handed SDF 1.9, the newest that it knows, and Drake 1.12.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from limberjack.core.cli import describe
from limberjack.core.formats import UnreadableError, read, write
from limberjack.core.model import WORLD, Model
from support.dressed import dressed_model
from support.judges import differences, drake_all, golden, libsdformat_all, needs_libsdformat, needs_python_judges
from support.shared import CORPUS

VERSIONS = {"libsdformat": "1.9", "drake": "1.12"}
JUDGES: dict[str, Callable[[list[Path]], list[dict]]] = {
    "libsdformat": libsdformat_all,
    "drake": partial(drake_all, lenient=True),  # it knows neither sensors nor plugins, which are kept
}
RANDOM = 200
DRAKE_TURNS_ROUND = ("fixed", "revolute", "continuous", "prismatic")
"""Joints that may point from a link farther from the world to one nearer to it."""

UNPHYSICAL = "has inertias that are not physical: libsdformat calls them errors, and Drake takes others in their place"
DIFFERENT = {
    ("sdf/gazebo_models_demo_joint_types", "libsdformat"): UNPHYSICAL,
    ("sdf/drake_joint_parsing_test", "drake"): "has joints of Drake's own, which are text to us and come back as that",
    ("sdf/gzsim_elevator", "drake"): "fixes a link to the world twice, which Drake refuses",
    ("urdf/erd_anymal_b", "libsdformat"): UNPHYSICAL,
    ("urdf/erd_anymal_b", "drake"): UNPHYSICAL,
    ("urdf/erd_hyq", "libsdformat"): UNPHYSICAL,
    ("urdf/erd_hyq", "drake"): UNPHYSICAL,
    ("urdf/bullet_xarm6_with_gripper", "libsdformat"): UNPHYSICAL,
    ("urdf/bullet_test_joints_MB", "drake"): "has a link of no mass, in the place of which Drake takes 1 kg",
    ("urdf/drake_cassie_v2", "drake"): "has joints named as links are, which SDF does not allow: they are renamed",
}
"""(folder in the corpus, judge): why that judge does not read what we wrote as we do."""


@dataclass(frozen=True)
class Case:
    """A file of the corpus, what we made of it, and the judges that read it."""

    folder: str
    model: Model
    judges: tuple[str, ...]


def cases() -> list[Case]:
    manifest = CORPUS / "manifest.json"
    entries = json.loads(manifest.read_text()) if manifest.is_file() else []
    found = []
    for entry in entries:
        if entry["format"] not in ("sdf", "urdf"):
            continue
        path = CORPUS / entry["file"]
        try:
            reading = read(path)
        except UnreadableError:
            continue
        told = golden(path)
        judges = tuple(
            judge for judge in JUDGES if any(has_read(told[name]) for name in told if name.startswith(judge))
        )
        if reading.ok and judges:
            found.append(Case(entry["file"].rpartition("/")[0], reading.model, judges))
    return found


def has_read(told: dict) -> bool:
    return bool(told["ok"] or told.get("usable"))


def judged(models: dict[str, Model], judge: str, folder: Path) -> dict[str, str]:
    """Write models, each into a folder of its own, have them read, and tell what differs, by the models' names."""
    paths = []
    for i, model in enumerate(models.values()):
        paths.append(folder / judge / str(i) / "m.sdf")
        paths[-1].parent.mkdir(parents=True)
        write(model, paths[-1], sdf_version=VERSIONS[judge])
    readings = JUDGES[judge](paths)
    return {name: verdict(model, reading) for (name, model), reading in zip(models.items(), readings, strict=True)}


def verdict(model: Model, reading: dict) -> str:
    """What differs, is an error or unknown to SDF; unknown elements that were kept from a file are that file's."""
    kept = any(link.extras for link in model.links)
    unknown = [warning for warning in reading["warnings"] if "not defined in SDF" in str(warning) and not kept]
    errors = [f"error {error}" for error in reading["errors"]]
    told = describe(model)
    different = differences(told, reading) and differences(flattened(told), reading)
    return "\n".join([*map(str, errors + unknown), different]).strip()


def flattened(told: dict) -> dict:
    """Names of links and joints in inner models as they become where they are written into one."""

    def flat(item: dict) -> dict:
        names = {key: item[key].replace("::", "__") for key in ("name", "parent", "child") if key in item}
        return item | names

    return told | {kind: [flat(item) for item in told[kind]] for kind in ("links", "joints")}


@pytest.fixture(scope="module")
def corpus_verdicts(tmp_path_factory) -> dict[tuple[str, str], str]:
    folder, read_cases = tmp_path_factory.mktemp("corpus"), cases()
    return {
        (name, judge): told
        for judge in JUDGES
        for name, told in judged(
            {case.folder: case.model for case in read_cases if judge in case.judges}, judge, folder
        ).items()
    }


@needs_libsdformat
@needs_python_judges
def test_real_files_are_written_as_they_were_read(corpus_verdicts):
    """Guards poses, masses, inertias, joints, axes and limits on their way out; a known difference must be there."""
    wrong = {key: told for key, told in corpus_verdicts.items() if told and key not in DIFFERENT}
    assert wrong == {}
    assert {key: DIFFERENT[key] for key in DIFFERENT if not corpus_verdicts.get(key)} == {}


@needs_libsdformat
@needs_python_judges
def test_most_real_files_were_judged(corpus_verdicts):
    """Guards against judging nothing."""
    asked = {judge: sum(1 for _, who in corpus_verdicts if who == judge) for judge in JUDGES}
    assert all(count >= 50 for count in asked.values()), asked
    assert len(DIFFERENT) <= 0.2 * len(corpus_verdicts)


def for_drake(model: Model) -> Model:
    """Without what Drake refuses: revolute2, loops, joints of most types from child to parent, and such followers."""
    model.joints = [joint for joint in model.joints if joint.type != "revolute2"]
    while refused := refused_by_drake(model):
        model.joints = [joint for joint in model.joints if joint.name not in refused]
    kept = {joint.name: joint for joint in model.joints}
    for joint in model.joints:
        leader = kept.get(joint.mimic.leader) if joint.mimic else None
        if leader is None or joint.nq != 1 or leader.nq != 1:
            joint.mimic = None
    return model


def refused_by_drake(model: Model) -> set[str]:
    """Names of joints. In what hangs on the world by no joint, Drake's tree may begin at another link than ours."""
    tree = model.tree()
    inner = {branch.outer: branch.inner for branch in tree.branches}

    def is_held(link: str) -> bool:
        while link in inner:
            link = inner[link]
        return link == WORLD

    inward = [branch.joint for branch in tree.branches if branch.backward]
    refused = [joint for joint in inward if joint.type not in DRAKE_TURNS_ROUND or not is_held(joint.parent)]
    return {joint.name for joint in [*tree.loops, *refused]}


@needs_libsdformat
def test_libsdformat_reads_random_models_as_they_are(tmp_path):
    """Guards all joint types, limits, springs, shapes and names, by Gazebo's own reader."""
    models = {f"seed {seed}": dressed_model(seed) for seed in range(RANDOM)}
    assert {name: told for name, told in judged(models, "libsdformat", tmp_path).items() if told} == {}


@needs_python_judges
def test_drake_reads_random_models_as_they_are(tmp_path):
    """Guards the same, and followers, by a reader that refuses what it does not know."""
    models = {f"seed {seed}": for_drake(dressed_model(seed)) for seed in range(RANDOM)}
    assert sum(joint.mimic is not None for model in models.values() for joint in model.joints) > RANDOM // 20
    assert {name: told for name, told in judged(models, "drake", tmp_path).items() if told} == {}


@needs_libsdformat
def test_a_wrong_number_would_be_seen(tmp_path):
    """Guards the comparison: each number that is altered after writing is told."""
    model = dressed_model(0)
    write(model, tmp_path / "m.sdf", sdf_version="1.9")
    reading = libsdformat_all([tmp_path / "m.sdf"])[0]
    assert verdict(model, reading) == ""
    for link in model.links:
        link.mass *= 1.01
    assert "mass" in verdict(model, reading)


@needs_libsdformat
@pytest.mark.parametrize("case", sorted({case for case, judge in DIFFERENT if DIFFERENT[case, judge] == UNPHYSICAL}))
def test_mended_inertias_are_accepted(case, tmp_path):
    """Guards --mend-inertias: libsdformat, which calls such inertias errors, has none to name in what it mends."""
    source = next(path for path in (CORPUS / case).iterdir() if path.suffix in (".sdf", ".world", ".urdf"))
    model, target = read(source).model, tmp_path / "model.sdf"
    write(model, target, sdf_version="1.9")
    assert any("inertia" in str(told).lower() for told in libsdformat_all([target])[0]["errors"])
    told = write(model, target, sdf_version="1.9", mend_inertias=True)
    assert any("principal moments" in line for line in told)
    assert libsdformat_all([target])[0]["errors"] == []

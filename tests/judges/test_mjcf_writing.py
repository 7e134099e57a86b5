# SPDX-License-Identifier: GPL-3.0-or-later
"""Guards MJCF that we write: MuJoCo loads it without a warning, with our poses, masses, limits and M(q)."""

import re
from pathlib import Path

import numpy as np

from limberjack.core.dynamics.equations import tree_mass_matrix
from limberjack.core.formats import UnreadableError, read, write
from limberjack.core.model import Model
from support.dressed import dressed_model
from support.judges import PYTHON, needs
from support.mjcf import Beside, mujocos, mujocos_run
from support.shared import CORPUS, needs_corpus

pytestmark = needs(PYTHON)

SAMPLES = sorted((Path(__file__).parents[2] / "sample_scenes").glob("*.sdf"))
REAL = [path for kind in ("sdf", "urdf", "mjcf") for path in sorted((CORPUS / kind).rglob(f"*.{kind}"))]
REAL += [path for folder in ("mjcf", "mjcf_more") for path in sorted((CORPUS / folder).rglob("*.xml"))]

TOLERANCES = {"hand.sdf": 1e-8}
"""Larger tolerances. In the thumb, MuJoCo takes the axes of inertias, which are 4e-8 rad off, for those of the body."""

SINGULAR = "Inertia matrix is too close to singular"
"""Beginning of MuJoCo's warning about a model that has a velocity without mass at the start."""


def usable_model(path: Path) -> Model | None:
    """The model of a file that has one without errors."""
    try:
        reading = read(path)
    except UnreadableError:
        return None
    return reading.partial if reading.ok and reading.partial.links else None


def is_singular(model: Model) -> bool:
    """Return whether M(q) is singular, as it is for two hinges on one line with nothing between them."""
    M = tree_mass_matrix(model)
    return bool(M.size and np.linalg.cond(M) > 1e12)


def found_wrong(models: dict[str, Model], folder: Path) -> list[str]:
    """Write models, let MuJoCo load all of them, and compare what it has with what we read."""
    paths = {}
    for number, (name, model) in enumerate(models.items()):
        paths[name] = folder / f"{number}" / "model.xml"
        paths[name].parent.mkdir()
        write(model, paths[name])
    wrong = []
    for (name, path), theirs in zip(paths.items(), mujocos([*paths.values()], folder), strict=True):
        warnings = theirs["warnings"]
        if warnings and is_singular(models[name]):
            warnings = [warning for warning in warnings if not warning.startswith(SINGULAR)]
        if theirs["error"] or warnings:
            wrong.append(f"{name}: {theirs['error']} {warnings}")
            continue
        if theirs["absent"]:
            wrong.append(f"{name}: without the meshes {theirs['absent']}")
        has_key = "<keyframe>" in path.read_text()
        tolerance = TOLERANCES.get(name, 1e-9)
        wrong += [f"{name}: {line}" for line in Beside(read(path).model, theirs, has_key).differences(tolerance)]
    return wrong


def test_samples_mean_the_same_to_mujoco(tmp_path):
    """Guards the sample models, which have loops, couplings, drives, stacks of joints and surfaces."""
    assert len(SAMPLES) > 10
    assert found_wrong({path.name: read(path).model for path in SAMPLES}, tmp_path) == []


@needs_corpus
def test_real_models_mean_the_same_to_mujoco(tmp_path):
    """Guards robots and test files of all three formats, written as MJCF."""
    models = {str(path.relative_to(CORPUS)): model for path in REAL if (model := usable_model(path))}
    assert len(models) > 190
    assert found_wrong(models, tmp_path) == []


def test_random_models_mean_the_same_to_mujoco(tmp_path):
    """Guards all joint types together, odd names, shapes of all kinds, limits without room and followers."""
    models = {f"model {seed}": dressed_model(seed) for seed in range(100)}
    assert found_wrong(models, tmp_path) == []


@needs_corpus
def test_sensors_are_written_again(tmp_path):
    """MuJoCo has the sensors of the original in what we write, and each one that has gone is told."""
    files = [path for path in REAL if path.suffix == ".xml" and "<sensor>" in path.read_text(errors="replace")]
    given, paths, gone = [], [], []
    for number, path in enumerate(files):
        model = usable_model(path)
        kept = [extra for extra in model.extras if extra.tag == "sensor"] if model else []
        if not kept:
            continue
        out = tmp_path / f"{number}" / "model.xml"
        out.parent.mkdir()
        losses = write(model, out)
        lines = [line for line in losses if line.startswith("sensor '")]
        given.append((path, len(kept)))
        paths.append(out)
        gone.append(
            len(lines) + sum(int(more) for line in lines for more in re.findall(r"and (\d+) more like this", line))
        )
    found = mujocos_run(0.0, *paths)
    for (path, count), lost, theirs in zip(given, gone, found, strict=True):
        assert theirs["sensors"] == count - lost, path
    assert sum(gone) < 0.2 * sum(count for _, count in given)
    assert len(paths) > 15


def test_a_wrong_number_would_be_seen(tmp_path):
    """Guards the judge: MuJoCo's warnings are seen, and a file that differs from the model by a sign is told apart."""
    model = dressed_model(0)
    write(model, tmp_path / "model.xml")
    text = (tmp_path / "model.xml").read_text()
    (tmp_path / "warned.xml").write_text(
        text.replace("</mujoco>", '<custom><numeric name="n" data="nan"/></custom></mujoco>')
    )
    right, warned = mujocos([tmp_path / "model.xml", tmp_path / "warned.xml"], tmp_path)
    assert right["warnings"] == []
    assert "NaN" in warned["warnings"][0]
    again = read(tmp_path / "model.xml").model
    again.links[0].com = (1.0, 2.0, 3.0)
    assert Beside(again, right, "<keyframe>" in text).differences()

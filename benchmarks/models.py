# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark's models: those of shared/benchmark/models, and chains like them of any length."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compiled import CompiledModel
from limberjack.core.solvers.system import normalize_quaternions

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("LIMBERJACK_SHARED", ROOT.parent / "shared")) / "benchmark"
TYPES = {1: "revolute", 3: "ball", 4: "free"}
CHAIN_ROW = "{parent} 1 {axis} 0 0 {offset} 1.1 0.01 0.005 0.15 0.01 0.011 0.002"
CHAIN_AXES = ("0 0 1", "1 0 0", "0 1 0")
G = 9.81


def read_rows(name: str) -> Model:
    """A model of shared/benchmark/models."""
    return from_rows(name, (SHARED / "models" / f"{name}.txt").read_text().splitlines()[1:])


def chain(size: int) -> Model:
    """Links like those of chain10 to chain1000, all of one mass."""
    rows = [
        CHAIN_ROW.format(parent=i - 1, axis=CHAIN_AXES[i % len(CHAIN_AXES)], offset=0.3 if i else 0.0)
        for i in range(size)
    ]
    return from_rows(f"chain{size}", rows)


def from_rows(name: str, rows: list[str]) -> Model:
    """A row a body: `parent type axis xyz mass com inertia`."""
    model = Model(name=name)
    for i, row in enumerate(rows):
        numbers = [float(word) for word in row.split()]
        parent, kind, axis, offset = int(numbers[0]), int(numbers[1]), tuple(numbers[2:5]), tuple(numbers[5:8])
        xx, yy, zz = numbers[12:15]
        model.links.append(Link(f"l{i}", numbers[8], tuple(numbers[9:12]), (xx, 0.0, 0.0, yy, 0.0, zz)))
        axes = [Axis(xyz=axis)] if kind == 1 else []
        X_PJ = (*offset, 1.0, 0.0, 0.0, 0.0)
        model.joints.append(
            Joint(f"j{i}", TYPES[kind], WORLD if parent < 0 else f"l{parent}", f"l{i}", X_PJ, axes=axes)
        )
    return model


def lying(name: str) -> Model:
    """A chain let go from the horizontal: at home it stretches along z, so gravity points along -x."""
    model = read_rows(name)
    model.gravity = (-G, 0.0, 0.0)
    return model


def hanging_scale(chain: Model) -> float:
    """Potential energy between a lying chain's start and straight down, its lowest position [J]."""
    reach, energy = 0.0, 0.0
    for link, joint in zip(chain.links, chain.joints, strict=True):
        reach += joint.X_PJ[2]
        energy += link.mass * G * (link.com[0] + reach + link.com[2])
    return energy


def random_position(compiled: CompiledModel, rng: np.random.Generator) -> np.ndarray:
    """Coordinates of any size, quaternions of length 1, shape (nq,)."""
    q = rng.normal(size=compiled.nq)
    normalize_quaternions(compiled.arrays, q)
    return q

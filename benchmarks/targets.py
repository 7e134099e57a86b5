# SPDX-License-Identifier: GPL-3.0-or-later
"""What each figure must reach, and the table that shows whether it does."""

from __future__ import annotations

import json
import math
from fnmatch import fnmatchcase

TARGETS = {
    "aba_over_pinocchio.*": (0.5, 0.3),
    "call_over_pinocchio.*": (6.0, 3.0),
    "aba_per_body_10000_over_100": (2.0, 1.2),
    "second_over_mujoco.humanoid36": (1.0, 0.5),
    "second_over_mujoco.chain100": (2.0, 1.0),
    "second_over_mujoco.hindered": (2.0, 1.0),
    "drift_*[0-9].good": (1e-2, 1e-3),
    "drift_*[0-9].exact": (1e-4, 1e-6),
    "loop_error.*": (1e-9, None),
    "collision_over_mujoco.*": (1.5, 1.0),
    "contact_over_mujoco.*.draft": (2.0, 1.0),
    "contact_over_cenic?.*": (0.5, None),
    "contact_over_blender.*.good": (1.0, None),
    "aba_vs_rnea_residual.*": (1e-9, 1e-12),
    "bake_over_rigid_bodies": (0.7, 0.3),
    "*.window_over_script": (1.2, 1.1),
    "bake_gap.simulated": (1e-9, None),
    "falls.*.gap_m": (1e-9, None),
    "falls.*.hinge_deg": (0.5, None),
    "falls.draft.deepest_mm": (3.0, 1.0),
    "falls.*.deepest_mm": (1.0, None),
    "falls.*.rest_s": (5.0, None),
    "drop.*.gap_m": (1e-9, None),
    "drop.*.hinge_deg": (0.5, None),
    "start_warm_s": (2.0, None),
}
"""At most so much, and what would be better still; other figures only inform."""

HEADINGS = ("figure", "measured", "target", "beyond", "met")


def targets_of(key: str) -> tuple[float | None, float | None]:
    return next((targets for pattern, targets in TARGETS.items() if fnmatchcase(key, pattern)), (None, None))


def verdict(value: float, target: float | None, beyond: float | None) -> str:
    if target is None:
        return ""
    if not value <= target:  # NaN is no success either
        return "NO"
    return "beyond" if beyond is not None and value <= beyond else "yes"


def table(figures: dict[str, float]) -> str:
    lines = []
    for key, value in figures.items():
        limits = targets_of(key)
        cells = ("" if limit is None else f"{limit:g}" for limit in limits)
        lines.append((key, f"{value:.3g}", *cells, verdict(value, *limits)))
    return "\n".join("{:36}{:>10}{:>9}{:>9}  {}".format(*line).rstrip() for line in (HEADINGS, *lines))


def as_json(figures: dict[str, float]) -> str:
    """One object on one line; null is what is no finite number."""
    return json.dumps({key: value if math.isfinite(value) else None for key, value in figures.items()})

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the references ask for: values, tolerances, and how good an answer is."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("LIMBERJACK_SHARED") or ROOT.parent / "shared") / "contact"
LEVELS = ("exact", "good", "draft")
"""The best first."""

BORROWED = {
    ("bowl", "mu_needed_large"): ("rel", "period_large"),
    ("disc_slope", "mu_needed"): ("rel", "acceleration"),
    ("eulers_disc", "spin_about_axis_tilt20"): ("abs", "precession_tilt20"),
    ("eulers_disc", "spin_about_axis_tilt6"): ("abs", "precession_tilt6"),
    ("circling_disc", "precession"): ("rel", "lap_time"),
    ("circling_disc", "spin_about_axis"): ("rel", "lap_time"),
    ("arch", "critical_many"): ("abs", "critical_t_over_R"),
}
"""Measures that the references only give, without a tolerance, are judged by that of another measure of their case."""


class NoReferencesError(RuntimeError):
    """The folder with the references is not there."""


@dataclass(frozen=True)
class Measure:
    """mode: "rel", "abs", "le" (at most) or "bool". tolerances: by level; empty for "bool"."""

    case: str
    name: str
    value: float
    unit: str
    mode: str
    tolerances: dict[str, float]

    def error_of(self, found: float) -> float:
        """NaN for what is no finite number."""
        if self.mode == "bool":
            return float(bool(found) != bool(self.value))
        if not math.isfinite(found):
            return math.nan
        if self.mode == "le":
            return max(found - self.value, 0.0)
        off = abs(found - self.value)
        return off / abs(self.value) if self.mode == "rel" else off

    def level_of(self, error: float) -> str:
        """The best level whose tolerance holds the error; empty for none."""
        if self.mode == "bool":
            return LEVELS[0] if error == 0.0 else ""
        return next((level for level in LEVELS if error <= self.tolerances[level]), "")


@dataclass(frozen=True)
class Reference:
    name: str
    parameters: dict
    measures: dict[str, Measure]


def read_references() -> dict[str, Reference]:
    """By case, in their order.

    Raises:
        NoReferencesError: there are none on this machine.
    """
    path = SHARED / "references.json"
    if not path.exists():
        raise NoReferencesError(
            "shared/contact/references.json is not there; put the folder beside the checkout or name it"
        )
    cases = json.loads(path.read_text())["cases"]
    return {case["id"]: _reference(case) for case in cases}


def _reference(case: dict) -> Reference:
    given = {told["name"]: told for told in case["measures"]}
    measures = {}
    for name, told in given.items():
        mode, tolerances = told["mode"], told.get("tol") or {}
        if not tolerances and mode != "bool":
            mode, lender = BORROWED[case["id"], name]
            tolerances = given[lender]["tol"]
        measures[name] = Measure(case["id"], name, told["value"], told["unit"], mode, tolerances)
    return Reference(case["id"], case["parameters"], measures)

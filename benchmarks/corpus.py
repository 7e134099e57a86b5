# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulates the models of shared/corpus by each method, and tells how the default fares beside them. See README.md."""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import math
import statistics
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from models import SHARED
from pool import CRASH, HANG, outcomes

from limberjack.core.diagnosis import SimulationError
from limberjack.core.formats import UnreadableError, read
from limberjack.core.model import Model, ModelError
from limberjack.core.model.editing.editing import fix_base
from limberjack.core.simulation import Simulation, warm_up

CORPUS = SHARED.parent / "corpus"
SUFFIXES = (".sdf", ".urdf", ".xml")
DEFAULT, *OTHERS = METHODS = ("adaptive", "explicit", "implicit")
FPS = 24
RAN, UNREAD, STILL = "ran", "not simulable", "nothing to move"
COUNTS = ("steps", "implicit_steps", "rejected", "evaluations", "events", "impacts")
WORST = 12


@dataclass(frozen=True)
class Order:
    path: Path
    method: str
    seconds: float
    accuracy: str
    limit: float


@dataclass(frozen=True)
class Outcome:
    """How a model fared by one method.

    Attributes:
        end: RAN, UNREAD, STILL, HANG, CRASH, or the name of the error. said: its sentence.
        reached: how far the motion came [s]. wall: of the simulation alone [s]. drift: of the energy, relative.
        counts: those of the report.
    """

    end: str
    said: str = ""
    reached: float = 0.0
    wall: float = math.inf
    drift: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def ran(self) -> bool:
        return self.end == RAN


def held(path: Path) -> Model:
    """The model of a file, with all that floats held where it is drawn.

    Raises:
        UnreadableError: nothing can be made of it. ModelError: what it says is not whole.
    """
    reading = read(path)
    for issue in reading.issues:
        if issue.is_error:
            raise ModelError(f"{issue.subject}: {issue.message}")
    for link in reading.model.tree().roots:
        fix_base(reading.model, link)
    return reading.model


def simulate(order: Order) -> Outcome:
    times = np.arange(round(order.seconds * FPS) + 1) / FPS
    end, said, run = RAN, "", None
    begun = time.perf_counter()
    try:
        run = Simulation(held(order.path), times, order.accuracy, solver=order.method)
        if run.compiled.nv == 0:
            return Outcome(STILL)
        begun = time.perf_counter()
        for _ in run:
            if time.perf_counter() - begun > order.limit:
                end = HANG
                break
    except SimulationError as reason:
        end, said = type(reason).__name__, str(reason)
    except (UnreadableError, ModelError) as reason:
        return Outcome(UNREAD, str(reason))
    except Exception as reason:  # whatever it is, it is told, with the file
        end, said = CRASH, f"{type(reason).__name__}: {reason}"
    wall = time.perf_counter() - begun
    if run is None:
        return Outcome(end, said)
    report = run.report
    counts = {name: getattr(report, name) for name in COUNTS}
    reached = float(times[report.frames - 1]) if report.frames else 0.0
    return Outcome(end, said, reached, wall, report.relative_drift, counts)


def files_in(places: Iterable[Path]) -> list[Path]:
    """Those files, all models in those folders and below them, and what the manifest of a corpus lists."""
    found: list[Path] = []
    for place in places:
        manifest = place / "manifest.json"
        if manifest.is_file():
            found += [place / case["file"] for case in json.loads(manifest.read_text())]
        elif place.is_dir():
            found += [path for path in sorted(place.rglob("*")) if path.suffix in SUFFIXES]
        else:
            found.append(place)
    return found


# ---- what it comes to


@dataclass(frozen=True)
class Figures:
    """How one model fared by all methods."""

    path: Path
    by: dict[str, Outcome]

    @property
    def better(self) -> float:
        """The wall time of the better of the two methods; infinite where neither runs [s]."""
        return min(self.by[method].wall if self.by[method].ran else math.inf for method in OTHERS)

    @property
    def fewest(self) -> float:
        """The evaluations of the one that takes fewer."""
        counts = [self.by[method].counts["evaluations"] for method in OTHERS if self.by[method].ran]
        return min(counts, default=math.inf)

    @property
    def wall_ratio(self) -> float:
        """The default's wall time over the better method's; infinite where only the default does not run."""
        return self._ratio(self.by[DEFAULT].wall, self.better)

    @property
    def evaluations_ratio(self) -> float:
        """Likewise of evaluations, which no other load on the machine changes."""
        return self._ratio(self.by[DEFAULT].counts.get("evaluations", 0), self.fewest)

    def _ratio(self, own: float, other: float) -> float:
        if not self.by[DEFAULT].ran:
            return math.inf if other < math.inf else math.nan
        return own / other if other < math.inf else 0.0

    @property
    def row(self) -> str:
        cells = [f"{self.evaluations_ratio:6.2f}", f"{self.wall_ratio:6.2f}"]
        for method in METHODS:
            one = self.by[method]
            how = f"{one.wall:7.3f} s" if one.ran else f"{one.end[:10]} {one.reached:.2f}"
            cells.append(f"{how:>16} {one.counts.get('evaluations', 0):>8}")
        return " ".join(cells) + "  " + self.name

    @property
    def name(self) -> str:
        return "/".join(self.path.parts[-2:])


def summary(moving: list[Figures]) -> dict[str, float]:
    """Figures by name: how many run, and how the default does beside the better method."""
    found: dict[str, float] = {"models": len(moving)}
    found |= {f"ran.{method}": sum(one.by[method].ran for one in moving) for method in METHODS}
    found["lost"] = sum(math.isinf(one.wall_ratio) for one in moving)
    walls = [one.by[DEFAULT].wall for one in moving if one.by[DEFAULT].ran]
    ratios = {
        "wall": [one.wall_ratio for one in moving],
        "evaluations": [one.evaluations_ratio for one in moving],
    }
    found |= {"median_s": statistics.median(walls), "slowest_s": max(walls)} if walls else {}
    for what, all_of_them in ratios.items():
        known = [ratio for ratio in all_of_them if 0.0 < ratio < math.inf]
        if known:
            found[f"{what}_ratio_median"], found[f"{what}_ratio_largest"] = statistics.median(known), max(known)
            found[f"{what}_ratio_over_1.5"] = sum(ratio > 1.5 for ratio in known)
    return found


def table(moving: list[Figures], skipped: dict[str, list[Figures]]) -> str:
    lines = [f"{name:26} {number:10.4g}" for name, number in summary(moving).items()]
    lines += ["", f"{'ratio':>6} {'':>6} " + " ".join(f"{method:>25}" for method in METHODS)]
    lines += [" evals   wall " + " ".join(f"{'wall, or end at [s]':>16} {'evals':>8}" for _ in METHODS)]
    worst = sorted(moving, key=lambda one: -max(one.evaluations_ratio, 0.0) if one.fewest < math.inf else 0.0)
    slowest = sorted(moving, key=lambda one: -one.by[DEFAULT].wall)
    for title, chosen in (
        ("worst beside the better method", worst[:WORST]),
        ("slowest", slowest[:WORST]),
        ("not to their end by default", [one for one in moving if not one.by[DEFAULT].ran]),
    ):
        lines += ["", f"{title}:"] + [one.row for one in chosen]
    for one in moving:
        if one.by[DEFAULT].said:
            lines.append(f"  {one.name}: {one.by[DEFAULT].said}")
    for end, those in skipped.items():
        lines += ["", f"{end}: {len(those)}"] + [f"  {one.name} {one.by[DEFAULT].said[:120]}" for one in those]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="*", type=Path, default=[CORPUS], help="files, or folders of them")
    parser.add_argument("--only", default="", help="those with this in their path")
    parser.add_argument("--seconds", type=float, default=1.0, help="of motion")
    parser.add_argument("--accuracy", default="good")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes; more than one disturb each other")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that a run may take")
    parser.add_argument("--all", action="store_true", help="a row for every model")
    parser.add_argument("--json", action="store_true", help="one JSON object, as the last line")
    arguments = parser.parse_args()
    warm_up()
    paths = [path for path in files_in(arguments.places) if arguments.only in str(path)]
    asked = (arguments.seconds, arguments.accuracy, arguments.limit)
    orders = [Order(path, method, *asked) for path in paths for method in METHODS]
    found: dict[Path, dict[str, Outcome]] = collections.defaultdict(dict)
    for order, made, spent in outcomes(simulate, orders, arguments.jobs, 2.0 * arguments.limit + 10.0):
        found[order.path][order.method] = made if isinstance(made, Outcome) else Outcome(made, wall=spent)
        if sys.stderr.isatty():
            print(f"\r{sum(map(len, found.values()))} of {len(orders)}", end="", file=sys.stderr)
    moving, skipped = [], collections.defaultdict(list)
    for path in paths:
        figures = Figures(path, found[path])
        end = figures.by[DEFAULT].end
        (skipped[end] if end in (UNREAD, STILL) else moving).append(figures)
    print(table(moving, skipped))
    if arguments.all:
        print("\n" + "\n".join(one.row for one in moving))
    if arguments.json:
        models = {one.name: {method: dataclasses.asdict(one.by[method]) for method in METHODS} for one in moving}
        print(json.dumps(summary(moving) | {"by_model": models}))
    return 1 if any(one.end == CRASH for figures in moving for one in figures.by.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

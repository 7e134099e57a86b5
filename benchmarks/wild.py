# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulates random models of every kind, each within a time limit, and tells how they fared. See README.md."""

from __future__ import annotations

import argparse
import collections
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from pool import CRASH, HANG, outcomes

from limberjack.core.diagnosis import SimulationError
from limberjack.core.model import ModelError
from limberjack.core.simulation import ACCURACIES, Simulation, warm_up

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.wild import energy_change, from_seed, has_nan
from support.wild_contact import contact_from_seed, overlapping_from_seed

SECONDS, CONTACT_SECONDS, FPS = 2.0, 1.0, 24
RAN, NAN = "ran", "NaN"
SLOWEST = 10


@dataclass(frozen=True)
class Outcome:
    """How one model fared.

    Attributes:
        end: RAN, NAN, HANG, CRASH, or the name of the error. sentence: what was said, names and numbers included.
        wall [s]. frames: computed. drift, growth: relative to what moved.
    """

    seed: int
    end: str
    sentence: str = ""
    wall: float = 0.0
    frames: int = 0
    drift: float = 0.0
    growth: float = 0.0
    loop_error: float = 0.0

    @property
    def group(self) -> str:
        return f"{self.end}: {stripped(self.sentence)}" if self.sentence else self.end


def simulate(seed: int, seconds: float = SECONDS, accuracy: str = "good", draw: Callable = from_seed) -> Outcome:
    """draw: makes the model of a seed."""
    begun = time.perf_counter()
    run, end, sentence = None, RAN, ""
    try:
        wild = draw(seed)
        times = np.arange(int(seconds * FPS) + 1) / FPS
        run = Simulation(wild.model, times, accuracy, initial=wild.initial)
        run.run()
    except (ModelError, SimulationError) as reason:
        end, sentence = type(reason).__name__, str(reason)
    except Exception as reason:  # whatever it is, it is told, with the seed
        end, sentence = CRASH, f"{type(reason).__name__}: {reason}"
    wall = time.perf_counter() - begun
    if run is None or not run.frames_done:
        return Outcome(seed, end, sentence, wall)
    motion = run.trajectory
    if has_nan(motion):
        return Outcome(seed, NAN, sentence, wall, len(motion))
    growth, drift = energy_change(motion)
    return Outcome(seed, end, sentence, wall, len(motion), drift, growth, run.report.loop_error)


def chosen(contact: bool, overlaps: bool, accuracy: str) -> tuple[Callable, Callable]:
    """(what to do with a seed, what draws its model)."""
    draw = overlapping_from_seed if overlaps else contact_from_seed if contact else from_seed
    seconds = SECONDS if draw is from_seed else CONTACT_SECONDS
    return partial(simulate, seconds=seconds, accuracy=accuracy, draw=draw), draw


def stripped(sentence: str) -> str:
    """A sentence without names and numbers."""
    sentence = re.sub(r"'[^']*'(, '[^']*')*", "'...'", sentence)
    return re.sub(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|\binf\b|\bnan\b", "#", sentence)


def simulated(do: Callable, seeds: list[int], jobs: int, limit: float) -> Iterator[Outcome]:
    """What `do` makes of each seed, as they come; one that takes longer than `limit` [s] is a hang."""
    for seed, found, spent in outcomes(do, seeds, jobs, limit):
        if isinstance(found, Outcome):
            yield found
        else:
            yield Outcome(seed, found, "the process died" if found == CRASH else "", spent)


# ---- the table


def table(found: list[Outcome], seconds: float) -> str:
    ran = [outcome for outcome in found if outcome.end == RAN]
    groups = collections.defaultdict(list)
    for outcome in found:
        if outcome.end != RAN:
            groups[outcome.group].append(outcome.seed)
    lines = [f"{len(ran)} of {len(found)} ran for {seconds:g} s"]
    for group, seeds in sorted(groups.items(), key=lambda item: -len(item[1])):
        lines += [f"{len(seeds):5}  {group}", f"       seeds {_listed(seeds)}"]
    lines += ["", "slowest:"] + [f"  seed {one.seed:6}  {one.wall:8.2f} s  {one.end}" for one in _top(found, "wall")]
    walls = [outcome.wall for outcome in found]
    lines.append(f"  median {np.median(walls):.3f} s, all {sum(walls):.0f} s of work")
    lines += ["", "largest drift of the energy, relative to what moved:"]
    lines += [f"  seed {one.seed:6}  {one.drift:8.1e}  grew by {one.growth:8.1e}" for one in _top(ran, "drift")]
    lines.append(f"  {sum(one.growth > 0.01 for one in ran)} grew by more than 1 %")
    lines += ["", "largest gap of a loop or coupling:"]
    lines += [f"  seed {one.seed:6}  {one.loop_error:8.1e}" for one in _top(ran, "loop_error", 3)]
    return "\n".join(lines)


def _top(found: list[Outcome], key: str, count: int = SLOWEST) -> list[Outcome]:
    return sorted(found, key=lambda outcome: -getattr(outcome, key))[:count]


def _listed(seeds: list[int], most: int = 12) -> str:
    return " ".join(map(str, sorted(seeds)[:most])) + (" ..." if len(seeds) > most else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="of models")
    parser.add_argument("--seed", type=int, default=0, help="of the first; the others count on")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds after which a model counts as hanging")
    parser.add_argument("--log", type=Path, help="a file that gets a line for each model as soon as it is done")
    parser.add_argument("--contact", action="store_true", help="shapes on all links, over a floor or stairs")
    parser.add_argument(
        "--overlaps", action="store_true", help="as --contact; links start in each other, joints let go"
    )
    parser.add_argument("--accuracy", default="good", choices=ACCURACIES)
    parser.add_argument("--only", type=int, help="run this seed here, and show its model")
    arguments = parser.parse_args()
    do, draw = chosen(arguments.contact, arguments.overlaps, arguments.accuracy)
    if arguments.only is not None:
        print(draw(arguments.only).model)
        print(do(arguments.only))
        return 0
    warm_up()
    found = []
    for outcome in simulated(do, [arguments.seed + i for i in range(arguments.count)], arguments.jobs, arguments.limit):
        found.append(outcome)
        if arguments.log:
            with arguments.log.open("a") as log:
                print(outcome, file=log)
        if sys.stderr.isatty():
            print(f"\r{len(found)} of {arguments.count}", end="", file=sys.stderr)
    print(table(found, do.keywords["seconds"]))
    return 1 if any(outcome.end in (NAN, HANG, CRASH) for outcome in found) else 0


if __name__ == "__main__":
    sys.exit(main())

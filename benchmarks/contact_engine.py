# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure contact against the references of ../shared/contact: every case, every measure, at every accuracy.

    .venv/bin/python benchmarks/contact_engine.py --names bounce,incline_stick --accuracy exact
    .venv/bin/python benchmarks/contact_engine.py --json contact.jsonl --limit 300

Each case runs in a process of its own, so that one which dies or hangs costs a row. `run` is the adapter that the
folder's own bench asks of an engine, for its throughput scenes.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import multiprocessing
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from contact_cases import CASES
from contact_cases.asking import Asker, MissedError, Motion
from contact_cases.references import LEVELS, Measure, NoReferencesError, Reference, read_references
from contact_cases.scenes import world_of
from contact_cases.worlds import World

from limberjack.core.geometry import Sphere
from limberjack.core.geometry.contact_properties import Surface

NOTHING = ""


class Result(SimpleNamespace):
    """Poses of body frames and velocities of centres of mass, world axes, as the folder's README asks.

    Attributes:
        t: shape (F,). pos, v, w: shape (F, bodies, 3). quat: w x y z, shape (F, bodies, 4). index: row by body.
        wall: seconds of stepping. steps. failed: why it ended early; empty where it did not.
    """

    def body(self, name: str) -> tuple[np.ndarray, ...]:
        i = self.index[name]
        return self.pos[:, i], self.quat[:, i], self.v[:, i], self.w[:, i]


def run(
    scene, duration: float, sample: float, limit: float | None = None, accuracy: str = "good", **_options
) -> Result:
    """Simulate a `Scene` of ../shared/contact/bench; `_options`, which tell other engines how, mean nothing to ours."""
    ask = Asker(Reference(scene.name, {}, {}), accuracy, math.inf)
    frames = np.linspace(0.0, duration, 1 + max(1, round(duration / sample)))
    motion, failed = ask.simulate_as_far(world_of(scene), frames, limit or math.inf)
    names = [body["name"] for body in scene.bodies]
    rows = [motion.names.index(name) for name in names]
    return Result(
        scene=scene,
        t=motion.t,
        pos=motion.X[:, rows, :3],
        quat=motion.X[:, rows, 3:],
        v=_each(motion, names, "v"),
        w=_each(motion, names, "w"),
        index={name: i for i, name in enumerate(names)},
        wall=ask.wall,
        steps=ask.steps,
        failed=failed,
    )


def _each(motion: Motion, names: list[str], what: str) -> np.ndarray:
    return np.stack([getattr(motion, what)(name) for name in names], axis=1)


# ---- the cases


@functools.cache
def load_kernels() -> None:
    """Once a process: a ball that bounces, so that no case's time is that of compiling."""
    world = World()
    world.floor(Surface(restitution=0.5))
    world.solid("ball", Sphere(0.1), Surface(), 1.0, (0.0, 0.0, 0.2))
    Asker(Reference("ball", {}, {}), "draft").simulate(world, [0.0, 0.5])


def rows_of(reference: Reference, accuracy: str, limit: float) -> list[dict]:
    """A row for each measure of a case: value, error, level, and what the whole case took."""
    load_kernels()
    ask, values, reasons, why = Asker(reference, accuracy, limit), {}, {}, NOTHING
    try:
        for name, value in CASES[reference.name](ask):
            try:
                values[name] = float(value() if callable(value) else value)
            except Exception as error:  # whatever an engine does is a result
                reasons[name] = _reason(error)
    except Exception as error:
        why = _reason(error)
    took = {"accuracy": accuracy, "steps": ask.steps, "wall": round(ask.wall, 4), "runs": ask.runs}
    return [
        row(measure, values.get(name, math.nan), reasons.get(name, why), took)
        for name, measure in reference.measures.items()
    ]


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, MissedError) else f"{type(error).__name__}: {error}"


def row(measure: Measure, value: float, why: str, took: dict) -> dict:
    error = measure.error_of(value) if math.isfinite(value) else math.nan
    reached = measure.level_of(error) if math.isfinite(error) else ""
    missing = why or "it was not measured" if not math.isfinite(value) else ""
    return {
        "case": measure.case,
        "measure": measure.name,
        "unit": measure.unit,
        "mode": measure.mode,
        "tolerances": measure.tolerances,
        "reference": measure.value,
        "value": value if math.isfinite(value) else None,
        "error": error if math.isfinite(error) else None,
        "level": reached,
        "why": missing[:300],
        **took,
    }


def measured(references: list[Reference], accuracies: list[str], limit: float, alone: bool) -> list[dict]:
    """The rows of all cases; alone: each in a process of its own, which is ended after ten times the limit."""
    rows = []
    for reference in references:
        for accuracy in accuracies:
            begun = time.perf_counter()
            found = (_in_process if alone else rows_of)(reference, accuracy, limit)
            rows += found
            best = "".join(each["level"][:1] or "-" for each in found)
            print(f"{reference.name:22} {accuracy:6} {best:12} {time.perf_counter() - begun:7.1f} s", flush=True)
    return rows


def _in_process(reference: Reference, accuracy: str, limit: float) -> list[dict]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    worker = context.Process(target=_work, args=(there, reference, accuracy, limit))
    worker.start()
    there.close()
    why = f"the process did not end within {10.0 * limit:g} s"
    try:
        if here.poll(10.0 * limit if math.isfinite(limit) else None):
            return here.recv()
    except EOFError:
        worker.join()
        why = f"the process died ({worker.exitcode})"
    finally:
        worker.kill()
        worker.join()
    took = {"accuracy": accuracy, "steps": 0, "wall": 0.0, "runs": 0}
    return [row(measure, math.nan, why, took) for measure in reference.measures.values()]


def _work(pipe, reference: Reference, accuracy: str, limit: float) -> None:
    pipe.send(rows_of(reference, accuracy, limit))


# ---- what it comes to


def table(rows: list[dict]) -> str:
    """Markdown: a line a measure, with value, error and level at each accuracy, and steps and time of the case."""
    accuracies = list(dict.fromkeys(each["accuracy"] for each in rows))
    head = ["measure", "reference", "tolerances", *(f"{accuracy}: error, steps, s" for accuracy in accuracies)]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    by_name: dict[tuple[str, str], dict[str, dict]] = {}
    for each in rows:
        by_name.setdefault((each["case"], each["measure"]), {})[each["accuracy"]] = each
    for (case, name), found in by_name.items():
        first = next(iter(found.values()))
        tolerances = " ".join(f"{first['tolerances'][level]:g}" for level in reversed(LEVELS) if first["tolerances"])
        cells = [_cell(found[accuracy]) for accuracy in accuracies if accuracy in found]
        line = [f"{case} {name}", f"{first['reference']:.10g}", f"{tolerances} {first['mode']}".strip(), *cells]
        lines.append("| " + " | ".join(line) + " |")
    return "\n".join(lines)


def _cell(row: dict) -> str:
    if row["error"] is None:
        return f"missing: {row['why'][:60]}"
    return f"{row['error']:.1e} **{row['level'][:1] or '-'}** {row['steps']} {row['wall']:.2g}"


def summary(rows: list[dict]) -> str:
    """How many measures reach which level at each accuracy, and by the best of all."""
    lines, everyone = [], {(each["case"], each["measure"]) for each in rows}
    best: dict[tuple[str, str], int] = {}
    for accuracy in dict.fromkeys(each["accuracy"] for each in rows):
        mine = [each for each in rows if each["accuracy"] == accuracy]
        lines.append(f"at {accuracy}: {_told(Counter(each['level'] for each in mine), len(mine))}")
        for each in mine:
            key = each["case"], each["measure"]
            rank = LEVELS.index(each["level"]) if each["level"] else len(LEVELS)
            best[key] = min(best.get(key, rank), rank)
    counts = Counter((*LEVELS, "")[rank] for rank in best.values())
    return "\n".join([*lines, f"best of all: {_told(counts, len(everyone))}"])


def _told(counts: Counter, total: int) -> str:
    """Each level counts those of the better ones too."""
    reached, words = 0, []
    for level in LEVELS:
        reached += counts[level]
        words.append(f"{reached} {level}")
    return f"{', '.join(words)} of {total}"


def reached(row: dict) -> bool:
    """Whether a measure is as good as the accuracy that was asked for, or better."""
    return bool(row["level"]) and LEVELS.index(row["level"]) <= LEVELS.index(row["accuracy"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", help="cases, with commas between them; all if left out")
    parser.add_argument("--accuracy", help="of draft, good, exact, with commas between them; all if left out")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one run; a case has ten times as many")
    parser.add_argument("--json", type=Path, help="write the rows there, one object a line")
    parser.add_argument("--together", action="store_true", help="all in this process, for a debugger")
    parser.add_argument("--missed", action="store_true", help="of the table, only what is below its accuracy's level")
    asked = parser.parse_args()
    try:
        references = read_references()
    except NoReferencesError as error:
        parser.exit(2, f"{error}\n")
    names = asked.names.split(",") if asked.names else list(references)
    accuracies = asked.accuracy.split(",") if asked.accuracy else list(reversed(LEVELS))
    for name in {*names} - {*references}:
        parser.error(f"there is no case '{name}'; there are: {', '.join(references)}")
    for name in {*accuracies} - {*LEVELS}:
        parser.error(f"there is no accuracy '{name}'; there are: {', '.join(LEVELS)}")
    rows = measured([references[name] for name in names], accuracies, asked.limit, not asked.together)
    if asked.json:
        asked.json.write_text("".join(json.dumps(each) + "\n" for each in rows))
    shown = [each for each in rows if not (asked.missed and reached(each))]
    print(table(shown))
    print(summary(rows))


if __name__ == "__main__":
    main()

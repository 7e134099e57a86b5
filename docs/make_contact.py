# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/contact.md from what benchmarks/contact_engine.py measured, beside what other engines gave.

.venv/bin/python benchmarks/contact_engine.py --json contact.jsonl
.venv/bin/python docs/make_contact.py contact.jsonl
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("contact.md")
BASELINES = ROOT.parent / "shared" / "contact" / "baselines.json"

ACCURACIES = ("draft", "good", "exact")
LEVELS = {"exact": "e", "good": "g", "draft": "d", "": "-", "-": "-"}
ENGINES = {
    "mj05": "MuJoCo, 0.5 ms",
    "sap": "Drake SAP, 2 ms",
    "lagged": "Drake lagged, 2 ms",
    "cenic5": "Drake CENIC, 1e-5",
}

HEAD = """<!-- Written by docs/make_contact.py. -->
# Contact: 48 cases with known answers

The right results of 48 scenes are known: from closed forms, from conserved quantities, or from equations that were
integrated to many digits. They make 176 measures. Each measure has three tolerances. The letter after an error names
the strictest tolerance that it meets: *e* exact, *g* good, *d* draft, *-* none. The column *error is* says whether an
error is absolute, relative to the right value, or how far a value that should not be positive lies above 0. *none*
means that there is no value; the end of the page says why. An empty cell means that the engine was not measured.

*steps* and *s* are the steps and the seconds of the whole case at *good*, all of its runs together. The times were
taken on one core of a shared machine, so only their ratios mean something.

MuJoCo 4.0 and Drake were measured where a measure can be taken of them. Neither has a coefficient of restitution, so
their damping was fitted to it.

Rigid contacts leave some loads open: four corners of a box can share its weight in many ways. Among the loads that
satisfy Signorini's conditions and Coulomb's law, the smallest are taken. They are the loads of equal stiff springs in
the contact points, and do not depend on the order of points. This decides motions, since friction is bounded by normal
loads. A box that lies across two belts, at 1 and 3 m/s, turns by 57° in a second, as on ever stiffer springs; lopsided
loads would let it ride with the slow belt. Of twenty such scenes, mirror images mostly differ by less than 0.05°, and
by up to 1°, because rounding errors decide when convex steps are taken. In convex steps, contacts near the centre of
mass are stiffer than those far from it: at *draft*, this box turns by 46°.

The first table counts the measures that were taken of each engine, and how many of them meet each tolerance.

"""


def main() -> None:
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    asked = [row for row in json.loads(BASELINES.read_text()) if row["kind"] == "analytic"]
    peers = {(row["name"], row["engine"]): row.get("measures", {}) for row in asked}
    PAGE.write_text(page(rows, peers))


def page(rows: list[dict], peers: dict[tuple[str, str], dict]) -> str:
    """The whole text.

    rows: of contact_engine.py, one a measure and accuracy. peers: by case and engine, what each measure gave.
    """
    found: dict[tuple[str, str], dict[str, dict]] = {}
    for row in rows:
        found.setdefault((row["case"], row["measure"]), {})[row["accuracy"]] = row
    ours = [accuracy for accuracy in ACCURACIES if any(accuracy in each for each in found.values())]
    head = ["measure", "error is", *(f"ours, {accuracy}" for accuracy in ours), "steps", "s", *ENGINES.values()]
    lines = [line(head), line(["---"] * len(head))]
    for (case, name), each in found.items():
        first = next(iter(each.values()))
        timed = each.get("good", first)
        cells = [error_of(each[accuracy]) if accuracy in each else "" for accuracy in ours]
        others = [peer(peers.get((case, engine), {}).get(name)) for engine in ENGINES]
        kind = {"abs": "absolute", "rel": "relative", "le": "above 0"}.get(first["mode"], first["mode"])
        lines.append(line([f"{case} {name}", kind, *cells, f"{timed['steps']}", f"{timed['wall']:.2g}", *others]))
    return "\n".join([HEAD + counts(rows, peers, ours), *lines, "", *missed(found, ours)]) + "\n"


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def error_of(row: dict) -> str:
    return "none" if row["error"] is None else f"{row['error']:.1e}\N{NO-BREAK SPACE}{LEVELS[row['level']]}"


def peer(measure: dict | None) -> str:
    return "" if measure is None else error_of(measure)


def counts(rows: list[dict], peers: dict[tuple[str, str], dict], ours: list[str]) -> str:
    """How many measures are at a level, or at a better one."""
    lines = [line(["engine", "measures", "exact", "good", "draft"]), line(["---"] * 5)]
    for accuracy in ours:
        levels = [row["level"] for row in rows if row["accuracy"] == accuracy]
        lines.append(line([f"ours, {accuracy}", f"{len(levels)}", *reached(levels)]))
    for engine, label in ENGINES.items():
        levels = [each["level"] for (_, by), found in peers.items() if by == engine for each in found.values()]
        lines.append(line([label, f"{len(levels)}", *reached(levels)]))
    return "\n".join([*lines, ""]) + "\n"


def reached(levels: list[str]) -> list[str]:
    count = Counter(levels)
    return [f"{sum(count[each] for each in ('exact', 'good', 'draft')[: k + 1])}" for k in range(3)]


def missed(found: dict[tuple[str, str], dict[str, dict]], ours: list[str]) -> list[str]:
    """Why a measure has no value at some accuracy."""
    lines = []
    for (case, name), each in found.items():
        for accuracy in ours:
            if accuracy in each and each[accuracy]["error"] is None:
                lines.append(f"- {case} {name}, {accuracy}: {each[accuracy]['why'][:160]}")
    return ["## Without a value", "", *lines] if lines else []


if __name__ == "__main__":
    main()

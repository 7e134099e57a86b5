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

Closed forms, conserved quantities and equations integrated to many digits say what should come of 48 scenes, in 176
measures. Each has three tolerances: draft, good, exact. *e*, *g* and *d* say which of them an error is below; *-*:
none. An error is absolute or a part of the value, as the second column says. *steps* and *s* are those of the whole
case at good, all of its runs together, on one core of a shared machine: times are good for ratios only.

MuJoCo 4.0 and Drake were asked for the measures that they can be asked for. Restitution is fitted to them by damping.

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
    return "none" if row["error"] is None else f"{row['error']:.1e} {LEVELS[row['level']]}"


def peer(measure: dict | None) -> str:
    return "" if measure is None else error_of(measure)


def counts(rows: list[dict], peers: dict[tuple[str, str], dict], ours: list[str]) -> str:
    """How many measures are at a level, or at a better one."""
    lines = [line(["engine", "asked", "exact", "good", "draft"]), line(["---"] * 5)]
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

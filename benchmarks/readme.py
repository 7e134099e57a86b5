# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the commands of README's table of figures, and print README's values beside the measured ones.

    .venv/bin/python benchmarks/readme.py
    .venv/bin/python benchmarks/readme.py --budget 90     # only rows that fit into 90 s, as CI runs it

The exit code is 1 if a ratio was worse than README's by more than 50 % in three measurements. It is 2 if README and
this script do not fit together, or a command failed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from readme_rows import Number, OutOfStepError, Pair, Quantity, Row, arguments_of, claims_of, pairs_of

ROOT = Path(__file__).parents[1]

WORSE = 1.25
"""A ratio is worse if it is larger than README's by more than this factor. On a busy machine, most repeated runs stay
within 20 % of their median; a single one may not, so a worse ratio is measured again."""

FAILS = 1.5
"""A ratio that is larger by this factor in all measurements fails. Between the two factors, the processor may be the
reason: the ratio of a bake to Blender's rigid bodies differs by 30 % between two of them."""

MOST = 3
"""Largest number of measurements of a ratio that is worse."""


class NotMeasuredError(RuntimeError):
    """Raised if something that a command needs is not installed. The message names it."""


class CommandError(RuntimeError):
    """A command failed, or did not print a figure. The message says which command or figure."""


def measure(row: Row, command: str) -> list[float | None]:
    """Run a row's command, and return the value of each of its quantities in SI units; None if there is no key.

    Raises:
        NotMeasuredError: if something that the command needs is not installed.
        CommandError: if the command failed, or did not print a figure.
    """
    figures: dict[str, float] = {}
    left_out: list[str] = []
    for prefix, options in row.runs.items():
        found, messages = _run([*arguments_of(command), *shlex.split(options)])
        figures |= flat(found, prefix)
        left_out += [line for line in messages if line.startswith("benchmark: ")]
    try:
        return [value_of(quantity, figures) for quantity in row.quantities]
    except KeyError as key:
        if left_out:
            raise NotMeasuredError("; ".join(left_out)) from None
        raise CommandError(f"the command did not print {key}") from None


def _run(arguments: list[str]) -> tuple[dict, list[str]]:
    """Return the JSON object that a command prints on its last line, and its lines on standard error."""
    for word in arguments:
        if word.startswith("dist/") and not (ROOT / word).exists():
            raise NotMeasuredError(f"there is no {word} (make extension)")
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True)
    try:
        done.check_returncode()
        return json.loads(done.stdout.splitlines()[-1]), done.stderr.splitlines()
    except (subprocess.CalledProcessError, IndexError, ValueError) as reason:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()[-5:]
        raise CommandError("\n".join([f"{shlex.join(arguments)}: {reason}", *lines])) from None


def flat(found: dict, prefix: str = "") -> dict[str, float]:
    """Return the numbers of a JSON object by their keys, with dots between the levels; null is NaN."""
    figures: dict[str, float] = {}
    for key, value in found.items():
        if isinstance(value, dict):
            figures |= flat(value, f"{prefix}{key}.")
        elif value is None or isinstance(value, (int, float)):
            figures[prefix + key] = math.nan if value is None else float(value)
    return figures


def value_of(quantity: Quantity, figures: Mapping[str, float]) -> float | None:
    """Return the quantity in SI units; None if it has no key. Raises KeyError if no figure has the key."""
    if not quantity.key:
        return None
    values = [value for key, value in figures.items() if fnmatchcase(key, quantity.key)]
    if not values:
        raise KeyError(quantity.key)
    return math.nan if any(map(math.isnan, values)) else quantity.scale * quantity.pick(values)


def is_worse(quantity: Quantity, number: Number, value: float | None, factor: float = WORSE) -> bool:
    """Tell whether a measured ratio is larger than README's by more than the factor; NaN is."""
    return quantity.is_ratio and (value is None or not value <= factor * number.value)


def measurements(row: Row, numbers: list[Number], take: Callable[[], list[float | None]]) -> list[list[float | None]]:
    """Return the values of measurements, up to the first in which no ratio is worse; at most MOST."""
    taken = [take()]
    while any(map(is_worse, row.quantities, numbers, taken[-1])) and len(taken) < MOST:
        taken.append(take())
    return taken


def verdict(quantity: Quantity, number: Number, values: list[float | None]) -> str:
    """Return what the measured values of a ratio mean: "ok", "worse" or, for one that fails, "WORSE"."""
    if not quantity.is_ratio:
        return ""
    if all(is_worse(quantity, number, value, FAILS) for value in values):
        return "WORSE"
    return "worse" if all(is_worse(quantity, number, value) for value in values) else "ok"


def report(pair: Pair) -> int:
    """Measure a row, print it, and return the exit code that it asks for."""
    row, claim, numbers = pair
    print(claim.label, flush=True)
    begun = time.perf_counter()
    try:
        taken = measurements(row, numbers, lambda: measure(row, claim.command))
    except NotMeasuredError as reason:
        print(f"    not measured: {reason}", flush=True)
        return 0
    except CommandError as reason:
        print(f"    FAILED: {reason}", flush=True)
        return 2
    verdicts = []
    for quantity, number, *values in zip(row.quantities, numbers, *taken, strict=True):
        verdicts.append(verdict(quantity, number, values))
        cells = ", ".join("-" if value is None else f"{value / number.unit:.2g}" for value in values)
        print(f"    {quantity.key or '-':46} {number.text:>8} {cells:>14}  {verdicts[-1]}".rstrip())
    print(f"    {time.perf_counter() - begun:.0f} s", flush=True)
    return 1 if "WORSE" in verdicts else 0


def has_ratio(row: Row) -> bool:
    return any(quantity.is_ratio for quantity in row.quantities)


def within(budget: float, pairs: list[Pair]) -> list[Pair]:
    """Return the rows that fit into a budget of seconds: those with ratios first, then those that take least time."""
    chosen, left = [], budget
    for pair in sorted(pairs, key=lambda pair: (not has_ratio(pair[0]), pair[0].seconds)):
        if pair[0].seconds <= left:
            chosen.append(pair)
            left -= pair[0].seconds
    return [pair for pair in pairs if pair in chosen]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=float, default=math.inf, help="leave out rows that do not fit in [s]")
    asked = parser.parse_args()
    try:
        pairs = pairs_of(claims_of((ROOT / "README.md").read_text(encoding="utf-8")))
    except OutOfStepError as reason:
        print(f"README's figures and benchmarks/readme.py do not fit together:\n{reason}", file=sys.stderr)
        return 2
    chosen = within(asked.budget, pairs)
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; columns: figure, README, measured, verdict on ratios")
    codes = [report(pair) for pair in chosen]
    for row, claim, _ in pairs:
        if row not in [pair[0] for pair in chosen]:
            print(f"left out, about {row.seconds:.0f} s: {claim.label}")
    return max(codes, default=0)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""README's table of figures: its rows, the numbers in them, and the command and the output keys that measure each."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from limberjack.core.version import VERSION

UNITS = {"": 1.0, "to": 1.0, "per": 1.0, "µm": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "s": 1.0}
"""SI value of the words that may follow a number in README; `to` joins a range, `per` starts `per second`."""

NUMBER = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([^\W\d]*)")


class OutOfStepError(ValueError):
    """README's table and ROWS do not fit together. The message names the rows."""


@dataclass(frozen=True)
class Number:
    """A number in README: its text with the unit, its value in SI units, and the SI value of its unit."""

    text: str
    value: float
    unit: float


@dataclass(frozen=True)
class Claim:
    """One row of README's table."""

    label: str
    value: str
    command: str


@dataclass(frozen=True)
class Quantity:
    """The meaning of one number in a cell of README's table.

    Attributes:
        key: key in the JSON output of the row's command, or a pattern of several keys; "" if no command measures it.
        is_ratio: it is our time ÷ theirs, measured in turns within one run. Only such quantities can fail.
        pick: chooses one of the values if several keys fit.
        scale: SI value of the output's unit.
    """

    key: str
    is_ratio: bool = False
    pick: Callable[[Iterable[float]], float] = max
    scale: float = 1.0


@dataclass(frozen=True)
class Row:
    """How one row of README's table is measured.

    Attributes:
        words: the row is the one whose first cell contains this text.
        command: part of the row's command on which the keys below depend.
        seconds: estimate of the time that one measurement takes on two idle cores, with the library of `make kernels`
            and numba's cache empty [s]. `--budget` adds these up.
        quantities: one for each number of the row's second cell, in order.
        runs: options that are added to the command, for each run of it, by a prefix of the run's keys.
    """

    words: str
    command: str
    seconds: float
    quantities: tuple[Quantity, ...]
    runs: Mapping[str, str] = field(default_factory=lambda: {"": "--json"})


def ratio(key: str, pick: Callable[[Iterable[float]], float] = max) -> Quantity:
    return Quantity(key, is_ratio=True, pick=pick)


ROWS = (
    Row(
        "Pinocchio",
        "make benchmark",
        200.0,
        (ratio("aba_over_pinocchio.*", min), ratio("aba_over_pinocchio.*")),
        {"": "--only Pinocchio --json"},
    ),
    Row(
        "a second of motion",
        "make benchmark",
        17.0,
        (ratio("second_over_mujoco.*", min), ratio("second_over_mujoco.*")),
        {"": "--only MuJoCo --json"},
    ),
    Row(
        "energy drift of the crane",
        "limberjack simulate sample_scenes/crane.sdf --duration 10",
        4.0,
        tuple(Quantity(f"{accuracy}.relative_energy_drift") for accuracy in ("draft", "good", "exact")),
        {f"{accuracy}.": f"--accuracy {accuracy} --json" for accuracy in ("draft", "good", "exact")},
    ),
    Row(
        "baking 100 bars",
        "bake.py --links 100 --frames 250",
        16.0,
        (ratio("ratio"), Quantity("gap"), Quantity("rigid_bodies_gap")),
    ),
    Row(
        "a wall of 100 boxes",
        "contact.py --peer blender --only wall --accuracy good",
        14.0,
        (
            ratio("contact_over_blender.wall.good"),
            Quantity("contact.wall.good.drift"),
            Quantity("contact.wall.blender.drift"),
        ),
    ),
    Row(
        "ten ragdolls",
        "contact.py --peer blender --only ragdolls_stairs --accuracy draft",
        14.0,
        (
            ratio("contact_over_blender.ragdolls_stairs.draft"),
            Quantity("contact.ragdolls_stairs.blender.joint_gap"),
            Quantity("contact.ragdolls_stairs.draft.penetration_end"),
            Quantity("contact.ragdolls_stairs.blender.penetration_end"),
        ),
    ),
    Row(
        "the same at *draft* ÷ MuJoCo",
        "contact.py --only ragdolls_stairs --accuracy draft",
        13.0,
        (ratio("contact_over_mujoco.ragdolls_stairs.draft"),),
    ),
    Row(
        "a chain of 100 links falling",
        "contact.py --peer cenic3 --only chain100 --accuracy good",
        120.0,
        (ratio("contact_over_cenic3.chain100.good"),),
    ),
    Row("400 bakes", "batches.py --jobs 400", 2000.0, (Quantity("jobs_per_s.blender.2"),)),
    Row(
        "first Play after installation",
        "first_play.py dist/limberjack-VERSION-linux_x64.zip",
        300.0,
        (Quantity("window.first_frame_s"), Quantity("")),
    ),
    Row(
        "Blender's start",
        "registering.py",
        8.0,
        (Quantity(".venv.register_ms", scale=1e-3),),
    ),
)


def claims_of(page: str) -> list[Claim]:
    """Return the rows of the table in README's section "Figures"."""
    section = page.partition("\n## Figures\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return [Claim(label, value, command.strip("`")) for label, value, command in rows[2:]]


def numbers_in(cell: str) -> list[Number]:
    """Return the numbers of a cell, but not those in parentheses.

    Raises:
        ValueError: if an unknown word follows a number, so that its unit is not known.
    """
    found = []
    for match in NUMBER.finditer(re.sub(r"\([^)]*\)", "", cell)):
        if match[2] not in UNITS:
            raise ValueError(f"{match[0]!r} has no unit of {', '.join(filter(None, UNITS))}")
        unit = UNITS[match[2]]
        text = match[1] if match[2] in ("to", "per") else match[0].strip()
        found.append(Number(text, float(match[1]) * unit, unit))
    return found


Pair = tuple[Row, Claim, list[Number]]


def pairs_of(claims: list[Claim]) -> list[Pair]:
    """Return for each claim the row of ROWS that measures it, and the claim's numbers.

    Raises:
        OutOfStepError: names every row of README that no row of ROWS measures, and the reverse; every command that is
            not the expected one; every cell whose numbers are not the expected ones.
    """
    pairs, problems = [], []
    for row in ROWS:
        found = [claim for claim in claims if row.words in claim.label]
        if len(found) != 1:
            problems.append(f"{row.words!r}: {len(found)} rows of README contain this, not one")
            continue
        try:
            pairs.append((row, found[0], _expected_numbers(row, found[0])))
        except ValueError as reason:
            problems.append(f"{found[0].label!r}: {reason}")
    known = [claim for claim in claims if any(row.words in claim.label for row in ROWS)]
    problems += [f"{claim.label!r}: benchmarks/readme.py does not measure it" for claim in claims if claim not in known]
    if problems:
        raise OutOfStepError("\n".join(problems))
    return sorted(pairs, key=lambda pair: claims.index(pair[1]))


def _expected_numbers(row: Row, claim: Claim) -> list[Number]:
    """Return the numbers of a claim.

    Raises:
        ValueError: if the row's quantities are not those of the claim.
    """
    if row.command not in claim.command:
        raise ValueError(f"its command is not `{row.command}`, but `{claim.command}`")
    arguments_of(claim.command)
    numbers = numbers_in(claim.value)
    if len(numbers) != len(row.quantities):
        raise ValueError(f"{len(row.quantities)} numbers are expected, found {[number.text for number in numbers]}")
    for number, quantity in zip(numbers, row.quantities, strict=True):
        if quantity.is_ratio and (number.unit != 1.0 or number.value <= 0.0):
            raise ValueError(f"a ratio is expected, found {number.text}")
    return numbers


def arguments_of(command: str) -> list[str]:
    """Return the arguments that run a command of README with this interpreter.

    Raises:
        ValueError: if it is of no known kind.
    """
    for start, ours in (
        ("make benchmark", ["benchmarks/run.py"]),
        (".venv/bin/python ", []),
        ("limberjack ", ["-m", "limberjack"]),
    ):
        if command.startswith(start):
            return [sys.executable, *ours, *shlex.split(command.removeprefix(start).replace("VERSION", VERSION))]
    raise ValueError(f"do not know how to run `{command}`")

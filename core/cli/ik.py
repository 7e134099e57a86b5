# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack ik`: find the coordinates at which links fulfil given targets."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..answer import SIMULATION_FAILED
from ..formats.files import write_together
from ..kinematics import Solution, Target, compile_for_posing, inverse_kinematics
from ..kinematics.inverse.warm_up import is_warm, warm_up
from ..model import Model, ModelError, StateError
from ..model.compiling.compiled import coordinate_names, parts_of_state
from ..model.text import aligned
from .framework import Verb, add_file, add_settings, load_usable
from .result import CommandResult, UsageError, invalid, say
from .simulate import positive, read_initial, require_writable

FORMS = {
    "target": "LINK=X,Y,Z[,QW,QX,QY,QZ]",
    "turn": "LINK=QW,QX,QY,QZ",
    "look_at": "LINK=X,Y,Z[,AX,AY,AZ]",
    "point": "LINK=X,Y,Z",
}
"""Forms of the options' values, by destination."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_settings(parser)
    for name, what in (
        ("target", "where a link's origin is to be in the world [m], and how it is to be turned"),
        ("turn", "how a link is to be turned in the world, wherever it is"),
        ("look_at", "a point in the world [m] that an axis of the link, 0,0,1 if left out, is to point at"),
        ("point", "another point of the link [m, in its frame] than its origin, for its targets"),
    ):
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, metavar=FORMS[name], action="append", default=[], dest=name, help=what)
    parser.add_argument("--pin", metavar="LINK", action="append", default=[], help="a link that stays as it starts")
    parser.add_argument("--lock", metavar="JOINT", action="append", default=[], help="a joint that stays as it starts")
    parser.add_argument(
        "--free-base", action="store_true", help="move what floats in the world too; without it, bases stay"
    )
    parser.add_argument(
        "--initial", metavar="STATE.json", type=Path, help='where to begin: {"q": {joint: value}}; home if left out'
    )
    parser.add_argument("--rest", metavar="STATE.json", type=Path, help="a pose to be near to, where many would do")
    parser.add_argument(
        "--tolerance", metavar="T", type=positive, default=1e-6, help="metres and radians (default 1e-6)"
    )
    parser.add_argument(
        "--starts", metavar="N", type=_count, default=100, help="how many poses to begin from at most (default 100)"
    )
    parser.add_argument("-o", "--output", metavar="OUT.json", type=Path, help="the pose, as --initial takes it")
    parser.add_argument("--json", action="store_true", help="the answer as one JSON object")


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 to a million")
    return int(text)


def compile_posing_once() -> None:
    """Compile the kernels of inverse kinematics, and say so, if this machine has not done it yet."""
    if not is_warm():
        say("limberjack: compiling inverse kinematics, once for this version")
        warm_up()


def _run(arguments: argparse.Namespace) -> CommandResult:
    if arguments.output:
        require_writable(arguments.output, (".json",))
    asked = {name: _numbers(name, getattr(arguments, name)) for name in FORMS}
    targets = _targets(asked)
    if not targets:
        raise UsageError(f"nothing is asked for: give --target {FORMS['target']}, --turn or --look-at")
    initial, rest = read_initial(arguments.initial), read_initial(arguments.rest)
    model = load_usable(arguments.file, arguments.search, arguments.settings, arguments.strict).model
    _require_names(model, {name for links in asked.values() for name in links}.union(arguments.pin), arguments.lock)
    try:
        rest = _rest(model, rest)
    except StateError as error:  # errors caught further out are reported for --initial
        return invalid(error, arguments.rest, "state")
    compile_posing_once()
    found = inverse_kinematics(
        model,
        targets,
        q=parts_of_state(initial)[0],
        pins=_pins(model, arguments.pin, initial),
        held=arguments.lock,
        moves_base=arguments.free_base,
        rest=rest,
        tolerance=arguments.tolerance,
        starts=arguments.starts,
    )
    if arguments.output:
        text = json.dumps({"q": found.q}, indent=1) + "\n"
        write_together(arguments.output, {arguments.output.name: text})
    result = CommandResult(_described(found), _told(model, found))
    if not found.reach.is_reached:
        result.code = SIMULATION_FAILED
        result.error = f"{found.reach.words}; this is the nearest pose that was found"
        result.said = [f"{arguments.file}: error ik: {result.error}"]
    return result


def _numbers(name: str, texts: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Return the numbers of each link, {link: numbers}.

    Raises:
        UsageError: if a text does not have the form of the option, or if a link is repeated.
    """
    flag, form = f"--{name.replace('_', '-')}", FORMS[name]
    least = form.partition("[")[0].count(",") + 1
    counts = {least, form.count(",") + 1}
    found: dict[str, tuple[float, ...]] = {}
    for text in texts:
        link, _, listed = text.rpartition("=")
        try:
            numbers = tuple(float(part) for part in listed.split(","))
        except ValueError:
            numbers = ()
        if not link or len(numbers) not in counts:
            raise UsageError(f"{flag} {text}: takes {form}")
        if link in found:
            raise UsageError(f"{flag} {text}: link '{link}' has one already")
        found[link] = numbers
    return found


def _targets(asked: Mapping[str, Mapping[str, tuple]]) -> list[Target]:
    """Return a target for each link.

    Raises:
        UsageError: if options contradict each other, or if numbers are not valid.
    """
    fields: dict[str, dict] = {}
    for link, numbers in asked["target"].items():
        fields.setdefault(link, {})["place"] = numbers[:3]
        if numbers[3:]:
            fields[link]["turn"] = numbers[3:]
    for link, numbers in asked["turn"].items():
        if "turn" in fields.setdefault(link, {}):
            raise UsageError(f"--turn {link}=…: link '{link}' is turned by its --target already")
        fields[link]["turn"] = numbers
    for link, numbers in asked["look_at"].items():
        fields.setdefault(link, {})["look_at"] = numbers[:3]
        if numbers[3:]:
            fields[link]["axis"] = numbers[3:]
    for link, numbers in asked["point"].items():
        if link not in fields:
            raise UsageError(f"--point {link}=…: link '{link}' has no target")
        fields[link]["point"] = numbers
    try:
        return [Target(link, **parts) for link, parts in fields.items()]
    except ModelError as error:
        raise UsageError(str(error)) from error


def _require_names(model: Model, links: set[str], joints: Sequence[str]) -> None:
    for what, names, known in (
        ("link", sorted(links), [link.name for link in model.links]),
        ("joint", joints, [joint.name for joint in model.joints]),
    ):
        for name in names:
            if name not in known:
                raise UsageError(f"there is no {what} '{name}'; there are: {', '.join(known)}")


def _pins(model: Model, names: Sequence[str], initial: Mapping | None) -> list[Target]:
    """Return targets that hold links where they are at the initial state, or at home."""
    if not names:
        return []
    start = inverse_kinematics(model, [], q=parts_of_state(initial)[0], starts=1)
    return [Target(name, place=start.X_WL[name][:3], turn=start.X_WL[name][3:]) for name in dict.fromkeys(names)]


def _rest(model: Model, state: Mapping | None) -> Mapping | None:
    """Return the positions of a state, or None.

    Raises:
        StateError: if they do not fit the model.
    """
    positions, _ = parts_of_state(state)
    compile_for_posing(model).q_from(positions)
    return None if state is None else positions


def _described(found: Solution) -> dict:
    """Return the solution as plain data in SI units."""
    reach = found.reach
    return {
        "reached": reach.is_reached,
        "q": found.q,
        "X_WL": found.X_WL,
        "misses": [vars(miss) for miss in reach.misses],
        "gap": reach.gap,
        "at_limits": list(reach.at_limits),
        "steps": reach.steps,
        "starts": found.starts,
    }


def _told(model: Model, found: Solution) -> list[str]:
    compiled = compile_for_posing(model)
    numbers = compiled.q_from(found.q).tolist()
    rows = [
        (name, f"{value:.9g}", unit) for (name, unit), value in zip(coordinate_names(compiled), numbers, strict=True)
    ]
    return aligned([("COORDINATE", "VALUE", "UNIT"), *rows]).splitlines()


IK = Verb("ik", "find the pose in which links are where they are asked to be", _add_arguments, _run)

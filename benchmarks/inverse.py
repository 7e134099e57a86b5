# SPDX-License-Identifier: GPL-3.0-or-later
"""How long inverse kinematics takes beside damped least squares on Pinocchio, taken in turns. See README.md."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from peers import PYTHON, PeerError, require
from targets import as_json, table

from limberjack.core.kinematics import Reacher, Target, compile_for_posing, inverse_kinematics
from limberjack.core.kinematics.inverse.inverse import held_dofs
from limberjack.core.kinematics.inverse.warm_up import warm_up
from limberjack.core.model import Model
from limberjack.core.model.compiling.compiled import CompiledModel

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.reaching import (
    NEAR,
    ROBOTS,
    Robot,
    beyond_limits,
    is_at,
    link_matrices,
    pose_of,
    random_coordinates,
    targets_at,
)

TOLERANCE = 0.5 * NEAR
"""Metres and radians, for both: of each number, of which a distance has three, so that none is beyond NEAR."""

STARTS = 100
PEERS_STEPS = 1000
"""From each start, as in Pinocchio's own example; where starts lead nowhere, most of its time goes into these."""
BASE = "base"


@contextmanager
def pinocchio(robot: Robot, steps: int) -> Iterator[Callable[[dict], dict]]:
    """Answers a question, see pinocchio_inverse.py; one process answers all."""
    command = [PYTHON, Path(__file__).with_name("pinocchio_inverse.py")]
    job = {
        "file": str(robot.path),
        "links": robot.links,
        "is_turned": robot.is_turned,
        "moves_base": robot.moves_base,
        "tolerance": TOLERANCE,
        "steps": steps,
    }
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def tell(said: dict) -> None:
            process.stdin.write(f"{json.dumps(said)}\n")
            process.stdin.flush()

        def answer(question: dict) -> dict:
            tell(question)
            return json.loads(process.stdout.readline())

        tell(job)
        yield answer
        process.stdin.close()


class Contest:
    """One robot, its targets, and the starts that both try in the same order."""

    def __init__(self, robot: Robot):
        self.robot, self.model = robot, robot.model()
        self.compiled = compile_for_posing(self.model)
        self.rng = np.random.default_rng(0)
        self.base = self.compiled.floating[0] if self.compiled.floating else BASE
        self.reacher: Reacher | None = None

    def random(self) -> dict[str, list[float]]:
        return random_coordinates(self.robot, self.compiled, self.rng)

    def starts(self) -> list[dict]:
        home = self.compiled.q_by_joint(self.compiled.q_home)
        return [home, *(self.random() for _ in range(STARTS - 1))]

    def whole(self, targets: list[Target]) -> tuple[float, dict]:
        """Seconds of `inverse_kinematics`, which compiles the model and draws its own starts, and coordinates."""
        begun = time.perf_counter()
        found = inverse_kinematics(self.model, targets, moves_base=self.robot.moves_base, tolerance=TOLERANCE)
        return time.perf_counter() - begun, found.q

    def reach(self, targets: list[Target], starts: list[dict]) -> tuple[float, dict]:
        """Seconds from the given starts with a problem that was built before, and coordinates."""
        if self.reacher is None:
            held = held_dofs(self.compiled, (), self.robot.moves_base)
            self.reacher = Reacher(self.compiled, targets, held=held)
        poses = [self.compiled.q_from(start) for start in starts]
        begun = time.perf_counter()
        self.reacher.ask(targets)
        for q in poses:
            if self.reacher.reach(q, TOLERANCE).is_reached:
                break
        return time.perf_counter() - begun, self.compiled.q_by_joint(q)

    def question(self, wanted: dict, starts: list[dict]) -> dict:
        told = [{BASE if name == self.base else name: q for name, q in start.items()} for start in starts]
        return {"wanted": [wanted[link].tolist() for link in self.robot.links], "starts": told}

    def named(self, state: dict) -> dict:
        """The peer's coordinates, with what it was not asked about at home."""
        home = self.compiled.q_by_joint(self.compiled.q_home)
        return home | {self.base if name == BASE else name: q for name, q in state.items()}


def is_solved(robot: Robot, model: Model, compiled: CompiledModel, q: dict, wanted: dict) -> bool:
    """By arithmetic that neither of them uses."""
    return is_at(robot, link_matrices(compiled, q), wanted) and beyond_limits(model, q) < TOLERANCE


def measure(name: str, count: int, steps: int) -> dict[str, float]:
    """Targets solved, of `count`; medians of the times of those [ms]; and ratios of these."""
    contest = Contest(ROBOTS[name])
    robot, model, compiled = contest.robot, contest.model, contest.compiled
    times: dict[str, list[float]] = {"whole": [], "reach": [], "pinocchio": []}
    with pinocchio(robot, steps) as peer:
        for _ in range(count):
            wanted, starts = link_matrices(compiled, contest.random()), contest.starts()
            targets = targets_at(robot, {link: pose_of(wanted[link]) for link in robot.links})
            answer = peer(contest.question(wanted, starts))
            answers = {"whole": contest.whole(targets), "reach": contest.reach(targets, starts)}
            if answer["q"] is not None:
                answers["pinocchio"] = answer["seconds"], contest.named(answer["q"])
            for who, (seconds, q) in answers.items():
                if is_solved(robot, model, compiled, q, wanted):
                    times[who].append(1e3 * seconds)
    medians = {who: statistics.median(each) for who, each in times.items()}
    return {
        **{f"inverse_solved.{name}.{who}": float(len(each)) for who, each in times.items()},
        **{f"inverse_ms.{name}.{who}": median for who, median in medians.items()},
        **{f"inverse_over_pinocchio.{name}.{who}": medians[who] / medians["pinocchio"] for who in ("whole", "reach")},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="targets of each robot; 200 if left out")
    parser.add_argument("--steps", type=int, default=PEERS_STEPS, help="the peer's from each start; 1000 if left out")
    parser.add_argument("--json", action="store_true", help="one JSON object, on the last line")
    arguments = parser.parse_args()
    warm_up()
    figures: dict[str, float] = {}
    try:
        require(PYTHON, "make judges")
        for name, robot in ROBOTS.items():
            require(robot.path, "set LIMBERJACK_SHARED")
            figures |= measure(name, arguments.count, arguments.steps)
    except PeerError as reason:
        print(f"benchmark: inverse kinematics: left out: {reason}", file=sys.stderr)
        return 1
    print(table(figures))
    if arguments.json:
        print(as_json(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())

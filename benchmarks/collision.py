# SPDX-License-Identifier: GPL-3.0-or-later
"""How long it takes to find all contacts of a scene, beside MuJoCo, and how that grows with the bodies.

MuJoCo moves a scene of shared/contact; at some times its geoms are ours as well, and both find their contacts, in
turns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from models import SHARED
from peers import PYTHON, PeerError, require
from targets import as_json, table

from limberjack.core.collision.broad_phase import SOLID_POSE, find_pairs, make_tree, write_solid_poses
from limberjack.core.collision.collision_filter import CollisionFilter
from limberjack.core.collision.manifold import CONTACT
from limberjack.core.collision.packing import Solid, ball, box, capsule, cylinder, ellipsoid, pack, plane
from limberjack.core.collision.pairs import make_pair_work, write_contact_points
from limberjack.core.compilation.jit import kernel, subroutine

SCENES = SHARED.parent / "contact" / "scenes"
NAMES = ("pile100", "ragdoll", "ragdolls_stairs", "balls666")
USUAL = (0.0, 1.0)
"""Simulated times at which both look [s]."""
TIMES = {"balls666": (0.0, 0.1)}
"""The same for scenes of which MuJoCo takes minutes for a second."""
ROUNDS = 7
CALLS = 200
COUNTS = (100, 1000, 10000)
DENSITY = 8.0
"""Bodies of about a metre in a cube of so many cubic metres each."""

MAKERS = {
    "plane": lambda size: plane(),
    "ball": lambda size: ball(size[0]),
    "capsule": lambda size: capsule(size[0], 2.0 * size[1]),
    "box": lambda size: box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2])),
    "cylinder": lambda size: cylinder(size[0], 2.0 * size[1]),
    "ellipsoid": ellipsoid,
}


place, find, touch = (subroutine(each.python) for each in (write_solid_poses, find_pairs, write_contact_points))
"""For kernels to call, which cannot call each other."""


@kernel
def repeat_place(solids, hulls, poses, placed, calls):
    for _ in range(calls):
        place(solids, hulls, poses, placed)


@kernel
def repeat_find(solids, placed, collision_filter, tree, pairs, calls):
    for _ in range(calls):
        find(solids, placed, collision_filter, 0.0, tree, pairs)


@kernel
def repeat_touch(solids, hulls, placed, pairs, count, room, contacts, calls):
    for _ in range(calls):
        touch(solids, hulls, placed, pairs, count, 0.0, room, contacts)


class Scene:
    """Solids at their poses, and all that the kernels need."""

    def __init__(self, solids: list[Solid], poses: np.ndarray, groups: list[int], excluded: list[tuple[int, int]]):
        owners = {group: number for number, group in enumerate(sorted(set(groups)))}
        count = len(owners)
        told = [
            replace(solid, body=i, owner=owners[group])
            for i, (solid, group) in enumerate(zip(solids, groups, strict=True))
        ]
        codes = {min(a, b) * count + max(a, b) for a, b in ((owners[p], owners[q]) for p, q in excluded)}
        self.solids, self.hulls = pack(told)
        self.poses = poses
        self.placed = np.zeros(len(told), SOLID_POSE).view(np.recarray)
        each, pairs, none = np.arange(count), np.array(sorted(codes), np.int64), np.zeros(0, np.int64)
        self.collision_filter = CollisionFilter(
            each, each, each, np.zeros_like(each), pairs, np.zeros_like(pairs), none
        )
        self.tree, self.room = make_tree(len(told)), make_pair_work()
        self.pairs = np.zeros((40 * len(told) + 100, 2), np.int64)
        self.contacts = np.zeros(8 * len(self.pairs), CONTACT).view(np.recarray)
        write_solid_poses(self.solids, self.hulls, self.poses, self.placed)
        self.near = find_pairs(self.solids, self.placed, self.collision_filter, 0.0, self.tree, self.pairs)
        self.touching = self.touch(1)

    def touch(self, calls: int) -> int:
        arguments = (self.solids, self.hulls, self.placed, self.pairs, self.near)
        if calls == 1:
            return write_contact_points(*arguments, 0.0, self.room, self.contacts)
        repeat_touch(*arguments, self.room, self.contacts, calls)
        return 0

    def parts(self, calls: int) -> dict[str, float]:
        """How long each part of a call takes [s]."""
        return {
            "place": timed(lambda n: repeat_place(self.solids, self.hulls, self.poses, self.placed, n), calls),
            "find": timed(
                lambda n: repeat_find(self.solids, self.placed, self.collision_filter, self.tree, self.pairs, n), calls
            ),
            "touch": timed(self.touch, max(calls, 2)),
        }


def timed(run: Callable[[int], object], calls: int) -> float:
    begun = time.perf_counter()
    run(calls)
    return (time.perf_counter() - begun) / calls


def best_of(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {part: min(each[part] for each in rounds) for part in rounds[0]}


@contextmanager
def mujoco(path: Path) -> Iterator[Callable[[dict], object]]:
    """Does a job, see mujoco_collision.py; one process does all of a scene."""
    command = [PYTHON, Path(__file__).with_name("mujoco_collision.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def do(job: dict) -> object:
            process.stdin.write(f"{json.dumps(job)}\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        process.stdin.write(f"{path}\n")
        yield do
        process.stdin.close()


def scene_of(told: dict) -> Scene:
    solids = [MAKERS[kind](size) for kind, size in zip(told["kind"], told["size"], strict=True)]
    poses = np.column_stack([told["rotation"], told["position"]])
    return Scene(solids, poses, told["group"], [pair for pair in told["excluded"] if set(pair) <= set(told["group"])])


def beside_mujoco(name: str) -> dict[str, float]:
    """Our time over MuJoCo's, both times, and how many contacts each has found."""
    figures: dict[str, float] = {}
    before = 0.0
    with mujoco(SCENES / f"{name}.xml") as theirs:
        for at in TIMES.get(name, USUAL):
            told = theirs({"step": at - before})
            before = at
            scene = scene_of(told)
            calls = max(3, min(CALLS, 20000 // len(scene.solids)))
            scene.parts(2)
            mine, its = [], []
            for _ in range(ROUNDS):
                mine.append(scene.parts(calls))
                its.append(theirs({"time": calls}))
            parts = best_of(mine)
            key = f"{name}.{at:g}s"
            figures[f"collision_over_mujoco.{key}"] = sum(parts.values()) / min(its)
            figures |= {f"collision_us.{key}.{part}": 1e6 * spent for part, spent in parts.items()}
            figures[f"collision_us.{key}.mujoco"] = 1e6 * min(its)
            figures[f"contacts.{key}.ours"] = scene.touching
            figures[f"contacts.{key}.mujoco"] = told["contacts"]
    return figures


def growth() -> dict[str, float]:
    """The time a body in clouds of one density, and what their size does to it."""
    rng = np.random.default_rng(0)
    figures = {}
    for count in COUNTS:
        makers = (lambda: ball(0.5), lambda: box((1.0, 0.8, 0.6)), lambda: capsule(0.3, 0.6))
        solids = [makers[i % 3]() for i in range(count)]
        turns = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
        turns *= np.linalg.det(turns)[:, None, None]
        width = (DENSITY * count) ** (1.0 / 3.0)
        poses = np.column_stack([turns.reshape(-1, 9), rng.uniform(0.0, width, (count, 3))])
        scene = Scene(solids, poses, list(range(count)), [])
        scene.parts(2)
        parts = best_of([scene.parts(max(2, 20000 // count)) for _ in range(ROUNDS)])
        figures[f"collision_us_per_body.{count}"] = 1e6 * sum(parts.values()) / count
        figures |= {f"collision_us_per_body.{count}.{part}": 1e6 * spent / count for part, spent in parts.items()}
    figures["collision_per_body_10000_over_100"] = (
        figures["collision_us_per_body.10000"] / figures["collision_us_per_body.100"]
    )
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=NAMES, help="these scenes")
    parser.add_argument("--json", action="store_true", help="one JSON object, on the last line")
    arguments = parser.parse_args()
    figures = growth()
    try:
        require(PYTHON, "make judges")
        require(SCENES, "set LIMBERJACK_SHARED")
        for name in arguments.only or NAMES:
            found = beside_mujoco(name)
            print(table(found), file=sys.stderr, flush=True)
            figures |= found
    except PeerError as reason:
        print(f"benchmark: collision: left out: {reason}", file=sys.stderr)
    print(table(figures))
    if arguments.json:
        print(as_json(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Many contacts: the scenes of ../shared/contact beside a peer, in one run, and how they fare in random variants.

    .venv/bin/python benchmarks/contact.py --accuracy draft,good
    .venv/bin/python benchmarks/contact.py --only wall,ragdolls_stairs --peer blender --accuracy good
    .venv/bin/python benchmarks/contact.py --only pile100,wall --variants 50 --limit 60
    .venv/bin/python benchmarks/contact.py --growth

A variant moves and turns every body a little, and gives it some speed. What explodes, hangs or falls through is told.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from contact_cases.asking import Asker
from contact_cases.references import Reference
from contact_cases.scenes import shared_scenes, world_of
from contact_cases.worlds import World
from contact_engine import load_kernels
from contact_engine import run as engine_run
from contact_peers import ENGINES, by_peer, judged
from peers import PeerError
from targets import as_json, table

from limberjack.core.diagnosis import SimulationError
from limberjack.core.geometry import Box
from limberjack.core.geometry.contact_properties import Surface

NAMES = (
    "ragdoll",
    "quadruped",
    "pile100",
    "ragdolls_stairs",
    "wall",
    "chain100",
    "car",
    "gripper",
    "gripper_line",
    "zero_gravity",
    "balls666",
)
SAMPLE = 0.02
"""Seconds between frames."""
NUDGE, TURN, SPEED = 2e-3, 0.02, 0.05
"""Of variants: metres, radians, metres a second."""
EXPLODED = 30.0
"""Metres a second faster than anything may become by falling from where it is."""
DEEP = 0.05
"""Metres by which nothing may lie in anything, after half of the time."""
COUNTS = (10, 30, 100, 300, 1000)
"""Boxes whose cost is compared."""


def varied(name: str, seed: int) -> World:
    """A scene as a model; seed 0 is the scene itself."""
    world = world_of(shared_scenes()[name]["make"]())
    if seed:
        rng = np.random.default_rng(seed)
        for joint in world.model.joints:
            if joint.type == "free":
                turn = 0.5 * TURN * rng.normal(size=3)
                push = NUDGE * rng.normal(size=2)
                q = [*push, NUDGE * rng.random(), *(np.array([1.0, *turn]) / np.hypot(1.0, np.linalg.norm(turn)))]
                world.initial["q"][joint.name] = q
                qd = world.initial["qd"].get(joint.name, [0.0] * 6)
                world.initial["qd"][joint.name] = (np.array(qd) + SPEED * np.r_[rng.normal(size=3), 0, 0, 0]).tolist()
    return world


def followed(world: World, name: str, seconds: float, accuracy: str, limit: float) -> dict[str, float]:
    """What came of a motion: wall seconds a second, how deep things lay in each other, how they moved at the end."""
    ask = Asker(Reference(name, {}, {}), accuracy, np.inf)
    frames = np.linspace(0.0, seconds, 1 + round(seconds / SAMPLE))
    motion, failed = ask.simulate_as_far(world, frames, limit)
    reached = float(motion.t[-1]) if len(motion.t) else 0.0
    if failed:
        print(f"{name} {accuracy}: {failed}", file=sys.stderr, flush=True)
    found = {"wall": ask.wall / max(reached, 1e-9), "reached": reached, "steps": float(ask.steps)}
    if len(motion.t) < 2:
        return found | {"failed": 1.0 if failed else 0.0}
    found["worst_penetration"] = motion.penetration(every=5)
    found["end_penetration"] = motion.penetration(every=5, begin=0.5 * reached)
    found["creep"] = float(np.linalg.norm(motion.X[-1, :, :3] - motion.X[-2, :, :3], axis=1).max()) / SAMPLE
    speed = np.linalg.norm(np.diff(motion.X[:, :, :3], axis=0), axis=2).max() / SAMPLE
    drop = 2.0 * np.linalg.norm(motion.gravity) * np.ptp(motion.X[..., 2])
    found["exploded"] = float(speed > EXPLODED + np.sqrt(max(drop, 0.0)))
    return found | {"failed": 1.0 if failed and "took more" not in failed else 0.0}


def beside_peer(name: str, peer: str, accuracies: list[str], limit: float) -> dict[str, float]:
    """Both in turns, the better of two each, and what the same judge says to both."""
    case, figures = shared_scenes()[name], {}
    theirs = [by_peer(peer, name, limit)]
    for accuracy in accuracies:
        results = [engine_run(case["make"](), case["duration"], SAMPLE, limit, accuracy) for _ in range(2)]
        best = min(results, key=lambda result: result.wall / max(float(result.t[-1]), 1e-9))
        wall = best.wall / max(float(best.t[-1]), 1e-9)
        theirs.append(by_peer(peer, name, limit))
        figures[f"contact_over_{peer}.{name}.{accuracy}"] = wall / min(each["wall"] for each in theirs)
        ours = {"wall": wall, "reached": float(best.t[-1]), "steps": best.steps} | judged(name, best)
        figures |= {f"contact.{name}.{accuracy}.{what}": value for what, value in ours.items()}
    least = min(theirs, key=lambda each: each["wall"])
    return figures | {f"contact.{name}.{peer}.{what}": value for what, value in least.items()}


def in_variants(name: str, accuracies: list[str], count: int, limit: float) -> dict[str, float]:
    """How many of the variants exploded, hung, failed, or had something lie deep in something else."""
    seconds, figures = shared_scenes()[name]["duration"], {}
    for accuracy in accuracies:
        found = []
        for seed in range(1, count + 1):
            each = followed(varied(name, seed), name, seconds, accuracy, limit)
            found.append(each)
            words = [
                word
                for word, so in (
                    ("failed", each["failed"]),
                    ("exploded", each.get("exploded")),
                    (f"hung at {each['reached']:.2f} s", each["reached"] < seconds - 1e-6 and not each["failed"]),
                    (f"deep by {each.get('end_penetration', 0.0):.3f} m", each.get("end_penetration", 0.0) > DEEP),
                )
                if so
            ]
            if words:
                print(f"{name} {accuracy} variant {seed}: {', '.join(words)}", file=sys.stderr, flush=True)
        key = f"variants.{name}.{accuracy}"
        figures[f"{key}.failed"] = sum(each["failed"] for each in found)
        figures[f"{key}.exploded"] = sum(each.get("exploded", 0.0) for each in found)
        figures[f"{key}.hung"] = sum(float(each["reached"] < seconds - 1e-6 and not each["failed"]) for each in found)
        figures[f"{key}.deepest"] = max(each.get("end_penetration", np.nan) for each in found)
        figures[f"{key}.creep"] = max(each.get("creep", np.nan) for each in found)
        figures[f"{key}.slowest"] = max(each["wall"] for each in found)
    return figures


def growth(accuracy: str = "draft") -> dict[str, float]:
    """Wall time a simulated second of boxes that fall in a heap, by how many there are."""
    figures = {}
    for count in COUNTS:
        rng, world, surface = np.random.default_rng(0), World(), Surface(friction=0.5)
        world.floor(surface)
        side = max(2, round((count / 4.0) ** 0.5))
        for i in range(count):
            x, y, z = i % side, i // side % side, i // (side * side)
            place = (0.26 * x + 0.04 * rng.random(), 0.26 * y + 0.04 * rng.random(), 0.2 + 0.3 * z)
            world.solid(f"b{i}", Box((0.2, 0.2, 0.2)), surface, 1.0, place)
        figures[f"contact_s.boxes{count}"] = followed(world, "boxes", 2.0, accuracy, 300.0)["wall"]
    figures["contact_per_box_1000_over_10"] = figures["contact_s.boxes1000"] / figures["contact_s.boxes10"] / 100.0
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="scenes, with commas between them; all if left out")
    parser.add_argument("--peer", choices=ENGINES, default="mujoco", help="beside which engine")
    parser.add_argument("--accuracy", default="draft,good", help="of draft, good, exact, with commas between them")
    parser.add_argument("--variants", type=int, default=0, help="run so many random variants of each scene instead")
    parser.add_argument("--growth", action="store_true", help="run heaps of boxes instead")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one run")
    parser.add_argument("--json", action="store_true", help="one JSON object, on the last line")
    asked = parser.parse_args()
    load_kernels()
    accuracies, figures = asked.accuracy.split(","), {}
    names = [] if asked.growth else asked.only.split(",") if asked.only else NAMES
    if asked.growth:
        figures |= growth(accuracies[0])
    for name in names:
        try:
            if asked.variants:
                found = in_variants(name, accuracies, asked.variants, asked.limit)
            else:
                found = beside_peer(name, asked.peer, accuracies, asked.limit)
        except (PeerError, SimulationError) as reason:
            print(f"benchmark: {name}: {reason}", file=sys.stderr)
            continue
        print(table(found), file=sys.stderr, flush=True)
        figures |= found
    print(table(figures))
    if asked.json:
        print(as_json(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Feed forged state files to simulations: `python tests/fuzz/states.py [--count N] [--seed N] [--sample NAME]`.

Each edit changes what the solver had in memory, and makes the digest anew, as somebody would who wants it accepted. It
must be refused with a StateError, or run, or end with a SimulationError. Edits are printed before they are tried, so
that the last line names the one that has crashed or stuck the process. Exits with 1 if another exception was raised.
"""

from __future__ import annotations

import argparse
import base64
import io
import random
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from limberjack.core.formats import read
from limberjack.core.model import StateError
from limberjack.core.simulation import Simulation, SimulationError
from limberjack.core.simulation.saved_state import CONTINUATION, Continuation

SAMPLES = Path(__file__).parents[2] / "sample_scenes"
NAMES = ("marbles", "dominoes", "tumble", "ragdoll", "drawbridge", "gripper", "crane", "stewart")
"""Samples with contact by events and in convex steps, sleep, stops, drives, loops and couplings."""

FRAMES, AT = 16, (3, 9, 15)
"""Frames until the last state that is forged, and the frames of all three."""
AHEAD = 4

INTEGERS = (-1, -(2**40), 2**40, 2**62, -(2**63), 2**63 - 1, 10**6, 5000, -5000, 0, 1, 2, 3, 17, 64)
FLOATS = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e-308, 0.0, -0.0, -1.0, 1.0, 1e17)


def states_of(name: str):
    """Return a sample's model, and states of it at some frames."""
    model = read(SAMPLES / f"{name}.sdf").model
    run = Simulation(model, np.arange(FRAMES) / 24.0, accuracy="draft")
    found = [run.state for done in run if done - 1 in AT]
    return model, run.compiled, found


def arrays_of(memory: str) -> list[np.ndarray]:
    data, found = base64.b64decode(memory), []
    stream = io.BytesIO(data)
    while stream.tell() < len(data):
        found.append(np.load(stream))
    return found


def written(arrays: list[np.ndarray]) -> bytes:
    stream = io.BytesIO()
    for array in arrays:
        np.save(stream, array)
    return stream.getvalue()


def leaves(array: np.ndarray, path: str = "") -> list[tuple[str, np.ndarray]]:
    """Return views of all numbers of an array by their fields."""
    if array.dtype.names is None:
        return [(path, array)] if array.size else []
    return [leaf for field in array.dtype.names for leaf in leaves(array[field], f"{path}.{field}")]


def change_number(rng: random.Random, arrays: list[np.ndarray]) -> str:
    spots = [(number, *leaf) for number, array in enumerate(arrays) for leaf in leaves(array)]
    number, path, view = rng.choice(spots)
    place = rng.randrange(view.size)
    value = rng.choice(INTEGERS if view.dtype.kind == "i" else FLOATS)
    view.flat[place] = value
    return f"array {number}{path}[{place}] = {value}"


def change_length(rng: random.Random, arrays: list[np.ndarray]) -> str:
    number = rng.randrange(len(arrays))
    array, count = arrays[number], rng.choice((0, 1, 2, 3, 500, 5000))
    arrays[number] = np.resize(array, (count, *array.shape[1:])) if array.size else np.zeros(count, array.dtype)
    return f"array {number} gets length {count}"


def change_type(rng: random.Random, arrays: list[np.ndarray]) -> str:
    number = rng.randrange(len(arrays))
    kind = rng.choice(("i4", "f4", "f8", "i8", "c16", "U3", "?", ">f8", ">i8"))
    arrays[number] = np.zeros(arrays[number].shape, kind)
    return f"array {number} gets type {kind}"


def change_order(rng: random.Random, arrays: list[np.ndarray]) -> str:
    one, other = rng.randrange(len(arrays)), rng.randrange(len(arrays))
    arrays[one], arrays[other] = arrays[other], arrays[one]
    return f"arrays {one} and {other} are exchanged"


def drop(rng: random.Random, arrays: list[np.ndarray]) -> str:
    number = rng.randrange(len(arrays))
    del arrays[number]
    return f"array {number} is missing"


EDITS: tuple[tuple[Callable[[random.Random, list[np.ndarray]], str], int], ...] = (
    (change_number, 12),
    (change_length, 2),
    (change_type, 1),
    (change_order, 1),
    (drop, 1),
)


def forged(rng: random.Random, state: dict) -> tuple[dict, str]:
    """Return a state of another memory without a digest, and what was changed."""
    how = Continuation(**state[CONTINUATION])
    arrays = [array.copy() for array in arrays_of(how.memory)]
    edits = [edit for edit, weight in EDITS for _ in range(weight)]
    said = [rng.choice(edits)(rng, arrays) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    data = bytearray(written(arrays))
    if rng.random() < 0.1:
        place = rng.randrange(len(data))
        data[place] = rng.randrange(256)
        said.append(f"byte {place} = {data[place]}")
    if rng.random() < 0.03:
        del data[rng.randrange(len(data)) :]
        said.append(f"{len(data)} bytes are left")
    how = replace(how, memory=base64.b64encode(data).decode())
    return state | {CONTINUATION: asdict(how)}, ", ".join(said)


def signed(compiled, state: dict) -> dict:
    how = Continuation(**state[CONTINUATION])
    return state | {CONTINUATION: asdict(replace(how, digest=how._digest(compiled, state)))}


def outcome(model, state: dict) -> str:
    """Start from a state. Return how that went."""
    try:
        times = state["time"] + np.arange(1 + AHEAD) / 24.0
        run = Simulation(model, times, accuracy="draft", initial=state)
        goes_on = "went on" if run._goes_on else "started anew"
        run.run()
    except StateError:
        return "refused"
    except SimulationError:
        return "failed"
    return goes_on


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many edits to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", choices=NAMES, action="append", help="only these samples")
    arguments = parser.parse_args()
    names = arguments.sample or NAMES
    found, broken = Counter(), 0
    for place, name in enumerate(names):
        model, compiled, states = states_of(name)
        for state in states:
            assert outcome(model, state) == "went on", f"{name} at {state['time']:g} s does not go on as it was saved"
        for number in range(place, arguments.count, len(names)):
            rng = random.Random(f"{arguments.seed} {number}")
            state, said = forged(rng, rng.choice(states))
            print(f"{name} {number}: {said}", flush=True)
            try:
                found[outcome(model, signed(compiled, state))] += 1
            except Exception:
                traceback.print_exc()
                broken += 1
    print(f"seed {arguments.seed}: {dict(found)}, {broken} with another exception")
    return 1 if broken else 0


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        sys.exit(main())

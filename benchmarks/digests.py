# SPDX-License-Identifier: GPL-3.0-or-later
"""One digest for each motion of a fixed set, all records taken: two installations compute the same bits if all agree.

    LIMBERJACK_KERNELS=numba python benchmarks/digests.py > a.txt
    LIMBERJACK_KERNELS=library python benchmarks/digests.py > b.txt
    diff a.txt b.txt

The set: the ten samples, the five mechanisms of five_mechanisms.py, and wild models by their seeds.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limberjack.core.compilation import jit
from limberjack.core.diagnosis import SimulationError
from limberjack.core.formats import read
from limberjack.core.model import ModelError
from limberjack.core.simulation import RECORDS, Controls, Forces, Simulation

if TYPE_CHECKING:
    from five_mechanisms import Mechanism

ROOT = Path(__file__).parents[1]
WILD = 200
FPS = 24.0
LONGEST = 4.0
"""Seconds of a mechanism."""

sys.path.insert(0, str(ROOT / "tests"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wild", type=int, default=WILD, help="how many wild models")
    count = parser.parse_args().wild
    print(f"{jit.way().value}, Python {sys.version_info.major}.{sys.version_info.minor}", file=sys.stderr)
    warnings.simplefilter("ignore")
    for name, simulation in cases(count):
        print(f"{name:24s} {digest(simulation)}", flush=True)


def cases(wild: int) -> Iterator[tuple[str, Callable[[], Simulation]]]:
    for path in sorted((ROOT / "sample_scenes").glob("*.sdf")):
        yield path.stem, lambda path=path: Simulation(read(path).model, np.arange(97) / FPS, record=RECORDS)
    from five_mechanisms import MECHANISMS

    for name, made in MECHANISMS.items():
        yield name, lambda made=made: started(made())
    from support.wild import from_seed

    for seed in range(wild):
        found = from_seed(seed)
        times = np.arange(25) / FPS
        yield (
            f"wild {seed}",
            lambda w=found, times=times: Simulation(w.model, times, initial=w.initial, record=RECORDS),
        )


def started(mechanism: Mechanism) -> Simulation:
    motors = Forces(joints=mechanism.forces)
    controls = Controls(forces=lambda _: motors) if mechanism.forces else None
    times = np.linspace(0.0, min(mechanism.duration, LONGEST), 97)
    return Simulation(mechanism.model, times, initial=mechanism.initial, controls=controls, record=RECORDS)


def digest(begin: Callable[[], Simulation]) -> str:
    """Of all that a motion consists of, or of what was said where it cannot be computed."""
    found = hashlib.sha256()
    try:
        run = begin()
        run.run()
        for name, value in sorted(vars(run.trajectory).items()):
            _add(found, name, value)
    except (ModelError, SimulationError) as error:
        found.update(str(error).encode())
    return found.hexdigest()[:16]


def _add(found: Any, name: str, value: object) -> None:
    found.update(name.encode())
    if isinstance(value, np.ndarray):
        found.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, dict):
        for key, part in sorted(value.items()):
            _add(found, str(key), part)


if __name__ == "__main__":
    main()

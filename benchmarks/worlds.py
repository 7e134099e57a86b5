# SPDX-License-Identifier: GPL-3.0-or-later
"""How long many copies of an arm take through a view: set, simulated, read, all in arrays; see README.md."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import limberjack as lj

ARM = Path(__file__).parents[1] / "docs" / "examples" / "arm.urdf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=64)
    parser.add_argument("--duration", type=float, default=1.0, help="of each motion [s]")
    arguments = parser.parse_args()
    arm = lj.read(ARM).model
    lj.simulate(arm, 0.1)  # kernels are loaded

    begun = time.perf_counter()
    view = lj.ArticulationView(arm)
    q, qd = view.worlds(arguments.copies)
    view.set_q(q, np.random.default_rng(0).uniform(-1.0, 1.0, (arguments.copies, 1, view.dofs)))
    put = time.perf_counter()
    worlds = lj.simulate_worlds(arm, arguments.duration, q, qd)
    simulated = time.perf_counter()
    values, twists = view.q(worlds.q), view.link_twists(worlds.q[:, -1], worlds.qd[:, -1])
    read = time.perf_counter()
    print(f"{worlds!r}: q {values.shape}, link twists at the end {twists.shape}")
    print(f"set {put - begun:.3f} s, simulated {simulated - put:.2f} s, read {read - simulated:.3f} s")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes of ../shared/contact by other engines, each in a process of its own, through that folder's own bench.

One table of engines, one way to judge: the bench's `measure` reads penetration, creep and joint gaps from poses alone,
ours included.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from contact_cases.references import SHARED
from peers import PYTHON, PeerError, require

BENCH = SHARED / "bench"

ENGINES = {"mujoco": "mj2", "cenic3": "cenic3", "cenic5": "cenic5", "blender": "blender"}
"""By our names: the bench's. MuJoCo at 2 ms with elliptic cones, Drake's CENIC at 1e-3 and 1e-5, Blender's own rigid
bodies at their defaults."""

_PEER = """
import json, sys
sys.path.insert(0, sys.argv[1])
import baselines, scenes
engine, name, limit, python = sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5]
if engine in baselines.BLENDER:
    row = baselines.blender(python, name, engine, limit)
else:
    case = scenes.SCENES[name]
    scene = case["make"]()
    result = baselines.run(engine, scene, case["duration"], 0.02, limit, **case["opts"])
    reached = float(result.t[-1])
    row = {"wall_per_second": result.wall / max(reached, 1e-9), "failed": result.failed}
    row["measures"] = {} if result.failed else scenes.measure(name, scene, result)
print(json.dumps(row))
"""

_JUDGE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy, engines, scenes
name, saved = sys.argv[2], numpy.load(sys.argv[3])
scene = scenes.SCENES[name]["make"]()
result = engines.Result(scene, saved["t"])
result.pos, result.quat, result.v, result.w = (saved[key] for key in ("pos", "quat", "v", "w"))
print(json.dumps(scenes.measure(name, scene, result)))
"""


def by_peer(engine: str, name: str, limit: float) -> dict[str, float]:
    """How a peer fares on a scene.

    Args:
        engine: of ENGINES. limit: wall seconds after which it stops where it is.

    Returns:
        `wall`, in seconds a simulated second, of stepping alone, and what the bench's `measure` tells.

    Raises:
        PeerError: it is not installed, or failed, with its reason.
    """
    require(PYTHON, "make judges")
    row = _told(_PEER, ENGINES[engine], name, limit, sys.executable)
    if row["failed"]:
        raise PeerError(f"{engine} on {name}: {row['failed']}")
    return {"wall": row["wall_per_second"], **row["measures"]}


def judged(name: str, result) -> dict[str, float]:
    """What the bench's `measure` tells of a motion of ours, as `contact_engine.run` returns it.

    Raises:
        PeerError: it needs MuJoCo to measure penetration, and that is not installed.
    """
    require(PYTHON, "make judges")
    with tempfile.TemporaryDirectory() as here:
        motion = Path(here) / "motion.npz"
        np.savez(motion, **{key: getattr(result, key) for key in ("t", "pos", "quat", "v", "w")})
        return _told(_JUDGE, name, motion)


def _told(script: str, *arguments: object) -> dict:
    """The JSON that a script of the bench prints last."""
    told = [PYTHON, "-c", script, BENCH, *arguments]
    with tempfile.TemporaryDirectory() as here:  # where an engine that writes a log leaves it
        done = subprocess.run([str(word) for word in told], cwd=here, capture_output=True, text=True)
    if done.returncode:
        raise PeerError(f"{' '.join(map(str, arguments[:2]))}: {(done.stderr.strip().splitlines() or ['no word'])[-1]}")
    return json.loads(done.stdout.splitlines()[-1])

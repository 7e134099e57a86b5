# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack demo`: bake a sample scene, and write keyframes, SDF and a picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...core.cli.framework import Verb, load_usable
from ...core.cli.result import CommandResult, UsageError, say
from ...core.cli.simulate import compile_once
from ...core.formats import write
from ...core.simulation import may_touch
from .blend import save_open_file
from .bpy_session import open_scene, require_blender

SCENE = Path(__file__).parents[2] / "sample_scenes" / "crane.blend"


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, default=Path("out"), help="where results go (default out)"
    )


def _run(arguments: argparse.Namespace) -> CommandResult:
    require_blender()
    from ..bake.simulation_bake import SimulationBake
    from ..contact_sheet import render_contact_sheet

    out: Path = arguments.out
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{out}: cannot be made: {(error.strerror or str(error)).lower()}") from error
    arguments.file = SCENE  # the input that messages name
    model = load_usable(SCENE).model
    compile_once(may_touch(model))
    result = SimulationBake(open_scene(), accuracy="exact", overwrite=True).run()
    print(f"simulated  {result.summary}: {result.details}")
    print(f"drift      {result.report.energy_drift:.2g} J of {result.report.energy_scale:.4g} J")
    save_open_file(out / "crane.blend")
    print(f"baked      {out / 'crane.blend'}")
    world = out / "crane.sdf"
    losses = write(model, world, folders=True)  # two models, which also collide in other programs
    print(f"exported   {world}")
    say(*(f"{world}: loss: {loss}" for loss in losses))
    try:
        render_contact_sheet(open_scene(), out / "crane.png")
    except OSError as error:
        raise UsageError(f"no picture: {error}; Workbench needs OpenGL (on Linux: Mesa's EGL)") from error
    print(f"rendered   {out / 'crane.png'}")
    return CommandResult()


DEMO = Verb("demo", "bake, export and render a sample scene into a folder", _add_arguments, _run)

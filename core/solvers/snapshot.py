"""What a simulation is at a frame, so that it can go back there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..dynamics.constraints import ConstraintSet
from ..model import Joint
from ..model.compiled import CompiledModel
from .contact_setup import Impact
from .inputs import Inputs
from .protocol import Memory, Solver, State
from .recording import Recorder
from .schedule import ScheduledInputs


@dataclass(frozen=True)
class Stage:
    """A motion from one time at which other joints act to the next.

    Attributes:
        compiled: the model as the solver reads it. schedule: what changes of its numbers. start: where it began.
        impacts: the blows of earlier stages.
    """

    compiled: CompiledModel
    constraints: ConstraintSet
    schedule: ScheduledInputs
    start: State
    solver: Solver
    recorder: Recorder
    impacts: tuple[Impact, ...] = ()


@dataclass(frozen=True)
class Tally:
    """What is summed up over frames and stages.

    Attributes:
        counts: of the stages before. flow: energy in and out up to the last frame; largest: between two frames [J].
    """

    counts: Mapping[str, Any]
    flow: float = 0.0
    largest: float = 0.0


@dataclass(frozen=True)
class Snapshot:
    """A simulation at a frame.

    Attributes:
        frames: that are done. ahead: the stages that are still to come, and when [s].
        gripping: joints that hold links where these were, and not as drawn. inputs: what acted up to the frame.
        memory: of the stage's solver.
    """

    frames: int
    loop_error: float
    tally: Tally
    stage: Stage
    ahead: tuple[tuple[float, CompiledModel], ...]
    gripping: Mapping[str, Joint]
    inputs: Inputs
    memory: Memory

# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare what other simulators make of the model: `limberjack prove` in the window."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.app.translations import pgettext_iface
from bpy.props import FloatProperty

from ....core.model.errors import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...preferences import preferences
from ..report import fail, nothing_runs, succeed
from ..selection import OnLinks
from ..waiting import WaitsForSolver

if TYPE_CHECKING:
    from ....core.model import Model
    from ....core.prove.proving import Proof, Row


_found: dict[str, dict[str, str]] = {}
"""Programs of simulators, by the name of the Python that the preferences give. Blender looks once in a session."""


def judges() -> dict[str, str]:
    """Return the program that runs each simulator that is installed, by its name."""
    python = preferences().judge_python
    if python not in _found:
        _look(python, bpy.path.abspath(python))
    return _found[python]


def look_for_judges() -> None:
    """Begin to look for simulators, so that `known_judges` soon has them. A dialog need not wait for that."""
    python = preferences().judge_python
    if python not in _found:
        threading.Thread(target=_look, args=(python, bpy.path.abspath(python)), daemon=True).start()


def known_judges() -> dict[str, str]:
    """Return the simulators that have been found so far, as `judges` does."""
    return _found.get(preferences().judge_python, {})


def _look(python: str, path: str) -> None:
    from ....core.prove.judges import find_judges

    _found[python] = find_judges([path] if path else [])


class _Comparison:
    """A comparison in a thread of its own, which touches no data of Blender.

    Attributes:
        step: what it does now. done, total: numbers of its steps.
        proof: the result. error: why there is none.
    """

    def __init__(self, model: Model, seconds: float, programs: dict[str, str]):
        from ....core.prove.proving import steps_of

        self.step, self.done, self.total = "", 0, steps_of(programs)
        self.proof: Proof | None = None
        self.error: Exception | None = None
        self._model, self._seconds, self._programs = model, seconds, programs
        self._folders = [Path(bpy.data.filepath).parent] if bpy.data.filepath else []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self.run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the comparison, and the process of the simulator that works for it."""
        self._stopped.set()

    def run(self) -> None:
        from ....core.prove.judges import ProofStoppedError
        from ....core.prove.proving import prove

        asked = self._seconds, self._programs, self._folders
        try:
            with tempfile.TemporaryDirectory(prefix="limberjack-") as folder:
                self.proof = prove(self._model, Path(folder), *asked, self._tell, self._stopped.is_set)
        except ProofStoppedError:
            return
        except Exception as error:
            self.error = error

    def _tell(self, step: str) -> None:
        self.step, self.done = step, self.done + 1


class LIMBERJACK_OT_prove(WaitsForSolver, OnLinks, bpy.types.Operator):
    """Write the model in every format, and compare what other simulators make of the files: poses, masses, motion"""

    bl_idname = ids.OP_PROVE
    bl_label = "Compare with Other Simulators"
    bl_options = {"REGISTER"}
    tick = 0.1
    _comparison: _Comparison | None = None

    seconds: FloatProperty(
        name="Seconds",
        description="How long the model is simulated without contact; 0 compares only poses and masses",
        default=1.0,
        min=0.0,
        soft_max=10.0,
    )

    @classmethod
    def poll(cls, context):
        return nothing_runs(cls, context) and super().poll(context)

    def invoke(self, context, event):
        if bpy.app.background or context.window is None:
            return self.execute(context)
        return self.wait(context)

    def modal(self, context, event):
        if event.type == "ESC":
            self.cancel(context)
            self.report({"INFO"}, "Cancelled: nothing was compared")
            return {"CANCELLED"}
        if event.type != "TIMER" or self.is_waiting(context):
            return {"PASS_THROUGH"}
        if self._comparison is None:
            try:
                self._comparison = self._begin(context)
            except ModelError as error:
                self.leave(context)
                return fail(self, context, error)
            self._comparison.start()
        comparison = self._comparison
        if comparison.is_running:
            self.show_progress(context, max(comparison.done - 1, 0) / comparison.total, comparison.step)
            return {"PASS_THROUGH"}
        self.leave(context)
        return self._finish(context, comparison)

    def cancel(self, context):
        if self._comparison:
            self._comparison.stop()
        self.leave(context)

    def execute(self, context):
        try:
            comparison = self._begin(context)
        except ModelError as error:
            return fail(self, context, error)
        comparison.run()
        return self._finish(context, comparison)

    def _begin(self, context) -> _Comparison:
        """Read the scene.

        Raises:
            ModelError: if it is not sound.
        """
        reading = bridge.scene.read.scan_scene(context.scene, with_shapes=True)
        bridge.scene.store.store_weights(reading)
        return _Comparison(reading.model, self.seconds, judges())

    def _finish(self, context, comparison: _Comparison) -> set[str]:
        from ....core.prove.proving import SAME_MOTION

        proof = comparison.proof
        if proof is None:
            return fail(self, context, comparison.error or "nothing was compared")
        wrong = [line for row in proof.rows if (line := row.wrong(SAME_MOTION))]
        losses = [f"{name}: {line}" for name, lines in proof.losses.items() for line in lines]
        missing = [f"{judge.name} was not found; to ask it: {judge.install}" for judge in proof.absent]
        if proof.why_no_motion:
            wrong.append(f"not simulated: {proof.why_no_motion}")
        verdict = f"{counted(wrong, 'difference')} among {counted(proof.rows, 'reader')}" if wrong else "All agree"
        _show(context, proof, verdict)
        return succeed(self, context, verdict, wrong, details=[*losses, *missing])


def _show(context, proof: Proof, verdict: str) -> None:
    """Show the table in a popup at the mouse. Without a window, nothing is shown."""
    if bpy.app.background or context.window is None:
        return

    def draw(menu, _context):
        for row in proof.rows:
            icon, words = _verdict(row)
            reader = f"{row.format} in {row.reader} {row.version}".strip()
            menu.layout.label(text=f"{reader}: {words}", translate=False, icon=icon)

    context.window_manager.popup_menu(draw, title=verdict)


def _verdict(row: Row) -> tuple[str, str]:
    """Return an icon and words for a row of the table."""
    from ....core.prove.proving import SAME_MOTION

    if row.wrong(SAME_MOTION):
        icon, words = "ERROR", pgettext_iface("refused") if row.error else pgettext_iface("differs")
    elif row.lost_motion(SAME_MOTION):
        icon, words = "INFO", pgettext_iface("agrees, but for losses")
    else:
        icon, words = "CHECKMARK", pgettext_iface("agrees") if row.start else pgettext_iface("accepts the file")
    return icon, str(words)


CLASSES = (LIMBERJACK_OT_prove,)

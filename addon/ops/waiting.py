# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that run in the window by a timer, once the solver is compiled."""

import bpy

from ..kernel_compilation import KernelCompilation
from ..props.settings import window_status
from .progress import ProgressDisplay
from .report import redraw


class WaitsForSolver:
    """A mixin for modal operators that need the compiled solver.

    `wait` starts the compilation, the timer and the modal handler. Call `is_waiting` at each event. `leave` removes the
    timer and clears the status bar.
    `show_progress` shows the progress of the work.

    Attributes:
        tick: seconds between two events of the timer.
        needs_solver: whether the operator needs the compiled solver.
        is_exclusive: whether other operators of the add-on are blocked until this one ends; else only during
            compilation.
        compile_time: duration of the compilation [s]; None if nothing was compiled.
    """

    tick = 0.01
    needs_solver = True
    is_exclusive = True
    compile_time: float | None = None
    _timer: bpy.types.Timer | None = None
    _compilation: KernelCompilation | None = None
    _display: ProgressDisplay | None = None

    def wait(self, context) -> set[str]:
        self.compile(context)
        self._timer = context.window_manager.event_timer_add(self.tick, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def compile(self, context) -> None:
        """Begin to compile the solver, if necessary."""
        if self.needs_solver and KernelCompilation.is_needed():
            self._compilation = KernelCompilation()
        status = window_status(context.window_manager)
        status.running = self.is_exclusive or self._compilation is not None
        status.factor, status.text, status.error = 0.0, "", ""

    def show_progress(self, context, factor: float, text: str) -> None:
        """Show the progress; see `ProgressDisplay.show`."""
        if self._display is None:
            self._display = ProgressDisplay()
        self._display.show(context, factor, text)

    def is_waiting(self, context) -> bool:
        """Return whether the solver is still being compiled, and show this in the panel."""
        if self._compilation is None:
            return False
        if not self._compilation.is_done:
            text = f"Compiling the solver, once for this version: {self._compilation.seconds:.0f} s"
            self.show_progress(context, 0.0, text)  # the duration is unknown
            return True
        self.compile_time, self._compilation = self._compilation.seconds, None
        window_status(context.window_manager).running = self.is_exclusive
        return False

    def leave(self, context) -> None:
        if self.is_exclusive or self._compilation:  # otherwise another operator may be running
            window_status(context.window_manager).running = False
        if self._timer:
            context.window_manager.event_timer_remove(self._timer)
        if self._compilation:
            self._compilation.cancel()
        self._timer = self._compilation = self._display = None
        if context.workspace:
            context.workspace.status_text_set(None)
        redraw(context)

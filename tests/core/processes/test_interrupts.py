# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C reaches the program wherever it comes, also where an exception would be dropped."""

import subprocess
import sys
import time

import numpy as np
import pytest

from limberjack.core.processes import interrupts
from support.batches import heed_the_keyboard

IN_A_CALLBACK = """
import ctypes, os, signal, time
from limberjack.core.processes import interrupts
interrupts.heed()

def {name}():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)

with interrupts.ending_at_once(False):
    try:
        ctypes.CFUNCTYPE(None)({name})()
        for _ in range(30_000):
            time.sleep(0.01)
    except KeyboardInterrupt:
        print("tidied up")
"""


@pytest.mark.parametrize("name", sorted(interrupts.CALLED_BY_LLVM))
def test_ctrl_c_while_llvm_calls(name):
    """Guards Ctrl-C while kernels are compiled: one that came in a callback of LLVM's was printed, and lost."""
    executionengine = pytest.importorskip("llvmlite.binding.executionengine", reason="numba is not installed")
    assert hasattr(executionengine.ExecutionEngine, name)
    begun = time.monotonic()
    ended = _run(IN_A_CALLBACK.format(name=name))
    assert (ended.stdout, ended.stderr) == ("tidied up\n", "")
    assert time.monotonic() - begun < 200.0


IN_A_FINALIZER = """
import os, signal, time, weakref
from limberjack.core.processes import interrupts
interrupts.heed()

class Thing:
    {finalizer}

def told_to_stop(*_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)

def broken(*_):
    raise ValueError("is told as ever")

with interrupts.ending_at_once(False):
    try:
        thing = Thing()
        noted = weakref.ref(thing, {callback})
        del thing
        for _ in range(30_000):
            time.sleep(0.01)
    except KeyboardInterrupt:
        print("tidied up")
"""


@pytest.mark.parametrize(
    ("finalizer", "callback"), [("pass", "told_to_stop"), ("__del__ = lambda self: told_to_stop()", "None")]
)
def test_ctrl_c_while_something_is_finalized(finalizer, callback):
    """Guards Ctrl-C in weak references' callbacks and in __del__: Python printed it there, and commands went on."""
    ended = _run(IN_A_FINALIZER.format(finalizer=finalizer, callback=callback))
    assert (ended.stdout, ended.stderr) == ("tidied up\n", "")


def test_other_errors_of_finalizers_are_told_as_ever():
    """Guards what is no Ctrl-C: Python's own words stay."""
    code = IN_A_FINALIZER.format(finalizer="pass", callback="broken").replace("range(30_000)", "range(3)")
    ended = _run(code)
    assert "ValueError: is told as ever" in ended.stderr
    assert not ended.stdout


IN_NUMPY = """
import time
import numpy as np
from numpy import {internal}
from limberjack.core.processes import interrupts
interrupts.heed()

def told_to_stop(cls):
    import os, signal
    os.kill(os.getpid(), signal.SIGINT)
    return False

with interrupts.ending_at_once(False):
    try:
        {internal}._internal.npy_ctypes_check.__code__ = told_to_stop.__code__
        np.dtype(type("Record", (), {{}}))  # in C, which asks that function and drops its exceptions
        for _ in range(30_000):
            time.sleep(0.01)
    except KeyboardInterrupt:
        print("tidied up")
"""


def test_ctrl_c_that_numpy_drops():
    """Guards Ctrl-C in NumPy's C code: a bake that made an array of records just then went on for good."""
    internal = "core" if np.__version__.startswith("1.") else "_core"
    ended = _run(IN_NUMPY.format(internal=internal))
    assert (ended.stdout, ended.stderr) == ("tidied up\n", "")


WHILE_IT_TIDIES_UP = """
import os, signal, time
from limberjack.core.processes import interrupts
interrupts.heed()

try:
    with interrupts.ending_at_once(False):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60.0)
        finally:
            try:
                raise OSError("on the way")
            except OSError:
                time.sleep(8 * interrupts.SOON)
            print("tidied up")
except KeyboardInterrupt:
    time.sleep(4 * interrupts.SOON)
    print("stopped")
"""


def test_ctrl_c_does_not_come_again_while_it_is_heeded():
    """Guards files half written: the exception does not come a second time while the first lets code tidy up."""
    ended = _run(WHILE_IT_TIDIES_UP)
    assert (ended.stdout, ended.stderr) == ("tidied up\nstopped\n", "")


WHILE_PYTHON_ENDS = """
import os, signal, threading, time
from limberjack.core.processes import interrupts
interrupts.heed()

try:
    with interrupts.ending_at_once(False):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60.0)
except KeyboardInterrupt:
    print(sum(isinstance(thread, threading.Timer) for thread in threading.enumerate()))
"""


def test_nothing_asks_for_ctrl_c_when_python_ends():
    """Guards the exit code on a busy machine: a timer that fired while Python ended killed the process by a signal."""
    ended = _run(WHILE_PYTHON_ENDS)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "0\n", "")


AT_ONCE = """
import os, signal, sys
from limberjack.core.processes import interrupts
interrupts.heed('{"status": "stopped"}')
os.dup2(2, 1)  # as Blender is kept quiet
os.kill(os.getpid(), signal.SIGINT)
"""


def test_ctrl_c_before_anything_is_known_is_answered():
    """Guards --json while Python and Blender start: stdout has the answer that was prepared, though it is led away."""
    ended = _run(AT_ONCE)
    assert (ended.returncode, ended.stdout) == (130, '{"status": "stopped"}\n')
    assert ended.stderr == "limberjack: stopped\n"


WHILE_PRINTING = """
import os, signal, sys
from limberjack.core.processes import interrupts
interrupts.heed('{"status": "stopped"}')
interrupts.ending()
for _ in range(TIMES):
    os.kill(os.getpid(), signal.SIGINT)
print('{"status": "ok"}', flush=True)
"""


def test_ctrl_c_while_the_answer_is_printed_adds_none():
    """Guards --json at its end: one Ctrl-C lets the answer be printed, and adds none; a second one ends the process."""
    ended = _run(WHILE_PRINTING.replace("TIMES", "1"))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, '{"status": "ok"}\n', "")
    ended = _run(WHILE_PRINTING.replace("TIMES", "2"))
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "limberjack: stopped\n")


def _run(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=60.0, preexec_fn=heed_the_keyboard)

"""Ctrl-C reaches the program wherever it comes, also where an exception would be dropped."""

import subprocess
import sys
import time

import pytest

from limberjack.core import interrupts
from support.batches import heed_the_keyboard

IN_A_CALLBACK = """
import ctypes, os, signal, time
from limberjack.core import interrupts
interrupts.heed()

def {name}():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)

with interrupts.ending_at_once(False):
    try:
        ctypes.CFUNCTYPE(None)({name})()
        for _ in range(3000):
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
    command = [sys.executable, "-c", IN_A_CALLBACK.format(name=name)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60.0, preexec_fn=heed_the_keyboard)
    assert (ended.stdout, ended.stderr) == ("tidied up\n", "")
    assert time.monotonic() - begun < 25.0

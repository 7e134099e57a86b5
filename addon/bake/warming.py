"""Compiles the solver in a process of its own, so that the window does not freeze over it."""

import os
import subprocess
import sys
from pathlib import Path

from ...core import jit

ROOT = Path(__file__).parents[2]
ROOT_PACKAGE = __package__.removesuffix(".addon.bake")
CHILD = Path(__file__).with_name("warming_child.py")


class Warming:
    """A child process that fills the cache. Should it fail, the simulation compiles for itself."""

    def __init__(self):
        # The cache's folder is named after package, sources and Python version, so the child must share all three.
        command = [sys.executable, "-P", str(CHILD), ROOT_PACKAGE, str(ROOT), str(jit.cache_folder().parent)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        hidden = subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0
        self._child = subprocess.Popen(  # noqa: S603 - the command is made of our own paths
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, creationflags=hidden
        )

    @staticmethod
    def is_needed() -> bool:
        """Whether a simulation would compile first, and there is a Python to do it beforehand."""
        if not jit.is_available() or not sys.executable:
            return False
        from ...core.solvers import is_warm

        return not is_warm()

    @property
    def is_done(self) -> bool:
        return self._child.poll() is not None

    def cancel(self) -> None:
        if not self.is_done:
            self._child.terminate()
            self._child.wait()

"""What is compiled ahead of the first simulation."""

import json
import subprocess
import sys

import pytest

from limberjack.core import jit
from limberjack.core.solvers.warm_up import SECONDS

COMPILED = """
import gc, json
from pathlib import Path
from limberjack.core import jit
from limberjack.core.solvers import warm_up
warm_up()
kernels = [found for found in gc.get_objects() if isinstance(found, jit.kernel) and "compiled" in vars(found)]
codes = [kernel.python.__code__ for kernel in kernels if kernel.compiled.signatures]
print(json.dumps([f"{Path(code.co_filename).stem}.{code.co_name}" for code in codes]))
"""


@pytest.mark.skipif(not jit.is_available(), reason="numba is not installed, so nothing is compiled")
def test_the_list_of_kernels_is_what_is_compiled():
    """Guards the progress bar of a first simulation: a kernel that its list lacks, or has in vain, would stop it."""
    done = subprocess.run([sys.executable, "-c", COMPILED], capture_output=True, text=True, check=True)
    assert sorted(json.loads(done.stdout)) == sorted(SECONDS)
    assert set(SECONDS) <= jit.compiled_kernels()

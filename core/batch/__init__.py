# SPDX-License-Identifier: GPL-3.0-or-later
"""Many jobs: a JOBS.toml expanded into commands, done by processes of this machine or of a cluster, and resumed.

A job is nothing but commands of `limberjack` that anybody could give by hand, so its results are those of its single
run. `sweep` has the values, `jobs_file` makes jobs of them, `work` does one, `processes` and `cluster` do many, and
`records` tells what is up to date.
"""

from .cluster import LostClusterError
from .errors import BatchError
from .jobs_file import JobsFile, read_jobs
from .options import Options
from .run import Batch, Progress, Ways
from .work import Outcome
from .worker import LAUNCH

__all__ = [
    "LAUNCH",
    "Batch",
    "BatchError",
    "JobsFile",
    "LostClusterError",
    "Options",
    "Outcome",
    "Progress",
    "Ways",
    "read_jobs",
]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches: a JOBS.toml expanded into jobs, which processes of this machine or of a cluster do.

A batch can be resumed. A job consists of commands of `limberjack` that users could type, so its results are those of a
single run. `sweep` computes the values, `jobs_file` makes the jobs, `work` does one job, `processes` and `cluster` do
many, and `records` determines which are up to date.
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

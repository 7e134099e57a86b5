# SPDX-License-Identifier: GPL-3.0-or-later
"""How many jobs a second a batch does, beside the same jobs one by one by commands of their own, and what a job costs.

.venv/bin/python benchmarks/batches.py --jobs 40 --json     # one JSON object, as the last line
"""

from __future__ import annotations

import argparse
import json
import pickle
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from targets import as_json

from limberjack.addon.cli import VERBS
from limberjack.core.batch import JobsFile, Options, Outcome, read_jobs
from limberjack.core.batch.work import Order
from limberjack.core.batch.worker import Worker
from limberjack.core.cli.framework import parser_of

SCENES = Path(__file__).parents[1] / "sample_scenes"
KINDS = {
    "core": ('files = "{folder}/crane.sdf"\noutputs = "{number}.npz"\n[simulate]\nduration = 1\n', "crane.sdf"),
    "blender": (
        'files = "{folder}/crane.blend"\noutputs = "{number}.blend"\n[bake]\nframes = [1, 24]\n',
        "crane.blend",
    ),
}
SWEEP = '[grid]\n"lift.damping" = {{ from = 1, to = 1000, count = {count}, scale = "log" }}\n'
LIMBERJACK = (sys.executable, "-m", "limberjack")


def jobs_in(folder: Path, kind: str, count: int) -> JobsFile:
    folder.mkdir()
    path = folder / "JOBS.toml"
    text = KINDS[kind][0].replace("{folder}", str(SCENES))
    path.write_text(text + SWEEP.format(count=count))
    return read_jobs(path, Options(parser_of(VERBS)))


def one_by_one(jobs: JobsFile) -> float:
    """Seconds of a command a job."""
    begun = time.perf_counter()
    for job in jobs.jobs:
        for command in job.commands:
            subprocess.run([*LIMBERJACK, *command], cwd=jobs.folder, check=True, capture_output=True)
    return time.perf_counter() - begun


def batch(jobs: JobsFile, *ways: str) -> float:
    """Seconds of all of it, from the start of the command to its end."""
    begun = time.perf_counter()
    subprocess.run([*LIMBERJACK, "batch", str(jobs.path), *ways], check=True, capture_output=True)
    return time.perf_counter() - begun


def costs(jobs: JobsFile, kind: str) -> dict[str, float]:
    """Bytes that a job sends through a scheduler and writes, and what a worker takes, of records."""
    records = [json.loads(path.read_text()) for path in jobs.records.glob("*.json")]
    job = jobs.jobs[0]
    order = Order(job, jobs.folder, jobs.records, jobs.limit, 2, "run")
    return {
        f"order_bytes.{kind}": len(pickle.dumps(order)),
        f"outcome_bytes.{kind}": len(pickle.dumps(Outcome(job.name, "", 1.0))),
        f"record_bytes.{kind}": (jobs.records / f"{job.name}.json").stat().st_size,
        f"output_bytes.{kind}": sum(found["size"] for found in records[0]["outputs"].values()),
        f"worker_mb.{kind}": max(record["memory"] for record in records) / 1e6,
        f"job_s.{kind}": sorted(record["seconds"] for record in records)[len(records) // 2],
    }


def start(kind: str) -> dict[str, float]:
    """Seconds from nothing to a worker's first answer, about the input alone; and what files of bpy it maps."""
    worker = Worker()
    begun = time.perf_counter()
    answer = worker.ask(SCENES, ("info", KINDS[kind][1]), 600.0)
    seconds = time.perf_counter() - begun
    maps = Path(f"/proc/{worker.pid}/maps")
    mapped = set(re.findall(r"/\S+", maps.read_text())) if maps.exists() else set()
    worker.close()
    sizes = [Path(name).stat().st_size for name in mapped if Path(name).is_file()]
    return {
        f"start_s.{kind}": seconds,
        f"mapped_files.{kind}": len(sizes),
        f"mapped_mb.{kind}": sum(sizes) / 1e6,
        f"info_mb.{kind}": (answer.memory or 0) / 1e6,
    }


def measure(kind: str, count: int) -> dict[str, float]:
    figures = start(kind)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        single = one_by_one(jobs_in(folder / "single", kind, count))
        figures[f"single_jobs_per_s.{kind}"] = count / single
        for workers in (1, 2):
            jobs = jobs_in(folder / str(workers), kind, count)
            seconds = batch(jobs, "--workers", str(workers))
            figures[f"jobs_per_s.{kind}.{workers}"] = count / seconds
            figures[f"batch_over_single.{kind}.{workers}"] = single / seconds
            figures |= costs(jobs, kind) if workers == 2 else {}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=40, help="of each kind (default 40)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[*KINDS])
    parser.add_argument("--json", action="store_true", help="one JSON object, on the last line")
    arguments = parser.parse_args()
    figures: dict[str, float] = {}
    for kind in arguments.kinds:
        figures |= measure(kind, arguments.jobs)
    for key, value in figures.items():
        print(f"{key:32} {value:.4g}")
    if arguments.json:
        print(as_json(figures))


if __name__ == "__main__":
    main()

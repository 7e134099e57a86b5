"""JOBS.toml: which files, which values, which outputs; expanded into jobs."""

from __future__ import annotations

import argparse
import itertools
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import BatchError
from .job import UNSAFE, Job, commands_for, filled, verb_for
from .options import Options
from .sweep import MOST_ROWS, Row, grid, random_rows, table_rows, text_of

TEXTS = ("name",)
TABLES = ("set", "grid", "random")
KNOWN = ("files", "outputs", "name", "limit", "table", *TABLES)


@dataclass(frozen=True)
class JobsFile:
    """What a JOBS.toml says, and the jobs that come of it.

    Attributes:
        path: of the file. jobs: in order: file by file, of each first the table's rows, then the grid, then the random
            ones. limit: seconds that a job may take; infinite where nothing is said.
    """

    path: Path
    jobs: list[Job]
    limit: float

    @property
    def folder(self) -> Path:
        """That all its paths are relative to."""
        return self.path.absolute().parent

    @property
    def records(self) -> Path:
        """The folder with a record of each job."""
        return self.folder / f"{self.path.stem}.records"

    @property
    def manifest(self) -> Path:
        return self.folder / f"{self.path.stem}.manifest.jsonl"


def read_jobs(path: Path, parser: argparse.ArgumentParser) -> JobsFile:
    """Read and expand a JOBS.toml.

    Args:
        parser: of the command, with the verbs that jobs may use.

    Raises:
        BatchError: it cannot be read or means nothing; the message begins with the file's name.
    """
    try:
        return _expanded(path, _parsed(path), Options(parser))
    except BatchError as error:
        raise BatchError(f"{path}: {error}") from error


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BatchError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise BatchError("not TOML: it is no UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise BatchError(f"not TOML: {error}") from error
    except RecursionError as error:
        raise BatchError("not TOML: lists inside each other without end") from error


def _expanded(path: Path, said: dict[str, Any], options: Options) -> JobsFile:
    for key in said:
        if key not in (*KNOWN, *options.verbs):
            raise BatchError(f"no key '{key}' is known; there are: {', '.join((*KNOWN, *options.verbs))}")
    for key in (*TABLES, *options.verbs):
        if not isinstance(said.get(key, {}), dict):
            raise BatchError(f"[{key}] must be a table, found {said[key]!r}")
    folder = path.absolute().parent
    files, outputs = _files(said.get("files"), folder), _texts("outputs", said.get("outputs"))
    fixed = {name: _text(f"[set] '{name}'", value) for name, value in said.get("set", {}).items()}
    rows = _rows(said, folder)
    if len(files) * len(rows) > MOST_ROWS:
        raise BatchError(f"these are more than {MOST_ROWS:,} jobs")
    (pattern,) = _texts("name", said.get("name", "{file}_{number}"))
    pairs = itertools.product(files, rows)
    jobs = []
    for number, (file, row) in enumerate(pairs, 1):
        named = {"file": Path(file).stem, "number": f"{number:04}", **fixed, **row}
        named["name"] = filled(pattern, named)
        written = tuple(filled(output, named) for output in outputs)
        swept = {name: value for name, value in row.items() if "." not in name}
        tables = {verb: options.arguments(verb, said.get(verb, {}), {}) for verb in options.verbs if verb in said}
        verb = verb_for(file, written)
        if swept or verb not in tables:
            tables[verb] = options.arguments(verb, said.get(verb, {}), swept)
        settings = {name: value for name, value in (fixed | row).items() if "." in name}
        job = Job(named["name"], file, row, commands_for(file, written, tables, settings), written)
        options.require_valid(job.commands)
        jobs.append(job)
    _require_apart(jobs, folder)
    return JobsFile(path, jobs, _limit(said.get("limit", math.inf)))


def _files(given: Any, folder: Path) -> list[str]:
    """Each name as it is written, and patterns as what they find, relative to the folder."""
    found: list[str] = []
    for name in _texts("files", given):
        if any(mark in name for mark in "*?["):
            try:
                matches = sorted(match.relative_to(folder).as_posix() for match in folder.glob(name))
            except (ValueError, NotImplementedError) as error:
                raise BatchError(f"files: '{name}': a pattern must be relative to the folder of this file") from error
            if not matches:
                raise BatchError(f"files: nothing is found for '{name}' in {folder}")
            found += matches
        elif not (folder / name).is_file():
            raise BatchError(f"files: there is no file '{name}' in {folder}")
        else:
            found.append(name)
    return list(dict.fromkeys(found))


def _texts(key: str, given: Any) -> list[str]:
    texts = given if isinstance(given, list) else [given]
    if not texts or not all(isinstance(text, str) and text for text in texts):
        missing = "it is missing" if given is None else f"found {given!r}"
        raise BatchError(f'{key}: {missing}; write {key} = "…"' + ("" if key in TEXTS else ", or a list of such"))
    return texts


def _rows(said: Mapping[str, Any], folder: Path) -> list[Row]:
    """Each row of the table with each of the grid and with each random one."""
    draws = dict(said.get("random", {}))
    count, seed = draws.pop("count", None), draws.pop("seed", 0)
    if draws and not (_is_count(count) and count <= MOST_ROWS):
        raise BatchError(f"[random]: write count = 100, the number of samples; found {count!r}")
    if not (_is_count(seed) or seed == 0):
        raise BatchError(f"[random]: seed must be a whole number, 0 or above; found {seed!r}")
    sweeps = [
        table_rows(said["table"], folder) if "table" in said else [{}],
        grid(said.get("grid", {})),
        random_rows(count, seed, draws) if draws else [{}],
    ]
    _require_once([set(said.get("set", {})), *({name for row in rows for name in row} for rows in sweeps)])
    if math.prod(map(len, sweeps)) > MOST_ROWS:
        raise BatchError(f"these are more than {MOST_ROWS:,} jobs")
    return [{**a, **b, **c} for a, b, c in itertools.product(*sweeps)]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _require_once(groups: Iterable[set[str]]) -> None:
    seen: set[str] = set()
    for group in groups:
        if twice := seen & group:
            raise BatchError(f"'{min(twice)}' is given twice; say it in one of [set], [grid], [random] and the table")
        seen |= group


def _text(where: str, value: Any) -> str:
    try:
        return text_of(value)
    except BatchError as error:
        raise BatchError(f"{where}: {error}") from error


def _limit(given: Any) -> float:
    if isinstance(given, int | float) and not isinstance(given, bool) and given > 0:
        return float(given)
    raise BatchError(f"limit: the seconds that a job may take, above 0; found {given!r}")


def _require_apart(jobs: list[Job], folder: Path) -> None:
    """No two jobs with one name, none that writes what another writes or reads; also where case is no difference."""
    names: dict[str, Job] = {}
    writers: dict[str, Job] = {}
    inputs = {_place(folder, job.file): job for job in jobs}
    for job in jobs:
        if UNSAFE.search(job.name) or not job.name.strip(". "):
            raise BatchError(f"name: '{job.name}' is no name for a file")
        if other := names.setdefault(job.name.casefold(), job):
            _require_same(other, job, f"name: two jobs would be named '{job.name}'")
        for output in job.outputs:
            place = _place(folder, output)
            if reader := inputs.get(place):
                raise BatchError(f"outputs: '{output}' of job '{job.name}' is the input of job '{reader.name}'")
            _require_same(writers.setdefault(place, job), job, f"outputs: two jobs would write '{output}'")
        if len({_place(folder, output) for output in job.outputs}) < len(job.outputs):
            raise BatchError(f"outputs: job '{job.name}' would write one file twice: {', '.join(job.outputs)}")


def _require_same(one: Job, other: Job, problem: str) -> None:
    if one is not other:
        raise BatchError(
            f"{problem}: {_parameters(one)} and {_parameters(other)}; put {{name}}, {{number}} or what is swept into it"
        )


def _parameters(job: Job) -> str:
    values = [f"{name}={value}" for name, value in job.parameters.items()]
    return f"{job.file} with {' '.join(values)}" if values else job.file


def _place(folder: Path, path: str) -> str:
    return str((folder / path).resolve()).casefold()

# SPDX-License-Identifier: GPL-3.0-or-later
"""JOBS.toml: the files, values and outputs of a batch, expanded into jobs."""

from __future__ import annotations

import itertools
import math
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from ..files.regular import read_text
from ..formats.registry import suffixes, writable
from .errors import BatchError, shown
from .job import LONGEST_NAME, MOTIONS, UNSAFE, Job, commands_for, filled, verb_for
from .options import Options
from .sweep import MOST_ROWS, Row, grid, is_count, is_number, random_rows, table_rows, text_in

TEXTS = ("name",)
"""Keys whose value is one text and never a list."""

TABLES = ("set", "grid", "random")
"""Keys whose value is a table."""
OUTPUTS = (*MOTIONS, *suffixes(writable()))
"""Suffixes that outputs may have."""

MOST_SEEN = 200_000
"""Largest number of files and folders that one pattern may examine."""

KNOWN = ("files", "outputs", "name", "limit", "table", *TABLES)
"""Keys that a JOBS.toml may have, besides the verbs."""


@dataclass(frozen=True)
class JobsFile:
    """The content of a JOBS.toml, and its jobs.

    Attributes:
        path: of the file.
        jobs: in order: file by file, and for each file first the table's rows, then the grid, then the random values.
        limit: longest time that a command of a job may take [s]; infinite if none is given.
    """

    path: Path
    jobs: list[Job]
    limit: float

    @property
    def folder(self) -> Path:
        """The folder that all its paths are relative to."""
        return self.path.absolute().parent

    @property
    def records(self) -> Path:
        """The folder with a record of each job."""
        return self.folder / f"{self.path.stem}.records"

    @property
    def manifest(self) -> Path:
        return self.folder / f"{self.path.stem}.manifest.jsonl"


def read_jobs(path: Path, options: Options) -> JobsFile:
    """Read and expand a JOBS.toml.

    Args:
        options: of the command, with the verbs that jobs may use.

    Raises:
        BatchError: if the file cannot be read or is not valid. The message begins with the file's name.
    """
    try:
        return _expanded(path, _parsed(path), options)
    except BatchError as error:
        raise BatchError(f"{path}: {' '.join(str(error).split())}") from error


def _parsed(path: Path) -> dict[str, Any]:
    try:
        said = tomllib.loads(read_text(path))
        str(said)  # fails for an integer of too many digits
        return said
    except OSError as error:
        raise BatchError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise BatchError("not TOML: it is no UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise BatchError(f"not TOML: {error}") from error
    except RecursionError as error:
        raise BatchError("not TOML: lists inside each other without end") from error
    except ValueError as error:
        raise BatchError("a number has more digits than can be read; write a shorter one") from error


def _expanded(path: Path, said: dict[str, Any], options: Options) -> JobsFile:
    for key in said:
        if key not in (*KNOWN, *options.verbs):
            raise BatchError(f"no key '{key}' is known; there are: {', '.join((*KNOWN, *options.verbs))}")
    for key in (*TABLES, *options.verbs):
        if not isinstance(said.get(key, {}), dict):
            raise BatchError(f"[{key}] must be a table, found {shown(said[key])}")
    folder = path.absolute().parent
    files, outputs = _files(said.get("files"), folder), _texts("outputs", said.get("outputs"))
    fixed = _fixed(said.get("set", {}))
    rows = _rows(said, folder)
    if len(files) * len(rows) > MOST_ROWS:
        raise BatchError(f"these are more than {MOST_ROWS:,} jobs")
    (pattern,) = _texts("name", said.get("name", "{file}_{number}"))
    pairs = itertools.product(files, rows)
    constant = {verb: options.arguments(verb, said.get(verb, {}), {}) for verb in options.verbs if verb in said}
    jobs = []
    for number, (file, row) in enumerate(pairs, 1):
        named = {"file": Path(file).stem, "number": f"{number:04}", **fixed, **row}
        named["name"] = filled(pattern, named)
        written = tuple(filled(output, named) for output in outputs)
        swept = {name: value for name, value in row.items() if "." not in name}
        tables, verb = dict(constant), verb_for(file, written)
        if swept or verb not in tables:
            tables[verb] = options.arguments(verb, said.get(verb, {}), swept)
        settings = {name: value for name, value in (fixed | row).items() if "." in name}
        job = Job(named["name"], file, row, commands_for(file, written, tables, settings), written)
        options.require_valid(job.commands)
        jobs.append(job)
    _require_apart(jobs, folder, [said["table"]] if isinstance(said.get("table"), str) else [])
    _require_used(said, options, jobs)
    return JobsFile(path, jobs, _limit(said.get("limit", math.inf)))


def _fixed(given: Mapping[str, Any]) -> Row:
    for name in given:
        if "." not in name:
            raise BatchError(f"[set] '{name}': write OWNER.PROPERTY, such as \"elbow.damping\"")
    return {name: text_in(f"[set] '{name}'", value) for name, value in given.items()}


def _files(given: Any, folder: Path) -> list[str]:
    """Return input files, relative to the folder: names as they are written, and the files that patterns match."""
    found: list[str] = []
    for name in _texts("files", given):
        if any(mark in name for mark in "*?["):
            try:
                matches = _matches(name, folder)
            except (ValueError, NotImplementedError) as error:
                why = "it must be relative to the folder of this file, and ** be a whole folder's name"
                raise BatchError(f"files: '{name}' is no pattern: {why}") from error
            if not matches:
                raise BatchError(f"files: nothing is found for '{name}' in {folder}")
            found += matches
        elif not os.path.isfile(folder / name):  # Path.is_file raises if the name is too long
            raise BatchError(f"files: there is no file '{name}' in {folder}")
        else:
            found.append(name)
    return list(dict.fromkeys(found))


def _matches(pattern: str, folder: Path) -> list[str]:
    """Return the files that a pattern matches.

    Folders are examined one by one, so that a pattern such as `../../**` ends.

    Raises:
        BatchError: if the pattern examines more than `MOST_SEEN` files.
    """
    seen, parts, places = 0, PurePath(pattern).parts, [folder]
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        following: dict[Path, None] = {}
        for place in places:
            if part == "..":
                following[place / part] = None
                continue
            if part == "**":
                following[place] = None
            for path in _below(place) if part == "**" else place.glob(part):
                seen += 1
                if seen > MOST_SEEN:
                    raise BatchError(f"files: '{pattern}' looks at more than {MOST_SEEN:,} files; name their folder")
                if is_last or os.path.isdir(path):  # False without permission, which skips the folder
                    following[path] = None
        places = list(following)
    return sorted(path.relative_to(folder).as_posix() for path in places)


def _below(place: Path) -> Iterator[Path]:
    """Yield all files and folders below a folder. Folders that cannot be read are skipped."""
    for folder, folders, files in os.walk(place):
        for name in folders + files:
            yield Path(folder, name)


def _texts(key: str, given: Any) -> list[str]:
    texts: list[Any] = given if isinstance(given, list) and key not in TEXTS else [given]
    if not texts or not all(isinstance(text, str) and text for text in texts):
        missing = "it is missing" if given is None else f"found {shown(given)}"
        raise BatchError(f'{key}: {missing}; write {key} = "…"' + ("" if key in TEXTS else ", or a list of such"))
    return texts


def _rows(said: Mapping[str, Any], folder: Path) -> list[Row]:
    """Return each combination of a row of the table, a row of the grid and a random row."""
    draws = dict(said.get("random", {}))
    count, seed = draws.pop("count", None), draws.pop("seed", 0)
    if "random" in said and not (is_count(count) and count <= MOST_ROWS):
        most = f"at most {MOST_ROWS:,}"
        raise BatchError(f"[random]: write count = 100, the number of samples, {most}; found {shown(count)}")
    if "random" in said and not draws:
        raise BatchError('[random]: no parameter is drawn; add one, such as "elbow.damping" = { uniform = [0, 2] }')
    if not is_count(seed, least=0):
        raise BatchError(f"[random]: seed must be a whole number, 0 or above; found {shown(seed)}")
    sweeps = [
        table_rows(said["table"], folder) if "table" in said else [{}],
        grid(said.get("grid", {})),
        random_rows(count, seed, draws) if draws else [{}],
    ]
    _require_once([set(said.get("set", {})), *({name for row in rows for name in row} for rows in sweeps)])
    if math.prod(map(len, sweeps)) > MOST_ROWS:
        raise BatchError(f"these are more than {MOST_ROWS:,} jobs")
    return [{**a, **b, **c} for a, b, c in itertools.product(*sweeps)]


def _require_once(groups: Iterable[set[str]]) -> None:
    seen: set[str] = set()
    for group in groups:
        if twice := seen & group:
            raise BatchError(f"'{min(twice)}' is given twice; say it in one of [set], [grid], [random] and the table")
        seen |= group


def _limit(given: Any) -> float:
    if given == math.inf or (is_number(given) and given > 0):
        return float(given)
    raise BatchError(f"limit: the seconds that a job may take, above 0; found {shown(given)}")


def _require_used(said: Mapping[str, Any], options: Options, jobs: list[Job]) -> None:
    used = {command[0] for job in jobs for command in job.commands}
    for verb in options.verbs:
        if verb in said and verb not in used:
            raise BatchError(f"[{verb}]: no job uses it; for these files and outputs all use {', '.join(sorted(used))}")


def _require_apart(jobs: list[Job], folder: Path, tables: Iterable[str]) -> None:
    """Check that jobs do not conflict. Upper and lower case count as equal, as on some systems.

    Raises:
        BatchError: if two jobs have one name, or if a job writes a file that another one writes or reads.
    """
    names: dict[str, Job] = {}
    writers: dict[str, Job] = {}
    inputs = {_place(folder, job.file): f"the input of job '{job.name}'" for job in jobs}
    inputs |= {_place(folder, table): "the table of this file" for table in tables}
    for job in jobs:
        if UNSAFE.search(job.name) or not job.name.strip(". "):
            raise BatchError(f"name: {shown(job.name)} is no name for a file")
        _require_short("name", job.name, job)
        if other := names.setdefault(job.name.casefold(), job):
            _require_same(other, job, f"name: two jobs would be named '{job.name}'")
        for output in job.outputs:
            _require_usable(output, job)
            place = _place(folder, output)
            if use := inputs.get(place):
                raise BatchError(f"outputs: '{output}' of job '{job.name}' is {use}; write to another file")
            _require_same(writers.setdefault(place, job), job, f"outputs: two jobs would write '{output}'")
        if len({_place(folder, output) for output in job.outputs}) < len(job.outputs):
            raise BatchError(f"outputs: job '{job.name}' would write one file twice: {', '.join(job.outputs)}")


def _require_usable(output: str, job: Job) -> None:
    if any(character < " " for character in output):
        raise BatchError(f"outputs: {shown(output)} of job '{job.name}' is no name for a file")
    if PurePath(output).suffix.lower() not in OUTPUTS:
        raise BatchError(f"outputs: '{output}' of job '{job.name}' must end in {', '.join(OUTPUTS)}")
    _require_short("outputs", PurePath(output).name, job)


def _require_short(key: str, name: str, job: Job) -> None:
    if len(os.fsencode(name)) > LONGEST_NAME:
        raise BatchError(f"{key}: {shown(name)} of {shown(_parameters(job))} is too long; shorten the pattern")


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

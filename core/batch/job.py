# SPDX-License-Identifier: GPL-3.0-or-later
"""`Job`: what a batch has one of for each result; the commands that make it, and the files that they write."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ..partials import MOST_ADDED
from ..version import VERSION
from .errors import BatchError
from .sweep import Row

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
UNSAFE = re.compile(r'[\x00-\x1f/\\:*?"<>|]+')
"""What some system's file names cannot have."""

LONGEST_NAME = 255 - MOST_ADDED
"""Bytes of a file's name, and of what is added to it while it is written."""

DIGITS = 6
"""Of numbers in file names."""

MOTIONS = (".blend", ".npz", ".csv", ".json")
"""Suffixes of outputs that need the motion; all others are the model, converted."""


@dataclass(frozen=True)
class Job:
    """Commands to be run one after the other, and what comes of them.

    Attributes:
        name: unique in its batch, and fit for a file.
        file: its input. parameters: what was swept, by name.
        commands: arguments of `limberjack`, verb first, with paths relative to the batch's folder.
        outputs: files, likewise.
    """

    name: str
    file: str
    parameters: Row
    commands: tuple[tuple[str, ...], ...]
    outputs: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        """Of all that its results follow from, but for what its files hold."""
        return hashlib.sha256(json.dumps([VERSION, self.commands]).encode()).hexdigest()


def verb_for(file: str, outputs: Sequence[str]) -> str:
    """What makes the motion: `bake` where Blender is needed, else `simulate`."""
    scenes = [path for path in (file, *outputs) if PurePath(path).suffix.lower() == ".blend"]
    return "bake" if scenes else "simulate"


def commands_for(
    file: str, outputs: Sequence[str], options: Mapping[str, Sequence[str]], settings: Row
) -> tuple[tuple[str, ...], ...]:
    """The commands that make the outputs.

    Args:
        options: arguments by verb. settings: values by OWNER.PROPERTY.
    """
    changes = [f"--set={target}={value}" for target, value in settings.items()]
    file, *outputs = (f"./{path}" if path.startswith("-") else path for path in (file, *outputs))  # else an option
    motions = [output for output in outputs if PurePath(output).suffix.lower() in MOTIONS]
    models = [output for output in outputs if output not in motions]
    commands = []
    if motions:
        verb = verb_for(file, motions)
        named = [part for output in motions for part in ("-o", output)]
        commands.append((verb, file, *named, "--json", *options.get(verb, ()), *changes))
    commands += [("convert", file, output, "--json", *options.get("convert", ()), *changes) for output in models]
    return tuple(commands)


def filled(pattern: str, values: Mapping[str, str]) -> str:
    """A pattern with {name} in the place of each value, made fit for a file's name. Raises BatchError."""

    def value_of(found: re.Match[str]) -> str:
        name = found.group(1)
        if name not in values:
            raise BatchError(f"'{pattern}': there is no '{{{name}}}'; there are: {', '.join(values)}")
        return UNSAFE.sub("_", _short(values[name]))

    return PLACEHOLDER.sub(value_of, pattern)


def _short(text: str) -> str:
    """A number with no more digits than a name needs."""
    try:
        return text if len(text) <= DIGITS else f"{float(text):.{DIGITS}g}"
    except ValueError:
        return text

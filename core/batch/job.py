# SPDX-License-Identifier: GPL-3.0-or-later
"""The `Job`: the commands that make one result of a batch, and the files that they write."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ..files.partials import MOST_ADDED
from ..version import VERSION
from .errors import BatchError
from .sweep import Row

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
UNSAFE = re.compile(r'[\x00-\x1f/\\:*?"<>|]+')
"""Characters that file names of some system cannot contain."""

LONGEST_NAME = 255 - MOST_ADDED
"""Largest length of a file's name, without what is added to it while it is written [bytes]."""

DIGITS = 6
"""Number of significant digits of numbers in file names."""

MOTIONS = (".blend", ".npz", ".csv", ".json")
"""Suffixes of outputs that need the motion. All others are the converted model."""


@dataclass(frozen=True)
class Job:
    """Commands that are run one after the other, and their outputs.

    Attributes:
        name: unique in its batch, and suitable for a file name.
        file: the input.
        parameters: values of the swept parameters by name.
        commands: arguments of `limberjack`, verb first, with paths relative to the batch's folder.
        outputs: files, with paths relative to the batch's folder.
    """

    name: str
    file: str
    parameters: Row
    commands: tuple[tuple[str, ...], ...]
    outputs: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        """A digest of everything that determines the results, except the content of the files."""
        return hashlib.sha256(json.dumps([VERSION, self.commands]).encode()).hexdigest()


def verb_for(file: str, outputs: Sequence[str]) -> str:
    """Return the verb that makes the motion: `bake` if Blender is needed, else `simulate`."""
    scenes = [path for path in (file, *outputs) if PurePath(path).suffix.lower() == ".blend"]
    return "bake" if scenes else "simulate"


def commands_for(
    file: str, outputs: Sequence[str], options: Mapping[str, Sequence[str]], settings: Row
) -> tuple[tuple[str, ...], ...]:
    """Return the commands that make the outputs.

    Args:
        file: the input.
        outputs: files to write.
        options: arguments by verb.
        settings: values by OWNER.PROPERTY.
    """
    changes = [f"--set={target}={value}" for target, value in settings.items()]
    # Without "./", a name that begins with "-" would be an option.
    file, *outputs = (f"./{path}" if path.startswith("-") else path for path in (file, *outputs))
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
    """Return a pattern with each {name} replaced by its value, in a form that is suitable for a file name.

    Raises:
        BatchError: if there is no value of that name.
    """

    def value_of(found: re.Match[str]) -> str:
        name = found.group(1)
        if name not in values:
            raise BatchError(f"'{pattern}': there is no '{{{name}}}'; there are: {', '.join(values)}")
        return UNSAFE.sub("_", _short(values[name]))

    return PLACEHOLDER.sub(value_of, pattern)


def _short(text: str) -> str:
    """Return the text, with a number shortened to `DIGITS` digits."""
    try:
        return text if len(text) <= DIGITS else f"{float(text):.{DIGITS}g}"
    except ValueError:
        return text

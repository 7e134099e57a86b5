# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of verbs that a JOBS.toml gives as tables instead of arguments."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .errors import BatchError, shown
from .sweep import Row, text_in

VERBS = ("simulate", "bake", "convert")
"""Verbs that jobs may use."""

GIVEN = ("help", "output", "set", "json")
"""Options that the batch itself gives."""


class Options:
    """The options that the verbs of a command take.

    Attributes:
        verbs: those of `VERBS` that the command has.
    """

    def __init__(self, parser: argparse.ArgumentParser):
        self._parser = parser
        found = next(action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))
        self._known = {verb: _long_options(found[verb]) for verb in VERBS if verb in found}
        self.verbs = tuple(self._known)

    def arguments(self, verb: str, table: Mapping[str, Any], swept: Row) -> list[str]:
        """Return the arguments for a table of options and the swept options.

        Raises:
            BatchError: if the verb or an option is unknown, or if a value is not valid.
        """
        if verb not in self._known:
            raise BatchError(f"this needs the verb '{verb}', which comes with Blender: run `limberjack batch` instead")
        known = self._known[verb]
        arguments = []
        for name, value in {**table, **swept}.items():
            if (option := name.replace("_", "-")) not in known:
                where = f"'{name}' is no OWNER.PROPERTY, and" if name in swept else f"[{verb}]:"
                raise BatchError(f"{where} `{verb}` has no option '{name}'; it has: {', '.join(known)}")
            arguments += _arguments(f"[{verb}] {name}", f"--{option}", known[option], value)
        return arguments

    def require_valid(self, commands: Iterable[Sequence[str]]) -> None:
        """Check that commands can be parsed.

        Raises:
            BatchError: if a command would be refused as it is written.
        """
        for command in commands:
            self.parse(command)

    def parse(self, command: Sequence[str]) -> argparse.Namespace:
        """Return the parsed arguments of a command.

        Raises:
            BatchError: if they are not valid.
        """
        messages = io.StringIO()
        try:
            with contextlib.redirect_stderr(messages):
                return self._parser.parse_args(command)
        except SystemExit as stop:
            reason = messages.getvalue().strip().rpartition("error: ")[2]
            raise BatchError(f"[{command[0]}]: {reason}") from stop


def _long_options(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    named = {text.removeprefix("--"): action for action in parser._actions for text in action.option_strings}
    return {name: action for name, action in named.items() if not name.startswith("-") and name not in GIVEN}


def _arguments(where: str, flag: str, action: argparse.Action, value: Any) -> list[str]:
    if action.nargs == 0:
        if not isinstance(value, bool) and value not in ("true", "false"):
            raise BatchError(f"{where}: write true or false, found {shown(value)}")
        return [flag] if value in (True, "true") else []
    parts = value if isinstance(value, list) else str(value).split(",") if action.nargs else [value]
    texts = [text_in(where, part) for part in parts]
    if not texts or not all(texts):
        raise BatchError(f"{where}: found {shown(value)}; give a value, or leave it out")
    if action.nargs is None:
        if len(texts) > 1 and not isinstance(action, argparse._AppendAction):
            raise BatchError(f"{where}: takes one value, found {shown(value)}; to sweep it, put it into [grid]")
        return [f"{flag}={text}" for text in texts]
    return [flag, *texts]

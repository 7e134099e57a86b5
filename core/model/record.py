# SPDX-License-Identifier: GPL-3.0-or-later
"""`Record`: the base of the elements of a model. It allows declared attributes only, and has a short repr."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, Self

import numpy as np

MOST_SHOWN = 8
"""Largest number of array elements or list entries that `repr` shows."""


class Record:
    """Base of the dataclasses that a user edits: `Axis`, `Link`, `Joint`, `Frame` and so on."""

    _VECTORS = frozenset[str]()
    """Names of fields in which a list or an array becomes a tuple, so that two records share no vector that can change.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field.

        Raises:
            AttributeError: if the class declares no such field, since no code would read it.
        """
        if name not in type(self).__dataclass_fields__:  # type: ignore[attr-defined]
            raise AttributeError(f"{type(self).__name__} has no field '{name}' to set; {self._likely(name)}")
        if name in self._VECTORS and isinstance(value, list | np.ndarray):
            value = tuple(value.tolist() if isinstance(value, np.ndarray) else value)
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Return the record as a constructor call, without fields at their defaults.

        Large fields are shown as counts.
        """
        shown = []
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if not _is_default(field, value):
                shown.append(f"{field.name}={_brief(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def copy(self) -> Self:
        """Return a deep copy."""
        return copy.deepcopy(self)

    def _likely(self, name: str) -> str:
        import difflib  # late, for Blender's start-up time

        fields = list(type(self).__dataclass_fields__)  # type: ignore[attr-defined]
        near = difflib.get_close_matches(name, fields, 1)
        return f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(fields)}"


def _is_default(field: dataclasses.Field, value: object) -> bool:
    if field.default_factory is not dataclasses.MISSING:
        return value == field.default_factory()
    return field.default is not dataclasses.MISSING and type(value) is type(field.default) and value == field.default


def _brief(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<array {value.shape}>" if value.size > MOST_SHOWN else repr(value.tolist())
    if isinstance(value, tuple | list) and any(not isinstance(item, Record | float | int | str) for item in value):
        return f"<{len(value)} of {type(value[0]).__name__}>"
    if isinstance(value, tuple | list) and len(value) > MOST_SHOWN:
        return f"<{len(value)} entries>"
    return repr(value)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model is made of has the attributes that its class declares, and no others; and it prints in a line."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, Self

import numpy as np

MOST_SHOWN = 8
"""Numbers or entries of a list that are printed."""


class Record:
    """Base of the dataclasses that a user edits: `Axis`, `Link`, `Joint`, `Frame` and so on."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Raises AttributeError where the class declares no such field, since nothing would ever read it."""
        if name not in type(self).__dataclass_fields__:  # type: ignore[attr-defined]
            raise AttributeError(f"{type(self).__name__} has no field '{name}' to set; {self._likely(name)}")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """As it could be written, without what is at its default; large parts by their count."""
        shown = []
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if not _is_default(field, value):
                shown.append(f"{field.name}={_brief(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def copy(self) -> Self:
        """One that shares nothing with this one."""
        return copy.deepcopy(self)

    def _likely(self, name: str) -> str:
        import difflib  # Blender's start need not wait for it

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

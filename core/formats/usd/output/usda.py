# SPDX-License-Identifier: GPL-3.0-or-later
"""Prims as text of .usda files.

Source: OpenUSD documentation, "USDA file format".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from ....model.naming import TakenNames
from ....spatial import Pose

INDENT = "    "

Value = str | float | int | bool | Sequence["Value"]


class Prim:
    """A prim: its type, schemas, properties and children.

    Attributes:
        kind: name of its type. name: unique among its siblings. path: from the top of the stage.
        schemas: names of API schemas that apply to it.
        children: prims in it.
    """

    def __init__(self, kind: str, name: str, parent: Prim | None = None):
        """Make a prim. If a sibling has its name already, it gets a number. The display name keeps the given one."""
        self._taken = TakenNames()
        plain = identifier(name)
        self.kind, self.name = kind, parent._taken.claim(plain) if parent else plain
        self.path = f"{parent.path if parent else ''}/{self.name}"
        self.schemas: list[str] = []
        self.children: list[Prim] = []
        self._lines: list[str] = []
        self._metadata: list[str] = [f"displayName = {quoted(name)}"] if self.name != name else []
        if parent:
            parent.children.append(self)

    def apply(self, *schemas: str) -> None:
        """Apply API schemas, each once."""
        self.schemas += [schema for schema in schemas if schema not in self.schemas]

    def describe(self, name: str, text: str) -> None:
        """Set metadata. text: as it stands in the file."""
        self._metadata.append(f"{name} = {text}")

    def set(self, kind: str, name: str, value: Value, metadata: Mapping[str, Value] | None = None) -> None:
        """Set an attribute.

        Args:
            kind: its type, such as "float", with "uniform " before it if it is uniform.
            metadata: of the attribute, such as its interpolation.
        """
        lines = "".join(f"\n{INDENT}{key} = {text_of(each)}" for key, each in (metadata or {}).items())
        self._lines.append(f"{kind} {name} = {text_of(value)}" + (f" ({lines}\n)" if lines else ""))

    def animate(self, kind: str, name: str, values: Mapping[float, Value]) -> None:
        """Set an attribute by its values at times."""
        lines = "".join(f"\n{INDENT}{number(time)}: {text_of(value)}," for time, value in values.items())
        self._lines.append(f"{kind} {name}.timeSamples = {{{lines}\n}}")

    def relate(self, name: str, *targets: Prim) -> None:
        """Set a relationship."""
        paths = [f"<{target.path}>" for target in targets]
        self._lines.append(f"rel {name} = {paths[0] if len(paths) == 1 else '[' + ', '.join(paths) + ']'}")

    def place(self, pose: Pose, scale: Sequence[float] | None = None) -> None:
        """Set the prim's transform in its parent. scale: along its axes, before the pose."""
        self.set("double3", "xformOp:translate", pose[:3])
        self.set("quatd", "xformOp:orient", pose[3:])
        self.order(has_scale=scale is not None)
        if scale is not None:
            self.set("double3", "xformOp:scale", tuple(scale))

    def order(self, *, has_scale: bool = False) -> None:
        """Set the order of the prim's transforms."""
        names = ["xformOp:translate", "xformOp:orient", *(["xformOp:scale"] if has_scale else [])]
        self._lines.append(f"uniform token[] xformOpOrder = [{', '.join(map(quoted, names))}]")

    def lines(self) -> Iterable[str]:
        """Yield the lines of the prim and its children."""
        metadata = [*self._metadata]
        if self.schemas:
            metadata.insert(0, f"prepend apiSchemas = [{', '.join(map(quoted, self.schemas))}]")
        head = f"def {self.kind} {quoted(self.name)}" if self.kind else f"def {quoted(self.name)}"
        yield f"{head} (" if metadata else head
        if metadata:
            yield from (f"{INDENT}{line}" for line in metadata)
            yield ")"
        yield "{"
        for line in self._lines:
            yield from (f"{INDENT}{part}" for part in line.splitlines())
        for child in self.children:
            yield ""
            yield from (f"{INDENT}{line}" if line else "" for line in child.lines())
        yield "}"


def stage_text(root: Prim, metadata: Mapping[str, Value]) -> str:
    """Return a whole file with one prim at its top, which is the default one."""
    given: dict[str, Value] = {"defaultPrim": root.name, **metadata}
    head = "".join(f"{INDENT}{name} = {text_of(value)}\n" for name, value in given.items())
    return f"#usda 1.0\n(\n{head})\n\n" + "\n".join(root.lines()) + "\n"


def identifier(name: str) -> str:
    """Return a name with underscores in the place of what no prim's name may have."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return plain if plain and not plain[0].isdigit() else f"_{plain}"


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def number(value: float) -> str:
    """Return a number as few digits as give it back."""
    if math.isinf(value):
        return "inf" if value > 0.0 else "-inf"
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def text_of(value: Value) -> str:
    """Return a value as text. Tuples are vectors, lists are arrays."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int | float):
        return number(float(value))
    inner = ", ".join(map(text_of, value))
    return f"[{inner}]" if isinstance(value, list) else f"({inner})"

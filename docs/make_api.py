# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/api.md, the list of all public names, from the code: `make docs`."""

from __future__ import annotations

import dataclasses
import inspect
from pathlib import Path

import limberjack

PAGE = Path(__file__).parent / "api.md"
HEAD = """# Python: all public names

```python
import limberjack as lj
```

These are all public names: those of `dir(lj)`, of completion and of `from limberjack import *`. Everything else in the
packages may change with any version. For help on a name, type `help(lj.simulate)`.

Most functions take a `Model`, or in loops a `CompiledModel`, which is faster. Joint values are
`{joint: number or list}`, or arrays; `compile_model(model).layout()` prints the layout of these
arrays. Units, frames and quaternions are defined in [`core/__init__.py`](../core/__init__.py). For first steps, see
[From Python](roboticist.md#from-python) and the [tutorials](examples/README.md).

This page is generated from the code, and a test compares it with the code.
"""
GROUPS: dict[str, tuple[str, ...]] = {
    "Files": ("formats",),
    "Models": ("model",),
    "Shapes": ("geometry",),
    "Kinematics": ("kinematics",),
    "Poses": ("spatial",),
    "Dynamics": ("dynamics",),
    "Simulation": ("controls", "simulation", "solvers", "records", "diagnosis"),
    "Motions": ("trajectory",),
    "Pictures": ("plots",),
    "Checks": ("check",),
}


def page() -> str:
    parts = [HEAD]
    left = set(limberjack.__all__)
    for title, packages in GROUPS.items():
        named = [name for name in limberjack.__all__ if package_of(getattr(limberjack, name)) in packages]
        left -= set(named)
        parts += [f"\n## {title}\n\n| | |\n|---|---|\n", *(entry(name) for name in named)]
    parts += ["\n## Constants\n\n| | |\n|---|---|\n", *(constant(name) for name in limberjack.__all__ if name in left)]
    return "".join(parts)


def package_of(value: object) -> str:
    module = getattr(value, "__module__", "")
    return module.split(".")[2] if module.count(".") >= 2 else ""


def entry(name: str) -> str:
    value = getattr(limberjack, name)
    says = first_line(value)
    if inspect.isclass(value) and (members := members_of(value)):
        says += f"<br>{', '.join(f'`{member}`' for member in members)}"
    return f"| `{name}{signature_of(value)}` | {says} |\n"


def constant(name: str) -> str:
    value = getattr(limberjack, name)
    shown = ", ".join(value) if isinstance(value, dict) else repr(value)
    return f"| `{name}` | {shown if name != 'VERSION' else 'the version, as the manifest has it'} |\n"


def signature_of(value: object) -> str:
    """Names and defaults, without types, which `help` has."""
    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    bare = [one if _is_plain(one.default) else one.replace(default=Ellipsis) for one in bare if one.name != "self"]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return text.replace("Ellipsis", "…").replace("|", "\\|")


def _is_plain(default: object) -> bool:
    return default is inspect.Parameter.empty or isinstance(default, str | float | int | tuple | None)


def members_of(kind: type) -> list[str]:
    """Methods with what they take, then what is read; no fields that the signature has."""
    if issubclass(kind, BaseException):
        return []
    fields = {item.name for item in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    found = []
    for name in dir(kind):
        value = inspect.getattr_static(kind, name)
        if name.startswith("_") or name in fields:
            continue
        is_method = inspect.isfunction(value) or isinstance(value, classmethod)
        found.append(name + signature_of(value.__get__(None, kind)) if is_method else name)
    return sorted(found, key=lambda text: ("(" not in text, text))


def first_line(value: object) -> str:
    text = inspect.getdoc(value) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

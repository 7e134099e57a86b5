# SPDX-License-Identifier: GPL-3.0-or-later
"""All file formats, one entry each.

Commands, batches, and Blender's menus, dialogs and drag-and-drop follow from these entries. Blender starts with this
module, so readers and writers are imported when they are first called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from ..files.xml_rules import XmlRules


class Choice(NamedTuple):
    """One value of an option.

    Attributes:
        value: the value that the writer takes. label, help: texts in Blender.
    """

    value: str
    label: str
    help: str


class Option(NamedTuple):
    """An option of a writer: `--name` on the command line, a property of the same name in Blender's dialog.

    Attributes:
        name: of the writer's argument. label, help: texts in Blender; the command line shows the help.
        choices: the first is the default. Empty for a switch, which is off by default.
        is_motion: whether the writer takes a motion: on the command line the name of a trajectory file, in Blender a
            switch for the motion of the scene.
    """

    name: str
    label: str
    help: str
    choices: tuple[Choice, ...] = ()
    is_motion: bool = False

    @property
    def default(self) -> str | bool | None:
        if self.is_motion:
            return None
        return self.choices[0].value if self.choices else False

    @property
    def values(self) -> tuple[str, ...]:
        """The values that a user may give."""
        return tuple(choice.value for choice in self.choices if choice.value)


class Format(NamedTuple):
    """A file format.

    Attributes:
        name: its name in messages.
        suffixes: of its files, the usual one first.
        root: the tag of the root element; "" if the format is not XML.
        read: function (source, findings, files) that returns the model and the places of its parts in the file.
        write: function (model, path, options) that returns the losses; None if the format cannot be written.
        options: those that `write` takes.
        inputs: names of further arguments of `write` that only programs in Python can give.
        beginnings: first bytes by which its files are recognized; () if the root element or the suffix decides.
        rules: of its XML.
        says_what_floats: whether its files say which links float. In the other formats, a robot's base seems to.
        reader_package: name of a package without which its files cannot be read; "" if this program suffices.
        holds_meshes: whether meshes are in the model file. The other formats have them in files beside it.
    """

    name: str
    suffixes: tuple[str, ...]
    root: str
    read: Callable[..., Any]
    write: Callable[..., list[str]] | None = None
    options: tuple[Option, ...] = ()
    inputs: tuple[str, ...] = ()
    beginnings: tuple[bytes, ...] = ()
    rules: XmlRules = XmlRules()
    says_what_floats: bool = False
    holds_meshes: bool = False
    reader_package: str = ""

    @property
    def is_readable(self) -> bool:
        """Whether its files can be read here."""
        return not self.reader_package or find_spec(self.reader_package) is not None


def _late(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports a function of this package when it is first called, for start-up time."""

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f".{module}", __package__), name)(*arguments, **options)

    return call


URIS = Option(
    "uris",
    "Paths",
    "How the file names its meshes",
    (
        Choice("relative", "Relative", "From the file's own folder"),
        Choice(
            "model",
            "By Folder",
            "By the name of the model's folder, which simulators search for: model:// in SDF, package:// in URDF",
        ),
    ),
)
POSE = Option(
    "pose",
    "Pose",
    "Which pose is written",
    (
        Choice("zero", "Zero Pose", "Every joint at zero"),
        Choice("home", "Initial Pose", "Every joint in its initial pose"),
    ),
)
SUBSTITUTE = Option("substitute", "Substitute", "Write joints that the format lacks as similar ones, and report each")
SDF_VERSION = Option(
    "sdf_version",
    "Version",
    "Version of SDF: the lower, the more programs read it",
    (
        Choice("", "As Needed", "The lowest that most programs read and that can express the model"),
        *(Choice(version, version, f"SDF {version}") for version in ("1.7", "1.8", "1.9", "1.10", "1.11", "1.12")),
    ),
)
WORLD = Option("world", "World", "Write a world, with a model for each articulation; of a scene, also its lights")
FOLDERS = Option("folders", "Folders", "Write a world, and a folder beside it for each articulation")

MEND_INERTIAS = Option(
    "mend_inertias",
    "Repair Inertias",
    "Replace inertias that no body can have by the nearest possible ones, and report each",
)
"""Option of every format, which `write` applies before it calls the writer."""

SDF = Format(
    "SDF",
    (".sdf", ".world"),
    "sdf",
    _late("sdf.read", "read_sdf"),
    _late("sdf.write", "write_sdf"),
    (SDF_VERSION, WORLD, FOLDERS, URIS, POSE, SUBSTITUTE, MEND_INERTIAS),
)
URDF = Format(
    "URDF",
    (".urdf",),
    "robot",
    _late("urdf.read", "read_urdf"),
    _late("urdf.write", "write_urdf"),
    (URIS, POSE, SUBSTITUTE, MEND_INERTIAS),
)

MJCF = Format(
    "MJCF",
    (".xml", ".mjcf"),
    "mujoco",
    _late("mjcf.read", "read_mjcf"),
    _late("mjcf.output.write", "write_mjcf"),
    (MEND_INERTIAS,),
    rules=XmlRules(depth=500, word=16 * 2**20, mends_blanks=True),  # as far as MuJoCo reads; meshes may be inline
    says_what_floats=True,
)

MOTION = Option("motion", "Motion", "Write a motion as time samples, to be played, not simulated", is_motion=True)

USD = Format(
    "USD",
    (".usda", ".usd", ".usdc", ".usdz"),
    "",
    _late("usd.read", "read_usd"),
    _late("usd.output.write", "write_usd"),
    (MOTION, MEND_INERTIAS),
    inputs=("characters",),
    beginnings=(b"#usda", b"PXR-USDC"),
    says_what_floats=True,
    holds_meshes=True,
    reader_package="pxr",
)

FORMATS: tuple[Format, ...] = (SDF, URDF, MJCF, USD)


def alternatives(words: Iterable[str]) -> str:
    """Return words as a list for a sentence: "SDF, URDF or MJCF"."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def suffixes(formats: tuple[Format, ...] = FORMATS) -> tuple[str, ...]:
    """Return the suffixes of all files of these formats."""
    return tuple(suffix for entry in formats for suffix in entry.suffixes)


def writable() -> tuple[Format, ...]:
    """Return the formats that can be written."""
    return tuple(entry for entry in FORMATS if entry.write)

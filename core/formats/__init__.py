# SPDX-License-Identifier: GPL-3.0-or-later
"""Model files: `read` returns the model of a file, and `write` writes a model. `registry` lists the formats.

The content of a file decides its format if it can, otherwise the suffix. Blender starts with this module, so readers
and writers are imported when they are first called.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..files.errors import UnreadableError, UnwritableError
from ..model.errors import ModelError
from ..model.text import counted
from ..spatial import norm, scale
from .registry import FORMATS, MEND_INERTIAS, Choice, Format, Option, alternatives

if TYPE_CHECKING:
    from ..check import Issue
    from ..files.xml import Element
    from ..model import Model
    from .findings import Findings, Places
    from .source import Source

__all__ = ["FORMATS", "Choice", "Format", "Option", "Reading", "UnreadableError", "UnwritableError", "read", "write"]

FOLLOW_FROM_ERRORS = ("no-links", "unknown-leader")
"""Codes of findings about missing elements. They are redundant if a reader had to leave something out."""


XACRO_WORDS = tuple(
    f"xacro:{word}" for word in ("include", "macro", "if", "unless", "insert_block", "call", "element", "attribute")
)
"""Elements that a file does not contain any more after xacro has processed it."""


@dataclass(repr=False)
class Reading:
    """The result of reading a file.

    Attributes:
        partial: the model; if there are errors among the issues, as much of it as could be read.
        issues: those of the reader and of `check_definition`, in the order of lines.
        notes: what the file contains and the model does not.
        files: the file itself, and those that it includes and names.
        allows_errors: whether `model` may be `partial` in spite of errors.
        format: of the file; None for a model that no file of a format contained.
        meant_to_fall: names of links of machines that fall on purpose, such as the characters of a scene.
    """

    partial: Model
    issues: list[Issue] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    allows_errors: bool = False
    format: Format | None = None
    meant_to_fall: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        counts = f"{counted(self.issues, 'issue')}, {counted(self.notes, 'note')}"
        return f"<Reading of {self.partial!r}: {counts}>"

    @property
    def ok(self) -> bool:
        """Whether there are no errors."""
        return not any(issue.is_error for issue in self.issues)

    @property
    def model(self) -> Model:
        """The model.

        Raises:
            ModelError: if the file has errors, so that the model differs from it. The message lists all of them.
        """
        errors = [issue for issue in self.issues if issue.is_error]
        if errors and not self.allows_errors:
            lines = "\n".join(issue.format(self.files[0] if self.files else "the file") for issue in errors)
            raise ModelError(f"{lines}\nread(…, allow_errors=True) gives what could be read")
        return self.partial


def read(
    path: str | Path,
    search: Iterable[str | Path] = (),
    strict: bool = False,
    data: bytes | None = None,
    allow_errors: bool = False,
    fix_base: bool | str | Iterable[str] = False,
    density: float | None = None,
) -> Reading:
    """Read a model file of any format.

    Args:
        search: folders, besides its own, that are searched for files that it names.
        strict: whether mistakes that simulators tolerate are errors, not warnings.
        data: the content of the file, if it has been read already; `path` is then its name.
        allow_errors: whether `Reading.model` returns what could be read, in spite of errors. If there are errors, a
            Python warning is issued.
        fix_base: names of links that are fixed to the world where they stand, as the function `fix_base` does. True is
            the one link that floats, or none if the world holds all links.
        density: gives links to which the file gives neither mass nor inertia those of their collisions, or else of
            their visuals, at this density [kg/m^3]. 1000 is water. MJCF and USD define such a density themselves.

    Raises:
        UnreadableError: if the file contains no model.
        ModelError: if a link of `fix_base` does not float, if it is True and several links float, or if the density is
            no finite number above 0.
    """
    from ..files.resources import FilesBeside, Resources
    from .findings import Findings
    from .source import Source

    if density is not None:
        from ..model.editing.weighing import require_density

        require_density(density)
    path = Path(path)
    if path.suffix.lower() == ".blend":
        raise UnreadableError(
            path,
            "this is a scene of Blender, which Blender alone can open; write it as a model first, with "
            f"`limberjack convert {path.name} {path.stem}.sdf` or File > Export, and read that",
        )
    source, findings, resources = Source(path, data), Findings(strict), Resources(path, search)
    chosen = _format_of(source, findings)
    model, places = chosen.read(source, findings, FilesBeside(resources, path.resolve()))
    _drop_idle_mimics(model, places, findings)
    issues = findings.issues + _checked(model, places, findings)
    if (fix_base or density is not None) and (allow_errors or not any(issue.is_error for issue in issues)):
        findings.issues += _completed(model, places, findings, fix_base, density)
        issues = findings.issues + _checked(model, places, findings)
    _normalize_axes(model)
    files = [*([path] if data is None else []), *filter(Path.is_file, resources.used)]
    issues.sort(key=lambda issue: (issue.file, issue.line or 0))
    reading = Reading(model, issues, findings.notes, files, allow_errors, chosen)
    if allow_errors and not reading.ok:
        warnings.warn(f"{path}: the model is not complete, since the file has errors", stacklevel=2)
    return reading


def write(model: Model, path: str | Path, **options: object) -> list[str]:
    """Write a model file, in the format of the path's suffix. Return what the format cannot express, a line per kind.

    All files that belong to the model are written, or none.

    Args:
        options: those of `Format.options`; for USD also `characters`, a list of `Character` in the frames of `motion`.
            Options that only other formats have are ignored.

    Raises:
        UnwritableError: if the model has errors, or if the file cannot be written.
        TypeError: if `model` is not a `Model`, or if no format has an option of that name.
    """
    from ..check import check_definition
    from ..check.summarizing import summarized_losses
    from ..model.editing.mending import with_mended_inertias
    from ..model.model import require_model
    from ..text import one_line

    model, path = require_model(model), Path(path)
    names = sorted({option.name for entry in FORMATS for option in entry.options})
    inputs = {name for entry in FORMATS for name in entry.inputs}
    for name in options:
        if name not in names and name not in inputs:
            raise TypeError(f"write() has no option '{name}'; there are: {', '.join(sorted({*names, *inputs}))}")
    chosen = next((entry for entry in FORMATS if path.suffix.lower() in entry.suffixes), None)
    if chosen is None or chosen.write is None:
        known = ", ".join(suffix for entry in FORMATS if entry.write for suffix in entry.suffixes)
        raise UnwritableError(path, f"cannot write '{path.suffix}' files; the name must end in one of {known}")
    errors = [issue for issue in check_definition(model) if issue.is_error]
    if errors:
        raise UnwritableError(path, f"the model has errors: {errors[0].subject}: {errors[0].message}")
    takes = {*chosen.inputs, *(option.name for option in chosen.options)}
    known = {name: value for name, value in options.items() if name in takes}
    notes: list[str] = []
    if known.pop(MEND_INERTIAS.name, False):
        model, notes = with_mended_inertias(model)
    return summarized_losses(one_line(loss) for loss in [*notes, *chosen.write(model, path, **known)])


def _format_of(source: Source, findings: Findings) -> Format:
    """Return the format of a file: by its first bytes, by a suffix that only a format without XML has, or by the root
    element.

    Raises:
        UnreadableError: if it has none.
    """
    for entry in FORMATS:
        if entry.beginnings and source.data.startswith(entry.beginnings):
            return entry
    for entry in FORMATS:
        if not entry.root and source.path.suffix.lower() in entry.suffixes:
            return entry
    sniffed = next((entry for entry in FORMATS if entry.root and entry.root == source.root_tag), None)
    source.rules = sniffed.rules if sniffed else source.rules
    root = source.root
    _look_for_xacro(source.path, root, findings)
    chosen = next((entry for entry in FORMATS if entry.root == root.tag), None)
    if chosen is None:
        known = alternatives(f"<{entry.root}> ({entry.name})" for entry in FORMATS if entry.root)
        raise UnreadableError(source.path, f"the root element is <{root.tag}>; {known} is needed", root.line)
    return chosen


def _look_for_xacro(path: Path, root: Element, findings: Findings) -> None:
    """Check that xacro has processed the file. Report elements that it has left behind without effect.

    Raises:
        UnreadableError: if xacro has not processed the file.
    """
    for element in root.walk():
        if not element.tag.startswith("xacro:"):
            continue
        if element.children or element.tag in XACRO_WORDS or root.child("link") is None:
            raise UnreadableError(path, "this is a xacro file; run `xacro FILE > robot.urdf` first", element.line)
        message = f"<{element.tag}> is left over from xacro, and passed over; take it out, or run `xacro` on its source"
        findings.excuse(element, "left-over", message)


def _drop_idle_mimics(model: Model, places: Places, findings: Findings) -> None:
    """Remove mimics of joints that do not exist or do not move, and mimics on joints that do not move. Report each."""
    joints = {joint.name: joint for joint in model.joints}
    for joint in model.joints:
        mimic, at = joint.mimic, places.get(("joint", joint.name))
        if mimic is None or at is None or not mimic.leader:
            continue
        leader = joints.get(mimic.leader)
        if leader is None:
            why = f"mimics '{mimic.leader}', which is no joint"
        elif not joint.all_columns:
            why = f"is {joint.type}, and mimics '{mimic.leader}'"
        elif not leader.all_columns:
            why = f"mimics '{mimic.leader}', which is {leader.type}"
        else:
            continue
        message = f"{why}; the mimic is left out: name a joint that moves, or take it out"
        findings.excuse(at, "idle-mimic", message, f"joint '{joint.name}'")
        joint.mimic = None


def _completed(
    model: Model, places: Places, findings: Findings, fix_base: bool | str | Iterable[str], density: float | None
) -> list[Issue]:
    """Weigh links and fix bases as `read` describes it. Return warnings with their places in the file."""
    from .completing import hold_bases, weigh_missing

    issues = [] if density is None else list(weigh_missing(model, density, findings.without_mass))
    _place(issues, places)
    hold_bases(model, fix_base)
    return issues


def _place(issues: Iterable[Issue], places: Places) -> None:
    """Set the places of issues in the file."""
    by_subject = {f"{kind} '{name}'": place for (kind, name), place in places.items()}
    for issue in issues:
        if place := by_subject.get(issue.subject):
            issue.line, issue.file, issue.prim = place.line, place.file, place.prim


def _checked(model: Model, places: Places, findings: Findings) -> list[Issue]:
    """Return the findings of `check_definition` with their places in the file.

    Those that the reader has reported, or that follow from its errors, are left out.
    """
    from ..check import check_definition

    broken = {issue.subject for issue in findings.issues if issue.is_error}
    issues = check_definition(model)
    _place(issues, places)
    follows = FOLLOW_FROM_ERRORS if broken else ()
    reported = {(issue.code, issue.subject) for issue in findings.issues}
    return [
        issue
        for issue in issues
        if issue.subject not in broken and issue.code not in follows and (issue.code, issue.subject) not in reported
    ]


def _normalize_axes(model: Model) -> None:
    for joint in model.joints:
        for axis in joint.axes:
            length = norm(axis.xyz)
            if length > 0.0 and abs(length - 1.0) > 1e-12:  # keep the bits of a unit axis
                axis.xyz = scale(axis.xyz, 1.0 / length)

# SPDX-License-Identifier: GPL-3.0-or-later
"""One MJCF file with its settings, classes, assets, and the models that it may attach."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ...files.resources import FilesBeside, ResourceError
from ...files.xml import Element
from ..findings import Findings
from ..registry import MJCF
from ..xml.grammar import check_grammar
from ..xml.included import IncludeError, open_included, refuse_cycle
from .defaults import Defaults
from .document import Document
from .grammar import rules, tell_losses
from .settings import Settings, read_settings

NAMED_BY_FILE = ("mesh", "hfield", "texture", "skin")
"""Tags of assets that have the name of their file, without its suffix, if they have none."""


@dataclass(eq=False)
class ModelFile:
    """One MJCF file.

    Attributes:
        assets: elements by tag and name, with the attributes of their classes.
        models: other files by the names of <model> assets.
    """

    document: Document
    settings: Settings
    defaults: Defaults
    assets: dict[str, dict[str, Element]] = field(default_factory=dict)
    models: dict[str, ModelFile] = field(default_factory=dict)

    def asset(self, tag: str, name: str) -> Element | None:
        """Return the asset with a tag and a name; None if there is none."""
        return self.assets.get(tag, {}).get(name)


def open_model(root: Element, files: FilesBeside, findings: Findings, trail: tuple[Path, ...] = ()) -> ModelFile:
    """Return a file with everything in it that does not depend on its bodies.

    Args:
        root: its <mujoco> element.
        trail: the files that led to it as <model> assets.
    """
    document = Document(root, files, findings)
    check_grammar(root, rules(), MJCF.name, findings)
    tell_losses(root, findings)
    file = ModelFile(document, read_settings(document, findings), Defaults(document, findings))
    for element in document.entries("asset"):
        name = element.name
        if not name and element.tag in NAMED_BY_FILE:
            name = file_stem(element.attributes.get("file", ""))
        if element.tag == "model":
            opened = _open_asset(element, files, findings, (*trail, files.path))
            if opened:
                file.models[name or opened.document.root.attributes.get("model", "")] = opened
            continue
        known = file.assets.setdefault(element.tag, {})
        if name in known:
            message = f"another <{element.tag}> is named '{name}' too; give each its own name"
            findings.error(element, "repeated-name", message)
        else:
            known[name] = file.defaults.complete(element, "")
    return file


def _open_asset(element: Element, files: FilesBeside, findings: Findings, trail: tuple[Path, ...]) -> ModelFile | None:
    """Return the file of a <model> asset; None after an error was reported."""
    uri = element.attributes.get("file", "").strip()
    try:
        path = files.find(uri)
        refuse_cycle(path, uri, "model", trail)
        root = open_included(path, uri, MJCF.rules)
    except ResourceError as error:
        findings.error(element, "include-not-found", f"<model>: {error}")
    except IncludeError as error:
        findings.error(element, error.code, str(error))
    else:
        return open_model(root, files.of(path), findings, trail)
    return None


def file_stem(uri: str) -> str:
    """Return the name of a file without folders and suffix."""
    return uri.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] if "." in uri else uri


def asset_uri(element: Element, folder: str, settings: Settings) -> str:
    """Return the path of an asset's file as the main file would name it."""
    uri = element.attributes.get("file", "").strip().replace("\\", "/")
    if settings.strippath:
        uri = uri.rpartition("/")[2]
    folder = folder.replace("\\", "/").rstrip("/")
    return f"{folder}/{uri}" if folder and not Path(uri).is_absolute() else uri

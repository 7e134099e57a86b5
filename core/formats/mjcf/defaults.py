# SPDX-License-Identifier: GPL-3.0-or-later
"""Default classes: values that elements have unless they give others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...files.xml import Element
from ..findings import Findings
from .document import Document

MAIN = "main"
"""Name of the class that all others extend, and that elements without a class have."""

ACTUATORS = (
    *("general", "motor", "position", "velocity", "intvelocity", "orientation", "pid", "damper", "cylinder"),
    *("muscle", "adhesion", "dcmotor"),
)
"""Tags of actuators. In a class they all set the values of one actuator, one after the other."""

KINDS: Mapping[str, str] = {
    **{tag: tag for tag in ("mesh", "material", "joint", "geom", "site", "camera", "light", "pair")},
    **dict.fromkeys(("equality", "connect", "weld"), "equality"),
    **dict.fromkeys(("tendon", "fixed", "spatial"), "tendon"),
}
"""Kind of element in a class, by its tag there or in the model."""

PARTLY = frozenset(
    (
        *("friction", "size", "gear", "damping", "stiffness", "springlength", "polycoef", "surfacevel", "fluidcoef"),
        *("solref", "solimp", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"),
        *("gainprm", "biasprm", "dynprm"),
    )
)
"""Attributes with several numbers of which a file may give the first ones only; the others keep their values."""

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
"""Attributes for an orientation, of which an element has one."""

Values = dict[str, str]
"""Values of attributes by their names, as text."""


class Defaults:
    """The default classes of a file.

    Attributes:
        names: of all classes.
        actuators: for each class, the actuator elements that define it, in the order in which they act.
    """

    def __init__(self, document: Document, findings: Findings):
        self.findings = findings
        self._values: dict[str, dict[str, Values]] = {MAIN: {}}
        self.actuators: dict[str, list[Element]] = {MAIN: []}
        for section in document.sections("default"):
            self._read(section)

    @property
    def names(self) -> list[str]:
        return list(self._values)

    def _read(self, section: Element) -> None:
        waiting, named = [(section, MAIN, MAIN)], {*self._values}
        while waiting:
            element, name, parent = waiting.pop()
            values = {kind: dict(given) for kind, given in self._values[parent].items()}
            actuators = [*self.actuators[parent]]
            for child in element.children:
                if child.tag in ACTUATORS:
                    actuators.append(child)
                elif child.tag in KINDS:
                    kind = KINDS[child.tag]
                    values[kind] = merged(values.get(kind, {}), child.attributes)
            self._values[name], self.actuators[name] = values, actuators
            if element is section:
                self._names_main(section)
            inner = [child for child in element.all("default") if self._is_new(child, named)]
            waiting.extend((child, child.attributes["class"], name) for child in reversed(inner))

    def _names_main(self, section: Element) -> None:
        """Let the class of a section mean the main class, which old versions of MuJoCo could rename."""
        name = section.attributes.get("class", MAIN)
        if name != MAIN:
            message = f"it gives the main class another name, '{name}', which MuJoCo no longer allows; take it out"
            self.findings.excuse(section, "main-renamed", message)
            self._values[name], self.actuators[name] = self._values[MAIN], self.actuators[MAIN]

    def _is_new(self, element: Element, named: set[str]) -> bool:
        """Return whether a <default> in another one has a name of its own, which is added. Report one that has none."""
        name = element.attributes.get("class", "")
        if not name:
            self.findings.error(element, "no-name", "<default> in a <default> has no class; give it a name")
        elif name in named:
            message = f"the class '{name}' is defined twice; give each its own name"
            self.findings.error(element, "repeated-name", message)
        else:
            named.add(name)
            return True
        return False

    def complete(self, element: Element, childclass: str, kind: str = "") -> Element:
        """Return a copy of an element, without its children, that has the attributes of its class too.

        Args:
            childclass: the class of the body around it, which counts if the element names none.
            kind: of the element in `KINDS`, if its tag alone does not say so.
        """
        name = self.known(element, "class") or childclass or MAIN
        values = self._values[name].get(kind or KINDS.get(element.tag, ""), {})
        return replace(element, attributes=merged(values, element.attributes)) if values else element

    def over(self, inherited: Element, element: Element) -> Element:
        """Return an element that has the attributes of another one too, unless it gives its own."""
        return replace(element, attributes=merged(inherited.attributes, element.attributes))

    def known(self, element: Element, attribute: str) -> str:
        """Return the name of a class that an attribute gives; "" if it gives none, or after an error."""
        name = element.attributes.get(attribute, "")
        if name and name not in self._values:
            message = f"the class '{name}' is not defined; define it in <default>, or name another"
            self.findings.error(element, "unknown-class", message)
            return ""
        return name


def merged(inherited: Values, own: Mapping[str, str]) -> Values:
    """Return inherited values, replaced by an element's own."""
    found = dict(inherited)
    if any(name in own for name in ORIENTATIONS):
        for name in ORIENTATIONS:
            found.pop(name, None)
    for name, text in own.items():
        before, now = found.get(name, "").split(), text.split()
        found[name] = " ".join(now + before[len(now) :]) if name in PARTLY and len(now) < len(before) else text
    return found

# SPDX-License-Identifier: GPL-3.0-or-later
"""Check of the elements of a file against a table of rules, one table per format.

A reader looks up the names that it knows, so a misspelt name is read as if it did not exist. This check compares every
element with the table of the format and reports what no program of that format reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from ...files.xml import Element
from ..findings import Findings

MAX_REPORTED = 1000
"""Largest number of findings of this check per file.

A malicious file could have millions, which would fill the memory.
"""

MAX_QUOTED = 40
"""Largest number of characters of a value or a text that a message quotes."""

MAX_LISTED = 12
"""Largest number of allowed names that a message lists."""


@dataclass(frozen=True, eq=False)
class Rule:
    """The rules for one element.

    Attributes:
        attributes: names of its attributes.
        once: rules of children that may occur once, by tag. many: of children that may be repeated. A rule of None
            allows any content, which is kept as text and not checked.
        choice: tags of which an element holds one, such as the shapes in <geometry>.
        takes_text: whether its text is its value, or prose that is no loss.
        text_stands_for: attribute for which the reader takes a text, although the format wants the attribute.
    """

    attributes: frozenset[str] = frozenset()
    once: Mapping[str, Rule | None] = field(default_factory=dict)
    many: Mapping[str, Rule | None] = field(default_factory=dict)
    choice: frozenset[str] = frozenset()
    takes_text: bool = False
    text_stands_for: str = ""

    @property
    def tags(self) -> list[str]:
        """Tags of all allowed children."""
        return [*self.once, *self.many]

    def of(self, tag: str) -> Rule | None:
        """Return the rule of an allowed child; None if its content is not checked."""
        return self.once[tag] if tag in self.once else self.many.get(tag)


VALUE = Rule(takes_text=True)
"""An element whose text is its value."""


def rule(
    values: str = "",
    attributes: str = "",
    once: Mapping[str, Rule | None] | None = None,
    many: Mapping[str, Rule | None] | None = None,
    kept: str = "",
    choice: str = "",
    prose: bool = False,
) -> Rule:
    """Return the rule of an element with children.

    Args:
        values: tags of children that have a value and occur once. attributes: names. once, many: further children.
        kept: tags of children with any content, in any number. choice: tags of which an element has one.
        prose: whether a text in the element is ignored, like a comment without comment marks, as in some files.
    """
    return Rule(
        frozenset(attributes.split()),
        dict.fromkeys(values.split(), VALUE) | dict(once or {}),
        dict(many or {}) | dict.fromkeys(kept.split()),
        frozenset(choice.split()),
        takes_text=prose,
    )


def check_grammar(root: Element, root_rule: Rule, format_name: str, findings: Findings) -> None:
    """Report, once each and with lines, the parts of a file that the format does not define.

    Names with a prefix (`drake:joint`) belong to other programs and are allowed everywhere. If the table has a rule for
    such an element, it is checked.
    """
    _Checker(root_rule, format_name, findings).check(root)


class _Checker:
    def __init__(self, root_rule: Rule, format_name: str, findings: Findings):
        self.root_rule, self.format, self.findings = root_rule, format_name, findings
        self.count = 0

    def check(self, root: Element) -> None:
        waiting: list[tuple[Element, Rule]] = [(root, self.root_rule)]
        while waiting and self.count <= MAX_REPORTED:
            element, known = waiting.pop()
            self._attributes(element, known)
            self._text(element, known)
            waiting.extend(reversed(self._children(element, known)))

    def _attributes(self, element: Element, known: Rule) -> None:
        for name, value in element.attributes.items():
            if name in known.attributes or ":" in name or name == "xmlns":
                continue
            inner = known.of(name)
            if inner is not None and inner.takes_text and not inner.tags:
                remedy = f"write <{name}>{_quoted(value)}</{name}> in it"
            else:
                remedy = _remedy(name, known.attributes, "attributes")
            self._report(
                element,
                "unknown-attribute",
                f"the attribute {name}='{_quoted(value)}' of <{element.tag}> means nothing in {self.format}; {remedy}",
            )

    def _text(self, element: Element, known: Rule) -> None:
        if not element.text or known.takes_text:
            return
        text, stands_for = _quoted(element.text), known.text_stands_for
        if not stands_for:
            self._report(
                element,
                "stray-text",
                f"the text '{text}' in <{element.tag}> means nothing in {self.format}; {_places(known)}",
            )
        elif stands_for not in element.attributes:
            self._report(
                element,
                "stray-text",
                f"the text '{text}' in <{element.tag}> is read as its {stands_for}; {self.format} wants it as "
                f'{stands_for}="{text}": write that',
            )

    def _children(self, element: Element, known: Rule) -> list[tuple[Element, Rule]]:
        """Report children that are not allowed or are repeated. Return the others, with their rules."""
        first: dict[str, Element] = {}
        chosen: Element | None = None
        found: list[tuple[Element, Rule]] = []
        for child in element.children:
            tag = child.tag
            if tag not in known.once and tag not in known.many:
                self._unknown_child(element, child, known)
                continue
            if tag in known.once and first.setdefault(tag, child) is not child:
                message = f"<{tag}> stands in <{element.tag}> again; only the first, in line {first[tag].line}, is read"
                self._report(child, "repeated-element", f"{message}: take one out", element.subject)
                continue
            if tag in known.choice:
                chosen = chosen or child
                if chosen.tag != tag:
                    message = f"<{element.tag}> holds one of its kinds, and <{chosen.tag}> is read"
                    self._report(child, "repeated-element", f"{message}: take out <{tag}>", element.subject)
                    continue
            child_rule = known.of(tag)
            if child_rule is not None:
                found.append((child, child_rule))
        return found

    def _unknown_child(self, element: Element, child: Element, known: Rule) -> None:
        if ":" in child.tag:
            return
        if child.tag in known.attributes:
            remedy = f'write it as the attribute {child.tag}="{_quoted(child.text)}"'
        else:
            remedy = _remedy(child.tag, known.tags, "elements")
        message = f"<{child.tag}> in <{element.tag}> means nothing in {self.format}; {remedy}"
        self._report(child, "unknown-element", message, element.subject)

    def _report(self, at: Element, code: str, message: str, subject: str = "") -> None:
        self.count += 1
        if self.count <= MAX_REPORTED:
            self.findings.excuse(at, code, message, subject)
        elif self.count == MAX_REPORTED + 1:
            message = f"more than {MAX_REPORTED} names mean nothing in {self.format}; the rest is not listed"
            self.findings.excuse(at, "unknown-names", message)


def _quoted(text: str) -> str:
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}..."


def _remedy(name: str, allowed: Iterable[str], what: str) -> str:
    """Return words about the allowed name that is probably meant, or about all allowed names."""
    names = sorted(each for each in allowed if ":" not in each)
    if close := get_close_matches(name[:MAX_QUOTED], names, 1):
        return f"did you mean {close[0]}?"
    if not names:
        return f"take it out: no {what} are allowed here"
    if len(names) > MAX_LISTED:
        return f"take it out, or check where it belongs: allowed are {', '.join(names[:MAX_LISTED])} and others"
    return f"take it out, or check where it belongs: allowed are {', '.join(names)}"


def _places(known: Rule) -> str:
    """Return words about the place where the value in the text of an element belongs."""
    names = sorted(known.attributes) or [f"<{tag}>" for tag in known.tags if known.of(tag) is VALUE]
    return f"values belong in {', '.join(names[:MAX_LISTED])}" if names else "take it out"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about names, about the links that joints connect, and about the model as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import WORLD, Model
from ..model.soundness.essentials import gravity_not_finite, repeated_names
from ..model.soundness.issue import Issue, error, name_of, warning


def no_links(model: Model) -> Iterator[Issue]:
    if not model.links:
        yield warning("no-links", f"model '{model.name}'", "has no links, so nothing moves: add a link")


def empty_names(model: Model) -> Iterator[Issue]:
    for item in (*model.links, *model.joints, *model.couplings):
        if not item.name:
            yield warning("empty-name", name_of(item), "its name is empty, so nothing can refer to it; give it a name")


def reserved_names(model: Model) -> Iterator[Issue]:
    for link in model.links:
        if link.name == WORLD:
            yield error("reserved-name", name_of(link), "'world' names the ground itself; give the link another name")


def unknown_links(model: Model) -> Iterator[Issue]:
    known = {link.name for link in model.links} | {WORLD}
    for joint in model.joints:
        if joint.parent not in known:
            yield error(
                "unknown-parent", name_of(joint), f"parent '{joint.parent}' is not there; name a link, or world"
            )
        if joint.child not in known:
            yield error("unknown-child", name_of(joint), f"child '{joint.child}' is not there; name a link")


def child_is_world(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        if joint.child == WORLD != joint.parent:
            yield error("child-is-world", name_of(joint), "the world cannot be a child; swap parent and child")


def same_parent_and_child(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        if joint.parent == joint.child:
            yield error(
                "parent-is-child",
                name_of(joint),
                f"joins '{joint.child}' with itself; parent and child must be two links",
            )


def unknown_contact_links(model: Model) -> Iterator[Issue]:
    known = {link.name for link in model.links}
    for pair in model.contact_pairs:
        subject = f"model '{model.name}'"
        for name in dict.fromkeys((pair.a, pair.b)):
            if name not in known:
                message = f"its contact pair '{pair.a}', '{pair.b}' names '{name}', which is no link; name two links"
                yield error("unknown-contact-link", subject, message)
        if pair.a == pair.b:
            yield error("unknown-contact-link", subject, f"its contact pair names '{pair.a}' twice; name two links")


FINDINGS = (
    no_links,
    gravity_not_finite,
    empty_names,
    repeated_names,
    reserved_names,
    unknown_links,
    child_is_world,
    same_parent_and_child,
    unknown_contact_links,
)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings what older versions have stored up to this one, when a file is opened or something is appended.

Whatever is ours says by which version it was made, so that nothing here needs to know how it came into the file; see
`props.made_by`. What a newer version has stored stays as it is, its version too.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

import bpy

from ..core.version import VERSION, numbers_of
from . import ids
from .props import carrier_of
from .props.owners import Owner, holds_ours, is_linked, settings_of

OLDEST = "0.1.0"
"""The last version that stored none."""


@dataclass(frozen=True)
class Migration:
    """One thing that a version stores otherwise than those before it.

    Attributes:
        version: the first that stores it so. says: what has changed, in a sentence without full stop.
        kind: of what has it: bpy.types.Scene, or bpy.types.Object for links, joints and the shapes of links.
        change: makes one of that kind, as older versions have stored it, what this one stores; deletes nothing. What it
            raises is told to the user, and the owner stays of the version that it was.
    """

    version: str
    says: str
    kind: type[Owner]
    change: Callable[[Owner], None]

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Raises ValueError."""
        if found := numbers_of(self.version):
            return found
        raise ValueError(f"the migration '{self.says}' leads to '{self.version}', which is no version: give x.y.z")


MIGRATIONS: tuple[Migration, ...] = ()
"""They run in the order of their versions, and those of one version as they stand here."""

_failures: dict[int, str] = {}
"""By the session uid of what could not be migrated, why."""


def migrate_all() -> None:
    """Everything of ours in the open file."""
    migrate([*bpy.data.scenes, *bpy.data.objects])


def migrate(items: Iterable[bpy.types.ID | None]) -> None:
    """Those that are ours and older than this version; what is linked is brought up to date in its own file."""
    found = {owner: version_of(owner) for owner in items if holds_ours(owner) and not is_linked(owner)}
    for owner, version in found.items():
        if is_older(version):
            settings_of(owner).version = version  # which a shape has from its link
    for migration in sorted(MIGRATIONS, key=attrgetter("numbers")):
        for owner in found:
            if _concerns(migration, owner) and owner.session_uid not in _failures:
                _run(migration, owner)
    for owner, version in found.items():
        if owner.session_uid not in _failures and not is_newer(version) and numbers_of(version):
            settings_of(owner).version = VERSION


def _concerns(migration: Migration, owner: Owner) -> bool:
    numbers = numbers_of(version_of(owner))
    return isinstance(owner, migration.kind) and numbers is not None and numbers < migration.numbers


def _run(migration: Migration, owner: Owner) -> None:
    try:
        migration.change(owner)
    except Exception as error:  # whatever it is, the file opens, and the user is told
        traceback.print_exc()
        _failures[owner.session_uid] = f"{migration.says}: {error}"
    else:
        settings_of(owner).version = migration.version


def stamp_scenes() -> None:
    """Before a file is written: a scene that said nothing when it was opened was nothing of ours then."""
    for scene in bpy.data.scenes:
        if holds_ours(scene) and not is_linked(scene):
            settings_of(scene).version = settings_of(scene).version or VERSION


def version_of(owner: Owner) -> str:
    """As it says.

    What says nothing is of the version of the link that it is a shape of; a scene, of the oldest among its objects.
    """
    if own := settings_of(owner).version:
        return own
    if isinstance(owner, bpy.types.Scene):
        versions = [version_of(obj) for obj in owner.objects if holds_ours(obj) and not is_linked(obj)]
        return min(filter(numbers_of, versions), key=_order, default=OLDEST)
    carrier = carrier_of(owner)
    return getattr(carrier, ids.LINK).version or OLDEST if carrier else OLDEST


def _order(version: str) -> tuple[int, int, int]:
    """By which versions come after each other; what is no version is like this one, neither older nor newer."""
    return numbers_of(version) or numbers_of(VERSION) or (0, 0, 0)


def is_older(version: str) -> bool:
    """Than this one."""
    return _order(version) < _order(VERSION)


def is_newer(version: str) -> bool:
    """Than this one."""
    return _order(version) > _order(VERSION)


@dataclass(frozen=True)
class Remark:
    """code: of its kind. name: of the object that it is about; empty for the scene's own."""

    code: str
    name: str
    message: str


def remarks_on(scene: bpy.types.Scene) -> Iterator[Remark]:
    """What to know about the versions of a scene and what is in it."""
    owners = [owner for owner in (scene, *scene.objects) if holds_ours(owner)]
    newest = max(owners, key=lambda owner: _order(version_of(owner)), default=None)  # of equals, the first
    if newest is not None and is_newer(version_of(newest)):
        library = newest.library
        what = f"What is linked from '{bpy.path.basename(library.filepath)}'" if library else "This file"
        message = (
            f"{what} was saved by Limberjack {version_of(newest)}, and this is {VERSION}: settings that this version "
            "does not know are kept, but do not act. Update Limberjack"
        )
        yield Remark("newer-version", "", message)
    for owner in owners:
        name, version = ("" if owner == scene else owner.name), version_of(owner)
        whose = f"object '{name}'" if name else f"scene '{scene.name}'"
        if numbers_of(version) is None:
            message = (
                f"{whose} says that it was made by Limberjack '{version}', which is no version: it is taken as it "
                "stands; if it acts otherwise than it did, make it anew"
            )
            yield Remark("no-version", name, message)
        elif owner.session_uid in _failures:
            message = (
                f"{whose} could not be brought from Limberjack {version} to {VERSION}, and may act otherwise than it "
                f"did ({_failures[owner.session_uid]}): look at its settings, or open the file with {version}"
            )
            yield Remark("not-migrated", name, message)
        elif is_linked(owner) and any(_concerns(migration, owner) for migration in MIGRATIONS):
            message = (
                f"{whose} comes from a file of Limberjack {version}, and may act otherwise than it did: open that file "
                f"with {VERSION}, and save it"
            )
            yield Remark("old-library", name, message)

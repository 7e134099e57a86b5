# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert data of older versions to this one when a file is opened or something is appended.

Every scene, link and joint stores the version that made it, so that it does not matter how it came into the file; see
`props.made_by`. Data of newer versions stays as it is, its version included.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

import bpy

from ..core.version import VERSION, numbers_of
from .nodes import owner_of
from .props import carrier_of
from .props.owners import Owner, holds_ours, is_linked, settings_of
from .props.settings import link_settings, tagged_bones

OLDEST = "0.1.0"
"""The last version that stored no version."""


@dataclass(frozen=True)
class Migration:
    """A change of the stored data that a version has introduced.

    Attributes:
        version: first version that stores data in the new form.
        description: what has changed, as a sentence without full stop.
        kind: type of its owners: bpy.types.Scene, or bpy.types.Object for links, joints and the shapes of links.
        change: function that converts an owner from older versions; it deletes nothing. If it raises an error, the user
            is told, and the owner keeps its version.
    """

    version: str
    description: str
    kind: type[Owner]
    change: Callable[[Owner], None]

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The version as three numbers.

        Raises:
            ValueError: if it is no version.
        """
        if found := numbers_of(self.version):
            return found
        raise ValueError(
            f"the migration '{self.description}' leads to '{self.version}', which is no version: give x.y.z"
        )


MIGRATIONS: tuple[Migration, ...] = ()
"""All migrations. They run in the order of their versions; those of one version run in the order of this table."""

_failures: dict[int, str] = {}
"""Why an owner could not be migrated, by its session uid."""


def migrate_all() -> None:
    """Migrate everything in the open file that this add-on has stored."""
    migrate([*bpy.data.scenes, *bpy.data.objects])


def migrate(items: Iterable[bpy.types.ID | None]) -> None:
    """Migrate the scenes and objects of this add-on that are older than this version.

    Linked items are left out; they are migrated when their own file is opened.
    """
    found = {owner: version_of(owner) for owner in items if holds_ours(owner) and not is_linked(owner)}
    for owner, version in found.items():
        if is_older(version):
            settings_of(owner).version = version  # a shape gets that of its link
    for migration in sorted(MIGRATIONS, key=attrgetter("numbers")):
        for owner in found:
            if _concerns(migration, owner) and _block_of(owner).session_uid not in _failures:
                _run(migration, owner)
    for owner, version in found.items():
        if _block_of(owner).session_uid not in _failures and not is_newer(version) and numbers_of(version):
            settings_of(owner).version = VERSION


def _block_of(owner: Owner) -> bpy.types.Scene | bpy.types.Object:
    return owner if isinstance(owner, bpy.types.Scene) else owner_of(owner)


def _concerns(migration: Migration, owner: Owner) -> bool:
    numbers = numbers_of(version_of(owner))
    return isinstance(owner, migration.kind) and numbers is not None and numbers < migration.numbers


def _run(migration: Migration, owner: Owner) -> None:
    try:
        migration.change(owner)
    except Exception as error:  # the file must open in any case; the user is told
        traceback.print_exc()
        _failures[_block_of(owner).session_uid] = f"{migration.description}: {error}"
    else:
        settings_of(owner).version = migration.version


def stamp_scenes() -> None:
    """Store this version in scenes of this add-on that have none. It runs before a file is saved.

    Such a scene got its first settings after the file was opened, because `migrate` gives a version to all others.
    """
    for scene in bpy.data.scenes:
        if holds_ours(scene) and not is_linked(scene):
            settings_of(scene).version = settings_of(scene).version or VERSION


def version_of(owner: Owner) -> str:
    """Return the version that an owner stores.

    Otherwise a shape has the version of its link, an armature that of its first link, and a scene the oldest one among
    its objects.
    """
    if own := settings_of(owner).version:
        return own
    if isinstance(owner, bpy.types.Scene):
        versions = [version_of(obj) for obj in owner.objects if holds_ours(obj) and not is_linked(obj)]
        return min(filter(numbers_of, versions), key=_order, default=OLDEST)
    if isinstance(owner, bpy.types.Object) and (bones := tagged_bones(owner)):
        return link_settings(bones[0]).version or OLDEST
    carrier = carrier_of(owner)
    return link_settings(carrier).version or OLDEST if carrier else OLDEST


def _order(version: str) -> tuple[int, int, int]:
    """Return a version as three numbers for comparison. A text that is no version counts as this version."""
    return numbers_of(version) or numbers_of(VERSION) or (0, 0, 0)


def is_older(version: str) -> bool:
    """Return whether a version is older than this one."""
    return _order(version) < _order(VERSION)


def is_newer(version: str) -> bool:
    """Return whether a version is newer than this one."""
    return _order(version) > _order(VERSION)


@dataclass(frozen=True)
class VersionNote:
    """A note about versions.

    Attributes:
        code: its kind, a short slug.
        name: of the object that it is about; empty for the scene.
        message: in words.
    """

    code: str
    name: str
    message: str


def notes_on(scene: bpy.types.Scene) -> Iterator[VersionNote]:
    """Yield notes about the versions of a scene and its objects."""
    owners = [owner for owner in (scene, *scene.objects) if holds_ours(owner)]
    newest = max(owners, key=lambda owner: _order(version_of(owner)), default=None)  # the first among equals
    if newest is not None and is_newer(version_of(newest)):
        library = _block_of(newest).library
        what = f"What is linked from '{bpy.path.basename(library.filepath)}'" if library else "This file"
        message = (
            f"{what} was saved by Limberjack {version_of(newest)}, and this is {VERSION}: settings that this version "
            "does not know are kept, but do not act. Update Limberjack"
        )
        yield VersionNote("newer-version", "", message)
    for owner in owners:
        name, version = ("" if owner == scene else owner.name), version_of(owner)
        whose = f"object '{name}'" if name else f"scene '{scene.name}'"
        if numbers_of(version) is None:
            message = (
                f"{whose} says that it was made by Limberjack '{version}', which is no version: it is taken as it "
                "stands; if it acts otherwise than it did, make it anew"
            )
            yield VersionNote("no-version", name, message)
        elif reason := _failures.get(_block_of(owner).session_uid):
            message = (
                f"{whose} could not be brought from Limberjack {version} to {VERSION}, and may act otherwise than it "
                f"did ({reason}): look at its settings, or open the file with {version}"
            )
            yield VersionNote("not-migrated", name, message)
        elif is_linked(owner) and any(_concerns(migration, owner) for migration in MIGRATIONS):
            message = (
                f"{whose} comes from a file of Limberjack {version}, and may act otherwise than it did: open that file "
                f"with {VERSION}, and save it"
            )
            yield VersionNote("old-library", name, message)

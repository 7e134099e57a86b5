# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place where a Blender scene and a core `Model` are translated into each other.

`scene` reads and writes whole models by means of `links`, `joints`, `meshes` and `values`; `rig` caches the result.
`skins` fits shapes to meshes that bones deform. `posing` and `viewport` serve handles and tools. Operators, panels and
drawing belong to the packages above.
"""

from typing import TYPE_CHECKING

from ..late import late_modules

if TYPE_CHECKING:
    from . import (
        animation,
        baked_machines,
        characters,
        findings,
        joints,
        links,
        posing,
        rig,
        scene,
        skins,
        values,
        viewport,
    )

__getattr__ = late_modules(__name__)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Models written as URDF and read again."""

from pathlib import Path

from limberjack.core import formats
from limberjack.core.model import WORLD, Joint, Link, Model

from .models import place


def written(model: Model, folder: Path, **options) -> tuple[Model, list[str]]:
    """What is read of what was written, and the losses."""
    losses = formats.write(model, folder / "m.urdf", **options)
    reading = formats.read(folder / "m.urdf")
    assert reading.ok, [issue.message for issue in reading.issues]
    return reading.model, losses


def two_links(joint: Joint) -> Model:
    model = Model(links=[Link("a"), Link("b")], joints=[Joint("hold", "fixed", WORLD, "a"), joint])
    place(model)
    return model

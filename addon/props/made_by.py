# SPDX-License-Identifier: GPL-3.0-or-later
"""With which version of Limberjack something was made: each object of ours keeps it, and each scene.

So whatever is appended, linked or pasted is known by itself, and so is what an older version adds to a newer file.
"""

from bpy.props import StringProperty

from .. import ids
from .members import forget_members


def made_by():
    return StringProperty(description="Version of Limberjack that its settings are of", options={"HIDDEN"})


def note_maker(settings, _context):
    """For the `update` of what makes an object ours. An object that was ours before keeps its version."""
    forget_members()
    from ...core.version import VERSION

    own = getattr(settings.id_data, ids.LINK)
    own.version = own.version or VERSION

# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of Limberjack that has made an object or a scene, stored in each of them.

So the version is known of all data that is appended, linked or pasted, and of data that an older version adds to a
newer file.
"""

from bpy.props import StringProperty

from .members import forget_members
from .settings import link_settings, node_with


def made_by():
    return StringProperty(description="Version of Limberjack that its settings are of", options={"HIDDEN"})


def note_maker(settings, _context):
    """Store this version in an object that becomes a link or a joint. An earlier version is kept.

    It is the `update` of the properties that make an object one of these.
    """
    forget_members()
    from ...core.version import VERSION

    own = link_settings(node_with(settings))
    own.version = own.version or VERSION

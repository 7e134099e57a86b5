# SPDX-License-Identifier: GPL-3.0-or-later
"""Rolling and spinning friction of bodies, in the place of flesh that gives way where it touches something.

The shapes of ragdolls are rigid. A body of rigid capsules would roll down stairs as barrels do, and a head would swing
on the floor for seconds.
"""

from __future__ import annotations

from ..geometry.contact_properties import Surface

ROLLING_SHARE = 0.15
"""Length of rolling friction as a share of the radius of a limb. Its tangent is the slope on which the limb begins to
roll by itself: 8.5 degrees.
"""

SPINNING_SHARE = 0.15
"""Length of spinning friction as a share of the radius of a limb. A round patch of contact with the radius a resists
spinning with the mean arm 3 π a / 16, by Hertz's pressure; a is then a quarter of the limb's radius.
"""


def flesh_surface(radius: float) -> Surface:
    """Return the surface of a limb. radius: of its capsule [m]."""
    return Surface(rolling_friction=ROLLING_SHARE * radius, spinning_friction=SPINNING_SHARE * radius)

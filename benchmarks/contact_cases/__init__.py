# SPDX-License-Identifier: GPL-3.0-or-later
"""The 48 cases of ../shared/contact/references.md as models of ours, and how each of their measures is read.

A case is a function that takes an `Asker` and yields (measure, value) one after the other, so that what comes before a
failure is kept; a value may be a function of nothing that gives it, whose failure is that of this measure alone. Where
a case departs from the words of the reference, a comment says why.
"""

from . import balancing, bouncing, falling, many_bodies, pressing, rolling, sliding, spinning, walking

CASES = {
    case.__name__: case
    for module in (sliding, rolling, bouncing, pressing, spinning, walking, balancing, falling, many_bodies)
    for case in module.CASES
}
"""By the names of the references."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion with contact: event-driven steps while contacts are few, convex time steps while they are many.

`solver` chooses between them. The rigid-contact problem of one instant is solved in core/contact.
"""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of few points, held exactly: which points are closed, what holds in each, its forces and impulses."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for links: tags, masses, collision shapes, contact, and links that overlap."""

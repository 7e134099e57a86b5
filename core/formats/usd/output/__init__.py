# SPDX-License-Identifier: GPL-3.0-or-later
"""The writer of USD, as text (.usda), which needs no pxr. `write.py` is the way in."""

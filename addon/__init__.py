# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender add-on. It asks core for everything that is not Blender's own. Its layers stand in pyproject.toml."""

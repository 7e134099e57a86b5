# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender add-on. Core does everything that does not depend on Blender. The layers are listed in pyproject.toml."""

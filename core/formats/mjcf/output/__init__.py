# SPDX-License-Identifier: GPL-3.0-or-later
"""Models as MJCF that MuJoCo loads: a tree of bodies, and what acts between them. `write.py` is the way in."""

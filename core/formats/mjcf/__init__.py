# SPDX-License-Identifier: GPL-3.0-or-later
"""MJCF, MuJoCo's format: https://mujoco.readthedocs.io/en/stable/XMLreference.html.

`read.py` is the way in. `document.py`, `settings.py` and `defaults.py` bring the files into a form in which each
element has all its attributes. `tree` makes links, joints and shapes of the bodies, and `action` what acts on them.
"""

# SPDX-License-Identifier: GPL-3.0-or-later
"""MJCF, MuJoCo's format: which of its elements have a meaning here (`grammar`), and models from its bodies (`tree`)."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""These tests run inside Blender's window, by `make gui-test`; pytest is not to look at them."""

collect_ignore_glob = ["*"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes: how this program starts others, and how Ctrl-C ends it.

It uses the folder of the kernel cache, which a helper process shares with this one.
What a process computes belongs elsewhere.
"""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that another Python runs: one for each judge, with what all of them share in `told.py`.

They use the standard library and the judge's own packages, and nothing of Limberjack.
"""

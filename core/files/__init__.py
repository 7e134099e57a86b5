# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of strangers, opened safely: XML with limits, uris that stay within their folders, and the errors of both.

Uses nothing of core but `core/text.py`. What a file means belongs to `formats` and `mesh_files`, not here.
"""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Files from unknown sources, opened safely: XML with limits, uris that stay within their folders, and errors.

The package uses nothing of core but `core/text.py`. The meaning of a file belongs to `formats` and `mesh_files`, not
here.
"""

# SPDX-License-Identifier: GPL-3.0-or-later
"""XML of model files: the check of elements against a table of rules, output, included files, and kept elements.

Parsing of XML from unknown sources belongs to core/files.
"""

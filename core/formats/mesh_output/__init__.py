# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files that are written beside a model file, and the uris by which the model names them.

Reading of mesh files belongs to core/mesh_files.
"""

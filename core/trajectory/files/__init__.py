# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectory files: .npz, .csv and .json, read and written.

It uses `Trajectory`. Motion from model files or scenes does not belong here.
"""

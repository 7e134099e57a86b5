# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF: files to models (`read`) and models to files (`write`, over `tree`)."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""SDFormat: files to models (`read`, over `gather` and `frames`) and models to files (`write`, over `layout`)."""

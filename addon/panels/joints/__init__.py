# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of the active joint, and of the values of all joints."""

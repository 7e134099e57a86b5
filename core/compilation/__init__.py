# SPDX-License-Identifier: GPL-3.0-or-later
"""Compilation of kernels: by numba at their first call, or read from a library that was compiled in advance.

`jit` has the decorators, and chooses between numba and a library; no other package depends on either of these.
This package uses `files` only, and contains no kernel.
"""

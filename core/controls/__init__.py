# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls of a motion: prescribed motion, external forces, and properties of a model that change in time.

`Controls` is the description that users give, and `Inputs` the arrays that kernels read between two frames.
It uses `model` and `dynamics`. It contains no integration of motion.
"""

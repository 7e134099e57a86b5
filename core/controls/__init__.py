# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts on a model from outside while it moves: prescribed motion, forces, and numbers that change in time.

`Controls` is the description that users give, and `Inputs` the arrays that kernels read between two frames.
It uses `model` and `dynamics`. It contains no integration of motion.
"""

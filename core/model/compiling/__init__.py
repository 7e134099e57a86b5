# SPDX-License-Identifier: GPL-3.0-or-later
"""From a model to the arrays that kernels read: the spanning tree, split loops, colliders and pairs.

`compile_model` makes a `CompiledModel`. No other package writes these arrays.
"""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that change a model: add, rename, replace, cut, graft, move, mirror, divide and weigh.

Each returns or leaves a model that `check_model` accepts if it accepted the model before.
It uses the elements of the package above. It contains no file format and no simulation.
"""

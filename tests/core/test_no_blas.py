# SPDX-License-Identifier: GPL-3.0-or-later
"""No module of core but plots uses NumPy's linear algebra, or `@`, whose last digits depend on the processor."""

import ast
from pathlib import Path

CORE = Path(__file__).parents[2] / "core"
MODULES = sorted(path for path in CORE.rglob("*.py") if "plots" not in path.parts)
BARRED = {"dot", "vdot", "inner", "matmul", "tensordot", "einsum", "linalg", "sin", "cos", "tan", "arctan2", "hypot"}
BARRED |= {"arcsin", "arccos", "arctan", "exp", "log", "power", "geomspace", "cov", "convolve", "polyfit", "average"}


def test_modules_use_arrays_of_fixed_order():
    """Guards what no test runs; calls that Python hides, such as those of other packages, are test_processor's."""
    assert len(MODULES) > 200
    found = [
        f"{path.relative_to(CORE)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if is_barred(node)
    ]
    assert not found


def is_barred(node):
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "np" and node.attr in BARRED
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)

"""No module of core but plots uses NumPy's linear algebra, or `@`, whose last digits depend on the processor."""

import ast
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"
MODULES = sorted(path for path in CORE.rglob("*.py") if "plots" not in path.parts)
BARRED = {"dot", "vdot", "inner", "matmul", "tensordot", "einsum", "linalg", "sin", "cos", "tan", "arctan2", "hypot"}
BARRED |= {"arcsin", "arccos", "arctan", "exp", "log", "power", "geomspace", "cov", "convolve", "polyfit", "average"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(CORE).as_posix())
def test_a_module_uses_arrays_of_fixed_order(path):
    """Guards what no test runs; calls that Python hides, such as those of other packages, are test_processor's."""
    found = [
        f"{path}:{node.lineno}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult))
        or (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "np"
            and node.attr in BARRED
        )
    ]
    assert not found

# SPDX-License-Identifier: GPL-3.0-or-later
"""Code uses the terms of the field: names that were private words do not come back."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

RETIRED = {
    "Crowd": "ConvexStep",
    "crowd": "convex step",
    "LAW": "CONSTRAINT",
    "PUSHES": "UNILATERAL",
    "HOLDS": "BOUNDED",
    "go_along": "line search",
    "Ground": "CollisionState",
    "make_ground": "make_collision_state",
    "look_around": "update_candidate_pairs",
    "Touching": "HybridContactSolver",
    "TOUCHING": "solvers_with_contact",
    "Closeness": "EventTolerances",
    "Pace": "StepSettings",
    "GUARD": "SET_VALUED_FORCE",
    "guard": "element",
    "guards": "set_valued_forces",
    "WATCH": "FORCE_STATE",
    "watches": "force_states",
    "watched": "limited",
    "COLUMN": "DOF",
    "MEASURE": "SEPARATION of two solids; QUANTITY_SPRING",
    "chart_measure": "chart_quantity",
    "held": "locked; fixed; prescribed",
    "HELD": "ContactRecord",
    "meeting": "collision_filter",
    "Meeting": "CollisionFilter",
    "Bundled": "KernelTuple",
    "mixing": "anderson_acceleration",
    "elimination": "block_cholesky",
    "calm": "sleep_threshold",
    "let_lie": "put_to_sleep",
    "fall_asleep": "put_to_sleep",
    "blow": "impact",
    "Blow": "impact",
    "struck": "impact",
    "burden": "event_cost",
    "patience": "switch_after",
    "patient": "findings",
    "misgivings": "warnings",
    "told": "findings; notes; the thing itself",
    "remark": "note",
    "remarks": "notes",
    "telling": "report",
    "Dial": "AxisView",
    "dial": "axis",
    "dials": "axes",
    "Mend": "Repair",
    "Surroundings": "EvaluatedScene",
    "what_holds": "obstacle_to_moving",
    "fight_over": "conflict_with_keys",
    "as_before_bake": "without_bake",
    "read_print": "read_fingerprint",
    "keep_findings": "store_findings",
    "settle_joint": "store_joint_frames",
    "PLACED": "SOLID_POSE",
    "OVAL": "ELLIPSOIDAL",
    "near_starts": "start_states",
    "near_ends": "end_states",
    "known_load": "warm_start_load",
    "LEDGERS": "ENERGY_TOTALS",
    "HELD_TOLERANCES": "CONSTRAINED_TOLERANCES",
    "went_astray": "has_diverged",
    "Demands": "TaskBuilder",
    "Breach": "Violation",
    "require_obeyed": "require_satisfied",
    "hold_constraints": "add_constraint_accelerations",
    "multipliers_for": "solve_multipliers",
    "seed_row": "apply_unit_force",
    "pass_inward": "propagate_row",
    "measured_drift": "bias_acceleration",
    "move_bodies": "update_bodies",
    "held_pose": "locked_pose",
    "holds_nothing": "is_free",
}
"""Names that may not be used, each with the term that takes its place. CONTRIBUTING.md has the same table."""

ALLOWED = {
    ("core/kinematics/inverse/inverse.py", "held"): "argument of the public function `inverse_kinematics`",
    ("core/kinematics/inverse/posing.py", "held"): "argument of the public class `Poser`",
    ("core/kinematics/inverse/task_builder.py", "held"): "the velocity coordinates that `inverse_kinematics` calls so",
    ("core/cli/ik.py", "held"): "argument of the public function `inverse_kinematics`",
}


def names_of(tree: ast.AST) -> Iterator[str]:
    """Names that a module defines or uses, and fields of its records."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.keyword):
            yield node.arg or ""
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Tuple) and len(node.elts) in (2, 3) and isinstance(node.elts[0], ast.Constant):
            yield str(node.elts[0].value)  # a field of a record: its name, its type and its shape


@pytest.mark.parametrize("package", ["core", "addon"])
def test_no_retired_names(package):
    """Guards the reader who knows Featherstone, MuJoCo and Drake: one term for one concept, and it is theirs."""
    found = []
    for path in sorted((ROOT / package).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        names = set(names_of(ast.parse(path.read_text(encoding="utf-8")))) & RETIRED.keys()
        found += [(place, name, RETIRED[name]) for name in sorted(names) if (place, name) not in ALLOWED]
    assert found == []


def test_allowed_names_are_used():
    """Guards the list of exceptions: one that is no longer needed is removed."""
    for place, name in ALLOWED:
        assert name in set(names_of(ast.parse((ROOT / place).read_text(encoding="utf-8"))))

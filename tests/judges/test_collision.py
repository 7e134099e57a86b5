# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed distances of solids, against MuJoCo's and Coal's."""

import pytest

from support.contacts import JUDGES, compared, pairs_of, total
from support.judges import needs_python_judges
from support.solids import NAMES

CASES = [(judge, pair) for judge in JUDGES for pair in pairs_of(judge)]
COUNT = 100
"""Placements of each shape."""


@needs_python_judges
@pytest.mark.parametrize(("judge", "pair"), CASES, ids=lambda case: case if isinstance(case, str) else _named(case))
def test_distances_are_the_judges_or_proven(judge, pair):
    """Guards the distance of every pair of kinds by another engine's: where both differ, ours has a proof, which takes
    the judge's normal into account; and they differ seldom."""
    verdict = total(compared(judge, pair, COUNT))
    assert verdict.ours_unproven == 0
    assert verdict.differ + verdict.unanswered <= 0.15 * verdict.count


def _named(pair) -> str:
    return f"{NAMES[pair[0]]}-{NAMES[pair[1]]}"

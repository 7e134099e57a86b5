# SPDX-License-Identifier: GPL-3.0-or-later
"""Where real models lie: beside the repository, and not everywhere."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("LIMBERJACK_SHARED", Path(__file__).parents[3] / "shared"))
CORPUS = SHARED / "corpus"

needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no model corpus in {CORPUS} (LIMBERJACK_SHARED)")

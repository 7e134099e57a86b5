"""What we write, read by libsdformat. It needs judges/sdfdump, built; LIMBERJACK_SDFDUMP names it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from limberjack.core import cli, formats
from support.models import random_tree

SDFDUMP = Path(os.environ.get("LIMBERJACK_SDFDUMP", "/nonexistent"))

pytestmark = pytest.mark.skipif(not SDFDUMP.is_file(), reason="LIMBERJACK_SDFDUMP does not name a built sdfdump")


@pytest.mark.parametrize("seed", range(5))
def test_libsdformat_reads_the_same_numbers(seed, tmp_path):
    """Random trees of all joint types: libsdformat has no complaint, and the same poses, masses, types and axes."""
    path = tmp_path / "m.sdf"
    formats.write(with_poses(random_tree(seed)), path)
    dump = subprocess.run([SDFDUMP, path], capture_output=True, text=True, check=True).stdout
    theirs, mine = json.loads(dump), cli.describe(formats.read(path).model)
    assert (theirs["errors"], theirs["warnings"]) == ([], [])
    for a, b in zip(theirs["links"], mine["links"], strict=True):
        assert a["X_WL"]["xyz"] == pytest.approx(b["X_WL"]["xyz"], abs=1e-6)
        assert a["mass"] == pytest.approx(b["mass"])
    for a, b in zip(theirs["joints"], mine["joints"], strict=True):
        assert a["type"] == b["type"]
        for one, other in zip(a["axes"], b["axes"], strict=False):
            assert one["xyz_world"] == pytest.approx(other["xyz_world"], abs=1e-6)


def with_poses(model):
    """Links where their joints put them at q = 0."""
    from limberjack.core.spatial import compose, inverse

    poses = {"world": (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}
    for link, joint in zip(model.links, model.joints, strict=True):
        link.pose = poses[link.name] = compose(compose(poses[joint.parent], joint.X_PJ), inverse(joint.X_CJ))
    return model

# SPDX-License-Identifier: GPL-3.0-or-later
"""Every joint type and attribute of the schema: one stage each, made by tests, read, written and read again; in
centimetres and Y up: the same motion to 1e-6.
"""

from functools import cache

import numpy as np
import pytest

import limberjack as lj
from limberjack.core.formats import Reading, read, write
from limberjack.core.model import Model
from support.usd import home_poses, reading_of
from support.usd_played import complaints
from support.usd_schema import DRIVEN, LIMITED, ROWS, TOLD, Row, facts, in_centimetres_with_y_up, stage_of

pytest.importorskip("pxr", reason="usd-core is not installed")

INSTANCES = {"PhysicsLimitAPI": LIMITED, "PhysicsDriveAPI": DRIVEN}

SECONDS = 0.5
"""Length of a motion [s]."""

every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)


@cache
def declared() -> dict[tuple[str, str], str]:
    """Return how files declare the properties of all schemas of UsdPhysics, by schema and name, from pxr's registry."""
    from pxr import Plug, Usd

    registry, found = Usd.SchemaRegistry(), {}
    for about in Plug.Registry().GetPluginWithName("usdPhysics").metadata["Types"].values():
        schema = about["schemaIdentifier"]
        definition = registry.FindConcretePrimDefinition(schema) or registry.FindAppliedAPIPrimDefinition(schema)
        for name in definition.GetPropertyNames():
            if "physics:" not in name and not name.startswith("collection:"):
                continue  # of prims that are drawn
            if attribute := definition.GetSchemaAttributeSpec(name):
                if str(attribute.typeName) == "opaque":
                    continue  # it has no value
                uniform = "uniform " if "Uniform" in str(attribute.variability) else ""
                kind = f"{uniform}{attribute.typeName}"
            else:
                kind = "rel"
            for instance in INSTANCES.get(schema, ("",)):
                each = name.replace("__INSTANCE_NAME__", instance)
                found[schema, each] = f"{kind} {each}"
    return found


def test_the_table_names_every_attribute():
    """Guards the table: each property that pxr's registry has for a schema of UsdPhysics is in it, and no other."""
    assert {(row.schema, row.attribute) for row in ROWS} == declared().keys()


def text_of(row: Row, *, is_default: bool = False) -> str:
    return stage_of(row, declared()[row.schema, row.attribute], is_default=is_default)


@cache
def reading(row: Row) -> Reading:
    return reading_of(text_of(row))


@cache
def motion(row: Row) -> dict[str, np.ndarray]:
    return end_of(reading(row).model)


def end_of(model: Model) -> dict[str, np.ndarray]:
    """Return the poses of links after a motion [m]; a model that breaks a law of its own has none."""
    trajectory = lj.simulate(model, SECONDS, frame_rate=4.0, accuracy="exact")
    return dict(zip(trajectory.link_names, np.array(trajectory.X_WL[-1]), strict=True))


def told(found: Reading) -> str:
    return " | ".join([*(issue.message for issue in found.issues), *found.notes])


@every_row
def test_an_attribute_is_read(row):
    """Guards that a value other than the default is in the model, or that an issue or a note tells that it is lost."""
    before, after = reading_of(text_of(row, is_default=True)), reading(row)
    assert after.ok
    if words := row.expected.get(TOLD):
        assert words in told(after)
        assert words not in told(before)
        return
    if not row.expected:
        assert facts(before.model) != facts(after.model) or row.attribute in told(after)
        return
    old, new = (facts(each.model) for each in (before, after))
    expected = {
        key: pytest.approx(value, abs=1e-6) if isinstance(value, float) else value
        for key, value in row.expected.items()
    }
    assert {key: new.get(key) for key in expected} == expected
    assert {key: old.get(key) for key in expected} != expected


@every_row
def test_units_and_axes_do_not_matter(row):
    """Guards dimensions: the stage in centimetres with Y up moves as in metres with Z up."""
    end = end_of(reading_of(in_centimetres_with_y_up(text_of(row), row)).model)
    assert_same_poses(end, motion(row))


@every_row
def test_an_attribute_comes_back(row, tmp_path):
    """Guards the writer: what was read is the same after it was written and read again, and moves alike."""
    model = reading(row).model
    path = tmp_path / "m.usda"
    write(model, path)
    assert complaints(path) == []
    again = read(path).model
    old, new = (facts(each, frames=False) for each in (model, again))
    assert {
        key: (old.get(key), new.get(key)) for key in old.keys() | new.keys() if not is_same(old.get(key), new.get(key))
    } == {}
    assert_same_poses(home_poses(again), home_poses(model))
    assert_same_poses(end_of(again), motion(row))


def is_same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) < 1e-6 * max(1.0, abs(one))
    return one == other


def assert_same_poses(some: dict[str, np.ndarray], others: dict[str, np.ndarray]) -> None:
    """Require the same positions and axes of links to 1e-6; a quaternion and its negative are one rotation."""
    assert some.keys() == others.keys()
    for name, pose in some.items():
        turned = min(np.abs(pose[3:] - sign * others[name][3:]).max() for sign in (1.0, -1.0))
        assert max(np.abs(pose[:3] - others[name][:3]).max(), turned) < 1e-6, name

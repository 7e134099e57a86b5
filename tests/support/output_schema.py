# SPDX-License-Identifier: GPL-3.0-or-later
"""What `--json` prints, judged by its documented schema and by jsonschema, an implementation of others."""

import json
from pathlib import Path

import jsonschema
from referencing import Registry, Resource

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "output.schema.json").read_text(encoding="utf-8"))
REGISTRY = Registry().with_resource(SCHEMA["$id"], Resource.from_contents(SCHEMA))
HEAD = ["version", "status", "code", "error"]


def validated(verb: str, code: int, out: str) -> dict:
    """Return the object that stdout holds after a verb has ended with a code.

    Raises:
        json.JSONDecodeError, AssertionError, jsonschema.ValidationError: if it is not exactly one object, does not
            begin with the four keys, tells another code, or has a key that the schema does not list for the verb.
    """
    told = json.loads(out, parse_constant=_refuse)
    assert out.count("\n") == 1, "not one line"
    assert list(told)[: len(HEAD)] == HEAD
    assert told["code"] == code
    whole = {"$ref": f"{SCHEMA['$id']}#/$defs/{verb}", "unevaluatedProperties": False}
    jsonschema.Draft202012Validator(whole, registry=REGISTRY).validate(told)
    return told


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")

# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/api.md is what the code has: a public name, a parameter or a method that comes, goes or changes, is noticed."""

import inspect

import limberjack
from support import documents

make_api = documents.load("make_api")


def test_the_page_is_the_public_interface():
    """Guards against silent changes. If one is meant: `make docs`, and a line in the changelog."""
    assert make_api.PAGE.read_text(encoding="utf-8") == make_api.page(), "run `make docs`"


def test_each_public_name_says_what_it_is():
    """Guards help: a sentence at least for each function and class."""
    silent = [
        name
        for name in limberjack.__all__
        if (inspect.isroutine(value := getattr(limberjack, name)) or inspect.isclass(value))
        and (not value.__doc__ or value.__doc__.startswith(f"{name}("))
    ]
    assert silent == []

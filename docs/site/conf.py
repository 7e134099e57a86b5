# SPDX-License-Identifier: GPL-3.0-or-later
"""How Sphinx makes the documentation site: the Markdown pages as they stand, and a reference from the docstrings.

`make site` runs it, with the checkout as the source folder, so that links between README, docs/ and code are those that
readers of the repository follow, too. Every warning is an error.
"""

from limberjack.core.version import VERSION

project = "Limberjack"
author = "The Limberjack authors"
version = release = ".".join(map(str, VERSION)) if isinstance(VERSION, tuple) else VERSION

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/site/index"
include_patterns = [
    "docs/*.md",
    "docs/site/*.md",
    "docs/examples/*.md",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "*/README.md",
    "requirements/licenses/README.md",
]
exclude_patterns = [".*", "build", "out"]

myst_heading_anchors = 4  # as on GitHub, for links to headings
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # docstrings say units, frames and shapes, which types do not

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["tables.css"]
html_extra_path = ["extra"]  # leads from the site's root to the first page
html_title = f"Limberjack {release}"
html_show_sphinx = False


def _without_module_text(app, what, name, obj, options, lines):
    """The module's own docstring is written for `help(lj)`: plain text, with code that a page would break."""
    if what == "module":
        lines.clear()


def setup(app):
    app.connect("autodoc-process-docstring", _without_module_text)

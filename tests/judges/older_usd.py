# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks USD files with the usdchecker of an older pxr, and reads them with our reader on that pxr.

Use: older_usd.py check|read OUT FILE..., by our Python, with the older pxr first on PYTHONPATH. Writes a list into OUT,
in the order of the files: {"version", "complaints", "digest"}. `read` leaves usdchecker out, which fails at files with
shaders in this package. The digest is that of the model; that of a file that is refused is the message, without the
file's path.
"""

import json
import os
import sys
import warnings
from pathlib import Path

from pxr import Usd, UsdUtils

from limberjack.core.formats import UnreadableError, read


def complaints(path: str) -> list[str]:
    """Return what usdchecker says about a file. The newer registry has no validators in this version's package."""
    checker = UsdUtils.ComplianceChecker(skipARKitRootLayerCheck=True)
    checker.CheckCompliance(path)
    return [*checker.GetErrors(), *checker.GetFailedChecks(), *checker.GetWarnings()]


def digest(path: str) -> str:
    """Return the digest of the model in a file."""
    try:
        return read(Path(path), allow_errors=True).model.digest()
    except UnreadableError as error:
        return str(error).replace(path, "")


def main() -> None:
    verb, out, *paths = sys.argv[1:]
    warnings.simplefilter("ignore")
    version = ".".join(map(str, Usd.GetVersion()))
    check = complaints if verb == "check" else lambda path: []
    found = [{"version": version, "complaints": check(path), "digest": digest(path)} for path in paths]
    Path(out).write_text(json.dumps(found), encoding="utf-8")
    os._exit(0)  # pxr may crash as it ends


main()

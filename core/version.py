"""Which version this is: the manifest's word, since Blender asks for it there."""

import tomllib
from pathlib import Path

with (Path(__file__).parents[1] / "blender_manifest.toml").open("rb") as _manifest:
    VERSION: str = tomllib.load(_manifest)["version"]

"""Build the extension's zip into dist/: the tracked files that its manifest lets in. It carries no wheels yet."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
STAGING = ROOT / "build" / "extension"
DIST = ROOT / "dist"


def main() -> None:
    shutil.rmtree(STAGING, ignore_errors=True)
    DIST.mkdir(exist_ok=True)
    for name in _sources():
        (STAGING / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, STAGING / name)
    _blender_ext("validate", "--valid-tags", str(_scripts() / "modules/_bpy_internal/extensions/tags.py"), str(STAGING))
    _blender_ext("build", "--source-dir", str(STAGING), "--output-dir", str(DIST))


def _sources() -> list[str]:
    """Tracked files, and new ones that git does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in told.split("\0") if name and (ROOT / name).is_file()]


def _scripts() -> Path:
    origin = importlib.util.find_spec("bpy").origin
    return next(path for path in Path(origin).parent.glob("*/scripts") if path.is_dir())


def _blender_ext(*arguments: str) -> None:
    """Blender's own builder, from the bpy wheel."""
    tool = _scripts() / "addons_core/bl_pkg/cli/blender_ext.py"
    subprocess.run([sys.executable, tool, *arguments], check=True)


if __name__ == "__main__":
    main()

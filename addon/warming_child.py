"""Run in a child process, with a package's name, its folder, the cache's, and a module that knows what to compile."""

import importlib
import importlib.util
import sys
import types
from pathlib import Path

EXTENSIONS = "bl_ext."


def main(package: str, folder: str, cache: str, what: str) -> None:
    parts = package.split(".")
    for depth in range(1, len(parts)):
        name = ".".join(parts[:depth])
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = []
    spec = importlib.util.spec_from_file_location(
        package, Path(folder) / "__init__.py", submodule_search_locations=[folder]
    )
    assert spec is not None  # as for every .py file
    module = sys.modules[package] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel_cache = importlib.import_module(f"{package}.core.kernel_cache")
    kernel_cache.set_cache_root(Path(cache))
    importlib.import_module(f"{package}.core.{what}").warm_up()
    if package.startswith(EXTENSIONS):  # whose folder is its own, while the command line's cache is for all checkouts
        kernel_cache.remove_older_kernels()


if __name__ == "__main__":
    main(*sys.argv[1:])

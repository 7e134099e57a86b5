"""The one file that knows numba.

What is marked `jitable` or `subroutine` stays an ordinary Python function; a function marked `kernel` is compiled when
it is first called, together with all of those that it reaches. So importing the package costs nothing, the same code
runs undecorated (without numba, or with LIMBERJACK_NOJIT=1), and a debugger can step through any of it.

Compiled code makes no arrays: it writes to those that it is given, which the caller keeps alive meanwhile.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}}
CORE_FOLDER = Path(__file__).parent

READ_BY_KERNELS = ("jit.py", "spatial/types.py", "joints/parts.py", "model/compiled.py")
"""Files of core without kernels that have a say in them: the options above, and constants, which are compiled in."""

Function = TypeVar("Function", bound=Callable)

_not_yet_offered: list[tuple[Callable, bool]] = []
_cache_root: Path | None = None


def jitable(function: Function) -> Function:
    """Let kernels call `function` inlined. Python callers see it unchanged."""
    _not_yet_offered.append((function, True))
    return function


def subroutine(function: Function) -> Function:
    """As `jitable`, but called and not inlined: for what is long and called from several places."""
    _not_yet_offered.append((function, False))
    return function


class kernel:
    """A loop over bodies, compiled at its first call. `kernel.python` is the function as it was written."""

    def __init__(self, function: Callable):
        functools.update_wrapper(self, function)
        self.python = function

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled(*arguments)

    @functools.cached_property
    def compiled(self) -> Callable:
        return _compile(self.python) if is_available() else self.python


def pointer(function: kernel, *examples: Any) -> Any:
    """A kernel for other kernels to call, without being compiled together with it each time.

    Args:
        examples: arguments of the types that it will be called with.
    """
    return _pointer(function.compiled, examples) if is_available() else function.python


@functools.cache
def is_available() -> bool:
    """Whether kernels run compiled in this process."""
    if os.environ.get("LIMBERJACK_NOJIT") == "1":
        return False
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


@functools.cache
def why_uncompiled() -> str:
    """What keeps kernels from being compiled; empty where nothing does. It takes no second, as importing numba does."""
    if os.environ.get("LIMBERJACK_NOJIT") == "1":
        return "LIMBERJACK_NOJIT is 1"
    return "" if importlib.util.find_spec("numba") else "numba is not installed"


@functools.cache
def _options() -> dict[str, Any]:
    """What numba is asked for.

    Where arrays are only lent there is nothing to count, and counting, by locked instructions for each function that
    sees an array, took a third of the time of forward dynamics. The option is private: a numba without it counts.
    """
    with suppress(ImportError):
        from numba.core.options import DefaultOptions

        if hasattr(DefaultOptions, "_nrt"):
            return OPTIONS | {"_nrt": False}
    return OPTIONS


def _offer_arithmetic() -> None:
    """Tell numba of all arithmetic that modules have marked since the last time."""
    from numba.extending import register_jitable

    while _not_yet_offered:
        function, inlined = _not_yet_offered.pop()
        register_jitable(forceinline=inlined, no_cpython_wrapper=True, **_options())(function)


def _compile(function: Callable) -> Callable:
    import numba
    from numba.core import config

    _offer_arithmetic()
    if not _can_cache(function):
        return numba.njit(**_options())(function)
    settings = config.__dict__  # its names come about at run time
    before = settings["CACHE_DIR"]  # other users of numba in this process keep their own folder
    try:
        settings["CACHE_DIR"] = str(cache_folder())
        return numba.njit(cache=True, **_options())(function)
    finally:
        settings["CACHE_DIR"] = before


def _pointer(dispatcher: Any, examples: tuple) -> Any:
    import numba

    signature = tuple(numba.typeof(example) for example in examples)
    dispatcher.compile(signature)
    return _pointer_type()(dispatcher.overloads[signature])


@functools.cache
def _pointer_type() -> type:
    """What numba takes for a function that it may call: it asks for a signature and an address."""
    import numba
    from numba.extending import typeof_impl

    class Pointer(numba.types.WrapperAddressProtocol):
        def __init__(self, result: Any):
            self.result = result  # keeps the machine code alive
            self.type = numba.types.FunctionType(result.signature)
            self.address = result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)

        def __wrapper_address__(self) -> int:
            return self.address

        def signature(self) -> Any:
            return self.result.signature

    @typeof_impl.register(Pointer)
    def type_of(value: Pointer, _context: Any) -> Any:  # known once; finding it anew took most of a kernel's call
        return value.type

    return Pointer


def _can_cache(function: Callable) -> bool:
    """Whether there is a file to know the function by, and a folder to write to.

    numba would else cache beside the sources, where nothing tells it that they have changed.
    """
    if not Path(function.__code__.co_filename).is_file():
        return False
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(cache_folder(), os.W_OK)


def set_cache_root(folder: Path) -> None:
    """Keep compiled kernels below `folder` instead of the user's cache folder. Call it before the first kernel runs."""
    global _cache_root
    _cache_root = folder


def cache_folder() -> Path:
    """Where this version of the sources keeps its compiled kernels.

    numba does not notice edits in imported files, nor that a package answers to another name inside Blender, so both
    are part of the folder's name; and so are its version and the sources' place, by which it tells what it has.
    """
    return (_cache_root or _user_cache_folder()) / _fingerprint()


def compiled_kernels() -> set[str]:
    """What the cache has of this version, whichever process has compiled it: "file.function" each."""
    return {path.name.partition("-")[0] for path in cache_folder().glob("*/*.nbc")}


def cache_size() -> int:
    """Of all versions' kernels [bytes]."""
    return sum(path.stat().st_size for folder in _all_caches() for path in folder.rglob("*") if path.is_file())


def clear_cache() -> None:
    """Remove all versions' kernels; what runs in this process stays. Raises OSError where one cannot be removed."""
    from shutil import rmtree  # slow to import, as the formats that it packs are

    _filled.clear()
    for folder in _all_caches():
        rmtree(folder)


def remove_older_kernels() -> None:
    """Of other versions of the sources, for this Python; another one, which shares the folder, keeps its own."""
    from shutil import rmtree

    mark = f".py{sys.version_info.major}{sys.version_info.minor}."
    for folder in _all_caches():
        kernels = list(folder.glob("*/*.nbi"))
        if folder != cache_folder() and kernels and all(mark in path.name for path in kernels):
            rmtree(folder, ignore_errors=True)  # on Windows, what another process reads stays until next time


def _all_caches() -> list[Path]:
    """Folders beside `cache_folder()`, and that, known by their names: what else lies there is not ours."""
    return [path for path in cache_folder().parent.glob("*") if re.fullmatch(r"[0-9a-f]{16}", path.name)]


_filled: set[str] = set()


@contextmanager
def filling(what: str) -> Iterator[None]:
    """All that `what` stands for is compiled meanwhile, in this process and into the cache."""
    _filled.add(what)
    yield
    if is_available():
        with suppress(OSError):  # without a folder to write to, each process compiles for itself
            (cache_folder() / what).touch()


def is_filled(what: str) -> bool:
    """Whether it runs at once, with no compilation to wait for."""
    if what not in _filled and (not is_available() or (cache_folder() / what).exists()):
        _filled.add(what)
    return what in _filled


@functools.cache
def _fingerprint() -> str:
    from importlib.metadata import version  # slow to import, and enabling the add-on needs none of it

    numba = version("numba") if is_available() else ""
    digest = hashlib.sha256(f"{__package__} {CORE_FOLDER} {sys.version_info[:2]} {numba}".encode())
    for path, text in sources().items():
        digest.update(path.encode() + text)
    return digest.hexdigest()[:16]


def sources() -> dict[str, bytes]:
    """The text of all files that kernels are made of, by the file's path in core.

    Whatever else changes, such as a word of the command line, costs no compilation.
    """
    texts = {path.relative_to(CORE_FOLDER).as_posix(): path.read_bytes() for path in CORE_FOLDER.rglob("*.py")}
    marked = re.compile(rb"^@(kernel|jitable|subroutine)$", re.MULTILINE)
    return {path: texts[path] for path in sorted(texts) if path in READ_BY_KERNELS or marked.search(texts[path])}


def _user_cache_folder() -> Path:
    if given := os.environ.get("LIMBERJACK_CACHE"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "limberjack" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "limberjack"
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".cache") / "limberjack"

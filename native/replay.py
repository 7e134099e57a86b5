# SPDX-License-Identifier: GPL-3.0-or-later
"""Do libraries for machines that this one is not compute the same? `python -m native.replay [PLATFORM…]`

Calls of kernels are recorded here, with all that they are given. A small program in C, made for each platform together
with its kernels, makes the same calls, and writes down all that they leave behind; an emulator runs it. What this
machine's own program has left is compared with that byte by byte. The platforms must have been built (`make kernels`).
"""

from __future__ import annotations

import argparse
import json
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from limberjack.core.compilation import abi, jit
from limberjack.core.compilation.kernel_table import TABLE
from limberjack.core.formats import read
from limberjack.core.simulation import RECORDS, Simulation

from .build import OUT, ROOT, compiled_modules
from .emitting import MOST_SAID, ZIG, write_object
from .exercise import call_all
from .platforms import PLATFORMS

HERE = "linux-x64"
"""Platform whose results the others are compared with."""

RUNNERS = {
    HERE: ("x86_64-linux-musl", []),
    "linux-arm64": ("aarch64-linux-musl", ["qemu-aarch64"]),
    "windows-x64": ("x86_64-windows-gnu", [shutil.which("wine64") or "/usr/lib/wine/wine64"]),
}
"""For each platform, the target for which zig builds the program, and the command that runs it on this machine."""

SAMPLES = ("crane", "stewart", "ragdoll", "hand")
"""Names of the sample scenes whose kernel calls are recorded."""

FRAMES = 13
"""Number of frames of each sample."""

MOST_CALLS = 40
"""Largest number of calls of each kernel that are recorded, the first ones."""

ROOM = 16
"""Number of slots for the result of a call, the last of which has the status."""

PROGRAM = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef union { int64_t i; double d; void *p; } Value;
%(declarations)s
static void *natives[] = {%(natives)s};
static int32_t call(int64_t kernel, void *room, Value *v) {
  switch (kernel) {
%(cases)s
  }
  exit(4);
}
static FILE *in;
static int64_t next(void) { int64_t x; if (fread(&x, 8, 1, in) != 1) exit(3); return x; }
int main(int argc, char **argv) {
  in = fopen(argv[1], "rb");
  FILE *out = fopen(argv[2], "wb");
  for (int64_t calls = next(); calls > 0; calls--) {
    int64_t kernel = next(), arrays = next(), room[%(room)d] = {0};
    char **at = malloc(8 * arrays + 8);
    int64_t *size = malloc(8 * arrays + 8);
    for (int64_t i = 0; i < arrays; i++) {
      size[i] = next();
      at[i] = malloc(size[i] + 64);
      if (fread(at[i], 1, size[i], in) != (size_t)size[i]) exit(3);
    }
    int64_t count = next();
    Value *values = malloc(8 * count + 8);
    for (int64_t n = 0; n < count; n++) {
      int64_t slots = next();
      int64_t *block = slots < 0 ? &values[n].i : malloc(8 * slots + 8);
      for (int64_t k = 0; k < (slots < 0 ? 1 : slots); k++) {
        int64_t kind = next(), value = next();
        if (kind == 1) block[k] = (int64_t)(at[value >> 32] + (value & 0xffffffff));
        else if (kind == 2) block[k] = (int64_t)natives[value];
        else block[k] = value;
      }
      if (slots >= 0) values[n].p = block;
    }
    room[%(room)d - 1] = call(kernel, room, values);
    fwrite(room, 8, %(room)d, out);
    for (int64_t i = 0; i < arrays; i++) fwrite(at[i], 1, size[i], out);
  }
  return fclose(out);
}
"""


@dataclass
class Recorder:
    """A recorder of calls, in the format that the program reads: integers of 8 bytes, and arrays.

    Attributes:
        kernels, natives: names of all kernels and of those that have pointers, in the order that the program uses.
        calls: the recorded calls.
    """

    kernels: list[str]
    natives: list[str]
    calls: list[bytes] = field(default_factory=list)

    def note(self, name: str, types: list[abi.Type], arguments: tuple) -> None:
        arrays: list[np.ndarray] = []
        passed = [self._argument(kind, value, arrays) for kind, value in zip(types, arguments, strict=True)]
        parts = [struct.pack("2q", self.kernels.index(name), len(arrays))]
        parts += [struct.pack("q", each.nbytes) + each.tobytes() for each in arrays]
        self.calls.append(b"".join([*parts, struct.pack("q", len(passed)), *passed]))

    def _argument(self, kind: abi.Type, value: Any, arrays: list[np.ndarray]) -> bytes:
        found = self._slots(kind, value, arrays)
        count = -1 if isinstance(kind, abi.Float | abi.Int) else len(found)
        return struct.pack("q", count) + b"".join(struct.pack("2q", *each) for each in found)

    def _slots(self, kind: abi.Type, value: Any, arrays: list[np.ndarray]) -> list[tuple[int, int]]:
        """Return for each slot (0, a number), (1, number of an array and offset in it) or (2, number of a kernel)."""
        if isinstance(kind, abi.Tuple):
            parts = zip(kind.parts, value, strict=True)
            return [slot for part, each in parts for slot in self._slots(part, each, arrays)]
        if isinstance(kind, abi.Function):
            return [(0, 0), (0, 0), (2, self.natives.index(value.kernel.name))]
        numbers = [(0, number) for number in struct.unpack(f"{len(kind.slots(value)) // 8}q", kind.slots(value))]
        if isinstance(kind, abi.Array):
            numbers[4] = 1, _place(value, arrays)
        return numbers


def _place(value: np.ndarray, arrays: list[np.ndarray]) -> int:
    """Return the number of the array in the upper 32 bits, and the offset in it in the lower ones.

    A view of an array that was recorded before lies in that array. Any other array is added to `arrays`.
    """
    address = value.__array_interface__["data"][0]
    for number, noted in enumerate(arrays):
        begin = noted.__array_interface__["data"][0]
        if value.nbytes and begin <= address < begin + noted.nbytes:
            return number << 32 | (address - begin)
    arrays.append(value)
    return (len(arrays) - 1) << 32


def recorded() -> Recorder:
    """Return the calls of all kernels: those of `exercise`, and those of the first frames of a few samples."""
    library = jit.library()
    if library is None:
        sys.exit("there is no library of these sources: run `make kernels` first")
    table = json.loads((library.folder / TABLE).read_text(encoding="utf-8"))
    kernels = sorted(table["kernels"])
    recorder = Recorder(kernels, [name for name in kernels if "native" in table["kernels"][name]])
    counts = dict.fromkeys(kernels, 0)
    bind = jit.kernel.bind

    def noting_bind(item: jit.kernel, arguments: tuple) -> Any:
        run, types = bind(item, arguments), library.types_of(item.name)

        def noting(*given: Any) -> Any:
            counts[item.name] += 1
            if counts[item.name] <= MOST_CALLS:
                recorder.note(item.name, types, given)
            return run(*given)

        item.compiled = noting
        return noting

    jit.kernel.bind = noting_bind
    call_all()
    for name in SAMPLES:
        model = read(ROOT / "sample_scenes" / f"{name}.sdf").model
        counts["solvers.integration.adaptive_steps.advance"] = 0
        Simulation(model, np.arange(FRAMES) / 24.0, record=RECORDS).run()
    jit.kernel.bind = bind
    return recorder


def program(recorder: Recorder) -> str:
    """Return the C source of a program that makes these calls."""
    table = json.loads((OUT / HERE / TABLE).read_text(encoding="utf-8"))
    letters = {"float": ("double", "d"), "int": ("int64_t", "i")}
    declarations, cases = [], []
    for number, name in enumerate(recorder.kernels):
        entry = table["kernels"][name]
        takes = [letters.get(table["types"][each]["kind"], ("void *", "p")) for each in entry["takes"]]
        declarations.append(f"int32_t {entry['symbol']}({', '.join(['void *', *(kind for kind, _ in takes)])});")
        given = ", ".join(["room", *(f"v[{n}].{letter}" for n, (_, letter) in enumerate(takes))])
        cases.append(f"    case {number}: return {entry['symbol']}({given});")
    shown = [table["kernels"][name]["native"] for name in recorder.natives]
    declarations += [f"void {name}(void);" for name in shown]
    parts = {"declarations": declarations, "cases": cases}
    told = {name: "\n".join(lines) for name, lines in parts.items()}
    return PROGRAM % {**told, "natives": ", ".join(shown), "room": ROOM}


def replayed(name: str, source: Path, calls: Path) -> np.ndarray:
    """Return the memory that the calls leave behind on a platform, as integers of 8 bytes, shape (n,)."""
    folder = calls.parent / name
    folder.mkdir(exist_ok=True)
    code, made, left = folder / "kernels.o", folder / "replay.exe", folder / "left"
    write_object(compiled_modules()[1], PLATFORMS[name], code)
    target, runner = RUNNERS[name]
    command = [ZIG, "-m", "ziglang", "cc", "-target", target, "-O1", "-static", "-o", made, source, code]
    for each in (command, [*runner, made, calls, left]):
        done = subprocess.run(each, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{name}: {' '.join(map(str, each[:4]))} ended with {done.returncode}: {done.stderr[:MOST_SAID]}")
    return np.fromfile(left, np.int64)


def compared(ours: np.ndarray, theirs: np.ndarray) -> str:
    if np.array_equal(ours, theirs):
        return f"all {len(ours)} numbers are equal"
    a, b = ours.view(np.float64), theirs.view(np.float64)
    off = np.abs(a - b) / np.maximum(1.0, np.abs(a))
    return f"{np.count_nonzero(ours != theirs)} of {len(ours)} numbers differ, by {np.nanmax(off):.1e} at most"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("platforms", nargs="*", default=[name for name in RUNNERS if name != HERE])
    wanted = parser.parse_args().platforms
    folder = OUT / "replay"
    folder.mkdir(parents=True, exist_ok=True)
    recorder, source, calls = recorded(), folder / "replay.c", folder / "calls"
    source.write_text(program(recorder), encoding="utf-8")
    calls.write_bytes(struct.pack("q", len(recorder.calls)) + b"".join(recorder.calls))
    print(f"{len(recorder.calls)} calls of {len(recorder.kernels)} kernels, {calls.stat().st_size / 1e6:.1f} MB")
    ours = replayed(HERE, source, calls)
    for name in wanted:
        print(f"{name}: {compared(ours, replayed(name, source, calls))}", flush=True)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache for results of slow functions of arrays, with the content of the arrays as the key."""

from __future__ import annotations

import functools
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

import numpy as np

Result = TypeVar("Result")


def cached_by_content(most: int) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Return a decorator that caches the results of a function of arrays. Errors are not cached.

    Args:
        most: largest number of results; the one that was used least recently is removed first.
    """

    def decorate(compute: Callable[..., Result]) -> Callable[..., Result]:
        known: OrderedDict[bytes, Result] = OrderedDict()

        @functools.wraps(compute)
        def look_up(*arrays: np.ndarray) -> Result:
            digest = hashlib.sha256()
            for array in arrays:
                digest.update(f"{array.shape} {array.dtype}".encode())
                digest.update(np.ascontiguousarray(array).data)
            key = digest.digest()
            if key not in known:
                known[key] = compute(*arrays)
                if len(known) > most:
                    known.popitem(last=False)
            known.move_to_end(key)
            return known[key]

        return look_up

    return decorate

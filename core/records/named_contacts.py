# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts and impacts with the names of links, from the records of a solver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..contact.touch_log import REPORTED
from ..trajectory.touches import Contacts, Impacts


class Contact(NamedTuple):
    """A point in which two links touch.

    Attributes:
        first, second: names of links. point: in the world [m]. normal: unit vector from the first to the second.
        force: on the second link at that point [N]. gap: between both surfaces [m]; negative if they overlap.
        torque: on the second link, of rolling and spinning friction [N m].
    """

    first: str
    second: str
    point: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    gap: float
    torque: np.ndarray


class Impact(NamedTuple):
    """An impact between two links. time [s]; impulse: on the second link [N s]; the rest as in `Contact`."""

    time: float
    first: str
    second: str
    point: np.ndarray
    normal: np.ndarray
    impulse: np.ndarray


def reported_fields(points: np.ndarray) -> np.ndarray:
    """Return a copy of POINT records with the fields of REPORTED only, since whole records take longer than a frame."""
    kept = np.empty(len(points), REPORTED)
    for name in (REPORTED.names or ()) if len(points) else ():
        kept[name] = points[name]
    return kept


def contacts_of(owners: Sequence[str], points: np.ndarray) -> list[Contact]:
    """Return the `Contact` of each POINT or REPORTED record."""
    return [
        Contact(
            owners[int(point["first"])],
            owners[int(point["second"])],
            point["position"].copy(),
            point["normal"].copy(),
            point["load"] * point["normal"] + point["force"],
            float(point["gap"]),
            point["torque"].copy(),
        )
        for point in points.view(np.ndarray)
    ]


def table_of_contacts(owners: Sequence[str], points: np.ndarray, frame: int, time: float) -> Contacts:
    """Return POINT records as a table, with a frame and its time [s]."""
    names, count = np.array(owners), len(points)
    return Contacts(
        np.full(count, frame),
        np.full(count, time),
        names[points["first"]],
        names[points["second"]],
        points["position"].copy(),
        points["normal"].copy(),
        points["load"][:, None] * points["normal"] + points["force"],
        points["torque"].copy(),
        points["gap"].copy(),
    )


def table_of_impacts(impacts: Sequence[Impact], times: np.ndarray) -> Impacts:
    """Return the impacts between frames at these times, shape (F,) [s], as a table."""
    columns = {name: [getattr(impact, name) for impact in impacts] for name in Impact._fields}
    return Impacts.of(columns | {"frame": [0] * len(impacts)}).within(times)


def impacts_of(owners: Sequence[str], records: np.ndarray, zero: float) -> list[Impact]:
    """Return the `Impact` of each IMPACT record. zero: the time from which they count [s]."""
    return [
        Impact(
            zero + float(record["time"]),
            owners[int(record["first"])],
            owners[int(record["second"])],
            record["point"].copy(),
            record["normal"].copy(),
            record["impulse"].copy(),
        )
        for record in records
    ]

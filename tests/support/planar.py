# SPDX-License-Identifier: GPL-3.0-or-later
"""The upright four-bar by trigonometry and Lagrange's equation of its one angle: nothing of the engine's own way."""

from __future__ import annotations

import cmath

import numpy as np

G = 9.81
CRANK, CRANK_PIN, ROCKER_PIN, ROCKER = 0j, 1j, 2.0 + 1.5j, 2.0 + 0j
MASSES, INERTIAS, MIDDLES = (1.0, 2.3, 1.6), (0.09, 0.8, 0.3), (0.5j, 1.0 + 1.25j, 2.0 + 0.75j)


def turns(theta: float) -> tuple[float, float, float]:
    """How far crank, coupler and rocker are turned from how they are drawn [rad], on the drawn branch."""
    pin = cmath.rect(1.0, theta) * CRANK_PIN
    way, length, swing = ROCKER - pin, abs(ROCKER_PIN - CRANK_PIN), abs(ROCKER_PIN - ROCKER)
    far = abs(way)
    along = (far**2 + length**2 - swing**2) / (2.0 * far)
    end = pin + way / far * complex(along, (length**2 - along**2) ** 0.5)
    return (
        theta,
        cmath.phase((end - pin) / (ROCKER_PIN - CRANK_PIN)),
        cmath.phase((end - ROCKER) / (ROCKER_PIN - ROCKER)),
    )


def places(theta: float) -> np.ndarray:
    """Of the three links' middles, complex, shape (3,) [m]."""
    crank, coupler, rocker = (cmath.rect(1.0, turn) for turn in turns(theta))
    pin = crank * CRANK_PIN
    return np.array(
        [crank * MIDDLES[0], pin + coupler * (MIDDLES[1] - CRANK_PIN), ROCKER + rocker * (MIDDLES[2] - ROCKER)]
    )


def slope(function, theta: float, step: float = 1e-4):
    """A derivative, by central differences of order 4."""
    near = np.subtract(function(theta + step), function(theta - step))
    far = np.subtract(function(theta + 2.0 * step), function(theta - 2.0 * step))
    return (8.0 * near - far) / (12.0 * step)


def inertia(theta: float) -> float:
    """What the crank's angle has to move [kg m^2]."""
    rates, spins = slope(places, theta), slope(turns, theta)
    return float(np.dot(MASSES, np.abs(rates) ** 2) + np.dot(INERTIAS, np.square(spins)))


def acceleration(theta: float, rate: float, torque: float) -> float:
    """Of the crank [rad/s^2]: I qdd + I' qd^2 / 2 + V' = torque."""
    weight = G * float(np.dot(MASSES, slope(places, theta).imag))
    return (torque - 0.5 * float(slope(inertia, theta)) * rate**2 - weight) / inertia(theta)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts with Coulomb's friction as a nonlinear complementarity problem, solved in two ways, and judged.

For k contacts, find r with u = W r + b such that, contact by contact,

    0 <= u_n - e a, r_n >= 0, one of them 0         Signorini, with Newton's restitution e of the approach speed a
    |r_t| <= mu r_n                                 Coulomb's cone
    r_t = -mu r_n u_t / |u_t| where u_t is not 0    greatest dissipation

These are the exact laws: what slides does not lift, as it does in convex ones. The rows of a contact are its normal and
two tangents; r is what acts on the body to which the normal points. u and r are velocities and impulses, or, where
bodies stay in touch, accelerations and forces.

Of accelerations, `slip` tells the velocities of contacts that slide already: their friction is -mu r_n slip / |slip|,
wherever they accelerate to. Its rows are zeros for contacts that stick until now.

De Saxce's correction writes the three laws as one: with v = u + (mu |u_t|, 0, 0), r is in the cone K, v in its dual K*,
and r v = 0. Of a contact that slides already, K is a ray, and the correction mu slip u_t / |slip|.

Sources: de Saxce and Feng, Mathematical and Computer Modelling 28 (1998); Acary, Cadoux, Lemarechal and Malick, ZAMM 91
(2011); Jourdan, Alart and Jean, Computer Methods in Applied Mechanics and Engineering 155 (1998), for `gauss_seidel`;
Carpentier, Le Lidec and Montaut, Robotics: Science and Systems XX (2024), for `admm`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

FOUND = 1e-13
"""The residual at which solvers stop. Where rounding forbids it, they end by their count of iterations."""
LAWS = ("penetration", "pull", "complementarity", "cone", "dissipation")
SINGULAR = 1e-12
"""Part of the largest eigenvalue below which one is 0."""


@dataclass
class Solution:
    """r and u, shape (3 k,), with the largest of the `residuals`."""

    r: np.ndarray
    u: np.ndarray
    residual: float
    iterations: int


@dataclass
class Problem:
    """The problem that is left when restitution is written into b; shapes (3 k, 3 k), (3 k,), (k,).

    Attributes:
        sliding: which contacts slide already, shape (k,). ways: unit vectors of their slip, shape (k, 2), else zeros.
        inertia: the mean of W's diagonal for each contact, by which forces and velocities compare,
            shape (k,); above 0 even for a contact that nothing can move.
    """

    W: np.ndarray
    b: np.ndarray
    mu: np.ndarray
    sliding: np.ndarray
    ways: np.ndarray

    @property
    def inertia(self) -> np.ndarray:
        found = np.diag(self.W).reshape(-1, 3).mean(axis=1)
        return np.where(found > 0.0, found, found.max(initial=0.0) or 1.0)


def problem_of(W, b, mu, restitution=0.0, approach=0.0, slip=None) -> Problem:
    """A problem of arguments as `residuals` takes them."""
    b = np.array(b, dtype=float)
    k = len(b) // 3
    b[::3] -= np.broadcast_to(restitution, k) * np.maximum(np.broadcast_to(approach, k), 0.0)
    ways = np.zeros((k, 2)) if slip is None else np.array(slip, dtype=float).reshape(k, 2)
    speeds = np.linalg.norm(ways, axis=1)
    sliding = speeds > 0.0
    ways[sliding] /= speeds[sliding, None]
    return Problem(np.array(W, dtype=float), b, np.array(np.broadcast_to(mu, k), dtype=float), sliding, ways)


def residuals(W, b, mu, r, restitution=0.0, approach=0.0, slip=None) -> dict[str, float]:
    """How far r is from each law, as a part of the largest velocity at hand; all are 0 for solutions and no others.

    Forces are turned to velocities by the contact's own diagonal of W, so that units and mass ratios do not matter. The
    last two are linear in what is wrong: an angle of 1e-6 between friction and slip is 1e-6, where a product of both,
    the dissipation that lacks, would be 1e-12.

    Args:
        W: shape (3 k, 3 k). b: shape (3 k,). mu, restitution: shape (k,), or one for all.
        r: shape (3 k,).
        approach: speeds at which gaps close before an impact, shape (k,), or one for all [m/s]; those below 0 are 0.
        slip: see above, shape (k, 2).

    Returns:
        penetration: u_n below what restitution asks for. pull: r_n below 0. complementarity: the lesser of both sizes.
        cone: |r_t| above mu r_n. dissipation: how far r_t is from that which opposes the slip most.
    """
    return _residuals(problem_of(W, b, mu, restitution, approach, slip), np.asarray(r, dtype=float))


def _residuals(problem: Problem, r: np.ndarray) -> dict[str, float]:
    if not np.isfinite(r).all():
        return dict.fromkeys(LAWS, np.inf)
    u, r = (problem.W @ r + problem.b).reshape(-1, 3), r.reshape(-1, 3)
    w = problem.inertia
    largest = max(np.abs(problem.b).max(initial=0.0), (w * np.linalg.norm(r, axis=1)).max(initial=0.0)) or 1.0
    bound = problem.mu * np.maximum(r[:, 0], 0.0)
    size = np.linalg.norm(r[:, 1:], axis=1)
    best = _to_disk(r[:, 1:] - u[:, 1:] / w[:, None], bound)
    best[problem.sliding] = -(bound[:, None] * problem.ways)[problem.sliding]
    found = (
        np.maximum(-u[:, 0], 0.0),
        w * np.maximum(-r[:, 0], 0.0),
        np.abs(np.minimum(u[:, 0], w * r[:, 0])),
        w * np.maximum(size - bound, 0.0),
        w * np.linalg.norm(r[:, 1:] - best, axis=1),
    )
    return {name: float(values.max(initial=0.0) / largest) for name, values in zip(LAWS, found, strict=True)}


def _largest(problem: Problem, r: np.ndarray) -> float:
    return max(_residuals(problem, r).values(), default=0.0)


def _to_disk(vectors: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """The nearest points, shape (k, 2), of disks about 0."""
    sizes = np.linalg.norm(vectors, axis=1)
    outside = sizes > radii
    return vectors * np.where(outside, radii / np.where(outside, sizes, 1.0), 1.0)[:, None]


def gauss_seidel(W, b, mu, restitution=0.0, approach=0.0, slip=None, most: int = 5_000) -> Solution:
    """Sweeps over the contacts, solving each exactly while the others stay, until nothing is wrong, or `most` times.

    Where mass ratios or redundant contacts make sweeps slow, steps of Newton's method are tried from time to time.
    """
    problem = problem_of(W, b, mu, restitution, approach, slip)
    locals_ = [Local(problem, i) for i in range(len(problem.mu))]
    r, sweep = np.zeros_like(problem.b), 0
    for sweep in range(1, most + 1):
        for i, local in enumerate(locals_):
            at = slice(3 * i, 3 * i + 3)
            r[at] = local.solve(problem.W[at] @ r + problem.b[at] - local.W @ r[at])
        if sweep % 5 == 0 and _largest(problem, r) <= FOUND:
            break
        if sweep % 50 == 0 and _largest(problem, tried := newton(problem, r)) < 0.1 * _largest(problem, r):
            r = tried
    return Solution(r, problem.W @ r + b, _largest(problem, r), sweep)


class Local:
    """One contact's problem for any b, shape (3,), by the slip that it leaves.

    Where it slides, u_t = -alpha r_t for some alpha > 0, and u_n = 0. That gives r_n by r_t, and
    (S + alpha) r_t = -c with S = W_tt - W_tn W_nt / W_nn, c = b_t - W_tn b_n / W_nn. |r_t| = mu r_n is left to find
    alpha; it has a root where the contact closes (b_n < 0) and does not stick (|r_t| > mu r_n at alpha = 0).
    """

    def __init__(self, problem: Problem, i: int):
        at = slice(3 * i, 3 * i + 3)
        self.W, self.mu = problem.W[at, at], problem.mu[i]
        self.way = problem.ways[i] if problem.sliding[i] else None
        self.normal, self.across = self.W[0, 0], self.W[0, 1:]
        if self.normal > 0.0:
            S = self.W[1:, 1:] - np.outer(self.across, self.across) / self.normal
            self.sizes, self.axes = np.linalg.eigh(S)
            self.sizes[self.sizes < SINGULAR * np.trace(self.W)] = 0.0

    def solve(self, b: np.ndarray) -> np.ndarray:
        """r, shape (3,). Where there are several, which of them is not told."""
        if self.normal <= 0.0 or b[0] >= 0.0:
            return np.zeros(3)
        if self.way is not None:
            friction = -self.mu * self.way
            met = self.normal + self.across @ friction  # not above 0 in Painleve's paradox: the residual tells
            return max(0.0, -b[0] / met) * np.array([1.0, *friction]) if met > 0.0 else np.zeros(3)
        if self.mu == 0.0:
            return np.array([-b[0] / self.normal, 0.0, 0.0])
        c = self.axes.T @ (b[1:] - self.across * b[0] / self.normal)
        c[(self.sizes == 0.0) & (np.abs(c) <= SINGULAR * np.abs(b).max())] = 0.0
        if not (c[self.sizes == 0.0]).any():
            stuck = self._force(b, c, 0.0)
            if np.hypot(*stuck[1:]) <= self.mu * stuck[0]:
                return stuck
        return self._force(b, c, self._slip(b, c))

    def _force(self, b: np.ndarray, c: np.ndarray, alpha: float) -> np.ndarray:
        met = self.sizes + alpha
        tangential = self.axes @ np.divide(-c, met, out=np.zeros(2), where=met > 0.0)
        return np.array([-(b[0] + self.across @ tangential) / self.normal, *tangential])

    def _slip(self, b: np.ndarray, c: np.ndarray) -> float:
        """The root alpha; sought by its logarithm, since it may have any size."""

        def excess(logarithm: float) -> float:
            r = self._force(b, c, np.exp(logarithm))
            return np.hypot(r[1], r[2]) - self.mu * r[0]

        low = high = np.log(np.trace(self.W))
        while excess(high) > 0.0:
            high += 2.0
        while excess(low) <= 0.0 and low > -600.0:
            low -= 2.0
        return np.exp(brentq(excess, low, high, xtol=1e-15, rtol=1e-15) if excess(low) > 0.0 else low)


def newton(problem: Problem, r: np.ndarray, steps: int = 10) -> np.ndarray:
    """The best r on the way of Newton's method from one that is near.

    Source: Alart and Curnier, Computer Methods in Applied Mechanics and Engineering 92 (1991): r is what projecting
    r - u / w gives, r_n to what pushes and r_t to a disk of radius mu r_n. Of many solutions, the nearest is taken.
    """
    best = r
    for _ in range(steps):
        F, slope = alart_curnier(problem, r)
        r = r - np.linalg.lstsq(slope, F, rcond=SINGULAR)[0]
        if not np.isfinite(r).all():
            break
        if _largest(problem, r) < _largest(problem, best):
            best = r
    return best


def alart_curnier(problem: Problem, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is 0 at solutions, shape (3 k,), and one of its derivatives, shape (3 k, 3 k)."""
    step = 1.0 / np.repeat(problem.inertia, 3)
    aim = r - step * (problem.W @ r + problem.b)
    of_aim = np.eye(len(r)) - step[:, None] * problem.W
    projected, of_r = np.zeros_like(r), np.zeros_like(of_aim)
    for i, mu in enumerate(problem.mu):
        n, t = 3 * i, slice(3 * i + 1, 3 * i + 3)
        if aim[n] <= 0.0:
            continue
        projected[n], of_r[n] = aim[n], of_aim[n]
        size, radius = np.hypot(*aim[t]), mu * aim[n]
        if problem.sliding[i]:
            projected[t], of_r[t] = -radius * problem.ways[i], -mu * np.outer(problem.ways[i], of_aim[n])
        elif size <= radius:
            projected[t], of_r[t] = aim[t], of_aim[t]
        else:
            way = aim[t] / size
            turning = (np.eye(2) - np.outer(way, way)) * radius / size
            projected[t], of_r[t] = radius * way, turning @ of_aim[t] + mu * np.outer(way, of_aim[n])
    return r - projected, np.eye(len(r)) - of_r


def admm(W, b, mu, restitution=0.0, approach=0.0, slip=None, most: int = 200_000) -> Solution:
    """The alternating direction method of multipliers on r' W r / 2 + r (b + s), s corrected as it goes on.

    f is free, y in the cones K, and z, in their duals K*, becomes u + s. The penalty rho is changed, ever less often,
    to have the primal and the dual residual of one size. Contacts are scaled to a diagonal of 1.
    """
    problem = problem_of(W, b, mu, restitution, approach, slip)
    scale = np.repeat(1.0 / np.sqrt(problem.inertia), 3)
    own = Problem(problem.W * np.outer(scale, scale), problem.b * scale, problem.mu, problem.sliding, problem.ways)
    sizes, axes = np.linalg.eigh(own.W)
    eta, rho = 1e-6, np.sqrt(sizes.max(initial=1.0) * sizes[sizes > 1e-6].min(initial=1.0))
    f = y = z = s = np.zeros_like(own.b)
    done, next_change, wait = 0, 10, 10
    for done in range(1, most + 1):
        f_before, y_before, s_before = f, y, s
        f = axes @ ((axes.T @ (rho * y + eta * f + z - own.b - s)) / (np.maximum(sizes, 0.0) + eta + rho))
        y = _to_cones(own, f - z / rho)
        z = z - rho * (f - y)
        s = _correction(own, z)
        if done % 20 == 0 and _largest(problem, scale * y) <= FOUND:
            break
        if done == next_change:
            primal, dual = np.abs([f - y, rho * (y - y_before) + eta * (f - f_before) + s - s_before]).max(axis=1)
            if not 0.2 * dual <= primal <= 5.0 * dual:
                rho *= np.clip(np.sqrt(primal / max(dual, 1e-300)), 0.3, 3.0)
            wait *= 1.2
            next_change += int(wait)
    return Solution(scale * y, problem.W @ (scale * y) + b, _largest(problem, scale * y), done)


def _correction(problem: Problem, z: np.ndarray) -> np.ndarray:
    """De Saxce's, of all contacts, shape (3 k,)."""
    tangential = z.reshape(-1, 3)[:, 1:]
    lifts = np.where(problem.sliding, (problem.ways * tangential).sum(axis=1), np.linalg.norm(tangential, axis=1))
    s = np.zeros_like(z)
    s[::3] = problem.mu * lifts
    return s


def _to_cones(problem: Problem, f: np.ndarray) -> np.ndarray:
    """The nearest points of the cones, and of the rays of contacts that slide already."""
    f, mu = f.reshape(-1, 3), problem.mu
    size = np.linalg.norm(f[:, 1:], axis=1)
    ways = f[:, 1:] / np.where(size > 0.0, size, 1.0)[:, None]
    ways[problem.sliding] = -problem.ways[problem.sliding]
    along = np.where(problem.sliding, (ways * f[:, 1:]).sum(axis=1), size)
    normal = np.maximum(0.0, (f[:, 0] + mu * along) / (1.0 + mu**2))
    surface = np.column_stack([normal, (mu * normal)[:, None] * ways])
    inside = ~problem.sliding & (size <= mu * f[:, 0])
    return np.where(inside[:, None], f, surface).ravel()

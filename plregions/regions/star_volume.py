"""About how large is a cell in many dimensions? An estimate with its error."""

from __future__ import annotations

from math import lgamma, log, pi

import numpy as np
from numpy.typing import NDArray

__all__ = ["star_volumes"]

FloatArray = NDArray[np.float64]

SEED = 2026
N_DIRECTIONS = 4096


def star_volumes(
    offsets: NDArray[np.int64], rows: FloatArray, points: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Estimate the volumes of bounded cells, each seen from a point inside.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n + 1,)
        The rows of cell r are ``rows[offsets[r]:offsets[r + 1]]``.
    rows : ndarray of float64, shape (m, d + 1)
        (a, c) for a.y + c >= 0.
    points : ndarray of float64, shape (n, d)

    Returns
    -------
    volume, error : ndarray of float64, shape (n,)
        The error is the standard error of the estimate.

    Algorithm
    ---------
    The volume is that of the unit ball times the mean of rho(u)**d over directions u, where rho is
    the distance to the boundary: 4096 pairs of opposite directions, the same for all cells, with a
    fixed seed. Unbiased, and positive always.

    Exactness
    ---------
    A Monte Carlo estimate.
    """
    d = points.shape[1]
    directions = np.random.default_rng(SEED).normal(size=(N_DIRECTIONS, d))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    log_ball = d / 2 * log(pi) - lgamma(d / 2 + 1)
    volume, error = np.zeros(len(points)), np.zeros(len(points))
    for r, point in enumerate(points):
        part = rows[offsets[r] : offsets[r + 1]]
        slack = part[:, :-1] @ point + part[:, -1]
        # 1 / rho is the fastest fall of a row in units of its slack.
        rates = -(directions @ part[:, :-1].T) / np.maximum(slack, np.finfo(float).tiny)
        logs = -d * np.log(np.stack([rates.max(axis=1), (-rates).max(axis=1)]))
        top = logs.max()
        values = np.exp(logs - top).mean(axis=0)
        scale = np.exp(top + log_ball)
        volume[r] = values.mean() * scale
        error[r] = values.std(ddof=1) / np.sqrt(len(values)) * scale
    return volume, error

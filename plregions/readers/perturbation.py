"""How far can rounding move the outputs of dense layers, as they are and not at the worst?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plregions.exact.arrays import float_array
from plregions.readers.dense_steps import Activation, Dense
from plregions.readers.forward_check import FloatType

__all__ = ["perturbation_allowance"]

Floats = NDArray[np.float64]

_N_TRIALS = 16
_SEED = 20_240_229
# Each trial errs everywhere by two or three times the usual rounding error; the largest of sixteen
# is some two standard deviations. Four times that is far from rounding, near to no other mistake.
_MARGIN = 4.0


def perturbation_allowance(
    steps: Sequence[Dense | Activation], points: Floats, kind: FloatType
) -> Floats:
    """Return how far a float evaluation of dense layers may be from the exact values.

    A bound for the worst case grows with the depth like the product of sums of absolute weights;
    from ten layers on it would allow anything. What rounding does in fact is measured instead.

    Parameters
    ----------
    steps : sequence of Dense or Activation
        In the order of evaluation.
    points : ndarray (k, n) of float64
    kind : FloatType
        The coarsest float type in which the model computes.

    Returns
    -------
    ndarray (k, m) of float64
        A multiple of the largest change of each output in a few trials; NaN where the model may
        leave the range of its float type.

    Algorithm
    ---------
    In each trial every sum ``W x + b`` is moved by eps times ``|W| |x| + |b|`` times a normal
    random number (and times 0.3 sqrt(n) for sums of more than eleven products), and the trial goes
    on from there. (Equal steps up and down would cancel.) So is every product with a slope other
    than -1, 0 and 1.

    Exactness
    ---------
    No proof: a float64 estimate, the same in every run.

    Examples
    --------
    >>> steps = [Dense("only", np.array([[2.0, 1.0]]), None)]
    >>> allowed = perturbation_allowance(steps, np.array([[3.0, -4.0]]), FloatType.of("float64"))
    >>> bool(10 < allowed[0, 0] / 2.0**-52 < 200)  # |2 * 3| + |1 * -4| is 10
    True
    """
    rng = np.random.default_rng(_SEED)
    with np.errstate(over="ignore", invalid="ignore"):
        exact, largest = _evaluated(steps, points, kind, None)
        moved = [np.abs(_evaluated(steps, points, kind, rng)[0] - exact) for _ in range(_N_TRIALS)]
        allowed = _MARGIN * np.max(moved, axis=0)
    return np.where(largest[:, None] < kind.largest / 4, allowed, np.nan)


def _evaluated(
    steps: Sequence[Dense | Activation],
    points: Floats,
    kind: FloatType,
    rng: np.random.Generator | None,
) -> tuple[Floats, Floats]:
    """The outputs, and for each point the greatest size of a sum on the way."""
    values = points
    largest = np.abs(points).max(axis=1, initial=0.0)
    for step in steps:
        if isinstance(step, Activation):
            slopes = float(step.negative), float(step.positive)
            values = np.where(values > 0, slopes[1] * values, slopes[0] * values)
            if rng is not None and any(slope not in (-1.0, 0.0, 1.0) for slope in slopes):
                values = _moved(values, np.abs(values) + kind.tiny, kind, rng)
            continue
        weight = float_array(step.weight)
        bias = 0.0 if step.bias is None else float_array(step.bias)
        size = np.abs(values) @ np.abs(weight).T + np.abs(bias)
        values = values @ weight.T + bias
        largest = np.maximum(largest, size.max(axis=1, initial=0.0))
        if rng is not None:
            # Products below the normal range lose up to eps times the least normal number. A sum
            # that starts from a bias, with many small products after it, rounds at each of them.
            n_in = weight.shape[1]
            usual = max(1.0, 0.3 * n_in**0.5)
            values = _moved(values, usual * (size + (n_in + 1) * kind.tiny), kind, rng)
    return values, largest


def _moved(values: Floats, size: Floats, kind: FloatType, rng: np.random.Generator) -> Floats:
    return values + kind.eps * size * rng.standard_normal(size.shape)

"""How large must the weights be when ridge functions add up to a function of the norm?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.analysis.radial_functions import RadialFunction
from plregions.constructions import ridge_sum, sphere_directions
from plregions.errors import InvalidInputError
from plregions.network import Network

__all__ = ["RidgeProfile", "ridge_moments", "ridge_profile"]

# Squares of radii stay within float64, the table of a linear program within the memory.
LARGEST = 1e150
MOST = 10_000

FloatArray = NDArray[np.float64]

GRID = 400


@dataclass(frozen=True, eq=False, repr=False)
class RidgeProfile:
    """phi(t) = c_0 + sum_j c_j relu(abs(t) - t_j), whose mean over directions follows rho(||x||).

    Attributes
    ----------
    dim : int
    knots, weights : ndarray of float64, shape (n,)
        The t_j and c_j that are not 0.
    constant : float
        c_0.
    bias : float
        The largest distance of rho(||x||) to the mean of phi(<w, x>) over all unit vectors w, on a
        grid of radii up to `reach`.
    variance : float
        Of one random neuron pair, on the same grid: see `sample`.
    reach : float

    Examples
    --------
    >>> from plregions.analysis.radial_functions import euclidean_norm
    >>> profile = ridge_profile(3, euclidean_norm(), 0.01)
    >>> profile.size < 2.01, profile.bias < 0.0072
    (True, True)
    """

    dim: int
    knots: FloatArray
    weights: FloatArray
    constant: float
    bias: float
    variance: float
    reach: float

    @property
    def size(self) -> float:
        """The sum of the absolute weights."""
        return float(np.abs(self.weights).sum())

    def width(self, accuracy: float) -> int:
        """Return the width at which a sampled network is that accurate.

        Parameters
        ----------
        accuracy : float
            A root mean square over the samples, at the worst radius; above `bias`.

        Returns
        -------
        int
            Twice the number of pairs k with bias^2 + variance / k <= accuracy^2.

        Raises
        ------
        InvalidInputError
            The accuracy is not above the bias.
        """
        if not accuracy > self.bias:
            raise InvalidInputError(
                f"width needs an accuracy above the bias, {self.bias:.3g}; got {accuracy!r}."
            )
        return 2 * math.ceil(self.variance / (accuracy**2 - self.bias**2))

    def sample(self, k: int, seed: int = 0) -> Network:
        """Return a network of k random pairs of neurons whose mean is the mean of phi.

        Parameters
        ----------
        k : int
        seed : int

        Returns
        -------
        Network
            Depth 2, hidden width 2 k: c_0 + sum_i s_i (C / k) relu(abs(<w_i, x>) - t_j(i)) with
            C = `size`, independent uniform w_i, and j(i) = j with probability abs(c_j) / C,
            s_i the sign of that c_j.
        """
        directions = sphere_directions(self.dim, k, seed)
        chances = np.abs(self.weights) / self.size
        chosen = np.random.default_rng([seed, 1]).choice(len(chances), size=k, p=chances)
        signs = np.sign(self.weights[chosen])
        return ridge_sum(directions, self.knots[chosen], signs * (self.size / k), self.constant)

    def __repr__(self) -> str:
        return (
            f"RidgeProfile(dim={self.dim}, {len(self.knots)} knots, size={self.size:.4g}, "
            f"bias={self.bias:.3g})"
        )


def ridge_moments(d: int, radii: Any, knots: Any) -> tuple[FloatArray, FloatArray]:
    """Return the mean of relu(abs(<w, x>) - t) over unit vectors w, and that of its square.

    Parameters
    ----------
    d : int
        At least 2.
    radii : array_like, shape (m,)
        The lengths of x, above 0.
    knots : array_like, shape (n,)
        The t, at least 0.

    Returns
    -------
    first, second : ndarray of float64, shape (m, n)

    Algorithm
    ---------
    With s = <w, x> / ||x||, s^2 has a beta distribution with parameters 1/2 and (d - 1) / 2. The
    moments of s above a = t / ||x|| are incomplete beta functions: that of abs(s) is
    (1 - a^2)^((d - 1) / 2) gamma(d / 2) / (sqrt(pi) gamma((d + 1) / 2)).

    Exactness
    ---------
    Floats.

    Examples
    --------
    >>> first, second = ridge_moments(3, [1.0], [0.0])
    >>> round(first.item(), 12), round(second.item(), 12)
    (0.5, 0.333333333333)
    """
    from scipy.special import betainc

    r, t = np.asarray(radii, dtype=np.float64)[:, None], np.asarray(knots, dtype=np.float64)
    rest = np.clip(1 - (t / r) ** 2, 0.0, 1.0)
    half = (d - 1) / 2
    mean_size = math.exp(math.lgamma(d / 2) - math.lgamma((d + 1) / 2)) / math.sqrt(math.pi)
    mass = betainc(half, 0.5, rest)
    linear = mean_size * rest**half
    square = betainc(half, 1.5, rest) / d
    return r * linear - t * mass, r * r * square - 2 * r * t * linear + t * t * mass


def ridge_profile(
    d: int, rho: RadialFunction, accuracy: float, *, reach: float = 1.0, n_knots: int = 60
) -> RidgeProfile:
    """Find the profile of least total weight whose mean over all directions follows rho(||x||).

    Parameters
    ----------
    d : int
        At least 2.
    rho : RadialFunction
    accuracy : float
        Above 0. The bias may be 1 / sqrt(2) of it, so that as much is left for the directions.
    reach : float
        The largest ||x||, above 0.
    n_knots : int
        Candidates for knots, equally spaced in [0, reach).

    Returns
    -------
    RidgeProfile

    Raises
    ------
    InvalidInputError
        Other parameters; no profile with these knots is so accurate.

    Algorithm
    ---------
    A linear program with HiGHS: the least sum of abs(c_j) such that c_0 + sum c_j h_j(r) is within
    accuracy / sqrt(2) of rho(r) on a grid of 400 radii, h_j(r) from `ridge_moments`. A network of k
    neuron pairs drawn from the profile then has the mean squared error bias^2 + variance / k, the
    variance at most the square of the sum of the abs(c_j) times reach^2 / d (Maurey's sampling).

    Exactness
    ---------
    Floats: an estimate of what this method needs. It is no lower bound for other networks of
    depth 2.

    References
    ----------
    A. R. Barron, "Universal approximation bounds for superpositions of a sigmoidal function", IEEE
    Trans. Information Theory 39 (1993), for the sampling.

    Examples
    --------
    >>> from plregions.analysis.radial_functions import shifted_norm
    >>> profile = ridge_profile(3, shifted_norm(1), 0.1, reach=2)
    >>> net = profile.sample(profile.width(0.1) // 2)
    >>> net.depth, net.widths[0] == profile.width(0.1)
    (2, True)
    """
    from scipy.optimize import linprog

    _check(d, rho, accuracy, reach, n_knots)
    reach, accuracy = float(reach), float(accuracy)
    radii = reach * np.arange(1, GRID + 1) / GRID
    knots = reach * np.arange(n_knots) / n_knots
    wanted = rho.values(radii)
    first, second = ridge_moments(d, radii, knots)
    # Variables: the constant, the positive parts of all c_j, their negative parts.
    table = np.concatenate([np.ones((GRID, 1)), first, -first], axis=1)
    slack = accuracy / math.sqrt(2)
    found = linprog(
        np.concatenate([[0.0], np.ones(2 * n_knots)]),
        A_ub=np.concatenate([table, -table]),
        b_ub=np.concatenate([wanted + slack, slack - wanted]),
        bounds=[(None, None), *[(0, None)] * (2 * n_knots)],
        method="highs",
    )
    if found.x is None:
        raise InvalidInputError(
            f"ridge_profile needs knots with which an accuracy of {accuracy!r} is possible; got "
            f"{n_knots} equally spaced ones. Take more."
        )
    constant, parts = float(found.x[0]), found.x[1:]
    weights = parts[:n_knots] - parts[n_knots:]
    mean = constant + first @ weights
    spread = np.abs(weights).sum() * (second @ np.abs(weights)) - (mean - constant) ** 2
    used = np.flatnonzero(weights)
    return RidgeProfile(
        dim=int(d),
        knots=knots[used],
        weights=weights[used],
        constant=constant,
        bias=float(np.abs(mean - wanted).max()),
        variance=float(spread.max()),
        reach=float(reach),
    )


def _check(d: object, rho: object, accuracy: float, reach: float, n_knots: object) -> None:
    if not isinstance(rho, RadialFunction):
        raise InvalidInputError(f"ridge_profile needs a RadialFunction; got {rho!r:.60}.")
    for name, value, least in (("d", d, 2), ("n_knots", n_knots, 1)):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not least <= value <= MOST:  # type: ignore[operator]
            raise InvalidInputError(
                f"ridge_profile needs a whole number {name} from {least} to {MOST}; got "
                f"{value!r:.60}."
            )
    for name, number in (("accuracy", accuracy), ("reach", reach)):
        is_real = isinstance(number, int | float | np.number)
        if not is_real or not 0 < number <= LARGEST:
            raise InvalidInputError(
                f"ridge_profile needs {name} above 0, at most {LARGEST:g}; got {number!r:.60}."
            )

"""What is the mean squared error against a function of the norm? An estimate, with its error."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.analysis.radial_functions import RadialFunction
from plregions.domain import Box
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fraction
from plregions.network import Network
from plregions.network.network import check_networks

__all__ = ["Ball", "MeanSquare", "radial_mse"]

FloatArray = NDArray[np.float64]

REPLICATES = 16
SPLITS = 300
RULE_DIMENSIONS = 2


@dataclass(frozen=True, init=False)
class Ball:
    """All x in R^dim with ||x|| <= radius.

    Parameters
    ----------
    dim : int
        At least 1.
    radius : int, float, Fraction or str
        Above 0.

    Raises
    ------
    InvalidInputError
        Other numbers.

    Examples
    --------
    >>> Ball(3, "1/2")
    Ball(dim=3, radius=Fraction(1, 2))
    """

    dim: int
    radius: Fraction

    def __init__(self, dim: int, radius: Any = 1) -> None:
        try:
            size = fraction(radius)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(f"Ball needs a radius; {error}") from None
        if isinstance(dim, bool) or not isinstance(dim, int | np.integer) or dim < 1 or size <= 0:
            raise InvalidInputError(
                "Ball needs a dimension of at least 1 and a radius above 0; got "
                f"{dim!r:.60} and {size!s:.60}."
            )
        object.__setattr__(self, "dim", int(dim))
        object.__setattr__(self, "radius", size)


@dataclass(frozen=True)
class MeanSquare:
    """An estimate of the mean of (N(x) - rho(||x||))^2 for x uniform in a box or ball.

    Attributes
    ----------
    value : float
        The estimate; nothing about it is proved.
    error : float
        How far off the method believes it to be: the cubature's own estimate, or the standard
        error over 16 independent replicates.
    method : str
        "cubature" or "quasi-Monte Carlo".
    n_points : int or None
        Evaluations of the network; None where the cubature does not count them.

    Examples
    --------
    >>> MeanSquare(0.04, 0.001, "cubature", None).root
    0.2
    """

    value: float
    error: float
    method: str
    n_points: int | None

    @property
    def root(self) -> float:
        """The root mean square error, an estimate."""
        return math.sqrt(max(self.value, 0.0))


def radial_mse(
    net: Network, rho: RadialFunction, domain: Box | Ball, *, n_points: int = 2**15, seed: int = 0
) -> MeanSquare:
    """Estimate the mean squared error against rho(||x||) under the uniform distribution.

    Parameters
    ----------
    net : Network
        With one output.
    rho : RadialFunction
    domain : Box or Ball
    n_points : int
        From three dimensions on: points in all, at least 32; rounded down to 16 times a power of
        two.
    seed : int
        Of the scrambling.

    Returns
    -------
    MeanSquare

    Raises
    ------
    InvalidInputError
        Several outputs, a domain of another kind or dimension, too few points.

    Algorithm
    ---------
    In one and two dimensions ``scipy.integrate.cubature``, an adaptive Gauss-Kronrod rule with 15
    points a side, until it believes in four digits or has split 300 times; on a disc in polar
    coordinates. Beyond, the mean over 16 independently scrambled Sobol sequences and its standard
    error; a point of the ball is a normal vector, of length 1 after division, times the d-th root
    of a uniform number.

    Exactness
    ---------
    Floats: an estimate. For proved bounds see `radial_error`.

    Examples
    --------
    The mean of (|x| + |y| - ||x||)^2 over the unit disc is 1 - 3 / pi = 0.04507:

    >>> from plregions.analysis.radial_functions import euclidean_norm
    >>> from plregions.constructions import l1_norm
    >>> found = radial_mse(l1_norm(2), euclidean_norm(), Ball(2))
    >>> found.method, round(found.value, 4)
    ('cubature', 0.0451)
    """
    _check(net, rho, domain)
    whole = isinstance(n_points, int | np.integer) and not isinstance(n_points, bool)
    if not whole or n_points < 2 * REPLICATES:
        raise InvalidInputError(f"radial_mse needs n_points of at least 32; got {n_points!r}.")

    def squares(points: FloatArray) -> FloatArray:
        errors = net(points)[:, 0] - rho.values(np.linalg.norm(points, axis=1))
        return np.asarray(errors * errors, dtype=np.float64)

    if domain.dim <= RULE_DIMENSIONS:
        return _by_rule(squares, domain)
    return _by_points(squares, domain, int(n_points), seed)


def _check(net: Network, rho: object, domain: object) -> None:
    check_networks("radial_mse", net)
    if not isinstance(rho, RadialFunction) or net.output_dim != 1:
        raise InvalidInputError(
            f"radial_mse needs a network with one output and a RadialFunction; got {net!r:.60} "
            f"and {rho!r:.60}."
        )
    if not isinstance(domain, Box | Ball) or domain.dim != net.input_dim:
        raise InvalidInputError(
            f"radial_mse needs a Box or Ball in {net.input_dim} dimensions; got {domain!r:.80}."
        )


def _by_rule(squares: Callable[[FloatArray], FloatArray], domain: Box | Ball) -> MeanSquare:
    from scipy.integrate import cubature

    if isinstance(domain, Box) or domain.dim == 1:
        low, high = _sides(domain)
        value = squares
        volume = float(np.prod(np.subtract(high, low)))
    else:
        radius = float(domain.radius)
        low, high = [0.0, 0.0], [radius, 2 * math.pi]
        volume = math.pi * radius**2

        def value(polar: FloatArray) -> FloatArray:
            r, angle = polar.T
            errors = squares(np.stack([r * np.cos(angle), r * np.sin(angle)], axis=1))
            return np.asarray(r * errors, dtype=np.float64)

    least = 1e-20 * volume
    found = cubature(value, low, high, rule="gk15", rtol=1e-4, atol=least, max_subdivisions=SPLITS)
    return MeanSquare(float(found.estimate) / volume, float(found.error) / volume, "cubature", None)


def _sides(domain: Box | Ball) -> tuple[list[float], list[float]]:
    if isinstance(domain, Ball):
        radius = float(domain.radius)
        return [-radius] * domain.dim, [radius] * domain.dim
    low, high = domain.bounding_box()
    return list(map(float, low)), list(map(float, high))


def _by_points(
    squares: Callable[[FloatArray], FloatArray], domain: Box | Ball, n_points: int, seed: int
) -> MeanSquare:
    from scipy.special import ndtri
    from scipy.stats import qmc

    d, power = domain.dim, (n_points // REPLICATES).bit_length() - 1
    means = []
    for stream in np.random.default_rng(seed).spawn(REPLICATES):
        sequence = qmc.Sobol(d + isinstance(domain, Ball), rng=stream)
        cube = sequence.random_base2(power)
        if isinstance(domain, Ball):
            # Sobol points may be 0, which no normal number belongs to.
            normal = ndtri(np.clip(cube[:, :d], 2.0**-40, 1 - 2.0**-40))
            lengths = np.linalg.norm(normal, axis=1, keepdims=True)
            points = float(domain.radius) * cube[:, d:] ** (1 / d) * normal / lengths
        else:
            low, high = map(np.array, _sides(domain))
            points = low + (high - low) * cube
        means.append(float(squares(points).mean()))
    error = float(np.std(means, ddof=1)) / math.sqrt(REPLICATES)
    return MeanSquare(math.fsum(means) / REPLICATES, error, "quasi-Monte Carlo", 16 << power)

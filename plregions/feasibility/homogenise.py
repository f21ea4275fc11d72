"""Unbounded domains without a radius: one more coordinate, and cones in place of polyhedra.

A point x of R^d becomes the ray of all (t x, t), t > 0, in R^(d+1), and each affine row a.x + c
becomes the linear row a.y + c t. The regions of a network in R^d are the cones in which the
homogenised network, which has no biases and carries t on from layer to layer, keeps its pattern
over the open half-space t > 0. A cone is known by any neighbourhood of 0, so the half-space is cut
to the box 0 <= t <= 1, |y_k| <= 2**h: a bounded domain for the engine. The walls of that box are
artificial. None of them but t = 0 passes through 0, so none of them is redundant or makes another
row redundant near 0; t = 0 is infinity. A network without biases over a domain whose rows go
through 0 has cones for regions as it is: R^d itself is cut to a box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from plregions.domain import Domain
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fractions_of
from plregions.network import Layer, Network

__all__ = ["HomogeneousFrame", "box_rows", "has_cones", "homogenised", "horizon", "scale_for"]

FURTHEST_SCALE = 900


@dataclass(frozen=True)
class HomogeneousFrame:
    """The change of coordinates x = 2**scale * u[:d] / u[d] from cones to points, exact."""

    d: int
    scale: int

    @property
    def middle(self) -> tuple[Fraction, ...]:
        """Nothing is moved, so that homogeneous rows stay homogeneous."""
        return (Fraction(0),) * (self.d + 1)

    @property
    def exponent(self) -> tuple[int, ...]:
        """Binary exponents by which the homogenised network's inputs are scaled."""
        return (*[self.scale] * self.d, 0)

    def to_global(self, u: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Return the exact point x of the ray through u, u[d] > 0."""
        factor = Fraction(2) ** self.scale / u[-1]
        return tuple(v * factor for v in u[:-1])

    def to_local(self, x: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Return a point well inside the box on the ray of the exact point x."""
        factor = Fraction(2) ** self.scale
        u = [v / factor for v in x]
        shrink = Fraction(1, 2)
        while max(map(abs, u), default=Fraction(0)) * shrink > Fraction(1, 2):
            shrink /= 2
        return (*[v * shrink for v in u], shrink)

    def local_row(self, row: Sequence[Fraction]) -> list[Fraction]:
        """Rewrite the row a.x + c as a homogeneous row of u, exactly."""
        factor = Fraction(2) ** self.scale
        return [*(a * factor for a in row[:-1]), row[-1], Fraction(0)]

    def global_row(self, row: Sequence[int]) -> tuple[Fraction, ...]:
        """Rewrite a homogeneous row of u as a row a.x + c, exactly."""
        factor = Fraction(2) ** self.scale
        return (*(a / factor for a in row[:-2]), Fraction(row[-2]))

    def matrix(self) -> fmpz_mat:
        """Return u -> the homogenised network's input, in homogeneous integer coordinates."""
        n = self.d + 2
        large, small = 2 ** max(self.scale, 0), 2 ** max(-self.scale, 0)
        entries = [0] * (n * n)
        for k in range(n):
            entries[k * n + k] = large if k < self.d else small
        return fmpz_mat(n, n, entries)

    def points(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return float64 points x of the local points u, rounded."""
        with np.errstate(over="ignore", under="ignore"):
            x: NDArray[np.float64] = np.ldexp(u[:, :-1] / u[:, -1:], self.scale)
        if not np.isfinite(x).all():
            raise InvalidInputError(
                "interior_points need coordinates within the range of float64; got a region "
                "beyond it. Use exact_point."
            )
        return x


def homogenised(net: Network) -> Network:
    """Return the network of one more input t, without biases, that is t net(y / t) for t > 0.

    Parameters
    ----------
    net : Network
        With input dimension d.

    Returns
    -------
    Network
        With input dimension d + 1, t last. Every layer but the last has one unit more, the last
        one, that carries t on; it has no bit, so patterns and the order of bits stay.

    Exactness
    ---------
    Exact.
    """
    layers = []
    for k, layer in enumerate(net.layers):
        weight = np.concatenate([layer.weight, layer.bias[:, None]], axis=1)
        slopes = layer.slopes
        if k < len(net.layers) - 1:
            carry = np.zeros((1, layer.n_in + 1))
            carry[0, -1] = 1.0
            weight = np.concatenate([weight, carry])
            slopes = np.concatenate([slopes, np.ones((1, 2))])
        layers.append(Layer(weight, None, slopes))
    return Network(layers)


def scale_for(net: Network, domain: Domain) -> int:
    """Return a binary exponent near the distances of first kinks and domain rows from 0.

    Only the rounding of floats depends on it: numbers near 1 are what float proofs like best.
    """
    found = []
    rows = [(row[:-1], row[-1]) for row in domain.exact_rows()]
    first = net.layers[0]
    rows += zip(fractions_of(first.weight), fractions_of(first.bias), strict=True)
    for normal, constant in rows:
        steepest = max(map(abs, normal))
        if steepest and constant:
            found.append(_log2(abs(constant)) - _log2(steepest))
    if not found:
        return 0
    middle = sorted(found)[len(found) // 2]
    return max(-FURTHEST_SCALE, min(FURTHEST_SCALE, middle))


def has_cones(net: Network, domain: Domain) -> bool:
    """Tell whether all rows, the network's and the domain's, are homogeneous as they are."""
    return not any(layer.bias.any() for layer in net.layers) and not any(
        row[-1] for row in domain.exact_rows()
    )


def horizon(d: int) -> list[Fraction]:
    """Return the row t >= 0 in the d + 1 local coordinates."""
    return [Fraction(0)] * d + [Fraction(1), Fraction(0)]


def box_rows(n: int) -> list[list[Fraction]]:
    """Return the rows |u_k| <= 1 of a box in n local coordinates."""
    rows = []
    for k in range(n):
        for sign in (1, -1):
            row = [Fraction(0)] * n + [Fraction(1)]
            row[k] = Fraction(sign)
            rows.append(row)
    return rows


def _log2(value: Fraction) -> int:
    """Return the binary exponent of a positive number, to within 1."""
    return value.numerator.bit_length() - value.denominator.bit_length()

"""How far are two networks apart on a box or polytope, exactly?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from plregions.analysis.bounded_cells import bounded_cells
from plregions.analysis.cell_stream import Limits
from plregions.analysis.simplex_integrals import rounded, total
from plregions.domain import Box, Polytope, Slice
from plregions.exact.words import short_text
from plregions.network import Layer, Network, compose, subtract
from plregions.network.network import check_networks

__all__ = ["Distance", "distance"]

Number: TypeAlias = Fraction | float


@dataclass(frozen=True, eq=False)
class Distance:
    """Distances between two networks f and g on a bounded domain.

    With D = f - g and m outputs; integrals are with respect to the domain's own coordinates.

    Attributes
    ----------
    l1 : Fraction, or float with ``exact=False``
        The integral of sum_i |D_i|.
    l2_squared : Fraction or float
        The integral of sum_i D_i^2: the square of the L2 distance.
    linf : Fraction
        The largest |D_i(x)| over i and x.
    linf_at : tuple of Fraction
        An input where it is attained.
    volume : Fraction or float
        Of the domain: the sum of the volumes of all cells.
    agreeing_volume : Fraction or float
        Of the part where f = g.
    n_cells : int
        Cells on which D is affine and no D_i changes its sign.
    columns : dict of str to ndarray of float64, shape (n_cells,)
        For each cell, rounded: "volume", "l1", "l2_squared", "linf".

    Examples
    --------
    The larger of two numbers against their mean, on the unit square:

    >>> larger = Network([([[1, -1], [0, 1]], [0, 0]), ([[1, 1]], [0])])
    >>> mean = Network([([["1/2", "1/2"]], [0])])
    >>> found = distance(larger, mean, Box([0, 0], [1, 1]))
    >>> str(found.l1), str(found.l2_squared), str(found.linf)
    ('1/6', '1/24', '1/2')
    """

    l1: Number
    l2_squared: Number
    linf: Fraction
    linf_at: tuple[Fraction, ...]
    volume: Number
    agreeing_volume: Number
    n_cells: int
    columns: dict[str, NDArray[np.float64]]

    @property
    def l2(self) -> float:
        """The L2 distance, rounded."""
        return math.sqrt(self.l2_squared)

    @property
    def agreeing_share(self) -> Number:
        """The fraction of the domain's volume where f = g."""
        return self.agreeing_volume / self.volume

    def __repr__(self) -> str:
        names = ("l1", "l2_squared", "linf")
        return f"Distance({', '.join(f'{n}={short_text(getattr(self, n))}' for n in names)})"


def distance(
    f: Network,
    g: Network,
    domain: Box | Polytope | Slice,
    *,
    exact: bool = True,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> Distance:
    """Return the L1, squared L2 and L-infinity distances of two networks, and where they agree.

    Parameters
    ----------
    f, g : Network
        With equal input and output dimensions; depths and widths may differ.
    domain : Box, Polytope or Slice
        Bounded.
    exact : bool
        Integrate in rational arithmetic. The sum over thousands of cells of a network with float64
        weights has a denominator of a hundred times as many digits; otherwise the exact values at
        the vertices and the exact volumes of the simplices are rounded first.
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    Distance

    Raises
    ------
    InvalidInputError
        Sizes that do not fit, or an unbounded domain.
    BudgetExhaustedError
        A budget ran out: a part of an integral is of no use.

    Algorithm
    ---------
    The regions of the network |f - g|, whose last units are absolute values, are enumerated. On
    each of them the outputs are affine and not negative. Its exact vertices give the maximum; its
    triangulation from one vertex the integrals: over a simplex of volume V and dimension d with
    values v_0, ..., v_d at its vertices the integral is V sum v_i / (d + 1), and that of the
    square V (sum v_i^2 + (sum v_i)^2) / ((d + 1) (d + 2)). In four dimensions, with float64
    weights, about four milliseconds a cell, and ten in rationals.

    Exactness
    ---------
    Exact, but for `columns`, which are rounded at the end. With ``exact=False`` the sums have a
    relative error below (d + 8) 2^-52 unless numbers underflow, because no term is negative and
    each is a product of numbers that were rounded once; `linf` is exact all the same.

    Examples
    --------
    >>> tree = Network([([[1, -1], [-1, 1]], [0, 0]), ([[1, 1]], [0])])
    >>> steps = Network([([[1, 1], [1, 1]], [0, -1]), ([[1, -2]], [0])])
    >>> distance(tree, steps, Box([0, 0], [1, 1]))
    Distance(l1=1/3, l2_squared=1/6, linf=1)
    """
    check_networks("distance", f, g)
    one = np.eye(f.output_dim)
    size = compose(Network([Layer(one, None, (-1, 1))]), subtract(f, g))
    highest = Fraction(-1)
    at: tuple[Fraction, ...] = ()
    kept: list[tuple[Any, Any, Any]] = []
    agreeing: list[bool] = []
    tops: list[float] = []
    outputs = range(size.output_dim)
    for cell in bounded_cells("distance", size, domain, Limits(workers, max_regions, time_limit)):
        parts = cell.integrals
        top, place = parts.highest()
        if top > highest:
            highest, at = top, cell.point(place)
        agreeing.append(parts.is_zero)
        tops.append(rounded(top.numerator, top.denominator))
        if exact:
            volume: Any = parts.volume()
            sums: list[Any] = [
                sum([parts.of_power(i, p) for i in outputs], fmpq(0)) for p in (1, 2)
            ]
        else:
            volume = parts.rounded_volume()
            sums = [math.fsum([parts.rounded_power(i, p) for i in outputs]) for p in (1, 2)]
        kept.append((volume, *sums))
    volumes, first, second = zip(*kept, strict=True)
    columns = {"volume": volumes, "l1": first, "l2_squared": second}
    floats = {name: [_float(v) for v in column] for name, column in columns.items()}
    same = [v for v, is_equal in zip(volumes, agreeing, strict=True) if is_equal]
    return Distance(
        l1=total(first, exact),
        l2_squared=total(second, exact),
        linf=highest,
        linf_at=domain.embed_exact(at),
        volume=total(volumes, exact),
        agreeing_volume=total(same, exact),
        n_cells=len(kept),
        columns={name: np.array(column) for name, column in (floats | {"linf": tops}).items()},
    )


def _float(value: fmpq | float) -> float:
    return value if isinstance(value, float) else rounded(int(value.p), int(value.q))

"""What is the image of the domain? For each region the polytope of its outputs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plregions.analysis.class_parts import AnyDomain, complete_regions
from plregions.errors import InvalidInputError
from plregions.network import Network
from plregions.regions import RegionComplex

__all__ = ["OutputImages", "output_images"]

Point = tuple[Fraction, ...]


@dataclass(frozen=True, eq=False, repr=False)
class OutputImages:
    """The images of all regions: the network is affine on each, so each image is a polytope.

    The image of the domain is the union of the images of the regions; the image of a region is the
    convex hull of those of its vertices, some of which may lie inside it.

    Attributes
    ----------
    regions : RegionComplex
    values : tuple of tuples of Fraction, length output_dim
        The outputs at each vertex of the complex, numbered as in ``regions.vertices``.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1], [-1]], [0, 0]), ([[1, 0], [0, 1]], [0, 0])])
    >>> images = output_images(net, plr.Box([-1], [2]))
    >>> [[[str(v) for v in point] for point in images.of(r)] for r in range(2)]
    [[['0', '0'], ['0', '1']], [['0', '0'], ['2', '0']]]
    """

    regions: RegionComplex
    values: tuple[Point, ...]

    def of(self, region: int) -> list[Point]:
        """Return the images of a region's vertices, in the order of its vertices."""
        return [self.values[i] for i in self.regions.vertices.of(region).tolist()]

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The values rounded to float64, shape (n_vertices, output_dim)."""
        numbers = [[v.numerator / v.denominator for v in row] for row in self.values]
        shape = len(numbers), self.regions.network.output_dim
        array = np.array(numbers, dtype=np.float64).reshape(shape)
        array.setflags(write=False)
        return array

    def __repr__(self) -> str:
        return f"OutputImages({self.regions.n_regions} regions, {len(self.values)} vertices)"


def output_images(
    network: Network | RegionComplex,
    domain: AnyDomain | None = None,
    *,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> OutputImages:
    """Find the image of each region of a bounded domain, exactly.

    Parameters
    ----------
    network : Network or RegionComplex
        A complex must be complete.
    domain : Box, Polytope or Slice, for a network
        Bounded.
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    OutputImages

    Raises
    ------
    InvalidInputError
        An unbounded domain, an incomplete complex, a region with too many vertices for exact
        arithmetic.
    BudgetExhaustedError
        A budget ran out.

    Algorithm
    ---------
    One exact evaluation of the network at each vertex: the images of a polytope's vertices span its
    image under an affine map.

    Exactness
    ---------
    Exact.
    """
    regions = complete_regions("output_images", network, domain, workers, max_regions, time_limit)
    if not regions.domain.is_bounded:
        raise InvalidInputError(
            f"output_images needs a bounded domain; got {regions.domain!r}. Use Box(lower, upper)."
        )
    network = regions.prepared.network
    return OutputImages(regions, tuple([network.exact(x) for x in regions.vertices.points]))

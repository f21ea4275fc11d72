"""How much of the domain belongs to each class, and in how many components?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from plregions.analysis.boundary import Boundary
from plregions.analysis.class_parts import (
    AnyDomain,
    ClassParts,
    Scores,
    class_parts,
    classes_of,
    complete_regions,
)
from plregions.analysis.simplex_integrals import rounded, total
from plregions.exact.words import short_text
from plregions.network import Network
from plregions.regions import RegionComplex
from plregions.regions.linear import numbered
from plregions.regions.simplices import polytope_volume

__all__ = ["ClassPartition", "argmax_partition"]

IntArray = NDArray[np.int64]
Label = tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class ClassPartition:
    """The domain, divided by which output is largest.

    A label is the tuple of the classes that are equal and largest on a set of full dimension:
    mostly one class. Volumes are in the domain's own coordinates (lengths in one dimension).

    Attributes
    ----------
    parts : ClassParts
        Convex pieces of regions, one label each.
    labels : tuple of tuples of int
        The labels that occur, ascending.
    volumes : tuple of Fraction, or of float with ``exact=False``
        The volume of each label.
    part_labels : ndarray of int64, shape (n_parts,)
        The position in `labels` of each part.
    part_volumes : ndarray of float64, shape (n_parts,)
        Rounded.

    Exactness
    ---------
    Exact; floats are correctly rounded volumes of parts and sums of these with one more rounding.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1], [-1]], [0, 0]), ([[2, 0], [0, 1]], [0, 1])])
    >>> partition = argmax_partition(net, plr.Box([-1], [2]), exact=True)
    >>> partition.labels, partition.volumes, partition.n_components.tolist()
    (((0,), (1,)), (Fraction(3, 2), Fraction(3, 2)), [1, 1])
    """

    parts: ClassParts
    labels: tuple[Label, ...]
    volumes: tuple[Fraction | float, ...]
    part_labels: IntArray
    part_volumes: NDArray[np.float64]

    def volume_of(self, *classes: int) -> Fraction | float:
        """Return the volume on which exactly these classes are largest; 0 if that never is."""
        label = tuple(sorted(classes))
        return self.volumes[self.labels.index(label)] if label in self.labels else 0

    @property
    def has_ties(self) -> bool:
        """Whether several classes are equal and largest on a set of full dimension."""
        return any(len(label) > 1 for label in self.labels)

    @cached_property
    def components(self) -> IntArray:
        """The component of each part, shape (n_parts,), numbered by first parts.

        Parts of one label are joined where they share a facet.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        labels, n = self.parts.labels, len(self.parts)
        pairs = [
            around
            for around in self.parts.facets.values()
            if len(around) == 2 and labels[around[0]] == labels[around[1]]
        ]
        edges = np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
        ones = np.ones(len(edges), dtype=np.int8)
        joined = csr_array((ones, (edges[:, 0], edges[:, 1])), shape=(n, n))
        return numbered(connected_components(joined, directed=False)[1])

    @cached_property
    def n_components(self) -> IntArray:
        """Number of components of each label, shape (n_labels,)."""
        first = np.unique(self.components, return_index=True)[1]
        return np.bincount(self.part_labels[first], minlength=len(self.labels))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return one row a part: "region", "label" such as "3" or "0 1", "volume", "component"."""
        names = np.array([" ".join(map(str, label)) for label in self.labels], dtype=object)
        return {
            "region": self.parts.regions,
            "label": names[self.part_labels],
            "volume": self.part_volumes,
            "component": self.components,
        }

    def __repr__(self) -> str:
        found = ", ".join(
            f"{self.parts.scores.name(label)}: "
            + (f"{size:.6g}" if isinstance(size, float) else short_text(size))
            for label, size in zip(self.labels, self.volumes, strict=True)
        )
        return f"ClassPartition({len(self.parts)} parts, volumes {{{found}}})"


def argmax_partition(
    network: Network | RegionComplex | Boundary,
    domain: AnyDomain | None = None,
    *,
    exact: bool = False,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> ClassPartition:
    """Divide a bounded domain by which output is largest, and measure the shares.

    Parameters
    ----------
    network : Network, RegionComplex or Boundary
        A complex must be complete. Of a boundary the parts are taken as they are; for a level set
        the classes are 0, above, and 1, below.
    domain : Box, Polytope or Slice, for a network
        Bounded.
    exact : bool
        Add up the volumes as Fractions: their denominators become as long as all parts' together.
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    ClassPartition

    Raises
    ------
    InvalidInputError
        An unbounded domain, an incomplete complex, a region with too many vertices for exact
        arithmetic.
    BudgetExhaustedError
        A budget ran out.

    Algorithm
    ---------
    Each region is cut where its largest output changes; see `decision_boundary`. The volume of a
    part is a sum of determinants over a triangulation.

    Exactness
    ---------
    Which part has which label is exact, and so are the volumes with ``exact=True``.

    Examples
    --------
    >>> import plregions as plr
    >>> larger = plr.Network([([[1, 0], [0, 1]], [0, 0]), ([[1, 0], [0, 1]], [0, 0])])
    >>> argmax_partition(larger, plr.Box([-1, -1], [1, 1]))
    ClassPartition(5 parts, volumes {0: 1.5, 0=1: 1, 1: 1.5})
    """
    if isinstance(network, Boundary):
        parts = network.parts
    else:
        regions = complete_regions(
            "argmax_partition", network, domain, workers, max_regions, time_limit
        )
        parts = class_parts(Scores(regions))
    dim = parts.scores.regions.domain.dim
    exact_volumes = []
    for corners, tight in zip(parts.corners, parts.tight, strict=True):
        volume = polytope_volume([parts.points[index] for index in corners], tight, dim)
        exact_volumes.append(fmpq(volume.numerator, volume.denominator))
    given = [classes_of(label) for label in parts.labels]
    labels = tuple(sorted(set(given)))
    place = {label: k for k, label in enumerate(labels)}
    part_labels = np.array([place[label] for label in given], dtype=np.int64)
    part_volumes = np.array([rounded(int(v.p), int(v.q)) for v in exact_volumes])
    for column in (part_labels, part_volumes):
        column.setflags(write=False)
    terms = exact_volumes if exact else part_volumes.tolist()
    sums = [
        total([terms[p] for p in np.flatnonzero(part_labels == k).tolist()], exact)
        for k in range(len(labels))
    ]
    return ClassPartition(parts, labels, tuple(sums), part_labels, part_volumes)

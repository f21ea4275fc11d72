"""How many pieces, tunnels and cavities has a boundary, a sublevel set or the set of a class?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plregions.analysis.boundary_ranks import boundary_ranks
from plregions.analysis.widths import whole
from plregions.domain import Box, Domain, Polytope, Slice, WholeSpace
from plregions.enumeration import enumerate_regions
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fraction
from plregions.network import Layer, Network, compose
from plregions.regions import RegionComplex
from plregions.regions.faces import FaceLattice, faces

__all__ = ["Betti", "betti_numbers", "betti_of_faces"]

Of = Literal["boundary", "sublevel", "superlevel", "class"]
Signs = NDArray[np.int8]
Kept = NDArray[np.bool_]

# Which signs of f - level a set holds.
SIGNS = {"boundary": (0,), "sublevel": (-1, 0), "superlevel": (0, 1)}


@dataclass(frozen=True)
class Betti:
    """The Betti numbers over GF(2) of a closed set in a domain of dimension d.

    Attributes
    ----------
    numbers : tuple of int, length d + 1
        b_0 connected pieces, b_1 independent closed curves that bound nothing in the set, b_2
        cavities. b_d is 0 for every set in R^d. All are 0 for the empty set.
    n_faces : tuple of int, length d + 1
        The faces of each dimension into which the set was divided.

    Examples
    --------
    >>> ring = Betti((1, 1, 0), (8, 12, 4))
    >>> ring.n_components, ring.euler_characteristic, ring.dim
    (1, 0, 2)
    """

    numbers: tuple[int, ...]
    n_faces: tuple[int, ...]

    @property
    def n_components(self) -> int:
        """The number of connected pieces."""
        return self.numbers[0]

    @property
    def euler_characteristic(self) -> int:
        """The alternating sum of the numbers of faces, equal to that of the Betti numbers."""
        return sum((-1) ** k * n for k, n in enumerate(self.n_faces))

    @property
    def dim(self) -> int:
        """The largest dimension of a face of the set; -1 for the empty set."""
        return max((k for k, n in enumerate(self.n_faces) if n), default=-1)

    @property
    def is_empty(self) -> bool:
        """Whether no point belongs to the set."""
        return self.dim < 0


def betti_numbers(
    network: Network | RegionComplex,
    domain: Domain | None = None,
    of: Of = "boundary",
    *,
    level: Any = 0,
    output: int | None = None,
    label: int | None = None,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> Betti:
    """Return the Betti numbers of a decision boundary, a sublevel set or the set of a class.

    Parameters
    ----------
    network : Network or RegionComplex
        Of a complex its network and domain are taken.
    domain : Box, Polytope or Slice
        Bounded; left out for a complex.
    of : {"boundary", "sublevel", "superlevel", "class"}
        "boundary": with one output, or a chosen one, the set {f = level}; else where two or more
        outputs are largest. "sublevel": {f <= level}. "superlevel": {f >= level}. "class": where
        no output exceeds output `label`. All are closed sets in the domain, which is closed.
    level : number
        float, int, Fraction or str; a float stands for its exact value.
    output : int, optional
        Which output f is; not needed where there is one only.
    label : int, optional
        For "class": the output.
    workers, max_regions, time_limit
        As for `enumerate_regions`.

    Returns
    -------
    Betti

    Raises
    ------
    InvalidInputError
        An unbounded domain, or options that do not fit.
    BudgetExhaustedError
        A budget ran out.
    KeyboardInterrupt
        As it comes.

    Algorithm
    ---------
    A layer of ReLU neurons f - level, or of differences of outputs, is put on top of the network
    and all faces of its regions are found. These neurons have one sign in the interior of each
    face, so that the set is a union of faces; see `betti_of_faces`. Where a neuron is 0 on a whole
    region, the region belongs to the boundary and to the sets on both of its sides. A class needs
    one neuron for each other output, the boundary between m classes m (m - 1) / 2. The cost is
    that of the regions and their exact vertices; ranks take a few per cent of it.

    Exactness
    ---------
    Exact: signs are those of rational numbers at the exact vertices. In up to three dimensions
    the numbers are the same over the rationals, since such a set has no torsion.

    Examples
    --------
    The ring 1 <= |x| + |y| <= 3, its two boundary curves, and the two pieces outside, one of them
    around the ring:

    >>> import plregions as plr
    >>> norm = ([[1, 0], [0, 1]], [0, 0], (-1, 1))
    >>> net = plr.Network([norm, ([[1, 1]], [-2], (-1, 1)), ([[1]], [0])])
    >>> square = plr.Box([-4, -4], [4, 4])
    >>> betti_numbers(net, square, "sublevel", level=1).numbers
    (1, 1, 0)
    >>> betti_numbers(net, square, level=1).numbers
    (2, 2, 0)
    >>> betti_numbers(net, square, "superlevel", level=1).numbers
    (2, 1, 0)

    References
    ----------
    Masden 2022, "Algorithmic determination of the combinatorial structure of the linear regions of
    ReLU neural networks", for the topology of decision boundaries of generic networks.
    """
    net, where = network, domain
    if isinstance(network, RegionComplex):
        if domain is not None:
            raise InvalidInputError(
                "betti_numbers needs no domain beside a complex; got both. Leave the domain out."
            )
        net, where = network.network, network.domain
    if not isinstance(net, Network):
        raise InvalidInputError(
            f"betti_numbers needs a Network or RegionComplex; got {type(net).__name__}."
        )
    if not isinstance(where, Box | Polytope | WholeSpace | Slice) or not where.is_bounded:
        raise InvalidInputError(
            f"betti_numbers needs a bounded domain; got {where!r:.80}. Use Box(lower, upper)."
        )
    top, holds = _question(net, of, level, output, label)
    regions = enumerate_regions(
        compose(Network([top]), net),
        where,
        workers=workers,
        max_regions=max_regions,
        time_limit=time_limit,
        on_budget="raise",
    )
    if not regions.is_complete:
        raise KeyboardInterrupt
    lattice = faces(regions)
    first = regions.n_bits - top.n_out
    return betti_of_faces(
        lattice, [holds(lattice.signs(k)[:, first:]) for k in range(lattice.dim + 1)]
    )


def betti_of_faces(lattice: FaceLattice, kept: Sequence[Kept]) -> Betti:
    """Return the Betti numbers over GF(2) of a union of closed faces.

    Parameters
    ----------
    lattice : FaceLattice
    kept : sequence of ndarray of bool, the k-th of shape (f_k,), k = 0 .. dim
        Which k-faces belong to the set; with a face, all faces of it.

    Returns
    -------
    Betti

    Raises
    ------
    InvalidInputError
        Flags that do not fit, or a face without one of its faces.

    Algorithm
    ---------
    Faces are convex polytopes, hence cells of a regular complex, whose boundary map over GF(2) is
    the incidence of facets. b_k = n_k - rank of the k-th map - rank of the next; see
    `boundary_ranks`.

    Exactness
    ---------
    Exact.

    Examples
    --------
    The domain's own boundary:

    >>> import plregions as plr
    >>> regions = plr.enumerate_regions(plr.mlp("3-4-1"), plr.hypercube(3))
    >>> lattice = faces(regions)
    >>> betti_of_faces(lattice, [lattice.is_on_boundary(k) for k in range(4)]).numbers
    (1, 0, 1, 0)
    """
    flags = [np.asarray(flag, dtype=np.bool_) for flag in kept]
    if [flag.shape for flag in flags] != [(n,) for n in lattice.f_vector]:
        raise InvalidInputError(
            f"betti_of_faces needs a flag for each of the faces {lattice.f_vector}; got shapes "
            f"{[flag.shape for flag in flags]}."
        )
    boundaries = []
    for k, boundary in enumerate(lattice.boundaries, start=1):
        inside = boundary[:, flags[k]]
        if (np.diff(inside.indptr)[~flags[k - 1]] > 0).any():
            raise InvalidInputError(
                f"betti_of_faces needs a closed set; got a {k}-face without one of its facets. "
                "Keep all faces of the faces that are kept."
            )
        boundaries.append(inside[flags[k - 1]])
    counts = [int(flag.sum()) for flag in flags]
    ranks = (0, *boundary_ranks(boundaries), 0)
    numbers = [n - ranks[k] - ranks[k + 1] for k, n in enumerate(counts)]
    return Betti(tuple(numbers), tuple(counts))


def _question(
    network: Network, of: str, level: Any, output: int | None, label: int | None
) -> tuple[Layer, Callable[[Signs], Kept]]:
    """Return the layer to put on top, and which signs of its neurons belong to the set."""
    m = network.output_dim
    if of not in ("class", *SIGNS):
        raise InvalidInputError(
            'betti_numbers needs of to be "boundary", "sublevel", "superlevel" or "class"; got '
            f"{of!r}."
        )
    if (label is None) == (of == "class"):
        raise InvalidInputError(
            f'betti_numbers needs a label for of="class" and for nothing else; got of={of!r} and '
            f"label={label!r}."
        )
    try:
        height = fraction(level)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"betti_numbers needs a finite level; {error}") from None
    if of == "class" or (of == "boundary" and output is None and m > 1):
        if m == 1 or output is not None or height:
            raise InvalidInputError(
                f"betti_numbers of={of!r} needs two or more outputs to compare, and neither "
                f"output nor level; got {m} outputs, output={output!r} and level={level!r}. For "
                "one output ask for its boundary, sublevel or superlevel set."
            )
        pairs = list(combinations(range(m), 2))
        if of == "boundary":
            return _differences(pairs, m), lambda signs: _has_tie(signs, pairs, m)
        own = _place("label", label, m)
        others = [(own, other) for other in range(m) if other != own]
        return _differences(others, m), lambda signs: _has_signs(signs, SIGNS["superlevel"])
    if output is None and m > 1:
        raise InvalidInputError(
            f"betti_numbers of={of!r} needs an output; got a network with {m} outputs. Give one "
            f"from 0 to {m - 1}."
        )
    row = [0] * m
    row[_place("output", 0 if output is None else output, m)] = 1
    return Layer([row], [-height], "relu"), lambda signs: _has_signs(signs, SIGNS[of])


def _place(name: str, value: Any, m: int) -> int:
    number = whole("betti_numbers", name, value)
    if number >= m:
        raise InvalidInputError(
            f"betti_numbers needs {name} to be from 0 to {m - 1}; got {number}."
        )
    return number


def _differences(pairs: Sequence[tuple[int, int]], m: int) -> Layer:
    """Return a layer with a neuron for each difference of two outputs."""
    rows = np.zeros((len(pairs), m))
    for row, (i, j) in zip(rows, pairs, strict=True):
        row[i], row[j] = 1, -1
    return Layer(rows, None, "relu")


def _has_signs(signs: Signs, allowed: tuple[int, ...]) -> Kept:
    return np.asarray(np.isin(signs, allowed).all(axis=1), dtype=np.bool_)


def _has_tie(signs: Signs, pairs: Sequence[tuple[int, int]], m: int) -> Kept:
    """Tell where two outputs or more are largest, from the signs of all differences."""
    is_largest = np.ones((len(signs), m), dtype=np.bool_)
    for sign, (i, j) in zip(signs.T, pairs, strict=True):
        is_largest[:, i] &= sign >= 0
        is_largest[:, j] &= sign <= 0
    return np.asarray(is_largest.sum(axis=1) >= 2, dtype=np.bool_)

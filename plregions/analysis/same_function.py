"""Are two networks the same function on a domain, on its corners, or in their labels?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from plregions.analysis.cell_stream import Cells, Limits
from plregions.analysis.label_order import label_network, labels_of
from plregions.analysis.largest_output import Climb
from plregions.analysis.vertex_values import compare_vertices
from plregions.domain import Box, Polytope, Slice, WholeSpace, hypercube
from plregions.domain.base import value_of
from plregions.errors import InvalidInputError
from plregions.exact.words import short_text
from plregions.network import Network, restrict, side_by_side, subtract
from plregions.network.network import check_networks
from plregions.network.residues import is_zero_map
from plregions.regions import RegionComplex

__all__ = ["Agreement", "agreement", "input_direction"]

Point = tuple[Fraction, ...]
On = Literal["domain", "vertices"]
Of = Literal["outputs", "argmax"]
AnyDomain = Box | Polytope | WholeSpace | Slice


@dataclass(frozen=True)
class Agreement:
    """Whether two networks agree, and what proves it.

    Points are inputs of the networks (for a slice: points of the slice among the inputs).

    Attributes
    ----------
    holds : bool or None
        True: equal everywhere, proved. False: they differ at `witness`. None: a budget ran out
        before a difference was found or excluded.
    on : str
        "domain" or "vertices".
    of : str
        "outputs" or "argmax".
    witness : tuple of Fraction or None
        The first point found at which they differ. For vertices: the first one in binary order.
    values : (tuple of Fraction, tuple of Fraction) or None
        Outputs of f and of g there.
    gap : Fraction, math.inf or None
        The largest ``|f_i(x) - g_i(x)|`` over x and i: exact if all cells were checked, else that
        found so far. None where it was not asked for and for "argmax".
    gap_at : tuple of Fraction or None
        A point where `gap` is attained; for an infinite gap the foot of `ray`.
    ray : tuple of Fraction or None
        For an infinite gap: a direction along which the difference grows for ever.
    n_checked : int
        Cells of the common refinement, or vertices, that were compared.
    n_different : int
        How many of these differ.
    n_ties : int
        For "argmax": how many of them have a tie for the largest output, of f or of g.
    stopped_by : str or None
        "time_limit", "max_regions" or "interrupt" where not all were compared.
    evidence : str
        What proves the answer, in words.

    Examples
    --------
    >>> f = Network([([[1], [-1]], [0, 0]), ([[1, 1]], [0])])
    >>> g = Network([([[1]], [0], (-1, 1))])
    >>> agreement(f, g, WholeSpace(1)).holds
    True
    """

    holds: bool | None
    on: str
    of: str
    witness: Point | None
    values: tuple[Point, Point] | None
    gap: Fraction | float | None
    gap_at: Point | None
    ray: Point | None
    n_checked: int
    n_different: int
    n_ties: int
    stopped_by: str | None
    evidence: str

    def __bool__(self) -> bool:
        """Whether agreement is proved."""
        return self.holds is True

    def verify(self, f: Network, g: Network) -> bool:
        """Tell whether the points of this answer show what it says, by exact evaluation.

        Parameters
        ----------
        f, g : Network
            The networks that were compared.

        Returns
        -------
        bool
            True iff they differ at `witness`, if there is one, the difference at `gap_at` is
            `gap`, and it grows along `ray`. That nothing differs elsewhere is not replayed.
        """
        if self.witness is not None:
            at_f, at_g = f.exact(self.witness), g.exact(self.witness)
            if self.of == "argmax":
                if _largest(at_f) == _largest(at_g):
                    return False
            elif at_f == at_g or (at_f, at_g) != self.values:
                return False
        if self.gap_at is None:
            return True
        here = _gap(f, g, self.gap_at)
        if self.ray is None:
            return here == self.gap
        steps = [
            _gap(f, g, tuple(a + k * v for a, v in zip(self.gap_at, self.ray, strict=True)))
            for k in (1, 2)
        ]
        return here < steps[0] < steps[1]

    def __repr__(self) -> str:
        noun = "cells" if self.on == "domain" else "vertices"
        words = {True: "holds", False: "fails", None: "unknown"}[self.holds]
        gap = "" if self.gap is None else f", gap {short_text(self.gap)}"
        stopped = "" if self.stopped_by is None else f", stopped by {self.stopped_by}"
        return f"Agreement({words}, {self.n_checked} {noun}{gap}{stopped})"


def agreement(
    f: Network,
    g: Network,
    domain: AnyDomain | None = None,
    *,
    on: On = "domain",
    of: Of = "outputs",
    gap: bool = True,
    workers: int = 1,
    max_regions: int | None = None,
    time_limit: float | None = None,
) -> Agreement:
    """Decide whether two networks are equal at every point of a domain, or at its vertices.

    Equal on all vertices does not imply equal on the cube: |a - b| and relu(a + b) - 2 relu(a + b
    - 1) are both the parity of a and b.

    Parameters
    ----------
    f, g : Network
        With equal input and output dimensions; depths and widths may differ.
    domain : Box, Polytope, WholeSpace or Slice, default [0, 1]^d
        For ``on="vertices"`` a Box.
    on : {"domain", "vertices"}
        The solid domain, or the 2^d corners of the box.
    of : {"outputs", "argmax"}
        Equal outputs, or equal labels: the set of outputs that are largest. On a solid domain
        labels are compared in the interior of every cell on which the order of the outputs does
        not change; on the walls between them nothing is claimed.
    gap : bool
        Look for the largest difference too. Otherwise stop at the first difference.
    workers, max_regions, time_limit
        As for `enumerate_regions`; not used for vertices.

    Returns
    -------
    Agreement

    Raises
    ------
    InvalidInputError
        Sizes that do not fit, wrong options, vertices of something else than a box or in more
        than 24 dimensions.

    Algorithm
    ---------
    Solid domain: the activation regions of the network f - g are enumerated; f = g iff its affine
    map is 0 in every one of them, which is decided for thousands at a time modulo primes. The gap
    is the maximum of a linear program in one of these cells, and proved by one more enumeration: no
    cell has a point where an output passes it. Labels: the same for the network of all
    differences f_i - f_j and g_i - g_j. Vertices: forward passes in integers, in chunks.

    Exactness
    ---------
    Exact. Unbounded domains too; a gap that is infinite comes with a ray.

    Examples
    --------
    >>> tree = Network([([[1, -1], [-1, 1]], [0, 0]), ([[1, 1]], [0])])
    >>> steps = Network([([[1, 1], [1, 1]], [0, -1]), ([[1, -2]], [0])])
    >>> agreement(tree, steps, on="vertices").holds
    True
    >>> answer = agreement(tree, steps)
    >>> answer.holds, answer.gap, answer.gap_at
    (False, Fraction(1, 1), (Fraction(1, 2), Fraction(1, 2)))
    """
    _check(f, g, on, of)
    where = hypercube(f.input_dim) if domain is None else domain
    if not isinstance(where, AnyDomain):
        raise InvalidInputError(
            f"agreement needs a Box, Polytope, WholeSpace or Slice; got {type(where).__name__}. "
            "Use Box(lower, upper)."
        )
    if on == "vertices":
        return _on_vertices(f, g, where, of)
    limits = Limits(workers, max_regions, time_limit)
    if of == "argmax":
        return _of_labels(f, g, where, limits)
    return _of_outputs(f, g, where, limits, gap)


def _of_outputs(f: Network, g: Network, where: AnyDomain, limits: Limits, gap: bool) -> Agreement:
    difference, base = restrict(subtract(f, g), where)
    cells, climb = Cells(difference, base, limits), Climb(difference, base, limits)
    witness: Point | None = None
    n_different = n_checked = 0
    try:
        for chunk in cells:
            nonzero = np.flatnonzero(~is_zero_map(difference, chunk.patterns))
            if len(nonzero) and witness is None:
                witness = _point_of_difference(difference, chunk, int(nonzero[0]))
            # Counted together, when all is known: an interrupt leaves no cell half counted.
            n_checked, n_different = n_checked + chunk.n_regions, n_different + len(nonzero)
            if witness is not None and not gap:
                break
            climb.look_at(chunk, nonzero)
            cells.stopped_by = climb.stopped_by
        if cells.stopped_by is None and gap:
            climb.finish()
    except KeyboardInterrupt:
        cells.stopped_by = "interrupt"
    best = climb.highest if gap else None
    height = None if best is None else best.height
    if gap and witness is None:
        height = Fraction(0)
    return _answer(
        f,
        g,
        where,
        "outputs",
        witness,
        n_checked=n_checked,
        n_different=n_different,
        stopped_by=cells.stopped_by or climb.stopped_by,
        gap=height,
        gap_at=None if best is None else where.embed_exact(best.point),
        ray=None if best is None or best.ray is None else input_direction(where, best.ray),
        evidence=f"in {n_checked - n_different} cells of the common refinement the affine map of "
        f"f - g is 0 in exact arithmetic, in {n_different} it is not",
    )


def _point_of_difference(difference: Network, chunk: RegionComplex, index: int) -> Point:
    """Return a point of a cell at which the output is not 0, given that its map is not."""
    x = chunk.exact_point(index)
    if any(difference.exact(x)):
        return x
    bits = chunk.patterns[index]
    weight, _ = difference.affine_map(bits, exact=True)
    # The map is 0 at x and not everywhere, so that it changes along its own gradient.
    slope = next(row for row in weight.tolist() if any(row))
    rows = [row for row, _ in chunk.rows_of(index)]
    step = Fraction(1)
    while True:
        moved = tuple(a + step * b for a, b in zip(x, slope, strict=True))
        if all(value_of(row, moved) > 0 for row in rows):
            return moved
        step /= 2


def _of_labels(f: Network, g: Network, where: AnyDomain, limits: Limits) -> Agreement:
    m = f.output_dim
    order, base = restrict(label_network(f, g), where)
    cells = Cells(order, base, limits)
    witness: Point | None = None
    n_different = n_checked = n_ties = 0
    try:
        for chunk in cells:
            of_f, of_g = labels_of(chunk.patterns, m)
            different = np.flatnonzero((of_f != of_g).any(axis=1))
            tied = int(((of_f.sum(axis=1) > 1) | (of_g.sum(axis=1) > 1)).sum())
            if len(different) and witness is None:
                witness = chunk.exact_point(int(different[0]))
            n_checked, n_different = n_checked + chunk.n_regions, n_different + len(different)
            n_ties += tied
    except KeyboardInterrupt:
        cells.stopped_by = "interrupt"
    return _answer(
        f,
        g,
        where,
        "argmax",
        witness,
        n_checked=n_checked,
        n_different=n_different,
        n_ties=n_ties,
        stopped_by=cells.stopped_by,
        evidence=f"in {n_checked - n_different} cells with one order of the outputs the largest "
        f"ones are the same, in {n_different} they are not; {n_ties} cells have ties throughout",
    )


def _on_vertices(f: Network, g: Network, where: AnyDomain, of: Of) -> Agreement:
    if not isinstance(where, Box):
        raise InvalidInputError(
            f"agreement needs a Box for its vertices; got {type(where).__name__}. Use "
            "Box(lower, upper)."
        )
    lower, upper = where.bounding_box()
    sides = np.zeros((where.dim, where.dim), dtype=object)
    np.fill_diagonal(sides, [b - a for a, b in zip(lower, upper, strict=True)])
    corners = Slice(lower, sides, hypercube(where.dim))
    both = subtract(f, g) if of == "outputs" else side_by_side(f, g)
    found = compare_vertices(restrict(both, corners)[0], of_labels=of == "argmax")
    return _answer(
        f,
        g,
        corners,
        of,
        found.witness,
        on="vertices",
        n_checked=found.n_vertices,
        n_different=found.n_different,
        n_ties=found.n_ties,
        gap=found.gap,
        gap_at=None if found.gap_at is None else corners.embed_exact(found.gap_at),
        evidence=f"{found.n_vertices} vertices: {found.n_in_integers} compared in whole numbers, "
        f"{found.n_by_bounds} by floats with proven error bounds, {found.n_in_rationals} in "
        "rationals",
    )


def _answer(
    f: Network,
    g: Network,
    where: AnyDomain,
    of: str,
    local_witness: Any,
    *,
    n_checked: int,
    n_different: int,
    evidence: str,
    on: str = "domain",
    n_ties: int = 0,
    stopped_by: str | None = None,
    gap: Fraction | float | None = None,
    gap_at: Point | None = None,
    ray: Point | None = None,
) -> Agreement:
    witness = None if local_witness is None else where.embed_exact(local_witness)
    holds = False if n_different or witness is not None else None if stopped_by else True
    values = None if witness is None else (f.exact(witness), g.exact(witness))
    return Agreement(
        holds,
        on,
        of,
        witness,
        values,
        gap,
        gap_at,
        ray,
        n_checked,
        n_different,
        n_ties,
        stopped_by,
        evidence,
    )


def _check(f: Network, g: Network, on: str, of: str) -> None:
    check_networks("agreement", f, g)
    if on not in ("domain", "vertices"):
        raise InvalidInputError(f'agreement needs on="domain" or on="vertices"; got {on!r}.')
    if of not in ("outputs", "argmax"):
        raise InvalidInputError(f'agreement needs of="outputs" or of="argmax"; got {of!r}.')
    if (f.input_dim, f.output_dim) != (g.input_dim, g.output_dim):
        raise InvalidInputError(
            "agreement needs networks with equal numbers of inputs and outputs; got "
            f"{f.input_dim} -> {f.output_dim} and {g.input_dim} -> {g.output_dim}."
        )
    if of == "argmax" and f.output_dim < 2:
        raise InvalidInputError(
            'agreement of="argmax" needs networks with at least 2 outputs; got 1.'
        )


def input_direction(where: AnyDomain, ray: Point) -> Point:
    """Return a direction of the domain's coordinates as one of the inputs."""
    origin = where.embed_exact([Fraction(0)] * where.dim)
    return tuple(b - a for a, b in zip(origin, where.embed_exact(ray), strict=True))


def _gap(f: Network, g: Network, x: Point) -> Fraction:
    return max(abs(a - b) for a, b in zip(f.exact(x), g.exact(x), strict=True))


def _largest(values: Point) -> list[int]:
    top = max(values)
    return [i for i, v in enumerate(values) if v == top]

"""How many regions does an arrangement of hyperplanes have? Counted without any geometry.

The characteristic polynomial chi of an arrangement in R^d obeys chi(A) = chi(A without H) -
chi(A cut with H). It tells the regions, (-1)^d chi(-1), and those that are bounded (Zaslavsky).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

from plregions.domain import Domain
from plregions.errors import InvalidInputError
from plregions.exact.arrays import exact_array, fractions_of
from plregions.exact.integers import primitive_row
from plregions.exact.linear import rank
from plregions.exact.lp import maximise
from plregions.network import Network
from plregions.network.network import check_networks

__all__ = [
    "Arrangement",
    "bounded_regions",
    "characteristic_polynomial",
    "first_layer_arrangement",
    "flats_in_domain",
    "regions_in_domain",
    "regions_in_space",
]

Plane = tuple[int, ...]
Polynomial = tuple[int, ...]


@dataclass(frozen=True, init=False)
class Arrangement:
    """Some distinct hyperplanes n.x + c = 0 in R^d.

    Parameters
    ----------
    rows : array_like or sequence of sequences, shape (m, d + 1)
        (n, c) for each hyperplane: floats, integers, Fractions or strings such as "1/3"; a float
        stands for its exact value. Multiples of one row are one hyperplane. Rows with n = 0 are
        no hyperplanes and are left out, whatever c is. Parallel hyperplanes are welcome.
    dim : int, optional
        d; needed only where there are no rows.

    Attributes
    ----------
    planes : tuple of tuples of int
        The hyperplanes as coprime integers with a positive first entry, sorted.
    dim : int
        d.

    Raises
    ------
    InvalidInputError
        Rows of other shapes, numbers that are not finite, neither rows nor `dim`.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> Arrangement([[1, 0, -1], [-2, 0, 2], [0, "1/2", 0], [0, 0, 5]])
    Arrangement(planes=((0, 1, 0), (1, 0, -1)), dim=2)
    """

    planes: tuple[Plane, ...]
    dim: int

    def __init__(self, rows: Any, dim: int | None = None) -> None:
        given = list(rows)
        if given:
            try:
                array = exact_array(given, 2)
            except (TypeError, ValueError) as error:
                raise InvalidInputError(
                    f"Arrangement needs rows (n, c) of finite numbers; {error}"
                ) from None
            exact = [fractions_of(row) for row in array]
            width = len(exact[0])
            if width < 2 or (dim is not None and width != dim + 1):
                raise InvalidInputError(
                    f"Arrangement needs rows (n, c) of {'two or more' if dim is None else dim + 1}"
                    f" numbers; got {width}."
                )
        elif dim is None or dim < 1:
            raise InvalidInputError(
                f"Arrangement needs rows or a dimension of at least 1; got no rows and dim={dim!r}."
            )
        else:
            exact, width = [], dim + 1
        planes = {_plane(primitive_row(row)) for row in exact if any(row[:-1])}
        object.__setattr__(self, "planes", tuple(sorted(planes)))
        object.__setattr__(self, "dim", width - 1)

    def __len__(self) -> int:
        return len(self.planes)

    @property
    def rank(self) -> int:
        """The rank of the normals; dim - rank is the dimension of the lines in every region."""
        return rank([plane[:-1] for plane in self.planes])


ArrangementLike = Arrangement | Iterable[Sequence[Any]]


def first_layer_arrangement(net: Network) -> Arrangement:
    """Return the zero sets of the first layer's neurons.

    Parameters
    ----------
    net : Network

    Returns
    -------
    Arrangement
        Of the units with a kink; equal, opposite and proportional ones make one hyperplane, and
        units without weights make none.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> first_layer_arrangement(Network([([[1, 1], [-1, -1], [0, 0]], [1, -1, 2])])).dim
    2
    >>> net = Network([([[1, 1], [-1, -1], [1, 0]], [1, -1, 2]), ([[1, 1, 1]], [0])])
    >>> first_layer_arrangement(net).planes
    ((1, 0, 2), (1, 1, 1))
    """
    check_networks("first_layer_arrangement", net)
    layer = net.layers[0]
    rows = layer.integer_form.matrix.tolist()[:-1]
    kept = [list(map(int, r)) for r, bit in zip(rows, layer.has_bit, strict=True) if bit]
    return Arrangement(kept, net.input_dim)


def characteristic_polynomial(arrangement: ArrangementLike) -> Polynomial:
    """Return the coefficients of the characteristic polynomial, that of t^0 first.

    Parameters
    ----------
    arrangement : Arrangement, or rows as `Arrangement` takes them

    Returns
    -------
    tuple of int, length d + 1
        The last is 1.

    Raises
    ------
    InvalidInputError
        Rows that `Arrangement` refuses.

    Algorithm
    ---------
    Deletion and restriction: chi = t^d - sum_i chi(the first i - 1 hyperplanes, cut with the i-th).
    A restriction is written in the coordinates that its flat leaves free (those of the reduced
    echelon form), as primitive integer rows, so that flats reached in different orders are found
    in the memory of the call. Hyperplanes parallel to the one that is cut disappear, and those that
    meet it in the same place become one. The cost grows with the number of flats: less than a
    second for the 32 threshold hyperplanes in R^6, some seconds for 64 in R^7.

    Exactness
    ---------
    Exact.

    References
    ----------
    T. Zaslavsky, "Facing up to arrangements", Memoirs of the AMS 154 (1975).

    Examples
    --------
    The braid arrangement x_i = x_j in R^3, t (t - 1) (t - 2):

    >>> characteristic_polynomial([[1, -1, 0, 0], [1, 0, -1, 0], [0, 1, -1, 0]])
    (0, 2, -3, 1)
    """
    made = _arrangement(arrangement)
    return _polynomial(made.planes, made.dim, {})


def regions_in_space(arrangement: ArrangementLike) -> int:
    """Return the number of regions of an arrangement in R^d: (-1)^d chi(-1).

    It is the number of activation regions of one hidden layer with these hyperplanes, and of linear
    regions where no kinks cancel.

    Parameters
    ----------
    arrangement : Arrangement, or rows as `Arrangement` takes them

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Rows that `Arrangement` refuses.

    Algorithm
    ---------
    `characteristic_polynomial`.

    Exactness
    ---------
    Exact.

    References
    ----------
    Zaslavsky (1975), Theorem A.

    Examples
    --------
    >>> regions_in_space([[1, 0, 0], [0, 1, 0], [1, 1, -1]])
    7
    """
    return sum(abs(a) for a in characteristic_polynomial(arrangement))


def bounded_regions(arrangement: ArrangementLike) -> int:
    """Return the number of regions that are bounded but for the lines that lie in all regions.

    With t^k the lowest power of t in chi, it is |(chi / t^k)(1)|; k is the dimension of these
    lines. For k = 0 the regions are bounded.

    Parameters
    ----------
    arrangement : Arrangement, or rows as `Arrangement` takes them

    Returns
    -------
    int
        1 without any hyperplane.

    Raises
    ------
    InvalidInputError
        Rows that `Arrangement` refuses.

    Algorithm
    ---------
    `characteristic_polynomial`.

    Exactness
    ---------
    Exact.

    References
    ----------
    Zaslavsky (1975), Theorem C.

    Examples
    --------
    >>> bounded_regions([[1, 0, 0], [0, 1, 0], [1, 1, -1]])
    1
    """
    return abs(sum(characteristic_polynomial(arrangement)))


def flats_in_domain(arrangement: ArrangementLike, domain: Domain) -> tuple[int, ...]:
    """Count the flats of an arrangement that meet the interior of a convex domain.

    A flat is a non-empty intersection of hyperplanes; flats are counted by codimension, each |mu|
    times, where mu is its Moebius number: once if the arrangement is simple, that is, if any k of
    its hyperplanes meet in dimension d - k or not at all.

    Parameters
    ----------
    arrangement : Arrangement, or rows as `Arrangement` takes them
    domain : Domain
        Of the arrangement's dimension; its coordinates are those of the rows.

    Returns
    -------
    tuple of int, length d + 1
        Entry k for codimension k; entry 0 is 1, for the space itself.

    Raises
    ------
    InvalidInputError
        Rows that `Arrangement` refuses, or a domain of another dimension.

    Algorithm
    ---------
    Deletion and restriction as in `characteristic_polynomial`, with the rows of the domain carried
    along; exact linear programs tell which hyperplanes meet what is left of it. Two linear programs
    for each hyperplane of each flat.

    Exactness
    ---------
    Exact: touching the boundary is not meeting.

    References
    ----------
    Zaslavsky (1975) for the space; T. Zaslavsky, "A combinatorial analysis of topological
    dissections", Advances in Mathematics 25 (1977), for convex sets.

    Examples
    --------
    >>> from plregions.domain import Box
    >>> flats_in_domain([[1, 0, 0], [0, 1, 0], [1, 1, -3]], Box([-1, -1], [1, 1]))
    (1, 2, 1)
    """
    made = _arrangement(arrangement)
    if not isinstance(domain, Domain) or domain.dim != made.dim:
        got = f"one of dimension {domain.dim}" if isinstance(domain, Domain) else repr(domain)
        raise InvalidInputError(
            f"flats_in_domain needs a domain of the arrangement's dimension {made.dim}; got {got}."
        )
    rows = tuple([tuple(primitive_row(row)) for row in domain.exact_rows()])
    return _flats(made.planes, rows, made.dim, {})


def regions_in_domain(arrangement: ArrangementLike, domain: Domain) -> int:
    """Return the number of regions of an arrangement that meet the interior of a convex domain.

    They are as many as the flats that meet it, counted by `flats_in_domain`. So the mean number of
    regions of a random layer is the sum, over the sets of at most d neurons, of the probability
    that their zero sets meet inside the domain.

    Parameters
    ----------
    arrangement : Arrangement, or rows as `Arrangement` takes them
    domain : Domain
        Of the arrangement's dimension.

    Returns
    -------
    int

    Raises
    ------
    InvalidInputError
        Rows that `Arrangement` refuses, or a domain of another dimension.

    Algorithm
    ---------
    `flats_in_domain`.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> from plregions.domain import Box
    >>> regions_in_domain([[1, 0, 0], [0, 1, 0], [1, 1, -3]], Box([-1, -1], [1, 1]))
    4
    """
    return sum(flats_in_domain(arrangement, domain))


def _arrangement(given: ArrangementLike) -> Arrangement:
    return given if isinstance(given, Arrangement) else Arrangement(given)


def _plane(row: Sequence[int]) -> Plane:
    """Give all multiples of an integer row one form."""
    divisor = gcd(*row)
    if next(filter(None, row)) < 0:
        divisor = -divisor
    return tuple(row) if divisor == 1 else tuple([a // divisor for a in row])


def _cut(row: Sequence[int], plane: Plane, k: int) -> list[int]:
    """Return a positive multiple of a row on a hyperplane with plane[k] > 0, without x_k."""
    lead, here = plane[k], row[k]
    cut = [lead * a - here * b for a, b in zip(row, plane, strict=True)] if here else list(row)
    del cut[k]
    return cut


def _restrictions(planes: Sequence[Plane], i: int) -> tuple[Plane, ...]:
    """Cut the hyperplanes before the i-th with it."""
    plane = planes[i]
    k = next(j for j, a in enumerate(plane) if a)
    cuts = [_cut(row, plane, k) for row in planes[:i]]
    return tuple(sorted({_plane(cut) for cut in cuts if any(cut[:-1])}))


def _polynomial(
    planes: tuple[Plane, ...], dim: int, known: dict[tuple[Plane, ...], Polynomial]
) -> Polynomial:
    """Return chi of sorted distinct hyperplanes; `known` holds what this call has found."""
    if not planes:
        return (0,) * dim + (1,)
    if dim == 1:
        return -len(planes), 1
    if planes not in known:
        total = [0] * dim + [1]
        for i in range(len(planes)):
            for power, a in enumerate(_polynomial(_restrictions(planes, i), dim - 1, known)):
                total[power] -= a
        known[planes] = tuple(total)
    return known[planes]


def _flats(
    planes: Sequence[Plane],
    rows: tuple[Plane, ...],
    dim: int,
    known: dict[tuple[Sequence[Plane], tuple[Plane, ...]], tuple[int, ...]],
) -> tuple[int, ...]:
    """Return the flats by codimension inside rows > 0, which has points."""
    if not planes:
        return 1, *[0] * dim
    if (planes, rows) not in known:
        met = [plane for plane in planes if _meets(plane, rows)]
        total = [1] + [0] * dim
        for i, plane in enumerate(met):
            k = next(j for j, a in enumerate(plane) if a)
            cuts = [_cut(row, plane, k) for row in rows]
            # A row that is constant there is positive, for the hyperplane meets the inside.
            inside = {tuple(primitive_row(cut)) for cut in cuts if any(cut[:-1])}
            on_it = _flats(_restrictions(met, i), tuple(sorted(inside)), dim - 1, known)
            for codimension, n in enumerate(on_it, start=1):
                total[codimension] += n
        known[planes, rows] = tuple(total)
    return known[planes, rows]


def _meets(plane: Plane, rows: Sequence[Plane]) -> bool:
    """Tell whether a hyperplane has points where all rows are positive; some points are such.

    Both signs occur in the closed polyhedron iff they occur inside it, and then 0 does.
    """
    return all(
        maximise([sign * a for a in plane], rows, stop_above=0).status == "above"
        for sign in (-1, 1)
    )

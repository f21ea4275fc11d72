"""Which units of a layer have equal, opposite or proportional rows [weight | bias]?"""

from __future__ import annotations

from dataclasses import dataclass

from plregions.exact.integers import split_content
from plregions.network import Layer

__all__ = ["EqualRows", "equal_rows"]

Units = tuple[int, ...]


@dataclass(frozen=True)
class EqualRows:
    """The units of a layer whose rows [weight | bias] are not independent in pairs.

    Attributes
    ----------
    duplicate : tuple of tuples of int
        Groups of two or more units with equal rows.
    opposite : tuple of (tuple of int, tuple of int)
        Two groups of units: each row of the one is minus each row of the other.
    proportional : tuple of tuples of int
        Groups of units whose rows are multiples of one another by a factor other than 0, not all
        of them by 1 or -1: their zero sets are the same.
    zero : tuple of int
        Units with zero weights and zero bias; they are in no group.
    constant : tuple of int
        Units with zero weights and another bias.
    """

    duplicate: tuple[Units, ...]
    opposite: tuple[tuple[Units, Units], ...]
    proportional: tuple[Units, ...]
    zero: Units
    constant: Units


def equal_rows(layer: Layer) -> EqualRows:
    """Group the units of a layer by their rows [weight | bias].

    Parameters
    ----------
    layer : Layer

    Returns
    -------
    EqualRows

    Algorithm
    ---------
    Each row is split into a factor and a primitive integer row whose first entry other than 0 is
    positive; rows are looked up by these. Linear in the number of weights.

    Exactness
    ---------
    Exact.

    Examples
    --------
    >>> rows = equal_rows(Layer([[1, 2], [-1, -2], [1, 2], [3, 6], [0, 0]], [1, -1, 1, 3, 0]))
    >>> rows.duplicate, rows.opposite, rows.proportional, rows.zero
    (((0, 2),), (((0, 2), (1,)),), ((0, 1, 2, 3),), (4,))
    """
    lines: dict[tuple[int, ...], dict[int, list[int]]] = {}
    zero, constant = [], []
    for unit, row in enumerate(layer.integer_form.matrix.tolist()[:-1]):
        content, primitive = split_content([int(v) for v in row])
        lead = next((v for v in primitive if v), 0)
        if lead == 0:
            zero.append(unit)
            continue
        if not any(primitive[:-1]):
            constant.append(unit)
        if lead < 0:
            primitive = [-v for v in primitive]
            content = -content
        # All rows of the layer have one denominator, so the contents of equal rows are equal.
        lines.setdefault(tuple(primitive), {}).setdefault(int(content), []).append(unit)
    duplicate, opposite, proportional = [], [], []
    for by_factor in lines.values():
        duplicate += [tuple(units) for units in by_factor.values() if len(units) > 1]
        for factor, units in by_factor.items():
            others = by_factor.get(-factor)
            if others is not None and units[0] < others[0]:
                opposite.append((tuple(units), tuple(others)))
        if len({abs(factor) for factor in by_factor}) > 1:
            proportional.append(tuple(sorted(u for units in by_factor.values() for u in units)))
    return EqualRows(
        tuple(sorted(duplicate)),
        tuple(sorted(opposite)),
        tuple(sorted(proportional)),
        tuple(zero),
        tuple(constant),
    )

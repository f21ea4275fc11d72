"""Which networks of different depths have the same size? Widths for each depth, and families."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plregions.analysis.widths import whole
from plregions.errors import InvalidInputError
from plregions.network import Network, mlp

__all__ = [
    "Member",
    "equal_size_widths",
    "n_parameters",
    "random_family",
    "widths_of_neurons",
    "widths_of_parameters",
]


@dataclass(frozen=True)
class Member:
    """A network of a family.

    Attributes
    ----------
    network : Network
    family : str
        "random", "trained", or any other name.
    seed : int or None
        What it was drawn or trained from.
    score : float or None
        How well a trained network fits its data: accuracy, or R^2.

    Examples
    --------
    >>> random_family(2, 1, [2, 3], neurons=8, seeds=1)[1].network
    Network(2-4-4-1, 8 neurons)
    """

    network: Network
    family: str = ""
    seed: int | None = None
    score: float | None = None


def n_parameters(widths: Sequence[int]) -> int:
    """Return the number of weights and biases of a fully connected network.

    Parameters
    ----------
    widths : sequence of int
        Input dimension, hidden widths, output dimension.

    Returns
    -------
    int

    Examples
    --------
    >>> n_parameters([2, 4, 1])
    17
    """
    return sum(n_out * (n_in + 1) for n_in, n_out in zip(widths, widths[1:], strict=False))


def widths_of_neurons(depth: int, neurons: int) -> tuple[int, ...]:
    """Return depth - 1 hidden widths with so many neurons in all, as equal as can be.

    Where the layers do not divide the neurons, the first layers have one more.

    Parameters
    ----------
    depth : int
        Number of affine maps, at least 2.
    neurons : int
        At least depth - 1.

    Returns
    -------
    tuple of int

    Raises
    ------
    InvalidInputError
        Not whole numbers, or too small.

    Exactness
    ---------
    Every depth gets exactly this number of neurons.

    Examples
    --------
    >>> widths_of_neurons(4, 11)
    (4, 4, 3)
    """
    verb = "widths_of_neurons"
    n_layers = whole(verb, "depth", depth, 2) - 1
    each, more = divmod(whole(verb, "neurons", neurons, n_layers), n_layers)
    return (each + 1,) * more + (each,) * (n_layers - more)


def widths_of_parameters(
    input_dim: int, output_dim: int, depth: int, parameters: int
) -> tuple[int, ...]:
    """Return depth - 1 equal hidden widths whose number of parameters is nearest.

    Of two widths that are equally near, the smaller one; never less than 1.

    Parameters
    ----------
    input_dim, output_dim : int
        At least 1.
    depth : int
        Number of affine maps, at least 2.
    parameters : int
        Weights and biases, at least 1.

    Returns
    -------
    tuple of int

    Raises
    ------
    InvalidInputError
        Not whole numbers, or too small.

    Algorithm
    ---------
    Bisection, for the number of parameters grows with the width.

    Exactness
    ---------
    The nearest width is found exactly; the number of parameters is that one's, not the wanted one.

    Examples
    --------
    >>> widths_of_parameters(2, 1, 3, 100), n_parameters([2, 8, 8, 1])
    ((8, 8), 105)
    """
    verb = "widths_of_parameters"
    n_in = whole(verb, "the input dimension", input_dim, 1)
    n_out = whole(verb, "the output dimension", output_dim, 1)
    n_layers = whole(verb, "depth", depth, 2) - 1
    wanted = whole(verb, "parameters", parameters, 1)

    def size(width: int) -> int:
        # n_parameters without a list of n_layers widths
        return width * (n_in + 1) + (n_layers - 1) * width * (width + 1) + n_out * (width + 1)

    low, high = 1, wanted + 1  # size(high) > wanted
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if size(middle) <= wanted else (low, middle)
    width = low if wanted - size(low) <= size(high) - wanted else high
    return (width,) * n_layers


def equal_size_widths(
    input_dim: int,
    output_dim: int,
    depths: Sequence[int],
    *,
    neurons: int | None = None,
    parameters: int | None = None,
) -> list[tuple[int, ...]]:
    """Return, for each depth, all widths of a network with so many neurons or parameters.

    Parameters
    ----------
    input_dim, output_dim : int
    depths : sequence of int
        Numbers of affine maps, at least 2 each.
    neurons, parameters : int
        One of the two: see `widths_of_neurons` and `widths_of_parameters` for the rules.

    Returns
    -------
    list of tuple of int
        Input dimension, hidden widths, output dimension, in the order of `depths`.

    Raises
    ------
    InvalidInputError
        Both or neither of the sizes, no depths, numbers that are too small.

    Exactness
    ---------
    Neurons are exactly equal in number; parameters as nearly as one width for all layers allows.

    Examples
    --------
    >>> equal_size_widths(2, 1, [2, 3], neurons=12)
    [(2, 12, 1), (2, 6, 6, 1)]
    """
    verb = "equal_size_widths"
    n_in = whole(verb, "the input dimension", input_dim, 1)
    n_out = whole(verb, "the output dimension", output_dim, 1)
    if (neurons is None) == (parameters is None):
        raise InvalidInputError(
            f"{verb} needs either neurons or parameters; got"
            f" {'neither' if neurons is None else 'both'}."
        )
    wanted = _depths(verb, depths)
    if neurons is not None:
        hidden = [widths_of_neurons(depth, neurons) for depth in wanted]
    else:
        assert parameters is not None
        hidden = [widths_of_parameters(n_in, n_out, depth, parameters) for depth in wanted]
    return [(n_in, *widths, n_out) for widths in hidden]


def random_family(
    input_dim: int,
    output_dim: int,
    depths: Sequence[int],
    *,
    seeds: int | Sequence[int],
    neurons: int | None = None,
    parameters: int | None = None,
) -> list[Member]:
    """Return random networks of several depths and one size.

    Parameters
    ----------
    input_dim, output_dim : int
    depths : sequence of int
        Numbers of affine maps, at least 2 each.
    seeds : int or sequence of int
        An integer n stands for 0, ..., n - 1. Each depth gets a network for each seed.
    neurons, parameters : int
        One of the two, as in `equal_size_widths`.

    Returns
    -------
    list of Member
        Depth by depth, seed by seed; each network is ``plregions.mlp(widths, seed)``.

    Raises
    ------
    InvalidInputError
        Both or neither of the sizes, no depths or seeds, numbers that are too small.

    Exactness
    ---------
    The networks depend on the arguments only (as long as numpy keeps its streams).

    Examples
    --------
    >>> [m.network.widths for m in random_family(2, 1, [2, 4], seeds=2, neurons=9)]
    [(9,), (9,), (3, 3, 3), (3, 3, 3)]
    """
    sizes = equal_size_widths(input_dim, output_dim, depths, neurons=neurons, parameters=parameters)
    wanted = seed_list("random_family", seeds)
    return [Member(mlp(widths, seed), "random", seed) for widths in sizes for seed in wanted]


def seed_list(verb: str, seeds: Any) -> list[int]:
    """Return the seeds 0, ..., n - 1 for an integer n, else the given ones, checked.

    Examples
    --------
    >>> seed_list("random_family", 3), seed_list("random_family", [7])
    ([0, 1, 2], [7])
    """
    if isinstance(seeds, Sequence | range | np.ndarray) and not isinstance(seeds, str):
        chosen = [whole(verb, "each seed", seed) for seed in seeds]
        if not chosen:
            raise InvalidInputError(f"{verb} needs at least one seed; got none.")
        return chosen
    return list(range(whole(verb, "seeds", seeds, 1)))


def _depths(verb: str, depths: Any) -> list[int]:
    if isinstance(depths, str) or not isinstance(depths, Sequence | range | np.ndarray):
        raise InvalidInputError(f"{verb} needs depths such as [2, 3, 4]; got {depths!r}.")
    if len(depths) == 0:
        raise InvalidInputError(f"{verb} needs at least one depth; got none.")
    return [whole(verb, "each depth", depth, 2) for depth in depths]


def as_members(verb: str, networks: Any) -> list[Member]:
    """Return networks and members as members, checked."""
    members = list(_members(verb, networks))
    if not members:
        raise InvalidInputError(f"{verb} needs at least one network; got none.")
    return members


def _members(verb: str, networks: Any) -> Iterator[Member]:
    if isinstance(networks, Network | Member) or not hasattr(networks, "__iter__"):
        raise InvalidInputError(f"{verb} needs a sequence of networks; got {networks!r}.")
    for entry in networks:
        if isinstance(entry, Network):
            yield Member(entry)
        elif isinstance(entry, Member):
            yield entry
        else:
            raise InvalidInputError(f"{verb} needs Networks or Members; got {entry!r}.")

"""One network after another: the function x -> f(g(x))."""

from __future__ import annotations

from flint import fmpz_mat

from plregions.errors import InvalidInputError
from plregions.network.layer import Layer
from plregions.network.network import Network, check_networks
from plregions.network.propagate import activate, homogeneous_fractions

__all__ = ["compose", "is_linear", "merge"]


def compose(outer: Network, inner: Network) -> Network:
    """Return the network x -> outer(inner(x)).

    Where the last layer of `inner` only carries values, as it does in most networks, it is
    multiplied into the first layer of `outer`: the depth is depth(outer) + depth(inner) - 1.

    Parameters
    ----------
    outer : Network
        With as many inputs as `inner` has outputs.
    inner : Network

    Returns
    -------
    Network
        With the neurons of `inner`, then those of `outer`.

    Raises
    ------
    InvalidInputError
        Sizes that do not fit.

    Algorithm
    ---------
    One product of integer matrices.

    Exactness
    ---------
    Exact: weights that are no longer float64 numbers become Fractions.

    Examples
    --------
    >>> tent = Network([([[1], [1]], [0, -0.5]), ([[2, -4]], [0])])
    >>> saw = compose(tent, tent)
    >>> saw.widths, saw.exact(["3/8"])
    ((2, 2), (Fraction(1, 2),))
    """
    check_networks("compose", outer, inner)
    if outer.input_dim != inner.output_dim:
        raise InvalidInputError(
            f"compose needs as many inputs of the outer network as the inner one has outputs; got "
            f"{outer.input_dim} and {inner.output_dim}."
        )
    last, first = inner.layers[-1], outer.layers[0]
    if not is_linear(last):
        return Network([*inner.layers, *outer.layers])
    return Network([*inner.layers[:-1], merge(first, last), *outer.layers[1:]])


def is_linear(layer: Layer) -> bool:
    """Tell whether no unit of a layer has a kink, so that the layer is an affine map."""
    return not layer.has_bit.any()


def merge(layer: Layer, before: Layer) -> Layer:
    """Return the one layer that does the work of a layer without kinks and the layer after it.

    Parameters
    ----------
    layer : Layer
        The later one; its slopes stay.
    before : Layer
        Without kinks.

    Returns
    -------
    Layer

    Exactness
    ---------
    Exact.
    """
    chosen = before.has_bit  # False for all: both slopes are equal
    state: fmpz_mat = activate(before, before.integer_form.matrix, chosen)
    rows = homogeneous_fractions(layer.integer_form.matrix * state)
    return Layer([row[:-1] for row in rows], [row[-1] for row in rows], layer.slopes)

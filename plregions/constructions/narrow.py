"""How does a wide shallow network become a deep one of width d + 3?"""

from __future__ import annotations

from plregions.constructions.circuit import Circuit, Form, weighted_sum
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fractions_of
from plregions.network import Network

__all__ = ["narrow"]


def narrow(shallow: Network) -> Network:
    """Return a network of width at most d + 3 that equals a shallow one where no input is negative.

    One neuron of the shallow network in each layer, the d inputs carried, and two accumulators:
    one for positive output weights, one for negative ones.

    Parameters
    ----------
    shallow : Network
        One hidden layer of n ReLU neurons, one output without a kink.

    Returns
    -------
    Network
        n hidden layers of widths d + 1, d + 3, .., d + 3, 3.

    Raises
    ------
    InvalidInputError
        Another network, or one that would become too large.

    Regions
    -------
    On [0, 1]^d: as many activation regions as the shallow network, as many linear ones (proved:
    carried values and accumulators never change their sign inside a region).

    Exactness
    ---------
    Exact: the same numbers, moved.

    References
    ----------
    G. Vardi, G. Yehudai, O. Shamir, "Width is less important than depth in ReLU neural networks",
    COLT 2022, after Z. Lu et al., NeurIPS 2017.

    Examples
    --------
    >>> from plregions.constructions import parity_shallow
    >>> net = narrow(parity_shallow(3))
    >>> net, net.exact([1, 1, "1/2"]) == parity_shallow(3).exact([1, 1, "1/2"])
    (Network(3-4-6-3-1, 13 neurons), True)
    """
    names = [layer.slopes_name for layer in shallow.layers] if isinstance(shallow, Network) else []
    if names != ["relu", "identity"] or shallow.output_dim != 1:
        raise InvalidInputError(
            "narrow needs a Network with one hidden layer of ReLU neurons and one output; got "
            f"{shallow!r:.60}."
        )
    hidden, last = shallow.layers
    rows, biases = fractions_of(hidden.weight), fractions_of(hidden.bias)
    (weights,), (constant,) = fractions_of(last.weight), fractions_of(last.bias)
    circuit = Circuit("narrow", shallow.input_dim)
    x = circuit.inputs
    sums: list[Form] = []
    for k, (row, bias, weight) in enumerate(zip(rows, biases, weights, strict=True)):
        unit = circuit.relu(weighted_sum(row, x) + bias)
        kept = [circuit.relu(form) for form in sums] if sums else [0 * unit, 0 * unit]
        sums = [kept[0] + max(weight, 0) * unit, kept[1] + max(-weight, 0) * unit]
        if k < len(rows) - 1:
            x = [circuit.relu(form) for form in x]
    return circuit.network([sums[0] - sums[1] + constant])

"""What is in a network: sizes, numbers, units with equal rows, neurons that never change?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.analysis.constant_signs import NeuronSigns, neuron_signs
from plregions.analysis.equal_rows import EqualRows, equal_rows
from plregions.domain import Domain
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fractions_of
from plregions.exact.words import number_text
from plregions.network import Layer, Network

__all__ = ["LayerInfo", "NetworkInfo", "describe"]

# Kinds of numbers, each a part of the next.
NUMBERS = ("integers", "float32", "float64", "rationals")
NUMBER_WORDS = {
    "integers": "integers",
    "float32": "float32 numbers",
    "float64": "float64 numbers",
    "rationals": "rational numbers",
}
SECONDS = 10.0
# So many neurons or groups are spelt out in a text.
MANY = 12
PROOF_WORDS = {
    "bounds": "exact interval bounds",
    "points": "exact values at points",
    "linear program": "exact linear programs",
    "regions": "the cells of the layers before",
}


@dataclass(frozen=True)
class LayerInfo:
    """What is in one layer.

    Attributes
    ----------
    n_in, n_out : int
        Inputs and units.
    n_neurons : int
        Units with a kink.
    slopes : str
        "relu", "identity", the pair that all units have, or "mixed".
    numbers : str
        The smallest kind that holds all weights and biases: "integers", "float32", "float64" or
        "rationals".
    rows : EqualRows
        Units with equal, opposite, proportional and zero rows [weight | bias].

    Examples
    --------
    >>> describe(Network([([[1, 2], [2, 4]], [0, 0], (-1, 1))])).layers[0].slopes
    '(-1, 1)'
    """

    n_in: int
    n_out: int
    n_neurons: int
    slopes: str
    numbers: str
    rows: EqualRows


@dataclass(frozen=True)
class NetworkInfo:
    """What is in a network, and the signs of its neurons on a domain; ``str()`` says it in words.

    Attributes
    ----------
    sizes : tuple of int
        Inputs, then the units of each layer.
    depth : int
        Affine maps: hidden layers + 1.
    n_parameters : int
        Entries of all weights and biases.
    n_neurons : int
        Units with a kink, in all layers.
    numbers : str
        The smallest kind that holds all weights and biases: "integers", "float32", "float64" or
        "rationals".
    fingerprint : str
        That of the network.
    layers : tuple of LayerInfo
    signs : NeuronSigns or None
        Which neurons are dead or always on over the domain; None without a domain.

    Examples
    --------
    >>> describe(Network([([[1, 2], [1, 2]], [0, 0]), ([[1, -1]], [0.5])])).numbers
    'float32'
    """

    sizes: tuple[int, ...]
    depth: int
    n_parameters: int
    n_neurons: int
    numbers: str
    fingerprint: str
    layers: tuple[LayerInfo, ...]
    signs: NeuronSigns | None

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, numbers and texts, as JSON takes them."""
        members: dict[str, Any] = {
            "sizes": list(self.sizes),
            "depth": self.depth,
            "parameters": self.n_parameters,
            "neurons": self.n_neurons,
            "numbers": self.numbers,
            "fingerprint": self.fingerprint,
            "layers": [_layer_members(layer) for layer in self.layers],
        }
        if self.signs is not None:
            signs = self.signs
            members["signs"] = {
                "domain": repr(signs.domain),
                "dead": _lists(signs.dead),
                "always_on": _lists(signs.always_on),
                "both_signs": _lists(signs.both_signs),
                "unknown": _lists(signs.unknown),
                "proofs": list(signs.proofs),
                "stopped_by": signs.stopped_by,
            }
        return members

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, domain_text: str | None = None) -> str:
        """Return the description as lines of text.

        Parameters
        ----------
        domain_text : str, optional
            What to call the domain; by default its ``repr``.

        Returns
        -------
        str
        """
        lines = [
            f"{'-'.join(map(str, self.sizes))} network, depth {self.depth},"
            f" {_plural('neuron', self.n_neurons)}, {_plural('parameter', self.n_parameters)},"
            f" weights and biases are {NUMBER_WORDS[self.numbers]}"
        ]
        for index, layer in enumerate(self.layers):
            lines += _layer_lines(index, layer)
        if self.signs is not None:
            lines += _sign_lines(self.signs, domain_text or repr(self.signs.domain))
        return "\n".join(lines)


def describe(
    net: Network, domain: Domain | None = None, *, time_limit: float | None = SECONDS
) -> NetworkInfo:
    """Describe a network; with a domain, also which neurons are dead or always on over it.

    Parameters
    ----------
    net : Network
    domain : Box, Polytope or Slice, optional
        Of the network's input dimension.
    time_limit : float or None, default 10
        Seconds for the search for neurons that never change; None for no limit. What is not
        settled then is called unknown.

    Returns
    -------
    NetworkInfo
        ``print`` it, or take its columns.

    Raises
    ------
    InvalidInputError, InvalidDomainError
        Not a network, a domain of another dimension, a time limit that is not positive.

    Algorithm
    ---------
    Rows are compared by their primitive integer forms; for the signs see `neuron_signs`.

    Exactness
    ---------
    Exact: equal means equal as rational numbers, and every state but "unknown" is proved.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 0], [2, 0], [0, -1]], [0, 0, -3]), ([[1, 1, 1]], [0])])
    >>> print(describe(net, plr.hypercube(2, -1, 1)))
    2-3-1 network, depth 2, 3 neurons, 13 parameters, weights and biases are integers
    layer 0: 2 to 3, relu, 3 neurons, integers
      proportional rows: units 0 1
    layer 1: 3 to 1, identity, 0 neurons, integers
    on Box([-1, -1], [1, 1]), proved exactly:
      1 neuron dead (<= 0 everywhere): 0:2
      0 neurons always on (>= 0 everywhere)
      2 neurons of both signs
      (3 by exact interval bounds; neurons are written layer:unit)
    """
    if not isinstance(net, Network):
        raise InvalidInputError(
            f"describe needs a Network; got {type(net).__name__}. Use plregions.load for a file."
        )
    layers = tuple(map(_layer_info, net.layers))
    return NetworkInfo(
        sizes=(net.input_dim, *(layer.n_out for layer in net.layers)),
        depth=net.depth,
        n_parameters=sum(layer.weight.size + layer.bias.size for layer in net.layers),
        n_neurons=net.n_neurons,
        numbers=max((layer.numbers for layer in layers), key=NUMBERS.index),
        fingerprint=net.fingerprint,
        layers=layers,
        signs=None if domain is None else neuron_signs(net, domain, time_limit=time_limit),
    )


def _layer_info(layer: Layer) -> LayerInfo:
    kinds = _numbers_of(layer.weight), _numbers_of(layer.bias)
    return LayerInfo(
        n_in=layer.n_in,
        n_out=layer.n_out,
        n_neurons=layer.n_neurons,
        slopes=_slopes_text(layer),
        numbers=max(kinds, key=NUMBERS.index),
        rows=equal_rows(layer),
    )


def _numbers_of(array: NDArray[Any]) -> str:
    """Return the smallest kind of numbers that holds all entries exactly."""
    if array.dtype != np.float64:
        # One of these is no float64; integers beyond 2**53 are integers all the same.
        return "integers" if all(v.denominator == 1 for v in array.flat) else "rationals"
    if bool((array == np.rint(array)).all()):
        return "integers"
    with np.errstate(over="ignore", under="ignore"):
        return "float32" if bool((array.astype(np.float32) == array).all()) else "float64"


def _slopes_text(layer: Layer) -> str:
    if layer.slopes_name is not None:
        return layer.slopes_name
    pairs = {tuple(pair) for pair in fractions_of(layer.slopes)}
    return "mixed" if len(pairs) > 1 else f"({', '.join(map(number_text, pairs.pop()))})"


def _layer_members(layer: LayerInfo) -> dict[str, Any]:
    members = asdict(layer)
    rows = members.pop("rows")
    return members | {f"{name}_units": _lists(groups) for name, groups in rows.items()}


def _layer_lines(index: int, layer: LayerInfo) -> list[str]:
    lines = [
        f"layer {index}: {layer.n_in} to {layer.n_out}, {layer.slopes},"
        f" {_plural('neuron', layer.n_neurons)}, {NUMBER_WORDS[layer.numbers]}"
    ]
    rows = layer.rows
    opposite = [f"{_joined(a)} against {_joined(b)}" for a, b in rows.opposite]
    for title, texts, between in (
        ("equal rows", list(map(_joined, rows.duplicate)), "; "),
        ("opposite rows", opposite, "; "),
        ("proportional rows", list(map(_joined, rows.proportional)), "; "),
        ("rows of zeros", list(map(str, rows.zero)), " "),
        ("zero weights, another bias", list(map(str, rows.constant)), " "),
    ):
        if texts:
            lines.append(f"  {title}: units {_shortened(texts, between)}")
    return lines


def _sign_lines(signs: NeuronSigns, domain_text: str) -> list[str]:
    lines = [f"on {domain_text}, proved exactly:"]
    for neurons, what in (
        (signs.dead, "dead (<= 0 everywhere)"),
        (signs.always_on, "always on (>= 0 everywhere)"),
        (signs.both_signs, "of both signs"),
    ):
        spelt = ""
        if neurons and what != "of both signs":
            spelt = f": {_shortened([f'{k}:{u}' for k, u in neurons], ' ')}"
        lines.append(f"  {_plural('neuron', len(neurons))} {what}{spelt}")
    counts = Counter(proof for proof in signs.proofs if proof)
    by = [f"{n} by {PROOF_WORDS[proof]}" for proof, n in counts.most_common()]
    if by:
        lines.append(f"  ({', '.join(by)}; neurons are written layer:unit)")
    if signs.unknown:
        why = {"time_limit": "the time limit came first", "interrupt": "interrupted"}
        spelt = _shortened([f"{k}:{u}" for k, u in signs.unknown], " ")
        lines.append(
            f"not settled, {why[signs.stopped_by or 'time_limit']}:"
            f" {_plural('neuron', len(signs.unknown))} unknown: {spelt}"
        )
    return lines


def _joined(units: Sequence[int]) -> str:
    return _shortened(list(map(str, units)), " ")


def _shortened(texts: Sequence[str], between: str) -> str:
    more = f"{between}and {len(texts) - MANY} more" if len(texts) > MANY else ""
    return between.join(texts[:MANY]) + more


def _plural(noun: str, n: int) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _lists(item: Any) -> Any:
    return [_lists(part) for part in item] if isinstance(item, tuple | list) else item

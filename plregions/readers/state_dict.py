"""Networks from a state_dict: names, tensors, and the order of the layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from plregions.errors import InvalidInputError, UnsupportedLayerError
from plregions.network.network import Network
from plregions.readers.dense_steps import (
    Activation,
    Dense,
    exact_numbers,
    exact_slope,
    network_of,
)
from plregions.readers.torch_tensor import is_tensor, numbers_of_tensor, torch_slope

__all__ = ["from_state_dict"]

_NARROW = {"bfloat16", "float16", "float32"}
_CURVED = frozenset(
    "celu elu gelu hardswish log_softmax logsigmoid mish selu sigmoid silu softmax softplus "
    "softsign swish tanh".split()
)
_ACTIVATIONS = ("relu", "leaky_relu")
_EXAMPLE = '["0", "relu", "2"]'


def from_state_dict(state_dict: Mapping[str, Any], layers: Sequence[Any]) -> Network:
    """Read a network from named weights, given the order of its layers.

    A state_dict says which weights there are, not in which order they are used nor what comes
    between them; `layers` says that.

    Parameters
    ----------
    state_dict : mapping of str to tensor or array
        What ``module.state_dict()`` or ``torch.load(path, weights_only=True)`` returns, or the
        same with numpy arrays: "<name>.weight" of shape (n_out, n_in) and, for layers that have
        one, "<name>.bias" of shape (n_out,).
    layers : sequence
        In the order of evaluation: the name of a linear layer, such as ``"0"`` or
        ``"body.fc1"``; ``"relu"``; ``("leaky_relu", slope)``. A name may come twice. What changes
        nothing (dropout, flatten, identity) is left out.

    Returns
    -------
    Network
        A ReLU unit for each entry that goes through an activation.

    Raises
    ------
    InvalidInputError
        A weight that `layers` names is missing, or one in the state_dict is not used: the message
        names them. Something else than a mapping or a sequence is given.
    UnsupportedLayerError
        `layers` has an activation that is not known.
    InvalidNetworkError
        Shapes that do not chain, NaN, infinities.

    See Also
    --------
    from_torch : From the module, where the order is known and the values are compared.

    Algorithm
    ---------
    One copy of the numbers. No forward pass is there to compare with: a wrong order whose shapes
    chain cannot be noticed.

    Exactness
    ---------
    The weights are exact. A slope that is a Python float is rounded to float32 when all weights are
    of float32, bfloat16 or float16, as torch does; a Fraction or a number of numpy stays.

    Examples
    --------
    >>> import numpy as np
    >>> weights = {
    ...     "0.weight": np.array([[1.0, -1.0], [2.0, 0.0]]),
    ...     "0.bias": np.array([0.0, 1.0]),
    ...     "2.weight": np.array([[1.0, 1.0]]),
    ... }
    >>> net = from_state_dict(weights, ["0", "relu", "2"])
    >>> net, net([3.0, 1.0])
    (Network(2-2-1, 2 neurons), array([9.]))
    """
    _refuse_other_mappings(state_dict)
    if isinstance(layers, str) or not isinstance(layers, Sequence):
        raise InvalidInputError(
            f"from_state_dict needs a list of layers; got {_short(layers)}. Give the order of "
            f"evaluation, such as {_EXAMPLE}."
        )
    arrays: dict[str, NDArray[Any]] = {}
    for entry in layers:
        if isinstance(entry, str) and _is_dense(entry, state_dict):
            for key in (f"{entry}.weight", f"{entry}.bias"):
                if key in state_dict and key not in arrays:
                    arrays[key] = _numbers(state_dict[key], key)
    _refuse_missing(state_dict, layers)
    unused = [str(key) for key in state_dict if key not in arrays]
    if unused:
        raise InvalidInputError(
            f"from_state_dict needs layers that use every weight; got no layer for "
            f"{_listed(unused)}. Add its name to layers where it is evaluated; what is no "
            "linear layer cannot be read."
        )
    kinds = {str(getattr(state_dict[key], "dtype", "")).removeprefix("torch.") for key in arrays}
    is_float64 = not kinds <= _NARROW
    return network_of(
        [_step(entry, arrays, is_float64) for entry in layers], verb="from_state_dict"
    )


def _refuse_other_mappings(state_dict: Any) -> None:
    if not isinstance(state_dict, Mapping):
        is_module = hasattr(state_dict, "state_dict")
        advice = "Do plr.from_torch(module)." if is_module else "Give module.state_dict()."
        raise InvalidInputError(
            f"from_state_dict needs a mapping of names to tensors; got an object of type "
            f"{type(state_dict).__name__}. {advice}"
        )
    for key, value in state_dict.items():
        if isinstance(value, Mapping):
            raise InvalidInputError(
                f"from_state_dict needs a mapping of names to tensors; got a mapping for {key!r}. "
                f"Give the one inside: checkpoint[{key!r}]."
            )


def _is_dense(entry: str, state_dict: Mapping[str, Any]) -> bool:
    """Whether a text names a linear layer: an activation has no weight."""
    return entry not in _ACTIVATIONS or f"{entry}.weight" in state_dict


def _refuse_missing(state_dict: Mapping[str, Any], layers: Sequence[Any]) -> None:
    texts = [entry for entry in layers if isinstance(entry, str)]
    missing = [
        f"{entry}.weight"
        for entry in dict.fromkeys(texts)
        if _is_dense(entry, state_dict) and f"{entry}.weight" not in state_dict
    ]
    for name in missing:
        if name.removesuffix(".weight").lower() in _CURVED:
            raise _unsupported(name.removesuffix(".weight"))
    if missing:
        raise InvalidInputError(
            f"from_state_dict needs a weight for every layer; got no {_listed(missing)}, only "
            f"{_listed(list(map(str, state_dict))) or 'an empty mapping'}. Name the layers as the "
            f"keys do before '.weight'; activations are 'relu' and ('leaky_relu', slope)."
        )


def _numbers(value: Any, key: str) -> NDArray[Any]:
    verb, name = "from_state_dict", repr(key)
    numbers = numbers_of_tensor(value, verb=verb, name=name) if is_tensor(value) else value
    return exact_numbers(numbers, 2 if key.endswith(".weight") else 1, verb=verb, name=name)


def _step(entry: Any, arrays: Mapping[str, NDArray[Any]], is_float64: bool) -> Dense | Activation:
    if isinstance(entry, str):
        if f"{entry}.weight" in arrays:
            weight, bias = arrays[f"{entry}.weight"], arrays.get(f"{entry}.bias")
            return Dense(repr(entry), weight, bias)
        if entry == "relu":
            return Activation(0, 1)
        raise InvalidInputError(
            "from_state_dict needs a slope for leaky_relu; got none. "
            "Give ('leaky_relu', 0.01), the slope below 0."
        )
    is_pair = isinstance(entry, Sequence) and len(entry) == 2 and isinstance(entry[0], str)
    if not is_pair:
        raise InvalidInputError(
            f"from_state_dict needs names, 'relu' and ('leaky_relu', slope) in layers; got "
            f"{_short(entry)}. Give a flat list, such as {_EXAMPLE}."
        )
    if entry[0] != "leaky_relu":
        raise _unsupported(entry[0])
    slope = torch_slope(entry[1], is_float64=is_float64)
    return Activation(exact_slope(slope, verb="from_state_dict", name="leaky_relu"), 1)


def _unsupported(name: str) -> UnsupportedLayerError:
    reason = f": {name} is not piecewise linear" if name.lower() in _CURVED else ""
    return UnsupportedLayerError(
        f"from_state_dict needs activations that it knows; got {name!r}{reason}. "
        "Supported: 'relu', ('leaky_relu', slope).",
        layer=name,
        supported=_ACTIVATIONS,
    )


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:6])
    return f"{shown} and {len(names) - 6} more" if len(names) > 6 else shown


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."

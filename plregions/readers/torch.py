"""Networks from torch modules; torch itself is never imported here."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError, InvalidNetworkError, UnsupportedLayerError
from plregions.network.network import Network
from plregions.readers.dense_steps import (
    Activation,
    Dense,
    exact_numbers,
    exact_slope,
    network_of,
)
from plregions.readers.foreign_class import LibraryClass, library_class
from plregions.readers.forward_check import (
    CheckWords,
    FloatType,
    network_outputs,
    refuse_difference,
    sample_points,
)
from plregions.readers.perturbation import perturbation_allowance
from plregions.readers.torch_tensor import FLOAT_TYPES, numbers_of_tensor, torch_slope

__all__ = ["SUPPORTED", "from_torch"]

# The classes that are read, and the modules that define them.
_HOMES = {
    "Dropout": "torch.nn.modules.dropout",
    "Flatten": "torch.nn.modules.flatten",
    "Identity": "torch.nn.modules.linear",
    "LeakyReLU": "torch.nn.modules.activation",
    "Linear": "torch.nn.modules.linear",
    "ReLU": "torch.nn.modules.activation",
    "Sequential": "torch.nn.modules.container",
}
#: The names of the classes that can be read.
SUPPORTED = tuple(_HOMES)

_CURVED = frozenset(
    "CELU ELU GELU GLU Hardswish LayerNorm LogSigmoid LogSoftmax Mish MultiheadAttention RMSNorm "
    "SELU SiLU Sigmoid Softmax Softmin Softplus Softsign Tanh Tanhshrink GRU LSTM RNN".split()
)
_JUMPS = frozenset(["Hardshrink", "Threshold"])
_PIECEWISE_LINEAR = frozenset(
    "AvgPool1d AvgPool2d Conv1d Conv2d Conv3d Hardsigmoid Hardtanh MaxPool1d MaxPool2d PReLU RReLU "
    "ReLU6 Softshrink Unflatten".split()
)
_AT_THE_END = frozenset(["LogSoftmax", "Sigmoid", "Softmax"])
# A parametrised layer (weight norm, pruning) is a subclass made here; it computes its weight and
# leaves the rest as it was.
_PARAMETRISED = ("torch.nn.utils.parametrize",)
_OWN_FORWARD = ("forward", "__call__", "_call_impl", "__iter__")


@dataclass(frozen=True)
class _Leaf:
    """One module without parts, by the name of the class that it behaves as."""

    name: str
    module: Any
    label: str


def from_torch(module: Any) -> Network:
    """Read a network from a torch module: nn.Sequential of linear layers and (leaky) ReLUs.

    The network is the function of the module in evaluation mode, with every weight taken as the
    rational number that it is and nothing rounded on the way. (The module itself rounds at every
    step; it is close to this function, not equal to it.)

    Parameters
    ----------
    module : torch.nn.Module
        nn.Sequential, nested as you like, of Linear, ReLU, LeakyReLU, Identity, Flatten and
        Dropout; or one of these alone. Subclasses count as their base class unless they have a
        forward pass of their own. Weights of float64, float32, bfloat16 or float16. Dropout is the
        identity, also while the module is in training mode. Flatten(1) is the order in which the
        entries of one row are given.

    Returns
    -------
    Network
        A ReLU unit for each entry that goes through a ReLU or LeakyReLU, in the order of the
        module, none merged or dropped.

    Raises
    ------
    UnsupportedLayerError
        Any other module (`layer` names it, `supported` lists those that can be read).
    InvalidNetworkError
        Sizes that do not chain, NaN, infinities; a forward pass that stops, or whose values
        differ from the network's by more than rounding.
    InvalidInputError
        What is given is no torch module.

    See Also
    --------
    from_state_dict : From names and tensors, without the module.
    load : From an ONNX file, for modules with a forward pass of their own.

    Algorithm
    ---------
    Classes are told by their names and modules, so that torch is used only where it is loaded
    already. Then 32 points go through the module's own forward pass, on its own device and in its
    own float type, with training off and without gradients; the flags are put back. The module,
    its gradients and the state of the random numbers stay as they were. The difference allowed is
    what `perturbation_allowance` finds, which stays small for deep modules.

    Exactness
    ---------
    The weights are exact. The slope of LeakyReLU is the one that torch multiplies by: its float64
    in a module of float64, rounded to float32 in all others. The comparison is a float one: it
    finds weights in the wrong place or left out, not the last bit.

    Examples
    --------
    >>> from torch import nn  # doctest: +SKIP
    >>> module = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))  # doctest: +SKIP
    >>> from_torch(module)  # doctest: +SKIP
    Network(2-8-1, 8 neurons)
    """
    _refuse_other_objects(module)
    leaves = list(_leaves(module, "", ()))
    linears = [leaf for leaf in leaves if leaf.name == "Linear"]
    if not linears:
        raise InvalidNetworkError(
            f"from_torch needs at least one Linear; got {type(module).__name__} without any, so "
            "that the number of inputs is open. Put nn.Linear into it."
        )
    with _evaluation(module):
        kinds = [_float_type(leaf) for leaf in linears]
        kind = max(kinds, key=lambda one: one.eps)
        weight = linears[0].module.weight
        batch, points = _points(weight, linears[0].label, kind)
        try:
            found, kind_found = _forward(module, batch)
        # Hooks may raise what they like; whatever comes, the forward pass stops.
        except Exception as error:
            _read(leaves, kind)  # when sizes do not chain, this says where
            raise InvalidNetworkError(
                f"from_torch needs a module whose forward pass runs, to compare with; got "
                f"{type(module).__name__}, where it stops: {type(error).__name__} "
                f"({' '.join(str(error).split())[:200]}). Make it run on a batch of shape "
                f"{points.shape} first."
            ) from error
        # After the forward pass: the hooks of older weight norms set the weight in it.
        steps, network = _read(leaves, kind)
    kind = max(kind, kind_found, key=lambda one: one.eps)
    refuse_difference(
        network_outputs(network, points, kind),
        found,
        perturbation_allowance(steps, points, kind),
        CheckWords(
            verb="from_torch",
            source=type(module).__name__,
            reference="its own forward pass",
            advice="Remove forward hooks that change values, or export it to ONNX.",
            error=InvalidNetworkError,
        ),
    )
    return network


def _refuse_other_objects(module: Any) -> None:
    if any(
        base.__name__ == "Module" and base.__module__ == "torch.nn.modules.module"
        for base in type(module).__mro__
    ):
        return
    got = f"an object of type {type(module).__name__}"
    advice = "Give an nn.Sequential."
    if isinstance(module, Mapping):
        advice = "Do plr.from_state_dict(state_dict, layers) for a state_dict."
    elif isinstance(module, type):
        got, advice = f"the class {module.__name__}", "Give an instance of it."
    elif hasattr(module, "__fspath__") or isinstance(module, str):
        got, advice = f"{str(module)!r}", "Do plr.load(path) for a file."
    raise InvalidInputError(f"from_torch needs a torch module; got {got}. {advice}")


def _leaves(module: Any, path: str, above: tuple[Any, ...]) -> Iterator[_Leaf]:
    """The modules without parts, in the order of evaluation."""
    kind = library_class(module, "torch", _OWN_FORWARD, _PARAMETRISED)
    if kind is None or kind.overridden or _HOMES.get(kind.name) != kind.module:
        raise _unsupported(module, path, kind)
    label = f"{type(module).__name__} {path!r}" if path else type(module).__name__
    if kind.name == "Flatten":
        _refuse_mixed_rows(module, label)
    if kind.name != "Sequential":
        yield _Leaf(kind.name, module, label)
        return
    if any(module is one for one in above):
        raise InvalidNetworkError(
            f"from_torch needs modules that end; got {label} inside itself. Take it out."
        )
    for name, part in module._modules.items():
        yield from _leaves(part, f"{path}.{name}" if path else str(name), (*above, module))


def _refuse_mixed_rows(module: Any, label: str) -> None:
    start_dim, end_dim = module.start_dim, module.end_dim
    if start_dim not in (1, -1) or end_dim not in (1, -1):
        raise UnsupportedLayerError(
            f"from_torch needs Flatten(1), which keeps the rows of a batch apart; got {label} with "
            f"start_dim={start_dim} and end_dim={end_dim}. Do nn.Flatten(1).",
            layer=f"Flatten(start_dim={start_dim}, end_dim={end_dim})",
            supported=SUPPORTED,
        )


def _unsupported(module: Any, path: str, kind: LibraryClass | None) -> UnsupportedLayerError:
    name = type(module).__name__
    place = f" at {path!r}" if path else ""
    advice = ""
    if kind is None or kind.name == "Module":
        reason = "its forward pass is its own, and only a run of it shows what it does"
        advice = " Write it as nn.Sequential, or export it to ONNX and use plr.load."
    elif kind.overridden:
        reason = f"it replaces {kind.overridden} of {kind.name}"
        advice = " Write it as nn.Sequential, or export it to ONNX and use plr.load."
    elif kind.name in _CURVED:
        reason = f"{kind.name} is not piecewise linear"
        if kind.name in _AT_THE_END:
            advice = " At the end of a classifier leave it out: the largest output stays."
    elif kind.name.startswith(("BatchNorm", "LazyBatchNorm")):
        reason = "its factors 1 / sqrt(variance + eps) are irrational in general"
        advice = " Fold it into the layer before it with torch.nn.utils.fuse_linear_bn_eval."
    elif kind.name.startswith("Lazy"):
        reason = "it has no weights before its first forward pass"
        advice = " Run the module once."
    elif kind.name in _JUMPS:
        reason = f"{kind.name} is not continuous"
    elif kind.name in _PIECEWISE_LINEAR:
        reason = f"{kind.name} is piecewise linear but not supported yet"
    else:
        reason = f"{kind.module}.{kind.name} is not supported"
    return UnsupportedLayerError(
        f"from_torch needs modules that it knows; got {name}{place}: {reason}. "
        f"Supported: {', '.join(SUPPORTED)}.{advice}",
        layer=name,
        supported=SUPPORTED,
    )


@contextmanager
def _evaluation(module: Any) -> Iterator[None]:
    """Training off and gradients off; afterwards every flag as it was."""
    flags = [(part, part.training) for part in module.modules()]
    torch = sys.modules.get("torch")
    without_gradients: AbstractContextManager[Any] = torch.no_grad() if torch else nullcontext()
    try:
        for part, is_training in flags:
            if is_training:
                part.training = False
        with without_gradients:
            yield
    finally:
        for part, is_training in flags:
            if is_training:
                part.training = True


def _float_type(leaf: _Leaf) -> FloatType:
    name = str(leaf.module.weight.dtype)
    if name not in FLOAT_TYPES:
        raise InvalidNetworkError(
            f"from_torch needs weights of {', '.join(FLOAT_TYPES)}; got {name} in {leaf.label}. "
            "Do module.float()."
        )
    return FLOAT_TYPES[name]


def _points(weight: Any, label: str, kind: FloatType) -> tuple[Any, NDArray[np.float64]]:
    """The points to compare at: as a tensor like the weight, and the numbers in it."""
    if weight.ndim != 2:
        raise InvalidNetworkError(
            f"from_torch needs a weight with two axes; got {weight.ndim} in {label}."
        )
    sample_type = np.dtype("float32" if kind.name == "bfloat16" else kind.name)
    batch = weight.new_tensor(sample_points(int(weight.shape[1]), sample_type).tolist())
    numbers = numbers_of_tensor(batch, verb="from_torch", name=f"the weight of {label}")
    return batch, numbers.astype(np.float64)


def _forward(module: Any, batch: Any) -> tuple[NDArray[np.float64], FloatType]:
    found = module(batch)
    numbers = numbers_of_tensor(found, verb="from_torch", name="the output of the forward pass")
    return numbers.astype(np.float64), FLOAT_TYPES[str(found.dtype)]


def _read(leaves: list[_Leaf], kind: FloatType) -> tuple[list[Dense | Activation], Network]:
    is_float64 = kind.name == "float64"
    steps = [step for leaf in leaves for step in _steps(leaf, is_float64)]
    return steps, network_of(steps, verb="from_torch")


def _steps(leaf: _Leaf, is_float64: bool) -> Iterator[Dense | Activation]:
    if leaf.name == "Linear":
        yield Dense(leaf.label, _numbers(leaf, "weight", 2), _numbers(leaf, "bias", 1))
    elif leaf.name == "ReLU":
        yield Activation(0, 1)
    elif leaf.name == "LeakyReLU":
        slope = torch_slope(leaf.module.negative_slope, is_float64=is_float64)
        yield Activation(exact_slope(slope, verb="from_torch", name=leaf.label), 1)


def _numbers(leaf: _Leaf, name: str, ndim: int) -> Any:
    tensor = getattr(leaf.module, name)
    if tensor is None:
        return None
    label = f"the {name} of {leaf.label}"
    numbers = numbers_of_tensor(tensor, verb="from_torch", name=label)
    return exact_numbers(numbers, ndim, verb="from_torch", name=label)

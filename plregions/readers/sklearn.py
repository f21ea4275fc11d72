"""Networks from scikit-learn models; scikit-learn itself is never imported here."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
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
    follow,
    start,
)
from plregions.readers.foreign_class import library_class
from plregions.readers.forward_check import (
    CheckWords,
    FloatType,
    network_outputs,
    refuse_difference,
    rounding_allowance,
    sample_points,
)
from plregions.readers.moving_tensor import MovingTensor

__all__ = ["SUPPORTED", "from_sklearn"]

Array = NDArray[Any]
Floats = NDArray[np.float64]

_PERCEPTRONS = "sklearn.neural_network._multilayer_perceptron"
# The classes that are read, and the modules that define them.
_HOMES = {
    "MLPClassifier": _PERCEPTRONS,
    "MLPRegressor": _PERCEPTRONS,
    "MinMaxScaler": "sklearn.preprocessing._data",
    "Pipeline": "sklearn.pipeline",
    "StandardScaler": "sklearn.preprocessing._data",
}
#: The names of the classes that can be read.
SUPPORTED = tuple(_HOMES)

_SLOPES = {"relu": (0, 1), "identity": None}
_OWN_METHODS = ("predict", "predict_proba", "transform", "_forward_pass_fast", "_predict")
_KIND = FloatType.of(np.float64)


@dataclass(frozen=True)
class _Scaling:
    """One of ``x * numbers``, ``x / numbers`` and ``x + numbers``."""

    operation: str
    numbers: Array


def from_sklearn(model: Any) -> Network:
    """Read a network from a fitted scikit-learn MLPRegressor or MLPClassifier with ReLU.

    For a classifier it is the function before the last logistic or softmax: its largest output is
    the most probable class, in the order of ``model.classes_``. With two classes there is one
    output, positive for ``classes_[1]``; with several labels at once one output a label, positive
    where the label is set.

    Parameters
    ----------
    model : MLPRegressor, MLPClassifier or Pipeline
        Fitted, with activation "relu" or "identity". A Pipeline may have StandardScaler and
        MinMaxScaler (without clip) before; they are folded in, so that the network takes the
        inputs that the pipeline takes.

    Returns
    -------
    Network
        Hidden layers in the order of ``coefs_``. Scalers of many inputs whose numbers have no
        short common denominator stand in a layer of their own, which has no neurons.

    Raises
    ------
    UnsupportedLayerError
        Another activation, another estimator or step (`layer` names it, `supported` lists what can
        be read).
    InvalidInputError
        What is given is no estimator of scikit-learn, or it is not fitted.
    InvalidNetworkError
        NaN, infinities; values that differ from the model's by more than rounding.

    Algorithm
    ---------
    Classes are told by their names and modules. Then 32 points are compared with ``predict`` of a
    regressor, with ``predict_proba`` of a classifier.

    Exactness
    ---------
    ``coefs_``, ``intercepts_`` and the numbers of the scalers are taken exactly, and a scaler is
    the exact rational ``(x - mean) / scale``. The comparison is a float one: it finds weights in
    the wrong place or left out, not the last bit.

    Examples
    --------
    >>> from sklearn.neural_network import MLPRegressor  # doctest: +SKIP
    >>> model = MLPRegressor(hidden_layer_sizes=[8], solver="lbfgs")  # doctest: +SKIP
    >>> model = model.fit([[0.0, 0.0], [1.0, 1.0]], [0.0, 1.0])  # doctest: +SKIP
    >>> from_sklearn(model)  # doctest: +SKIP
    Network(2-8-1, 8 neurons)
    """
    scalings, perceptron = _parts(model)
    steps = _dense_steps(perceptron)
    n_inputs = steps[0].weight.shape[1]
    points = _points(scalings, n_inputs)
    tensor = start(n_inputs, points, _KIND.tiny)
    for scaling in scalings:
        if scaling.numbers.size != n_inputs:
            raise InvalidNetworkError(
                f"from_sklearn needs scalers of {n_inputs} inputs, as the network has; got one of "
                f"{scaling.numbers.size}. Fit the pipeline as a whole."
            )
        _apply(scaling, tensor)
    follow(_with_activations(steps, perceptron.activation), tensor, verb="from_sklearn")
    network = Network(tensor.chain.layers())
    _compare(model, perceptron, network, tensor, points)
    return network


def _parts(model: Any) -> tuple[list[_Scaling], Any]:
    """The scalings and the perceptron of a model."""
    steps = list(_flat_steps(model, ""))
    scalings: list[_Scaling] = []
    for kind, step, place in steps[:-1]:
        if kind.startswith("MLP"):
            raise _unsupported(step, place, "it is followed by other steps")
        scalings.extend(_scalings(kind, step, place))
    if not steps:
        raise _unsupported(model, "", "it has no steps")
    kind, step, place = steps[-1]
    if not kind.startswith("MLP"):
        raise _unsupported(step, place, "the last step is no MLPRegressor or MLPClassifier")
    return scalings, step


def _flat_steps(model: Any, place: str) -> Iterator[tuple[str, Any, str]]:
    kind = library_class(model, "sklearn", _OWN_METHODS)
    if kind is None:
        raise InvalidInputError(
            "from_sklearn needs an MLPRegressor, an MLPClassifier or a Pipeline of scikit-learn; "
            f"got an object of type {type(model).__name__}{place}. Give the fitted model."
        )
    if kind.overridden:
        raise _unsupported(model, place, f"it replaces {kind.overridden} of {kind.name}")
    if _HOMES.get(kind.name) != kind.module:
        raise _unsupported(model, place, _reason(model, kind.name))
    if kind.name != "Pipeline":
        yield kind.name, model, place
        return
    for name, step in model.steps:
        if step is not None and step != "passthrough":
            yield from _flat_steps(step, f" in step {name!r}")


def _reason(model: Any, name: str) -> str:
    if hasattr(model, "best_estimator_"):
        return "it searches; give its best_estimator_ instead"
    if hasattr(model, "regressor_"):
        return "it transforms outputs; give its regressor_ for the outputs before that"
    return f"{name} is no ReLU network, and no scaler that is known here"


def _scalings(kind: str, step: Any, place: str) -> Iterator[_Scaling]:
    if not hasattr(step, "n_features_in_"):
        raise _not_fitted(step, place)
    if kind == "StandardScaler":
        if step.with_mean:
            yield _Scaling("add", -_vector(step.mean_, f"mean_{place}"))
        if step.with_std:
            yield _Scaling("divide", _vector(step.scale_, f"scale_{place}"))
        return
    if step.clip:
        raise _unsupported(step, place, "clip=True is piecewise linear but not supported yet")
    yield _Scaling("multiply", _vector(step.scale_, f"scale_{place}"))
    yield _Scaling("add", _vector(step.min_, f"min_{place}"))


def _vector(values: Any, name: str) -> Array:
    return exact_numbers(values, 1, verb="from_sklearn", name=name)


def _apply(scaling: _Scaling, tensor: MovingTensor) -> None:
    operations: dict[str, Callable[[Array], None]] = {
        "add": tensor.add,
        "multiply": tensor.multiply_by,
        "divide": tensor.divide_by,
    }
    operations[scaling.operation](scaling.numbers)


def _dense_steps(perceptron: Any) -> list[Dense]:
    name = type(perceptron).__name__
    if perceptron.activation not in _SLOPES:
        raise UnsupportedLayerError(
            f"from_sklearn needs the activation 'relu' or 'identity'; got {name} with "
            f"{perceptron.activation!r}, which is not piecewise linear. Train with "
            "activation='relu'.",
            layer=str(perceptron.activation),
            supported=tuple(_SLOPES),
        )
    if not hasattr(perceptron, "coefs_"):
        raise _not_fitted(perceptron, "")
    last = perceptron.out_activation_
    if _own_name(perceptron) == "MLPRegressor" and last != "identity":
        raise UnsupportedLayerError(
            f"from_sklearn needs a regressor that ends with the identity; got {name} with "
            f"{last!r}, which comes from loss={getattr(perceptron, 'loss', None)!r}. Train with "
            "loss='squared_error'.",
            layer=str(last),
            supported=("identity",),
        )
    return [
        Dense(
            f"coefs_[{k}]",
            exact_numbers(weight, 2, verb="from_sklearn", name=f"coefs_[{k}]").T,
            _vector(bias, f"intercepts_[{k}]"),
        )
        for k, (weight, bias) in enumerate(
            zip(perceptron.coefs_, perceptron.intercepts_, strict=True)
        )
    ]


def _own_name(estimator: Any) -> str:
    """The name of scikit-learn's own class of an estimator."""
    kind = library_class(estimator, "sklearn", ())
    return kind.name if kind else ""


def _with_activations(steps: list[Dense], activation: str) -> Iterator[Dense | Activation]:
    slopes = _SLOPES[activation]
    for k, step in enumerate(steps):
        yield step
        if slopes and k < len(steps) - 1:
            yield Activation(*slopes)


def _points(scalings: list[_Scaling], n_inputs: int) -> Floats:
    """Points that the scalings bring near the usual sample points, where outputs differ."""
    points = sample_points(n_inputs, np.float64)
    with np.errstate(all="ignore"):
        for scaling in reversed(scalings):
            numbers = scaling.numbers.astype(np.float64)
            if numbers.size != n_inputs:
                break  # refused in a moment, with words
            if scaling.operation == "add":
                points = points - numbers
            elif scaling.operation == "multiply":
                points = points / numbers
            else:
                points = points * numbers
    return np.nan_to_num(points, posinf=0.0, neginf=0.0)


def _compare(
    model: Any, perceptron: Any, network: Network, tensor: MovingTensor, points: Floats
) -> None:
    expected = network_outputs(network, points, _KIND)
    allowed = rounding_allowance(tensor, _KIND)
    is_classifier = _own_name(perceptron) == "MLPClassifier"
    verb = "predict_proba" if is_classifier else "predict"
    try:
        with warnings.catch_warnings():
            # A model fitted on a table with names of columns warns about points without.
            warnings.simplefilter("ignore")
            found = np.asarray(getattr(model, verb)(points), dtype=np.float64)
    # scikit-learn's checks raise many types; whatever comes, the model cannot be evaluated.
    except Exception as error:
        raise InvalidNetworkError(
            f"from_sklearn needs a model that can be evaluated, to compare with; got "
            f"{type(model).__name__}, whose {verb} stops: {type(error).__name__} "
            f"({' '.join(str(error).split())[:200]}). Fit the model again."
        ) from error
    if is_classifier:
        expected, found = _probabilities(expected, found, perceptron.out_activation_)
        # Neither function has a slope above 1/2; each rounds a few times of its own.
        allowed = np.broadcast_to(allowed.max(axis=1, keepdims=True), expected.shape)
        allowed = allowed + 8 * expected.shape[1] * _KIND.eps
    elif found.ndim == 1:
        found = found[:, None]
    refuse_difference(
        expected,
        found,
        allowed,
        CheckWords(
            verb="from_sklearn",
            source=type(model).__name__,
            reference=f"its own {verb}",
            advice="Fit the model again.",
            error=InvalidNetworkError,
        ),
    )


def _probabilities(outputs: Floats, found: Floats, last: str) -> tuple[Floats, Floats]:
    """The probabilities that belong to outputs, and those that were found, in one shape."""
    if last == "logistic":
        with np.errstate(over="ignore"):
            expected = 1.0 / (1.0 + np.exp(-outputs))
        return expected, found[:, 1:] if outputs.shape[1] == 1 else found
    shifted = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True), found


def _unsupported(estimator: Any, place: str, reason: str) -> UnsupportedLayerError:
    name = type(estimator).__name__
    return UnsupportedLayerError(
        f"from_sklearn needs estimators that it knows; got {name}{place}: {reason}. "
        f"Supported: {', '.join(SUPPORTED)}.",
        layer=name,
        supported=SUPPORTED,
    )


def _not_fitted(estimator: Any, place: str) -> InvalidInputError:
    return InvalidInputError(
        f"from_sklearn needs a fitted model; got {type(estimator).__name__}{place} without its "
        "numbers. Do model.fit(X, y) first."
    )

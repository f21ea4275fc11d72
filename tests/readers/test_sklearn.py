"""`from_sklearn`: the same values as predict, the same decisions, scalers folded exactly."""

from __future__ import annotations

import copy
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from readers.docstring_examples import failures_in_examples

from plregions.errors import InvalidInputError, InvalidNetworkError, UnsupportedLayerError
from plregions.network.network import Network
from plregions.readers import from_sklearn
from plregions.readers import sklearn as reader
from plregions.readers.dense_steps import Activation, Dense

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install scikit-learn")
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.neural_network import MLPClassifier, MLPRegressor  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3)) * [1, 10, 100] + [0, 5, 1000]
Y = np.c_[X[:, 0] * X[:, 1], X[:, 2] / 50]
Points = np.ndarray


def fitted(model: Any, x: Points = X, y: Points = Y) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x, y)


def regressor(**options: Any) -> Any:
    chosen = {"hidden_layer_sizes": (6, 5), "max_iter": 20, "random_state": 0, **options}
    return MLPRegressor(**chosen)


def classifier(**options: Any) -> Any:
    chosen = {"hidden_layer_sizes": (6,), "max_iter": 20, "random_state": 0, **options}
    return MLPClassifier(**chosen)


def in_fractions(model: Any, x: list[Fraction]) -> list[Fraction]:
    """The oracle: each step by its definition, in Fractions."""
    if isinstance(model, Pipeline):
        for _, step in model.steps:
            x = x if step == "passthrough" else in_fractions(step, x)
    elif isinstance(model, StandardScaler):
        if model.with_mean:
            x = [v - Fraction(m) for v, m in zip(x, model.mean_.tolist(), strict=True)]
        if model.with_std:
            x = [v / Fraction(s) for v, s in zip(x, model.scale_.tolist(), strict=True)]
    elif isinstance(model, MinMaxScaler):
        pairs = zip(x, model.scale_.tolist(), model.min_.tolist(), strict=True)
        x = [v * Fraction(s) + Fraction(m) for v, s, m in pairs]
    else:
        for k, weight in enumerate(model.coefs_):
            x = [
                sum((Fraction(w) * v for w, v in zip(column, x, strict=True)), Fraction(b))
                for column, b in zip(weight.T.tolist(), model.intercepts_[k].tolist(), strict=True)
            ]
            if model.activation == "relu" and k < len(model.coefs_) - 1:
                x = [max(v, Fraction(0)) for v in x]
    return x


def check_exact(net: Network, model: Any) -> None:
    for row in X[:4].tolist():
        point = [Fraction(v) for v in row]
        assert list(net.exact(point)) == in_fractions(model, point)


@pytest.mark.parametrize(
    "model",
    [
        regressor(),
        regressor(hidden_layer_sizes=(), activation="identity"),
        regressor(activation="identity"),
        make_pipeline(StandardScaler(), regressor()),
        make_pipeline(StandardScaler(with_mean=False), "passthrough", regressor()),
        make_pipeline(StandardScaler(with_std=False), regressor()),
        make_pipeline(MinMaxScaler((-1, 1)), StandardScaler(), regressor()),
        make_pipeline(make_pipeline(MinMaxScaler()), regressor()),
    ],
)
def test_regressors(model: Any) -> None:
    model = fitted(copy.deepcopy(model))
    net = from_sklearn(model)
    assert np.allclose(net(X), model.predict(X), rtol=1e-11, atol=1e-11)
    check_exact(net, model)


def test_one_output_and_float32() -> None:
    model = fitted(regressor(), X, Y[:, 0])
    net = from_sklearn(model)
    assert net.output_dim == 1 and np.allclose(net(X)[:, 0], model.predict(X), rtol=1e-12)
    model = fitted(regressor(), X.astype("f4"), Y.astype("f4"))
    assert model.coefs_[0].dtype == np.float32
    check_exact(from_sklearn(model), model)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scaler", [None, StandardScaler(), MinMaxScaler()])
def test_classifiers(n_classes: int, scaler: Any) -> None:
    names = np.array(["zebra", "ant", "mole"])[:n_classes]
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    labels = names[(np.abs(scaled).argmax(axis=1)) % n_classes]
    model = classifier()
    model = fitted(model if scaler is None else make_pipeline(scaler, model), X, labels)
    net = from_sklearn(model)
    values = net(X)
    assert net.output_dim == (1 if n_classes == 2 else 3)
    decided = values.argmax(axis=1) if n_classes > 2 else (values[:, 0] > 0).astype(int)
    assert np.array_equal(model.classes_[decided], model.predict(X))
    check_exact(net, model)


def test_several_labels_at_once() -> None:
    labels = (X > np.median(X, axis=0)).astype(int)
    model = fitted(make_pipeline(StandardScaler(), classifier()), X, labels)
    net = from_sklearn(model)
    assert np.array_equal(net(X) > 0, model.predict(X).astype(bool))


def test_subclasses() -> None:
    class Named(MLPRegressor):
        pass

    class Doubled(MLPRegressor):
        def predict(self, X: Any) -> Any:
            return 2 * super().predict(X)

    options = {"hidden_layer_sizes": (4,), "max_iter": 5}
    model = fitted(Named(**options))
    check_exact(from_sklearn(model), model)
    with pytest.raises(UnsupportedLayerError, match="replaces predict of MLPRegressor"):
        from_sklearn(fitted(Doubled(**options)))


@pytest.mark.parametrize("activation", ["tanh", "logistic"])
def test_other_activations_by_name(activation: str) -> None:
    for model in (regressor(activation=activation), classifier(activation=activation)):
        with pytest.raises(UnsupportedLayerError, match=f"'{activation}'.*relu") as caught:
            from_sklearn(model)
        assert caught.value.layer == activation and "relu" in caught.value.supported


def test_exponential_output_is_refused() -> None:
    """B76: loss='poisson' ends with exp. Set by hand: older versions do not have it."""
    model = fitted(regressor())
    model.out_activation_ = "exp"
    with pytest.raises(UnsupportedLayerError, match="'exp'") as caught:
        from_sklearn(model)
    assert caught.value.layer == "exp"


def test_not_fitted() -> None:
    half = make_pipeline(StandardScaler(), fitted(regressor()))
    for model in (regressor(), classifier(), make_pipeline(StandardScaler(), regressor()), half):
        with pytest.raises(InvalidInputError, match=r"fitted model.*model\.fit"):
            from_sklearn(model)


def test_other_estimators_by_name() -> None:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import GridSearchCV

    good = fitted(regressor())
    searched = fitted(GridSearchCV(regressor(), {"alpha": [1e-4]}, cv=2))
    scaled = fitted(TransformedTargetRegressor(regressor(), transformer=StandardScaler()))
    for model, name, words in [
        (make_pipeline(RobustScaler(), good), "RobustScaler", "in step 'robustscaler'"),
        (make_pipeline(MinMaxScaler(clip=True), regressor()), "MinMaxScaler", "clip=True"),
        (searched, "GridSearchCV", "best_estimator_"),
        (scaled, "TransformedTargetRegressor", "regressor_"),
        (LinearRegression(), "LinearRegression", "Supported"),
        (StandardScaler().fit(X), "StandardScaler", "last step"),
        (Pipeline([("a", "passthrough")]), "Pipeline", "no steps"),
        (Pipeline([("a", good), ("b", StandardScaler())]), "MLPRegressor", "other steps"),
    ]:
        if isinstance(model, Pipeline) and name != "MLPRegressor" and len(model.steps) > 1:
            fitted(model)
        with pytest.raises(UnsupportedLayerError, match=words) as caught:
            from_sklearn(model)
        assert caught.value.layer == name and caught.value.supported == reader.SUPPORTED
    check_exact(from_sklearn(searched.best_estimator_), searched.best_estimator_)


def test_no_estimator() -> None:
    for given in (3, None, "net", MLPRegressor, X):
        with pytest.raises(InvalidInputError, match="scikit-learn"):
            from_sklearn(given)


def test_damaged_models() -> None:
    for change in (
        lambda m: m.coefs_.__setitem__(0, m.coefs_[0] * np.nan),
        lambda m: m.coefs_.__setitem__(1, m.coefs_[1][:2]),
        lambda m: m.coefs_.__setitem__(0, m.coefs_[0][:2]),
        lambda m: m.intercepts_.__setitem__(0, m.intercepts_[0][:2]),
    ):
        model = fitted(regressor())
        change(model)
        with pytest.raises(InvalidNetworkError):
            from_sklearn(model)
    with pytest.raises(InvalidNetworkError, match="scalers of 3 inputs"):
        from_sklearn(make_pipeline(StandardScaler().fit(X[:, :2]), fitted(regressor())))


def test_names_of_columns_do_not_warn() -> None:
    pandas = pytest.importorskip("pandas")
    model = fitted(
        make_pipeline(StandardScaler(), regressor()), pandas.DataFrame(X, columns=[*"abc"])
    )
    check_exact(from_sklearn(model), model)


FAULTS: dict[str, Any] = {
    "transposed": lambda s: Dense(s.label, s.weight.T, s.bias) if isinstance(s, Dense) else s,
    "bias ignored": lambda s: Dense(s.label, s.weight, None) if isinstance(s, Dense) else s,
    "activation ignored": lambda s: Activation(1, 1) if isinstance(s, Activation) else s,
}


@pytest.mark.parametrize("fault", [*FAULTS, "order", "scaler ignored"])
@pytest.mark.parametrize("is_classifier", [False, True])
def test_planted_fault(fault: str, is_classifier: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Caught by the comparison in the reader, and by the oracle of these tests."""
    labels = np.abs((X - X.mean(axis=0)) / X.std(axis=0)).argmax(axis=1)
    square = {"hidden_layer_sizes": (3,)}
    model = classifier(**square) if is_classifier else regressor(**square)
    target = labels if is_classifier else np.c_[Y, Y[:, 0]]
    model = fitted(make_pipeline(StandardScaler(), model), X, target)
    right = reader.follow

    def wrong(steps: Any, tensor: Any, *, verb: str) -> None:
        listed = list(steps)
        changed = listed[::-1] if fault == "order" else [FAULTS[fault](step) for step in listed]
        right(changed, tensor, verb=verb)

    if fault == "scaler ignored":
        monkeypatch.setattr(reader, "_apply", lambda scaling, tensor: None)
    else:
        monkeypatch.setattr(reader, "follow", wrong)
    with pytest.raises(InvalidNetworkError, match="needs to read Pipeline right"):
        from_sklearn(model)
    monkeypatch.setattr(reader, "refuse_difference", lambda *args: None)
    net = from_sklearn(model)
    with pytest.raises(AssertionError):
        check_exact(net, model)


def test_example_in_the_docstring() -> None:
    assert failures_in_examples(from_sklearn) == 0

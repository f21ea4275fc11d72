"""Which networks does training give at several depths, on the same data and with one size?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from plregions.analysis.equal_size import Member, equal_size_widths, seed_list
from plregions.errors import InvalidInputError, MissingExtraError
from plregions.readers.sklearn import from_sklearn

__all__ = ["trained_family"]

Task = Literal["classification", "regression"]


def trained_family(
    x: Any,
    y: Any,
    depths: Sequence[int],
    *,
    seeds: int | Sequence[int],
    neurons: int | None = None,
    parameters: int | None = None,
    task: Task = "classification",
    **options: Any,
) -> list[Member]:
    """Train networks of several depths and one size on the same data with scikit-learn.

    Parameters
    ----------
    x : array_like, shape (n, d)
        Inputs.
    y : array_like, shape (n,) or (n, m)
        Labels or values.
    depths : sequence of int
        Numbers of affine maps, at least 2 each.
    seeds : int or sequence of int
        An integer n stands for 0, ..., n - 1. Each depth is trained once for each seed, which
        draws the first weights and the order of the data.
    neurons, parameters : int
        One of the two: all depths get so many neurons, or nearly so many parameters, by the rules
        of `plregions.analysis.equal_size`.
    task : {"classification", "regression"}
        MLPClassifier or MLPRegressor.
    **options
        Of the estimator, such as max_iter, solver, alpha; activation is ReLU.

    Returns
    -------
    list of Member
        Depth by depth, seed by seed; `score` is the accuracy, or R^2, on the given data. A
        classifier's network is the one before the softmax, see `from_sklearn`.

    Raises
    ------
    MissingExtraError
        scikit-learn is not installed.
    InvalidInputError
        Sizes, seeds or a task that do not fit; data or options that scikit-learn refuses.

    Algorithm
    ---------
    One fit for each depth and seed, each on one thread: the matrices are too small for more, and
    threads that wait for each other take many times as long. Training that stops at max_iter is
    no error: its warning is held back.

    Exactness
    ---------
    Networks are read exactly. Training is float arithmetic: the same arguments give the same
    networks with the same versions of scikit-learn and numpy on the same machine.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-1, 1, (40, 2))
    >>> members = trained_family(
    ...     x, x[:, 0] > x[:, 1], [2, 3], seeds=1, neurons=6, max_iter=5
    ... )  # doctest: +SKIP
    >>> [m.network.widths for m in members]  # doctest: +SKIP
    [(6,), (3, 3)]
    """
    verb = "trained_family"
    if task not in ("classification", "regression"):
        raise InvalidInputError(
            f"{verb} needs task 'classification' or 'regression'; got {task!r}."
        )
    for taken in ("hidden_layer_sizes", "random_state", "activation"):
        if taken in options:
            raise InvalidInputError(
                f"{verb} sets {taken} itself; got it as an option. Leave it out."
            )
    chosen = seed_list(verb, seeds)
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPClassifier, MLPRegressor
        from threadpoolctl import threadpool_limits  # which scikit-learn requires
    except ImportError as error:
        raise MissingExtraError.of(verb, "the scikit-learn library", "sklearn") from error
    points, targets = np.asarray(x), np.asarray(y)
    if points.ndim != 2 or points.size == 0:
        raise InvalidInputError(f"{verb} needs inputs of shape (n, d); got {points.shape}.")
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    n_out = _outputs(targets, task)
    sizes = equal_size_widths(
        points.shape[1], n_out, depths, neurons=neurons, parameters=parameters
    )
    estimator = MLPClassifier if task == "classification" else MLPRegressor
    members = []
    for widths in sizes:
        for seed in chosen:
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore", ConvergenceWarning)
                try:
                    model = estimator(
                        hidden_layer_sizes=widths[1:-1],
                        activation="relu",
                        random_state=seed,
                        **options,
                    ).fit(points, targets)
                except (TypeError, ValueError) as error:
                    raise InvalidInputError(
                        f"{verb} needs data and options that scikit-learn takes; it says: {error}"
                    ) from error
            score = float(model.score(points, targets))
            members.append(Member(from_sklearn(model), "trained", seed, score))
    return members


def _outputs(targets: Any, task: str) -> int:
    """Return the number of outputs of scikit-learn's network for these targets."""
    if targets.ndim == 2:
        return int(targets.shape[1])
    if task == "regression":
        return 1
    n_classes = len(np.unique(targets))
    return 1 if n_classes <= 2 else n_classes

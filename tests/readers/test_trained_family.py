"""Networks trained on the same data: sizes, seeds, scores, and what scikit-learn predicts."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import plregions as plr
from plregions.analysis.counts import depth_profile
from plregions.analysis.equal_size import equal_size_widths
from plregions.errors import InvalidInputError, MissingExtraError
from plregions.readers.trained_family import trained_family

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (60, 2))
LABELS = X[:, 0] * X[:, 1] > 0
TARGETS: dict[str, tuple[Any, str, int]] = {
    "two classes": (LABELS, "classification", 1),
    "named classes": (np.where(LABELS, "in", "out"), "classification", 1),
    "five classes": ((X[:, 0] * 3).astype(int), "classification", 5),
    "labels": (X > 0, "classification", 2),
    "value": (X[:, 0] ** 2, "regression", 1),
    "column": (X[:, :1] ** 2, "regression", 1),
    "values": (np.sin(X), "regression", 2),
}


@pytest.fixture(autouse=True)
def with_sklearn() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")


@pytest.mark.parametrize("name", TARGETS)
def test_sizes_seeds_and_outputs(name: str) -> None:
    y, task, n_out = TARGETS[name]
    members = trained_family(
        X,
        y,
        [2, 3],
        seeds=2,
        parameters=60,
        task=task,
        max_iter=3,  # type: ignore[arg-type]
    )
    expected = equal_size_widths(2, n_out, [2, 3], parameters=60)
    sizes = [(2, *m.network.widths, m.network.output_dim) for m in members]
    assert sizes == [expected[0], expected[0], expected[1], expected[1]]
    assert [m.seed for m in members] == [0, 1, 0, 1]
    assert members[0].network != members[1].network
    assert {m.family for m in members} == {"trained"}


def test_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fit sees one thread for its linear algebra, and afterwards all are there again."""
    from sklearn.neural_network import MLPClassifier
    from threadpoolctl import threadpool_info, threadpool_limits

    seen: list[int] = []
    fit = MLPClassifier.fit

    def counts_threads(model: Any, *data: Any) -> Any:
        seen.extend(pool["num_threads"] for pool in threadpool_info())
        return fit(model, *data)

    monkeypatch.setattr(MLPClassifier, "fit", counts_threads)
    with threadpool_limits(2):
        before = [pool["num_threads"] for pool in threadpool_info()]
        trained_family(X, LABELS, [2], seeds=1, neurons=4, max_iter=3)
        assert [pool["num_threads"] for pool in threadpool_info()] == before
    assert seen == [1] * len(before)


def test_scores_are_those_of_the_networks() -> None:
    (member,) = trained_family(X, LABELS, [3], seeds=[4], neurons=16, solver="lbfgs", max_iter=500)
    right = (member.network(X)[:, 0] > 0) == LABELS
    assert member.score == pytest.approx(right.mean())
    assert right.mean() > 0.9
    # Other labels give another score: the comparison can fail.
    assert ((member.network(X)[:, 0] > 0) == ~LABELS).mean() != pytest.approx(member.score)
    (member,) = trained_family(X, X[:, 0], [2], seeds=1, neurons=4, task="regression", max_iter=9)
    residual = ((member.network(X)[:, 0] - X[:, 0]) ** 2).sum()
    spread = ((X[:, 0] - X[:, 0].mean()) ** 2).sum()
    assert member.score == pytest.approx(1 - residual / spread)


def test_same_arguments_same_networks() -> None:
    options: dict[str, Any] = {"seeds": [3], "neurons": 6, "max_iter": 4}
    assert trained_family(X, LABELS, [2], **options) == trained_family(X, LABELS, [2], **options)


def test_profile_of_a_trained_family() -> None:
    members = trained_family(X, LABELS, [2, 3], seeds=2, neurons=6, max_iter=5)
    profile = depth_profile(members, plr.hypercube(2, -1, 1))
    assert profile.is_complete
    assert profile.column("score") == tuple(m.score for m in members)


def test_wrong_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    good: dict[str, Any] = {"depths": [2], "seeds": 1, "neurons": 3, "max_iter": 2}
    wrong: list[dict[str, Any]] = [
        {"task": "other"},
        {"activation": "tanh"},
        {"random_state": 3},
        {"max_iter": -3},
        {"nonsense": 2},
        {"seeds": 0},
        {"depths": [1]},
        {"parameters": 9},
    ]
    for options in wrong:
        with pytest.raises(InvalidInputError, match="needs|sets"):
            trained_family(X, LABELS, **(good | options))
    for x, y in ((X[:, 0], LABELS), (X[:0], LABELS[:0]), (X, LABELS[:9]), (X * np.nan, LABELS)):
        with pytest.raises(InvalidInputError, match="trained_family needs"):
            trained_family(x, y, **good)
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", None)
    with pytest.raises(MissingExtraError, match="scikit-learn"):
        trained_family(X, LABELS, **good)

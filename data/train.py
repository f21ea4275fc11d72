"""Make the networks in this folder, and their counts.

``python data/train.py`` trains and saves them (needs scikit-learn and onnx);
``python data/train.py --counts`` counts their regions and edges and writes counts.json.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import plregions as plr

FOLDER = Path(__file__).resolve().parent
# Every network has its inputs scaled to this range, feature by feature.
LOWER, UPPER = -1.0, 1.0
SEED = 0
EPOCHS = 300

Layers = list[tuple[NDArray[np.float32], NDArray[np.float32]]]


def scaled(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map each column of (n, d) points to [-1, 1], smallest value to -1, largest to 1."""
    low, high = points.min(axis=0), points.max(axis=0)
    scaled_points: NDArray[np.float64] = (2 * points - (low + high)) / (high - low)
    return scaled_points


def trained_layers(
    points: NDArray[np.float64], labels: NDArray[np.int64], hidden: tuple[int, ...]
) -> Layers:
    """Train a classifier; return its (weight, bias) pairs in float32, weight (n_out, n_in).

    The last layer gives the scores before the logistic function or the softmax.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    classifier = MLPClassifier(
        hidden_layer_sizes=hidden,
        activation="relu",
        solver="adam",
        learning_rate_init=0.003,
        batch_size=32,
        max_iter=EPOCHS,
        n_iter_no_change=EPOCHS,
        random_state=SEED,
    )
    with warnings.catch_warnings():
        # The number of epochs is meant to be fixed.
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(points, labels)
    return [
        (np.ascontiguousarray(weight.T, dtype=np.float32), bias.astype(np.float32))
        for weight, bias in zip(classifier.coefs_, classifier.intercepts_, strict=True)
    ]


def moons() -> Layers:
    """Train 2-16-16-1 to tell two interleaved half circles apart."""
    from sklearn.datasets import make_moons

    points, labels = make_moons(n_samples=400, noise=0.15, random_state=SEED)
    return trained_layers(scaled(points), labels, (16, 16))


def iris() -> Layers:
    """Train 4-10-10-3 to tell three species of iris apart by four lengths."""
    from sklearn.datasets import load_iris

    points, labels = load_iris(return_X_y=True)
    return trained_layers(scaled(points), labels, (10, 10))


def save_npz(layers: Layers, path: Path) -> None:
    """Save as arrays W0, b0, W1, b1, ..."""
    arrays: dict[str, Any] = {}
    for k, (weight, bias) in enumerate(layers):
        arrays[f"W{k}"], arrays[f"b{k}"] = weight, bias
    np.savez(path, **arrays)


def save_onnx(layers: Layers, path: Path) -> None:
    """Save as a chain of Gemm and Relu with a free batch axis."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants, value = [], [], "x"
    for k, (weight, bias) in enumerate(layers):
        constants += [
            numpy_helper.from_array(weight, f"W{k}"),
            numpy_helper.from_array(bias, f"b{k}"),
        ]
        is_last = k == len(layers) - 1
        sums = "y" if is_last else f"z{k}"
        nodes.append(helper.make_node("Gemm", [value, f"W{k}", f"b{k}"], [sums], transB=1))
        if not is_last:
            value = f"a{k}"
            nodes.append(helper.make_node("Relu", [sums], [value]))
    n_in, n_out = layers[0][0].shape[1], layers[-1][0].shape[0]
    graph = helper.make_graph(
        nodes,
        path.stem,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", n_in])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", n_out])],
        constants,
    )
    model = helper.make_model(
        graph,
        producer_name="plregions",
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString(deterministic=True))


def train() -> None:
    """Train and save every network."""
    save_onnx(moons(), FOLDER / "moons.onnx")
    save_npz(iris(), FOLDER / "iris.npz")


def counted() -> Iterator[dict[str, object]]:
    """Count each network's activation regions and the edges of its region graph."""
    for name in ("moons.onnx", "iris.npz"):
        network = plr.load(FOLDER / name)
        lower, upper = [LOWER] * network.input_dim, [UPPER] * network.input_dim
        found = plr.enumerate_regions(network, plr.Box(lower, upper))
        if not found.is_complete:
            raise RuntimeError(f"counting {name} stopped early: {found.outcome}")
        yield {
            "network": name,
            "layers": [network.input_dim, *network.widths, network.output_dim],
            "lower": lower,
            "upper": upper,
            "kind": "activation",
            "regions": len(found),
            "edges": found.n_edges,
        }


def main() -> None:
    """Train the networks, or count them."""
    parser = argparse.ArgumentParser(description="Make the networks in data/, or count them.")
    parser.add_argument("--counts", action="store_true", help="count, and write counts.json")
    if parser.parse_args().counts:
        text = json.dumps(list(counted()), indent=2)
        (FOLDER / "counts.json").write_text(text + "\n", encoding="utf-8")
    else:
        train()


if __name__ == "__main__":
    main()

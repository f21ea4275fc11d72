"""Numbered keys in .npz files, through `load`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plregions.errors import FormatError, InvalidNetworkError, UnsupportedLayerError
from plregions.network.network import Network
from plregions.readers import affinitree as reader
from plregions.readers import load
from plregions.readers.dense_steps import Dense

RNG = np.random.default_rng(2)
W0, b0 = RNG.standard_normal((3, 3)), RNG.standard_normal(3)
W1, b1 = RNG.standard_normal((3, 3)), RNG.standard_normal(3)
ARRAYS = {
    "000.layers": np.int64(3),
    "000.linear.weights": W0,
    "000.linear.bias": b0,
    "001.relu": np.zeros(1),
    "002.linear.weights": W1,
    "002.linear.bias": b1,
}
EXPECTED = Network([(W0, b0), (W1, b1)])


def saved(folder: Path, arrays: dict[str, Any], without: str = "") -> Path:
    kept = {key: value for key, value in arrays.items() if key != without}
    np.savez(folder / "net.npz", **kept)
    return folder / "net.npz"


def test_layers_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    assert load(saved(tmp_path, ARRAYS)) == EXPECTED
    assert load(saved(tmp_path, dict(reversed(ARRAYS.items())))) == EXPECTED
    assert load(saved(tmp_path, ARRAYS, without="000.layers")) == EXPECTED
    wide = {key.replace("002", "1000").replace("001", "999"): v for key, v in ARRAYS.items()}
    assert load(saved(tmp_path, wide)) == EXPECTED  # by number, not by letters
    for suffix in ("", ".bin"):
        saved(tmp_path, ARRAYS).replace(tmp_path / f"net{suffix}")
        assert load(tmp_path / f"net{suffix}") == EXPECTED


def test_relu_at_the_end_and_linear_after_linear(tmp_path: Path) -> None:
    arrays = {**ARRAYS, "000.layers": np.array([4]), "003.relu": np.zeros(1)}
    assert load(saved(tmp_path, arrays)) == Network([(W0, b0), (W1, b1, "relu")])
    arrays = {key: v for key, v in ARRAYS.items() if key not in {"001.relu", "000.layers"}}
    assert load(saved(tmp_path, arrays)) == Network([(W0, b0, "identity"), (W1, b1)])


@pytest.mark.parametrize("name", ["hard_tanh", "leaky_relu", "sigmoid", "conv.weights"])
def test_other_layers_by_name(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path, {**ARRAYS, f"001.{name}": np.zeros(1)}, without="001.relu")
    with pytest.raises(UnsupportedLayerError, match=f"'{name}' with the number 1") as caught:
        load(path)
    assert caught.value.layer == name.split(".")[0]
    assert caught.value.supported == ("linear", "relu")


@pytest.mark.parametrize(
    ("without", "more", "message"),
    [
        ("000.linear.bias", {}, "linear.bias and linear.weights with the number 0"),
        ("002.linear.weights", {}, "number 2"),
        ("", {"000.linear.scale": b0}, "linear.scale"),
        ("", {"002.relu": b0}, "number 2"),
        ("001.relu", {}, "layers.*3.*got 2"),
        ("", {"000.layers": np.int64(5)}, "got 3"),
        ("", {"W0": W0}, "'W0'"),
    ],
)
def test_arrays_that_do_not_fit(
    without: str, more: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = saved(tmp_path, {**ARRAYS, **more}, without)
    with pytest.raises(FormatError, match=message) as caught:
        load(path)
    assert caught.value.path == str(path)


def test_damage(tmp_path: Path) -> None:
    for change in ({"002.linear.weights": W1[:, :2]}, {"000.linear.bias": b0 * np.nan}):
        with pytest.raises(InvalidNetworkError):
            load(saved(tmp_path, {**ARRAYS, **change}))
    path = saved(tmp_path, ARRAYS)
    whole = path.read_bytes()
    for n in range(1, len(whole), 97):
        path.write_bytes(whole[:n])
        with pytest.raises(FormatError):
            load(path)
    np.savez(path, **{"000.linear.weights": np.array([{}], dtype=object)})
    with pytest.raises(FormatError, match="numbers"):
        load(path)  # a pickle inside is not opened


@pytest.mark.parametrize("fault", ["transposed", "order"])
def test_planted_fault(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = reader.network_of

    def wrong(steps: list[Any], *, verb: str) -> Network:
        if fault == "order":
            return right(steps[::-1], verb=verb)
        turned = [Dense(s.label, s.weight.T, s.bias) if isinstance(s, Dense) else s for s in steps]
        return right(turned, verb=verb)

    monkeypatch.setattr(reader, "network_of", wrong)
    assert load(saved(tmp_path, ARRAYS)) != EXPECTED


@pytest.fixture
def affinitree(shared: Path) -> Path:
    return shared / "real_nets" / "affinitree"


def test_ecoli_has_the_values_that_affinitree_states(affinitree: Path) -> None:
    """Four points and outputs from the tests of affinitree itself."""
    net = load(affinitree / "ecoli.npz")
    points = [
        [0.0, 1.0, 6.0, 2.0, -100.0, 7.0, -1.0],
        [0.0, 1.0, 6.0, 2.0, 0.0, 7.0, -1.0],
        [0.0, 1.0, 6.0, 2.0, 0.0, -7.0, -1.0],
        [5.0, -2.0, 3.0, 50.0, -5.0, -2.0, 8.0],
    ]
    outputs = [
        [-19.85087719, 79.9919784, 20.50838996, -114.81462218],
        [-6.84282267, 10.55842791, -1.14444066, -23.78016759],
        [4.25559725, -9.07232097, -16.83579659, -5.00034567],
        [4.59256626, 21.26106201, 26.68923948, -43.60172981],
    ]
    assert np.allclose(net(np.array(points)), outputs, rtol=1e-8, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("iris", [4, 10, 8, 6, 4, 3]),
        ("ecoli", [7, 5, 5, 4]),
        ("mnist-5-5", [7, 5, 5, 5, 5, 10]),
        ("iris_44", [4, 4, 3]),
    ],
)
def test_published_files(affinitree: Path, name: str, sizes: list[int]) -> None:
    """Against a forward pass written down here."""
    net = load(affinitree / f"{name}.npz")
    assert [net.input_dim, *net.widths, net.output_dim] == sizes
    assert net.n_neurons == sum(sizes[1:-1])
    x = np.random.default_rng(0).standard_normal((100, sizes[0]))
    values = x
    with np.load(affinitree / f"{name}.npz") as arrays:
        for k in range(0, 2 * len(sizes) - 2, 2):
            values = values @ arrays[f"{k:03}.linear.weights"].T + arrays[f"{k:03}.linear.bias"]
            if f"{k + 1:03}.relu" in arrays.files:
                values = np.maximum(values, 0)
    assert np.allclose(net(x), values, rtol=1e-12, atol=1e-12)

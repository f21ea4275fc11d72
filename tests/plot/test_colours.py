"""Are colours stable, told apart, and the same for the same map?"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

import plregions as plr
from plregions.plot import colours as module
from plregions.plot.colours import hashed_colour, map_colours, oklch_to_srgb, pattern_colours

PROGRAM = """
import numpy as np
import plregions as plr
from plregions.plot.colours import map_colours, pattern_colours
bits = np.array([[0, 1, 1, 0], [1, 1, 1, 1]], dtype=bool)
net = plr.Network([([[1, 0], [0, 1], [1, 1], [1, 2]], [0] * 4), ([[1, 2, 3, 4]], ["1/3"])])
print(pattern_colours(bits).tolist(), map_colours(net, bits, np.arange(2)).tolist())
"""


def all_patterns(n_bits: int) -> NDArray[np.bool_]:
    return (np.arange(2**n_bits)[:, None] >> np.arange(n_bits) & 1).astype(np.bool_)


def smallest_step(patterns: NDArray[np.bool_], colours: NDArray[np.float64]) -> float:
    """The smallest distance of colours across one flip, in OKLab."""
    place = {row.tobytes(): k for k, row in enumerate(patterns)}
    lab = oklab(colours)
    steps = []
    for k, row in enumerate(patterns):
        for bit in range(patterns.shape[1]):
            other = row.copy()
            other[bit] ^= True
            steps.append(np.linalg.norm(lab[k] - lab[place[other.tobytes()]]))
    return float(min(steps))


def oklab(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """The way back from sRGB, through the inverse matrices."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    roots = np.cbrt(linear @ np.linalg.inv(module.LMS_TO_RGB).T)
    return np.asarray(roots @ np.linalg.inv(module.LAB_TO_LMS).T)


def test_same_colours_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = set()
    for seed in ("0", "1"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        )
        texts.add(done.stdout)
    assert len(texts) == 1
    bits = np.array([[0, 1, 1, 0], [1, 1, 1, 1]], dtype=np.bool_)
    assert texts.pop().startswith(str(pattern_colours(bits).tolist()))


def test_colours_do_not_depend_on_the_other_patterns() -> None:
    patterns = all_patterns(6)
    together = pattern_colours(patterns)
    alone = np.concatenate([pattern_colours(row[None]) for row in patterns])
    # A sum of turns may round differently in another order.
    assert np.abs(together - alone).max() < 1e-12
    assert ((together >= 0) & (together <= 1)).all()
    assert len(np.unique(together.round(4), axis=0)) > 60


def test_colours_differ_across_one_neuron(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = all_patterns(10)
    assert smallest_step(patterns, pattern_colours(patterns)) > 0.03
    # Plain hashes would not do: some neighbours then look the same.
    plain = np.array([hashed_colour(str(k)) for k in range(len(patterns))])
    assert smallest_step(patterns, plain) < 0.01


def test_no_bits_and_no_patterns() -> None:
    assert pattern_colours(np.zeros((1, 0), dtype=np.bool_)).shape == (1, 3)
    assert pattern_colours(np.zeros((0, 3), dtype=np.bool_)).shape == (0, 3)


def test_known_colours_of_oklch() -> None:
    # Published values: sRGB red, and mid grey.
    red = np.array([[0.6279553, 0.2576833, 29.2338812]])
    assert np.abs(oklch_to_srgb(red) - [[1, 0, 0]]).max() < 1e-3
    grey = oklch_to_srgb(np.array([[0.5998708, 0.0, 0.0]]))
    assert np.abs(grey - 128 / 255).max() < 1e-3


def test_one_map_has_one_colour_in_all_networks() -> None:
    # x -> |x| written in two ways; then with one map moved.
    hinge = plr.Network([([[1, 0], [-1, 0]], [0, 0]), ([[1, 1]], [0])])
    double = plr.Network([([[2, 0], ["-1/3", 0]], [0, 0]), ([["1/2", 3]], [0])])
    other = plr.Network([([[1, 0], [-1, 0]], [0, 0]), ([[1, 2]], [0])])
    bits = np.array([[True, False], [False, True]])
    labels = np.arange(2)
    first, second, third = (map_colours(net, bits, labels) for net in (hinge, double, other))
    assert np.array_equal(first, second)
    assert np.array_equal(first[0], third[0])
    assert np.abs(first[1] - third[1]).max() > 0.01
    assert np.abs(first[0] - first[1]).max() > 0.01


def test_labels_choose_the_colours() -> None:
    net = plr.mlp([2, 3, 1])
    patterns = all_patterns(3)
    labels = np.array([0, 1, 0, 2, 1, 3, 4, 0])
    colours = map_colours(net, patterns, labels)
    alone = [map_colours(net, row[None], np.zeros(1, dtype=np.int64))[0] for row in patterns]
    for k, label in enumerate(labels):
        assert np.array_equal(colours[k], alone[int(np.flatnonzero(labels == label)[0])])

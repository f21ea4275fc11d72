"""Shares of classes: closed forms, sums, and the label at points inside parts."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracles.crossed_pieces import inner_point
from oracles.plain_network import plain_layers, pre_activations
from oracles.random_cases import case

import plregions as plr
from plregions.analysis.boundary import level_set
from plregions.analysis.class_parts import classes_of
from plregions.analysis.class_volumes import ClassPartition, argmax_partition
from plregions.analysis.nearest_in_hull import nearest_in_hull
from plregions.errors import InvalidInputError
from plregions.regions.geometry import measure

F = Fraction
SQUARE = plr.Box([-1, -1], [1, 1])


def check_labels(partition: ClassPartition, net: Any, domain: Any, seed: int) -> None:
    """Each random point lies in exactly one part, and its largest outputs are that part's."""
    rng, parts, layers = np.random.default_rng(seed), partition.parts, plain_layers(net)
    for _ in range(5):
        x = inner_point(rng, domain)
        values = pre_activations(layers, domain.embed_exact(x))[1]
        largest = tuple(k for k, v in enumerate(values) if v == max(values))
        holders = []
        for part, corners in enumerate(parts.corners):
            points = [parts.point(index) for index in corners]
            box = [(min(c), max(c)) for c in zip(*points, strict=True)]
            if all(low <= v <= high for v, (low, high) in zip(x, box, strict=True)):
                if nearest_in_hull(x, points) == tuple(x):
                    holders.append(part)
        assert [classes_of(parts.labels[part]) for part in holders] == [largest]


@pytest.mark.parametrize("seed", range(30))
def test_labels_at_points_and_the_sum_of_volumes(seed: int) -> None:
    _, net, domain = case(seed)
    rng = np.random.default_rng(seed)
    weight = rng.integers(-2, 3, (3, net.output_dim))
    net = plr.Network([*net.layers, plr.Layer(weight, rng.integers(-1, 2, 3), "identity")])
    regions = plr.enumerate_regions(net, domain)
    partition = argmax_partition(regions, exact=True)
    check_labels(partition, net, domain, seed)
    whole = sum(measure(regions, "volume", exact=True)["volume"], F(0))
    assert sum(partition.volumes, F(0)) == whole
    rounded = argmax_partition(regions)
    assert np.allclose(rounded.volumes, [float(v) for v in partition.volumes], rtol=1e-12)
    # Parts of one region fill it.
    shares = np.bincount(partition.parts.regions, rounded.part_volumes, regions.n_regions)
    assert np.allclose(shares, measure(regions, "volume")["volume"], rtol=1e-9)


def test_labels_notice_a_part_of_another_class_and_one_that_is_missing() -> None:
    net = plr.mlp([2, 5, 3], seed=4)
    partition = argmax_partition(net, SQUARE)
    largest = int(np.argmax(partition.part_volumes))
    labels = list(partition.parts.labels)
    labels[largest] = 1 << 3
    parts = dataclasses.replace(partition.parts, labels=tuple(labels))
    with pytest.raises(AssertionError):
        for seed in range(5):
            check_labels(dataclasses.replace(partition, parts=parts), net, SQUARE, seed)
    corners = list(partition.parts.corners)
    corners[largest] = corners[largest][:1]
    parts = dataclasses.replace(partition.parts, corners=tuple(corners))
    with pytest.raises(AssertionError):
        for seed in range(5):
            check_labels(dataclasses.replace(partition, parts=parts), net, SQUARE, seed)


def test_components_of_the_tent() -> None:
    partition = argmax_partition(level_set(plr.constructions.tent_power(2), plr.hypercube(1), 0.5))
    assert partition.labels == ((0,), (1,))
    assert partition.n_components.tolist() == [2, 3]
    assert partition.volumes == (0.5, 0.5)


def test_corners_that_meet_in_a_point_are_not_joined() -> None:
    saddle = plr.Network([(np.eye(2), None, (-1, 1)), ([[1, -1]], None)])
    partition = argmax_partition(level_set(saddle, SQUARE))
    assert partition.n_components.tolist() == [2, 2]


def test_an_annulus_is_one_component_and_its_complement_two() -> None:
    size = plr.constructions.l1_norm(2)
    ring = plr.Network([*size.layers[:-1], plr.Layer(size.layers[-1].weight, [F(-1, 2)], (-1, 1))])
    partition = argmax_partition(level_set(ring, SQUARE, "1/4"), exact=True)
    assert partition.n_components.tolist() == [2, 1]
    assert partition.volume_of(1) == 2 * (F(3, 4) ** 2 - F(1, 4) ** 2)
    assert partition.volume_of(0) == 4 - partition.volume_of(1)
    assert partition.volume_of(0, 1) == 0
    assert repr(partition) == "ClassPartition(16 parts, volumes {above: 3, below: 1})"


def test_a_tie_with_the_level_has_a_name() -> None:
    flat = plr.Network([([[1, 0]], [0]), ([[1]], [0])])
    partition = argmax_partition(level_set(flat, SQUARE), exact=True)
    assert repr(partition) == "ClassPartition(2 parts, volumes {above: 2, level: 2})"
    assert partition.labels == ((0,), (0, 1))


def test_columns_and_texts() -> None:
    larger = plr.Network([(np.eye(2), None), (np.eye(2), None)])
    partition = argmax_partition(larger, SQUARE)
    columns = partition.columns()
    assert set(columns) == {"region", "label", "volume", "component"}
    assert set(columns["label"]) == {"0", "0 1", "1"}
    assert columns["volume"].sum() == 4.0
    assert repr(partition) == "ClassPartition(5 parts, volumes {0: 1.5, 0=1: 1, 1: 1.5})"


def test_one_output_is_one_class() -> None:
    partition = argmax_partition(plr.mlp([2, 4, 1]), SQUARE, exact=True)
    assert (partition.labels, partition.volumes) == (((0,),), (4,))


def test_an_unbounded_domain_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="argmax_partition needs a bounded domain"):
        argmax_partition(plr.mlp([2, 4, 2]), plr.WholeSpace(2))

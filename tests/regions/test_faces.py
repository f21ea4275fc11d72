"""The face lattice: known f-vectors, Euler's relation, signs at points, what bounds what."""

from __future__ import annotations

import csv
import dataclasses
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.face_networks import corner_hinge, max_tree3, sort3
from oracles.plain_network import plain_layers, pre_activations
from oracles.planted_complexes import without
from oracles.random_cases import case

import plregions as plr
from plregions.regions.faces import FaceLattice, faces
from plregions.regions.outcome import budget_exhausted

SEEDS = range(40)


@pytest.mark.parametrize(
    ("net", "domain", "f_vector"),
    [
        (corner_hinge(2), plr.hypercube(2), (23, 38, 16)),
        (corner_hinge(3), plr.hypercube(3), (69, 168, 132, 32)),
        (max_tree3(), plr.hypercube(3, -1, 1), (22, 53, 45, 13)),
        (sort3(), plr.hypercube(3, -1, 1), (27, 74, 72, 24)),
    ],
)
def test_known_f_vectors(net: plr.Network, domain: plr.Box, f_vector: tuple[int, ...]) -> None:
    lattice = faces(plr.enumerate_regions(net, domain))
    assert lattice.f_vector == f_vector
    assert lattice.euler_characteristic == 1


@pytest.mark.parametrize(("n", "d"), [(5, 1), (4, 2), (6, 2), (4, 3), (5, 3), (5, 4)])
def test_simple_arrangements(n: int, d: int) -> None:
    """Every face of the arrangement meets a box that is large enough."""
    rng = np.random.default_rng(n * d)
    net = plr.Network(
        [(rng.integers(-9, 10, (n, d)), rng.integers(1, 9, n)), (np.ones((1, n)), [0])]
    )
    lattice = faces(plr.enumerate_regions(net, plr.hypercube(d, -(10**6), 10**6)))
    inner = [int((~lattice.is_on_boundary(k)).sum()) for k in range(d + 1)]
    assert inner == [
        comb(n, d - k) * sum(comb(n - d + k, i) for i in range(k + 1)) for k in range(d + 1)
    ]


def faults(lattice: FaceLattice) -> list[str]:
    """What is wrong with a lattice of a complete complex, by other means than made it."""
    found = []
    d = lattice.dim
    if lattice.euler_characteristic != 1:
        found.append("Euler")
    layers = plain_layers(lattice.network)
    bent = [layer.has_bit for layer in lattice.network.layers]
    rows = lattice.domain.exact_rows()
    names = set()
    for k in range(d + 1):
        signs, walls = lattice.signs(k), lattice.wall_signs(k)
        for face in range(lattice.f_vector[k]):
            x = lattice.point_in(k, face)
            values, _ = pre_activations(layers, x)
            wanted = [
                int(np.sign(v))
                for layer, has_bit in zip(values, bent, strict=True)
                for v, kept in zip(layer, has_bit, strict=True)
                if kept
            ]
            slack = [sum((a * v for a, v in zip(row, x, strict=False)), row[-1]) for row in rows]
            if signs[face].tolist() != wanted or walls[face].tolist() != list(map(np.sign, slack)):
                found.append(f"signs of {k}-face {face}")
            names.add((k, *wanted, *slack_signs(slack)))
    if len(names) != sum(lattice.f_vector):
        found.append("two faces of one sign vector")
    for k in range(1, d):
        if (
            (lattice.boundaries[k - 1].astype(int) @ lattice.boundaries[k].astype(int)).data % 2
        ).any():
            found.append("the boundary of a boundary")
    return found


def slack_signs(slack: list[Any]) -> list[int]:
    return [int(v > 0) for v in slack]


@pytest.mark.parametrize("seed", SEEDS)
def test_lattices_of_small_cases(seed: int) -> None:
    regions = plr.enumerate_regions(*case(seed)[1:])
    lattice = faces(regions)
    assert faults(lattice) == []
    assert lattice.f_vector[-1] == len(regions) and lattice.f_vector[0] == len(regions.vertices)
    assert np.array_equal(lattice.signs(lattice.dim) > 0, regions.patterns)
    # Facets and what they separate are those of the region graph, found without vertices.
    graph, cells = regions.graph, lattice.facet_cells()
    inner = cells[cells[:, 1] >= 0]
    assert sorted(inner.tolist()) == sorted(graph.edges.tolist())
    assert np.array_equal(lattice.is_on_boundary(lattice.dim - 1), cells[:, 1] < 0)
    owners = lattice.boundaries[lattice.dim - 1].indices
    assert np.bincount(owners).tolist() == graph.n_facets.tolist()


@pytest.mark.parametrize("seed", [s for s in SEEDS if case(s).domain.dim > 1][:12])
def test_ridges(seed: int) -> None:
    """Around an inner ridge facets and cells take turns; at the boundary there is a facet more."""
    lattice = faces(plr.enumerate_regions(*case(seed)[1:]))
    ridges, cells = lattice.ridges, lattice.facet_cells()
    assert len(ridges) == lattice.f_vector[lattice.dim - 2]
    for ridge in range(len(ridges)):
        facets, around = ridges.facets_of(ridge), ridges.cells_of(ridge)
        assert len(facets) - len(around) == (0 if ridges.is_inner[ridge] else 1)
        degree = {int(c): 0 for c in around}
        for facet in facets:
            for cell in cells[facet]:
                if cell >= 0:
                    degree[int(cell)] += 1
        assert set(degree.values()) == {2}
        corners = set(lattice.corners_of(lattice.dim - 2, ridge).tolist())
        for facet in facets:
            assert corners < set(lattice.corners_of(lattice.dim - 1, int(facet)).tolist())


def test_incidence_of_distant_dimensions() -> None:
    lattice = faces(plr.enumerate_regions(sort3(), plr.hypercube(3, -1, 1)))
    for low in range(3):
        for high in range(low + 1, 4):
            dense = lattice.incidence(low, high).toarray()
            for i in range(lattice.f_vector[low]):
                part = set(lattice.corners_of(low, i).tolist())
                for j in range(lattice.f_vector[high]):
                    whole = set(lattice.corners_of(high, j).tolist())
                    assert dense[i, j] == (part < whole)
    with pytest.raises(plr.InvalidInputError, match="0 <= low < high <= 3; got 2 and 2"):
        lattice.incidence(2, 2)
    with pytest.raises(plr.InvalidInputError, match="dimension from 0 to 3; got 4"):
        lattice.signs(4)


def test_refusals() -> None:
    net = plr.mlp("1-3-1")
    with pytest.raises(plr.InvalidInputError, match="faces need a bounded domain"):
        faces(plr.enumerate_regions(net, plr.WholeSpace(1)))
    with pytest.raises(plr.InvalidInputError, match="ridges need a domain of dimension 2"):
        _ = faces(plr.enumerate_regions(net, plr.Box([-1], [1]))).ridges


def test_oracle_sees_planted_faults() -> None:
    regions = plr.enumerate_regions(sort3(), plr.hypercube(3, -1, 1))
    lattice = faces(regions)
    assert faults(lattice) == []
    # A bounded cell in the middle of the plane is left out.
    net = plr.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, 1, 1]], [0])])
    plane = plr.enumerate_regions(net, plr.hypercube(2, -4, 4))
    middle = plane.find("110")
    assert middle is not None and faults(faces(plane)) == []
    holed = without(plane, middle.index, outcome=budget_exhausted("max_regions"))
    assert faults(faces(holed)) == ["Euler"]
    # A facet bounds one cell less than it does.
    matrix = lattice.boundaries[2].copy()
    matrix.data[0] = 0
    matrix.eliminate_zeros()
    torn = dataclasses.replace(lattice, boundaries=(*lattice.boundaries[:2], matrix))
    assert faults(torn) == ["the boundary of a boundary"]
    # Two vertices change places: points and signs no longer fit.
    points = lattice.vertices.homogeneous
    swapped = dataclasses.replace(lattice.vertices, homogeneous=(points[1], points[0], *points[2:]))
    assert faults(dataclasses.replace(lattice, vertices=swapped)) != []


def box_rows(shared: Path, most: int) -> list[tuple[str, int]]:
    with (shared / "cases" / "counts.csv").open() as file:
        return [
            (row["net"], int(row["activation_regions"]))
            for row in csv.DictReader(file)
            if row["domain"] == "[-1,1]^d" and int(row["activation_regions"]) <= most
        ]


def test_euler_characteristic_of_shared_cases(shared: Path) -> None:
    seen = 0
    for name, n_regions in box_rows(shared, 3000):
        net = plr.load(shared / "cases" / f"{name}.npz")
        if net.input_dim <= 4:
            lattice = faces(plr.enumerate_regions(net, plr.hypercube(net.input_dim, -1, 1)))
            assert (name, lattice.euler_characteristic) == (name, 1)
            assert lattice.f_vector[-1] == n_regions
            seen += 1
    assert seen > 60

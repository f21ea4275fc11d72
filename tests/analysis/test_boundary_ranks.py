"""Ranks over GF(2) of boundary maps: random maps, and complexes with known homology."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from oracles.nerves import rank
from oracles.random_cases import case
from scipy.sparse import csr_array

import plregions as plr
from plregions.analysis.boundary_ranks import boundary_ranks
from plregions.regions.faces import faces


def elimination(matrix: csr_array) -> int:
    return rank(sum(1 << int(i) for i in np.flatnonzero(row)) for row in matrix.toarray())


@pytest.mark.parametrize("seed", range(30))
def test_random_maps(seed: int) -> None:
    """One map alone is a complex, whatever it is."""
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(1, 12)), int(rng.integers(1, 12))
    matrix = csr_array((rng.random(shape) < rng.random()).astype(np.int8))
    assert boundary_ranks([matrix]) == (elimination(matrix),)


@pytest.mark.parametrize("seed", range(40))
def test_maps_of_complexes(seed: int) -> None:
    """In any order of the faces, as what is left out depends on it."""
    lattice = faces(plr.enumerate_regions(*case(seed)[1:]))
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n) for n in lattice.f_vector]
    for k in range(1, lattice.dim):
        twice = lattice.boundaries[k - 1].astype(int) @ lattice.boundaries[k].astype(int)
        assert not (twice.data % 2).any()
    plain = [elimination(matrix) for matrix in lattice.boundaries]
    mixed = [
        csr_array(matrix.toarray()[orders[k]][:, orders[k + 1]])
        for k, matrix in enumerate(lattice.boundaries)
    ]
    assert list(boundary_ranks(lattice.boundaries)) == plain
    assert list(boundary_ranks(mixed)) == plain


def test_projective_plane() -> None:
    """Six vertices: over GF(2) it has a curve and a surface that bound nothing."""
    triangles = ["012", "023", "034", "045", "015", "124", "235", "341", "452", "513"]
    cells = [tuple(sorted(map(int, name))) for name in triangles]
    edges = list(combinations(range(6), 2))
    first = csr_array([[int(v in edge) for edge in edges] for v in range(6)])
    second = csr_array([[int(set(edge) <= set(cell)) for cell in cells] for edge in edges])
    one, two = boundary_ranks([first, second])
    assert (6 - one, len(edges) - one - two, len(cells) - two) == (1, 1, 1)


def test_no_faces_and_no_maps() -> None:
    assert boundary_ranks([]) == ()
    assert boundary_ranks([csr_array((3, 0), dtype=np.int8), csr_array((0, 2))]) == (0, 0)

"""Patterns that agree on the first layers are computed once, in any order and any batch."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.small_networks import networks

from plregions.network import Network, prefixes
from plregions.network.prefixes import batches, runs
from plregions.network.residues import map_residues, primes_for
from plregions.regions import steepness
from plregions.regions.steepness import affine_maps


def plain_runs(bits: list[str], ends: list[int]) -> list[tuple[list[int], list[int]]]:
    """The runs as their definition reads."""
    found, members = [], [0] * len(bits)
    for end in ends:
        groups = [list(g) for _, g in groupby(range(len(bits)), key=lambda i: bits[i][:end])]
        starts = [g[0] for g in groups]
        found.append((starts, [members[s] for s in starts]))
        members = [k for k, g in enumerate(groups) for _ in g]
    return found


@given(st.data(), st.lists(st.integers(0, 3), min_size=1, max_size=4), st.integers(0, 9))
def test_runs(data: st.DataObject, sizes: list[int], n: int) -> None:
    total = sum(sizes)
    bits = data.draw(
        st.lists(st.text("01", min_size=total, max_size=total), min_size=n, max_size=n)
    )
    if data.draw(st.booleans()):
        bits.sort()
    ends = np.cumsum(sizes).tolist()
    parts = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    table = np.array([[c == "1" for c in row] for row in bits], dtype=bool).reshape(n, total)
    found = [(starts.tolist(), before.tolist()) for starts, before in runs(table, parts)]
    assert found == plain_runs(bits, ends)


@given(st.integers(0, 50), st.integers(0, 2**17))
def test_batches_cover_all(n: int, numbers: int) -> None:
    covered = [i for part in batches(n, numbers) for i in range(n)[part]]
    assert covered == list(range(n))


def exact_rows(net: Network, patterns: Any) -> list[Any]:
    maps = [net.affine_map(p, exact=True) for p in patterns]
    return [np.column_stack([weight, bias]) for weight, bias in maps]


@given(networks(), st.integers(0, 2**32 - 1), st.sampled_from([1, 2**4, 2**16]))
def test_maps_of_patterns_in_any_order(net: Network, seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    patterns = rng.integers(0, 2, (6, net.n_neurons)).astype(bool)[rng.integers(0, 6, 20)]
    if seed % 2:
        patterns = np.array(sorted(patterns.tolist()), dtype=bool).reshape(patterns.shape)
    prime = next(primes_for(net))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefixes, "BATCH_SIZE", size)
        residues, floats = map_residues(net, patterns, prime), affine_maps(net, patterns)
    for wanted, row, found in zip(exact_rows(net, patterns), residues, floats, strict=True):
        entries = wanted.ravel().tolist()
        assert row.tolist() == [
            v.numerator * pow(v.denominator, -1, prime) % prime for v in entries
        ]
        assert found == pytest.approx(wanted.astype(float), rel=1e-9, abs=1e-9)


def test_a_run_that_is_too_long_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Network([([[1], [2]], [0, 0]), ([[1, 1]], [0])])
    patterns = np.array([[True, True], [True, False]])
    assert affine_maps(net, patterns)[:, 0, 0].tolist() == [3, 1]
    first = [(np.zeros(1, dtype=int), np.zeros(1, dtype=int))] * 2
    monkeypatch.setattr(steepness, "runs", lambda bits, parts: first)
    assert affine_maps(net, patterns)[:, 0, 0].tolist() == [3, 3]

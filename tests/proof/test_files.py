"""Proofs on disk: they come back as they were, and damage is found."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import plregions as plr
import plregions.proof as documented
from plregions.errors import FormatError, InvalidInputError
from plregions.proof import Proof, load_proof, verify

NET = plr.mlp([3, 6, 5, 1])
BOX = plr.hypercube(3, -1, 1)


@pytest.fixture(scope="module")
def regions() -> plr.RegionComplex:
    return plr.enumerate_regions(NET, BOX, proof=True)


def the_proof(regions: plr.RegionComplex) -> Proof:
    assert regions.proof is not None
    return regions.proof


def test_round_trip(regions: plr.RegionComplex, tmp_path: Path) -> None:
    proof = the_proof(regions)
    proof.save(tmp_path / "proof.npz")
    found = load_proof(tmp_path / "proof.npz")
    assert found == proof
    assert hash(found) == hash(proof)
    assert repr(found) == f"Proof({len(regions)} regions, complete, {proof.n_steps} steps)"
    assert found != "proof"
    with pytest.raises(ValueError, match="read-only"):
        found.patterns[0] = 1
    with pytest.raises(InvalidInputError, match=r"ends in \.npz"):
        proof.save(tmp_path / "proof.json")


def test_kept_by_the_complex(regions: plr.RegionComplex, tmp_path: Path) -> None:
    path = tmp_path / "regions.npz"
    regions.save(path)
    found = plr.RegionComplex.load(path)
    assert found == regions
    assert found.proof == regions.proof == load_proof(path)
    assert verify(found, NET).ok
    plr.enumerate_regions(NET, BOX).save(path)
    assert plr.RegionComplex.load(path).proof is None
    with pytest.raises(FormatError, match="a complex without a proof"):
        load_proof(path)


def test_the_arrays_are_the_documented_ones(regions: plr.RegionComplex, tmp_path: Path) -> None:
    the_proof(regions).save(tmp_path / "proof.npz")
    text = documented.__doc__ or ""
    with np.load(tmp_path / "proof.npz", allow_pickle=False) as archive:
        for name in archive.files:
            assert f"``{name}``" in text, name
        kinds = {name: archive[name].dtype.kind for name in archive.files}
    assert set(kinds.values()) <= {"U", "u", "i", "f"}


def test_size_on_disk(tmp_path: Path) -> None:
    """The bar is 100 bytes a region for 4-16-16."""
    net = plr.mlp([4, 16, 16, 1])
    regions = plr.enumerate_regions(net, plr.hypercube(4, -1, 1), proof=True, max_regions=4000)
    the_proof(regions).save(tmp_path / "proof.npz")
    assert os.path.getsize(tmp_path / "proof.npz") < 100 * len(regions)


def test_damaged_files(regions: plr.RegionComplex, tmp_path: Path) -> None:
    """Any byte changed or lost: an error, or the very same proof where nothing depends on it."""
    path = tmp_path / "proof.npz"
    the_proof(regions).save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    n_errors = 0
    for k in range(300):
        place = int(rng.integers(len(whole)))
        changed = bytearray(whole)
        if k % 3:
            changed[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(changed) if k % 3 else whole[:place])
        try:
            found = load_proof(path)
        except FormatError as error:
            assert str(path) in str(error)
            assert "\n" not in str(error)
            n_errors += 1
        else:
            assert found == regions.proof
    assert n_errors >= 250


def test_other_files(tmp_path: Path) -> None:
    NET.save(tmp_path / "net.npz")
    (tmp_path / "text.npz").write_text("a proof")
    (tmp_path / "empty.npz").write_bytes(b"")
    for name in ("net.npz", "text.npz", "empty.npz"):
        with pytest.raises(FormatError, match="load_proof needs"):
            load_proof(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        load_proof(tmp_path / "none.npz")


def test_a_digest_that_does_not_fit(regions: plr.RegionComplex, tmp_path: Path) -> None:
    path = tmp_path / "proof.npz"
    the_proof(regions).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays["step_bit"] = arrays["step_bit"][::-1]
    np.savez(path, allow_pickle=False, **arrays)
    with pytest.raises(FormatError, match="digest"):
        load_proof(path)

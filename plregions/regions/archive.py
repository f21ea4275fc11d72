"""The archive of a complex: one .npz file of plain arrays, never a pickle.

Keys: ``format``, ``version`` (text, number); ``network`` and ``domain`` (JSON texts with exact
numbers as strings); ``packed_patterns``, ``packed_rows``, ``local_points``; ``exact_index`` and
``exact_points`` (rational points as text); ``outcome`` (name, which); ``statistics`` (JSON text);
when the region graph had been made, ``facet_offsets``, ``facet_labels``, ``facet_neighbours``,
``several_facet`` and ``several_flips``; and, when there is a proof, its other columns, named
``proof_...`` (see `plregions.proof`).
"""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Domain
from plregions.domain.as_json import domain_from_dict, domain_to_dict
from plregions.errors import FormatError
from plregions.exact.arrays import number_from_str, number_to_str
from plregions.feasibility.exact_rung import Point
from plregions.feasibility.prepare import prepare
from plregions.network import Network
from plregions.network.archive import network_from_json
from plregions.network.saving import network_to_json, write_whole
from plregions.proof import Proof
from plregions.proof.archive import columns_in_complex, columns_of
from plregions.regions.graph import RegionGraph
from plregions.regions.outcome import COMPLETE, INTERRUPTED, Outcome, budget_exhausted

__all__ = ["Columns", "read_archive", "write_archive"]

FORMAT = "plregions-region-complex"
VERSION = 1


@dataclass(frozen=True)
class Columns:
    """What an archive holds."""

    network: Network
    domain: Domain
    packed_patterns: NDArray[np.uint8]
    packed_rows: NDArray[np.uint8]
    local_points: NDArray[np.float64]
    exact_points: dict[int, Point]
    outcome: Outcome
    statistics: dict[str, int]
    graph: RegionGraph | None
    proof: Proof | None


def write_archive(columns: Columns, path: str | os.PathLike[str]) -> None:
    """Write an archive; the file is whole or not there.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    c = columns
    index = sorted(c.exact_points)
    arrays: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "network": network_to_json(c.network),
        "domain": json.dumps(domain_to_dict(c.domain)),
        "packed_patterns": c.packed_patterns,
        "packed_rows": c.packed_rows,
        "local_points": c.local_points,
        "exact_index": np.array(index, dtype=np.int64),
        "exact_points": np.array(
            [[number_to_str(v) for v in c.exact_points[i]] for i in index], dtype=np.str_
        ).reshape(len(index), c.local_points.shape[1]),
        "outcome": np.array([c.outcome.name, c.outcome.which or ""], dtype=np.str_),
        "statistics": json.dumps(c.statistics),
    }
    if c.graph is not None:
        facets = sorted(c.graph.several)
        arrays |= {
            "facet_offsets": c.graph.offsets,
            "facet_labels": c.graph.labels,
            "facet_neighbours": c.graph.neighbours,
            "several_facet": np.array(facets, dtype=np.int64),
            "several_flips": np.array(
                [" ".join(map(str, c.graph.several[f])) for f in facets], dtype=np.str_
            ),
        }
    if c.proof is not None:
        arrays |= columns_in_complex(c.proof.columns)
    write_whole(path, lambda file: np.savez_compressed(file, allow_pickle=False, **arrays))


def read_archive(path: str | os.PathLike[str]) -> Columns:
    """Read an archive and check that its columns fit together.

    Raises
    ------
    FormatError
        The file is damaged or not such an archive.
    OSError
        The file cannot be opened.
    """
    name = os.fspath(path)
    data = Path(path).read_bytes()
    try:
        # numpy would take anything else for a pickle, and advise to open it.
        if not data.startswith(b"PK\x03\x04"):
            raise ValueError("no zip archive")
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        kind = str(arrays["format"]), int(arrays["version"])
        columns = _columns(arrays) if kind == (FORMAT, VERSION) else None
    # numpy and zipfile raise a dozen different types on damaged bytes; the file was read above,
    # so whatever comes here is about its content.
    except Exception as error:
        raise FormatError(
            f"RegionComplex.load needs a complete archive of a complex; got {name}, which is "
            f"damaged or something else ({type(error).__name__}: {error}). Save it again.",
            path=name,
        ) from error
    if columns is None:
        raise FormatError(
            f"RegionComplex.load needs format {FORMAT} version {VERSION}; got {kind[0]} version "
            f"{kind[1]} in {name}. Save it again.",
            path=name,
        )
    return columns


def _columns(arrays: dict[str, NDArray[Any]]) -> Columns:
    network = network_from_json(str(arrays["network"]))
    domain = domain_from_dict(json.loads(str(arrays["domain"])))
    packed = _checked(arrays["packed_patterns"], np.uint8, (None, (network.n_neurons + 7) // 8))
    n = len(packed)
    local_dim, n_walls = domain.dim, len(domain.exact_rows())
    if not domain.is_bounded:
        prepared = prepare(network, domain)
        local_dim, n_walls = prepared.dim, len(prepared.walls[0])
    width = (network.n_neurons + n_walls + 7) // 8
    kept = _checked(arrays["packed_rows"], np.uint8, (n, width))
    points = _checked(arrays["local_points"], np.float64, (n, local_dim))
    index = _checked(arrays["exact_index"], np.int64, (None,))
    texts = arrays["exact_points"]
    exact = {
        int(i): tuple(number_from_str(str(v)) for v in row)
        for i, row in zip(index, texts, strict=True)
    }
    outcome = _outcome(*(str(v) for v in arrays["outcome"]))
    graph = None
    if "facet_offsets" in arrays:
        offsets = _checked(arrays["facet_offsets"], np.int64, (n + 1,))
        labels = _checked(arrays["facet_labels"], np.int32, (int(offsets[-1]),))
        neighbours = _checked(arrays["facet_neighbours"], np.int64, labels.shape)
        if len(neighbours) and not -1 <= neighbours.min() <= neighbours.max() < n:
            raise ValueError("neighbours out of range")
        several = {
            int(f): tuple(int(b) for b in str(flips).split())
            for f, flips in zip(arrays["several_facet"], arrays["several_flips"], strict=True)
        }
        graph = RegionGraph(offsets, labels, neighbours, several)
    statistics = {str(k): int(v) for k, v in json.loads(str(arrays["statistics"])).items()}
    proof_columns = columns_of(arrays)
    proof = None if proof_columns is None else Proof(**proof_columns)
    return Columns(network, domain, packed, kept, points, exact, outcome, statistics, graph, proof)


def _checked(array: NDArray[Any], dtype: Any, shape: tuple[int | None, ...]) -> NDArray[Any]:
    fits = len(array.shape) == len(shape) and all(
        want is None or have == want for have, want in zip(array.shape, shape, strict=False)
    )
    if array.dtype != dtype or not fits:
        raise ValueError(f"an array of type {array.dtype} and shape {array.shape}")
    return array


def _outcome(name: str, which: str) -> Outcome:
    if name == "BUDGET_EXHAUSTED":
        return budget_exhausted(which)
    return {"COMPLETE": COMPLETE, "INTERRUPTED": INTERRUPTED}[name]

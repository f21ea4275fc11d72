"""From what a walk recorded to a proof: columns, and the branches that were left open."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.domain import Domain
from plregions.domain.base import description_of
from plregions.enumeration.steps import Steps
from plregions.enumeration.tree import Leaves
from plregions.exact.notation import number_to_str
from plregions.feasibility.exact_rows import ExactRows
from plregions.feasibility.homogenise import HomogeneousFrame
from plregions.feasibility.prepare import Prepared
from plregions.network import Network
from plregions.proof import Proof
from plregions.regions import Outcome

__all__ = ["proof_of"]


def proof_of(
    network: Network, domain: Domain, prepared: Prepared, leaves: Leaves, outcome: Outcome
) -> Proof:
    """Return the proof of a run; its regions are the first ones in order, whatever stopped it.

    Cost is linear in the number of steps and regions.
    """
    n, n_bits = len(leaves), prepared.n_bits
    filler = n_bits + prepared.n_walls
    place, rows = _in_order(leaves, n, filler)
    opened = [] if outcome.is_complete else _open_prefixes(prepared, leaves, place)
    small = np.min_scalar_type(filler)
    facts = {
        "package": version("plregions"),
        "network": network.fingerprint,
        "domain_fingerprint": domain.fingerprint,
        "domain": description_of(domain),
        **_coordinates(prepared),
        "n_bits": n_bits,
        "outcome": str(outcome),
    }
    counts = np.bincount(place[:, 0], minlength=n)
    prefixes = np.zeros((len(opened), n_bits), dtype=np.uint8)
    for i, prefix in enumerate(opened):
        prefixes[i, : len(prefix)] = prefix
    index = sorted(leaves.exact)
    exact = [[number_to_str(v) for v in leaves.exact[i]] for i in index]
    return Proof(
        header=json.dumps(facts),
        patterns=leaves.packed,
        points=leaves.points,
        exact_index=np.array(index, dtype=np.int64),
        exact_points=np.array(exact, dtype=np.str_).reshape(len(index), prepared.dim),
        step_count=counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
        step_depth=place[:, 1].astype(small),
        step_bit=place[:, 2].astype(small),
        step_rows=rows,
        open_depth=np.array([len(prefix) for prefix in opened], dtype=small),
        open_patterns=np.packbits(prefixes, axis=1),
    )


def _in_order(leaves: Leaves, n: int, filler: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the steps for cells of the regions found, in the proof's order."""
    steps = leaves.steps or Steps(np.zeros((0, 3), np.int64), np.zeros((0, 0), np.int32))
    # Artificial walls never take part but for t > 0, which is not a row in the domain's space. They
    # become the filler, and so does -1, which is the largest number without a sign.
    rows = np.minimum(steps.rows.view(np.uint32), filler).astype(np.min_scalar_type(filler))
    rows = _ascending(rows)
    place = steps.place
    # Without rows the neuron is constant on its cell: the checker sees that for itself.
    wanted = (place[:, 0] < n) & (rows[:, 0] < filler if rows.shape[1] else False)
    if not wanted.all():
        place, rows = place[wanted], rows[wanted]
    # One key for cell, depth and bit, which is far below 2**63.
    key = (place[:, 0] * (filler + 1) + place[:, 1]) * (filler + 1) + place[:, 2]
    order = np.argsort(key, kind="stable")
    width = int((rows < filler).any(axis=0).sum())
    return place[order], rows[order, :width]


def _ascending(rows: NDArray[Any]) -> NDArray[Any]:
    """Return rows with their entries in order; they are short, so columns are exchanged."""
    columns = list(np.ascontiguousarray(rows.T))
    for last in range(len(columns) - 1, 0, -1):
        for k in range(last):
            one, other = columns[k : k + 2]
            columns[k], columns[k + 1] = np.minimum(one, other), np.maximum(one, other)
    return np.stack(columns, axis=1) if columns else rows


def _coordinates(prepared: Prepared) -> dict[str, Any]:
    """Return how the points' local coordinates become coordinates of the domain."""
    frame = prepared.frame
    if isinstance(frame, HomogeneousFrame):
        scale = [Fraction(2) ** frame.scale] * frame.d
        middle = [Fraction(0)] * frame.d
    else:
        scale = [Fraction(2) ** h for h in frame.exponent]
        middle = list(frame.middle)
    return {
        "middle": [number_to_str(v) for v in middle],
        "scale": [number_to_str(v) for v in scale],
    }


def _open_prefixes(
    prepared: Prepared, leaves: Leaves, place: NDArray[np.int64]
) -> list[NDArray[np.uint8]]:
    """Return the branches behind the last region that nothing closes, in lexicographic order."""
    if not len(leaves):
        return [np.zeros(0, dtype=np.uint8)]
    n_bits = prepared.n_bits
    last = np.unpackbits(leaves.packed[-1], count=n_bits)
    closed = {bit for bit in range(n_bits) if last[bit]}
    for region, depth, bit in place.tolist():
        own = np.unpackbits(leaves.packed[region], count=n_bits)
        if np.array_equal(own[:depth], last[:depth]):
            closed.add(bit)
    rows = ExactRows(prepared)
    for unit in np.flatnonzero(prepared.units.bit >= 0).tolist():
        row = rows.row(unit, last)
        if not any(row[:-2] if prepared.is_homogeneous else row[:-1]):
            closed.add(int(prepared.units.bit[unit]))
    opened = []
    for bit in reversed(range(n_bits)):
        if bit not in closed:
            prefix = last[: bit + 1].copy()
            prefix[bit] = 1
            opened.append(prefix)
    return opened

"""The proof of an enumeration, as columns; `plregions.proof` says what they mean."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.proof.archive import read_columns, write_proof

__all__ = ["Proof", "load_proof"]


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    """The search tree of an enumeration as a log that `verify` replays without a solver.

    Made by ``enumerate_regions(..., proof=True)``, as the complex's ``proof``, or by `load_proof`.
    Nothing in it is believed before `verify` has checked it.

    Attributes
    ----------
    header : str
        JSON text: what the proof is about.
    patterns, points, exact_index, exact_points : ndarray
        The regions and a point in each.
    step_count, step_depth, step_bit, step_rows : ndarray
        Why the branches without regions are empty.
    open_depth, open_patterns : ndarray
        Branches that a partial run left open.

    Examples
    --------
    >>> import plregions as plr
    >>> net = plr.mlp([2, 4, 1])
    >>> regions = plr.enumerate_regions(net, plr.hypercube(2, -1, 1), proof=True)
    >>> regions.proof
    Proof(8 regions, complete, 5 steps)
    >>> from plregions.proof import verify
    >>> verify(regions.proof, net).ok
    True
    """

    header: str
    patterns: NDArray[np.uint8]
    points: NDArray[np.float64]
    exact_index: NDArray[np.int64]
    exact_points: NDArray[np.str_]
    step_count: NDArray[Any]
    step_depth: NDArray[Any]
    step_bit: NDArray[Any]
    step_rows: NDArray[Any]
    open_depth: NDArray[Any]
    open_patterns: NDArray[np.uint8]

    def __post_init__(self) -> None:
        for name, column in self.columns.items():
            if name != "header":
                column.setflags(write=False)

    @property
    def columns(self) -> dict[str, Any]:
        """The header and the arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What the header says; empty when it is damaged."""
        try:
            facts = json.loads(self.header)
        except (ValueError, RecursionError):
            return {}
        return facts if isinstance(facts, dict) else {}

    @property
    def n_regions(self) -> int:
        """Number of regions."""
        return len(self.patterns)

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return len(self.step_bit)

    @property
    def n_open(self) -> int:
        """Number of branches that a partial run left open."""
        return len(self.open_depth)

    @property
    def is_complete(self) -> bool:
        """Whether the proof claims that there are no other regions."""
        return self.n_open == 0

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the proof to a .npz archive of plain arrays.

        Parameters
        ----------
        path : str or path-like
            Ends in .npz.

        Raises
        ------
        InvalidInputError
            Another suffix.
        OSError
            The file cannot be written; a file that was there stays as it was.
        """
        write_proof(self.columns, path)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Proof):
            return NotImplemented
        pairs = zip(self.columns.values(), other.columns.values(), strict=True)
        return all(bool(np.array_equal(a, b)) for a, b in pairs)

    def __hash__(self) -> int:
        return hash((self.header, self.n_regions, self.n_steps))

    def __repr__(self) -> str:
        noun = "region" if self.n_regions == 1 else "regions"
        branches = "branch" if self.n_open == 1 else "branches"
        state = "complete" if self.is_complete else f"{self.n_open} open {branches}"
        steps = "step" if self.n_steps == 1 else "steps"
        return f"Proof({self.n_regions} {noun}, {state}, {self.n_steps} {steps})"


def load_proof(path: str | os.PathLike[str]) -> Proof:
    """Read a proof from the file that `Proof.save` or `RegionComplex.save` wrote.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Proof
        As it stands in the file: `verify` checks it.

    Raises
    ------
    FormatError
        The file is damaged, something else, or a complex that was made without a proof.
    OSError
        The file cannot be opened.

    Exactness
    ---------
    The digest in the file finds damage. It proves nothing.

    Examples
    --------
    >>> import tempfile
    >>> import plregions as plr
    >>> net = plr.Network([([[1, 1]], [0]), ([[1]], [0])])
    >>> regions = plr.enumerate_regions(net, plr.hypercube(2, -1, 1), proof=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     regions.proof.save(f"{folder}/proof.npz")
    ...     plr.verify(plr.load_proof(f"{folder}/proof.npz"), net).ok
    True
    """
    return Proof(**read_columns(path))

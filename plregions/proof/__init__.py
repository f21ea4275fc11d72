"""Proofs on disk: the search tree of an enumeration as a log, and its independent checker.

A proof says: *these are activation regions of the network in the domain; all others lie in the
listed open branches* - and where nothing is open: these are all. It is the tree of all patterns
neuron by neuron, cut off wherever a branch is empty. The tree is given by its leaves, the patterns
of the regions and the prefixes of open branches; wherever only one side of a neuron has a leaf,
the other side is constant there or a step proves it to be empty.

**The file** is an .npz archive of plain arrays, never a pickle. With n regions of N neurons (units
with a kink) over w local coordinates, k steps and q open branches:

``format``, ``version``
    ``"plregions-proof"`` and 1.
``header``
    A JSON text: ``package`` (version that wrote it), ``network`` (fingerprint), ``domain``,
    ``domain_fingerprint`` (SHA-256 of the domain as ``json.dumps`` writes it; both in
    hexadecimal), ``middle`` and ``scale`` (a number for each coordinate of the domain, see
    ``points``), ``n_bits`` (N), ``outcome`` (text; ``"COMPLETE"`` only where nothing is open).
    The domain consists of rows (a, c): its ``walls``, with a.x + c > 0 inside, and its ``inputs``,
    one for each input of the network, which is a.x + c at the point x; its ``type`` only tells
    domains apart. All numbers are exact and written as strings.
``patterns`` uint8 (n, ceil(N / 8))
    The regions' patterns in lexicographic order, eight neurons a byte, the first in the highest
    bit; the bits after the last neuron are 0.
``points`` float64 (n, w)
    A point strictly inside each region, in local coordinates u: ``x = middle + scale * u``; where
    u has one coordinate more than x, ``x = middle + scale * u[:-1] / u[-1]`` with ``u[-1] > 0``.
``exact_index`` int64 (m,), ``exact_points`` text (m, w)
    Rational points in place of the float64 ones of some regions.
``step_count`` unsigned (n,)
    How many steps belong to cells whose first region is this one: they follow each other.
``step_depth``, ``step_bit`` unsigned (k,)
    The cell is that of the first ``step_depth`` bits of the region; on all of it the neuron
    ``step_bit`` has the sign that it has in the region. Steps of one region stand in the order of
    (depth, bit); the neuron's layer must be fixed by the cell's bits.
``step_rows`` unsigned (k, r)
    The cell's own rows that prove it, ascending: neuron b with its sign in the cell, or N + i for
    wall i of the domain; N + the number of walls fills up. Together with the neuron's row of the
    other sign they are the whole proof: there are y >= 0, not all 0, with sum y_i a_i = 0 and
    sum y_i c_i <= 0 for these rows a_i.x + c_i, so that no point has all of them positive. The
    checker finds y by solving the system, which determines it up to scale: either the system
    sum y_i a_i = 0 or, where that leaves more freedom, sum y_i (a_i, c_i) = 0. A step on a neuron
    that is constant in its cell says nothing.
``open_depth`` unsigned (q,), ``open_patterns`` uint8 (q, ceil(N / 8))
    Branches that a partial run left open, in lexicographic order behind the regions.
``digest``
    SHA-256 of all of the above, in hexadecimal: finds damage, proves nothing.
"""

from __future__ import annotations

from plregions.proof.checker import Verification, verify
from plregions.proof.log import Proof, load_proof

__all__ = ["Proof", "Verification", "load_proof", "verify"]

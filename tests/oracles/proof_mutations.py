"""Changes to a proof, each with a name: most make it false, some leave it a proof."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np

from plregions.proof import Proof

Change = Callable[[Proof, np.random.Generator], Proof | None]

ARRAYS = ("patterns", "step_count", "step_depth", "step_bit", "step_rows", "open_depth")


def mutated(proof: Proof, rng: np.random.Generator) -> tuple[str, Proof]:
    """A changed proof and the name of the change; always another file."""
    names = list(CHANGES)
    while True:
        name = names[int(rng.integers(len(names)))]
        changed = CHANGES[name](proof, rng)
        if changed is not None and changed != proof:
            return name, changed


def flip_a_bit(proof: Proof, rng: np.random.Generator) -> Proof | None:
    name = ARRAYS[int(rng.integers(len(ARRAYS)))]
    array = getattr(proof, name).copy()
    if not array.size:
        return None
    octets = array.view(np.uint8).reshape(-1)
    octets[rng.integers(len(octets))] ^= 1 << int(rng.integers(8))
    return replace(proof, **{name: array})


def flip_a_bit_of_a_point(proof: Proof, rng: np.random.Generator) -> Proof | None:
    points = proof.points.copy()
    if not points.size:
        return None
    words = points.view(np.uint64).reshape(-1)
    words[rng.integers(len(words))] ^= np.uint64(1) << np.uint64(rng.integers(64))
    return replace(proof, points=points)


def take_another_point(proof: Proof, rng: np.random.Generator) -> Proof | None:
    if proof.n_regions < 2:
        return None
    points = proof.points.copy()
    i, j = rng.choice(proof.n_regions, 2, replace=False)
    points[i] = [points[j], 2 * points[j] - points[i], np.full_like(points[i], 5.0)][
        rng.integers(3)
    ]
    return replace(proof, points=points)


def change_an_exact_point(proof: Proof, rng: np.random.Generator) -> Proof | None:
    if not len(proof.exact_index):
        return None
    if rng.integers(2):
        return replace(
            proof, exact_index=proof.exact_index[1:], exact_points=proof.exact_points[1:]
        )
    texts = proof.exact_points.astype(object)
    place = rng.integers(len(texts)), rng.integers(texts.shape[1])
    texts[place] = ["1", "-" + texts[place], "1/0", "x", texts[place] + "1"][rng.integers(5)]
    return replace(proof, exact_points=texts.astype(np.str_))


def drop_a_region(proof: Proof, rng: np.random.Generator) -> Proof | None:
    i = int(rng.integers(proof.n_regions))
    return without_regions(proof, i, i + 1, keep_steps=bool(rng.integers(2)))


def drop_a_subtree(proof: Proof, rng: np.random.Generator) -> Proof | None:
    i, j = sorted(rng.integers(proof.n_regions + 1, size=2).tolist())
    return without_regions(proof, i, j, keep_steps=False)


def without_regions(proof: Proof, first: int, last: int, keep_steps: bool) -> Proof | None:
    """The proof without some regions; their steps go too, or to the region behind."""
    if len(proof.exact_index) or first == last:
        return None
    counts = proof.step_count.astype(np.int64)
    gone = np.zeros(proof.n_regions, dtype=bool)
    gone[first:last] = True
    kept = ~np.repeat(gone, counts)
    if keep_steps and last < proof.n_regions:
        counts[last] += counts[first:last].sum()
        kept[:] = True
    small = proof.step_count.dtype
    return replace(
        proof,
        patterns=proof.patterns[~gone],
        points=proof.points[~gone],
        step_count=counts[~gone].astype(small),
        **{name: getattr(proof, name)[kept] for name in ("step_depth", "step_bit", "step_rows")},
    )


def repeat_a_region(proof: Proof, rng: np.random.Generator) -> Proof | None:
    if len(proof.exact_index):
        return None
    i = int(rng.integers(proof.n_regions))
    counts = np.insert(proof.step_count, i + 1, 0)
    patterns = np.insert(proof.patterns, i + 1, proof.patterns[i], axis=0)
    return replace(
        proof,
        patterns=patterns,
        points=np.insert(proof.points, i + 1, proof.points[i], axis=0),
        step_count=counts,
    )


def swap_two_regions(proof: Proof, rng: np.random.Generator) -> Proof | None:
    if proof.n_regions < 2:
        return None
    order = np.arange(proof.n_regions)
    i, j = rng.choice(proof.n_regions, 2, replace=False)
    order[[i, j]] = order[[j, i]]
    return replace(proof, patterns=proof.patterns[order], points=proof.points[order])


def drop_a_step(proof: Proof, rng: np.random.Generator) -> Proof | None:
    if not proof.n_steps:
        return None
    k = int(rng.integers(proof.n_steps))
    counts = proof.step_count.copy()
    counts[np.repeat(np.arange(proof.n_regions), counts)[k]] -= 1
    return replace(
        proof,
        step_count=counts,
        **{
            name: np.delete(getattr(proof, name), k, axis=0)
            for name in ("step_depth", "step_bit", "step_rows")
        },
    )


def move_a_step(proof: Proof, rng: np.random.Generator) -> Proof | None:
    """A step goes to the region before or behind."""
    if not proof.n_steps or proof.n_regions < 2:
        return None
    counts = proof.step_count.copy()
    i = int(rng.integers(proof.n_regions - 1))
    a, b = (i, i + 1) if rng.integers(2) else (i + 1, i)
    if not counts[a] or counts[b] == np.iinfo(counts.dtype).max:
        return None
    counts[a] -= 1
    counts[b] += 1
    return replace(proof, step_count=counts)


def swap_two_steps(proof: Proof, rng: np.random.Generator) -> Proof | None:
    if proof.n_steps < 2:
        return None
    rows = proof.step_rows.copy()
    i, j = rng.choice(proof.n_steps, 2, replace=False)
    rows[[i, j]] = rows[[j, i]]
    return replace(proof, step_rows=rows)


def change_a_row(proof: Proof, rng: np.random.Generator) -> Proof | None:
    """Another row, none, or the same ones in another order."""
    if not proof.step_rows.size:
        return None
    rows = proof.step_rows.copy()
    facts = json.loads(proof.header)
    k, j = int(rng.integers(len(rows))), int(rng.integers(rows.shape[1]))
    kind = int(rng.integers(3))
    if kind < 2:
        filler = facts["n_bits"] + len(facts["domain"]["walls"])
        rows[k, j] = filler if kind else rng.integers(filler + 1)
        rows[k].sort()
    else:
        rows[k] = rows[k][::-1]
    return replace(proof, step_rows=rows)


def change_the_header(proof: Proof, rng: np.random.Generator) -> Proof | None:
    facts = json.loads(proof.header)
    name = list(facts)[int(rng.integers(len(facts)))]
    value = facts[name]
    if name == "package":
        return None
    if isinstance(value, int):
        facts[name] = value + int(rng.choice([-1, 1]))
    elif isinstance(value, list):
        value[0] = ["0", "1", "-1", "1/3", "x", ""][int(rng.integers(6))]
    elif isinstance(value, dict):
        part = list(value)[int(rng.integers(len(value)))]
        value[part] = value[part][:-1]
    elif name == "outcome":
        facts[name] = "INTERRUPTED" if value == "COMPLETE" else "COMPLETE"
    else:
        facts[name] = value[:-1] + ("0" if value[-1] != "0" else "1")
    if rng.random() < 0.1:
        del facts[name]
    return replace(proof, header=json.dumps(facts))


def change_the_domain(proof: Proof, rng: np.random.Generator) -> Proof | None:
    """Another domain, with its own fingerprint: a number changed, a row less or twice."""
    facts = json.loads(proof.header)
    domain = facts["domain"]
    rows = domain["walls" if domain["walls"] and rng.integers(3) else "inputs"]
    i, kind = int(rng.integers(len(rows))), int(rng.integers(5))
    if kind < 3:
        j = int(rng.integers(len(rows[i])))
        value = Fraction(rows[i][j])
        rows[i][j] = str([value + Fraction(1, 9), value - Fraction(1, 9), -value][kind])
    else:
        rows[i : i + 1] = [rows[i]] * 2 if kind == 3 else []
    facts["domain_fingerprint"] = sha256(json.dumps(domain).encode()).hexdigest()
    return replace(proof, header=json.dumps(facts))


def change_the_open_branches(proof: Proof, rng: np.random.Generator) -> Proof | None:
    """One less, or one more."""
    if proof.n_open and rng.integers(2):
        i = int(rng.integers(proof.n_open))
        return replace(
            proof,
            open_depth=np.delete(proof.open_depth, i),
            open_patterns=np.delete(proof.open_patterns, i, axis=0),
        )
    facts = json.loads(proof.header)
    if not facts["n_bits"]:
        return None
    facts["outcome"] = "INTERRUPTED"
    depth = int(rng.integers(1, facts["n_bits"] + 1))
    bits = np.zeros((1, facts["n_bits"]), dtype=np.uint8)
    bits[0, :depth] = rng.integers(2, size=depth)
    return replace(
        proof,
        header=json.dumps(facts),
        open_depth=np.append(proof.open_depth, np.array([depth], proof.open_depth.dtype)),
        open_patterns=np.concatenate([proof.open_patterns, np.packbits(bits, axis=1)]),
    )


def claim_completeness(proof: Proof, _: np.random.Generator) -> Proof | None:
    facts: dict[str, Any] = json.loads(proof.header)
    if not proof.n_open:
        return None
    facts["outcome"] = "COMPLETE"
    return replace(
        proof,
        header=json.dumps(facts),
        open_depth=proof.open_depth[:0],
        open_patterns=proof.open_patterns[:0],
    )


CHANGES: dict[str, Change] = {
    "flip a bit": flip_a_bit,
    "flip a bit of a point": flip_a_bit_of_a_point,
    "take another point": take_another_point,
    "change an exact point": change_an_exact_point,
    "drop a region": drop_a_region,
    "drop a subtree": drop_a_subtree,
    "repeat a region": repeat_a_region,
    "swap two regions": swap_two_regions,
    "drop a step": drop_a_step,
    "move a step": move_a_step,
    "swap two steps": swap_two_steps,
    "change a row": change_a_row,
    "change the header": change_the_header,
    "change the domain": change_the_domain,
    "change the open branches": change_the_open_branches,
    "claim completeness": claim_completeness,
}

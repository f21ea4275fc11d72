"""Numbers of regions that other exact codes found, for the networks beside the project."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import plregions as plr


class Known(NamedTuple):
    """A network, a domain and how many regions there are; exact, or float codes agree on it."""

    name: str
    net: plr.Network
    domain: plr.Box | plr.WholeSpace
    count: int
    is_exact: bool


def known_counts(shared: Path) -> list[Known]:
    """The rows of counts.csv, over [-1, 1]^d and over all of R^d, of networks that are there."""
    found = []
    with (shared / "cases" / "counts.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            path = shared / "cases" / f"{row['net']}.npz"
            if not path.is_file():
                continue
            net = plr.load(path)
            dim, is_box = net.input_dim, row["domain"] == "[-1,1]^d"
            domain = plr.hypercube(dim, -1, 1) if is_box else plr.WholeSpace(dim)
            count, is_exact = int(row["activation_regions"]), row["status"] == "exact"
            found.append(Known(row["net"], net, domain, count, is_exact))
    return found


def wrong_counts(cases: Iterable[Known], **options: Any) -> dict[tuple[str, str], tuple[int, int]]:
    """Name and domain of the cases that are counted otherwise, with the count and the right one."""
    wrong = {}
    for case in cases:
        found = plr.count_regions(case.net, case.domain, **options)
        if int(found) != case.count or not found.is_complete:
            wrong[case.name, repr(case.domain)] = (int(found), case.count)
    return wrong

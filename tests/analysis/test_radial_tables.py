"""The table of errors holds what the single questions answer."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from plregions.analysis.radial_errors import radial_error
from plregions.analysis.radial_functions import euclidean_norm, shifted_norm
from plregions.analysis.radial_means import radial_mse
from plregions.analysis.radial_tables import RadialTable, radial_table
from plregions.constructions import l1_norm, norm_ridges, radial_deep
from plregions.domain import hypercube
from plregions.errors import InvalidInputError
from plregions.network import Network, mlp

NETS = {
    "ridges": norm_ridges(2, 3),
    "deep": radial_deep(2, lambda r: r, 2, 2, 2),
    "space": norm_ridges(3, 4),
}


@pytest.fixture(scope="module")
def table() -> RadialTable:
    return radial_table(NETS, euclidean_norm(), reach=2, n_points=2**10)


def is_right(table: RadialTable, nets: dict[str, Network]) -> bool:
    for row, (name, net) in zip(table.rows, nets.items(), strict=True):
        box = hypercube(net.input_dim, -2, 2)
        error, mean = (
            radial_error(net, euclidean_norm(), box),
            radial_mse(net, euclidean_norm(), box, n_points=2**10),
        )
        expected = (name, error.lower, error.upper, len(error.regions), mean.root)
        if (row.name, row.lower, row.upper, row.regions, row.rms) != expected:
            return False
    return True


def test_rows(table: RadialTable) -> None:
    assert is_right(table, NETS)
    assert table.column("dim") == (2, 2, 3)
    assert table.column("depth") == (2, 3, 2)
    assert table.column("widths") == ((6,), (8, 2), (8,))
    assert table.column("neurons") == (6, 10, 8)
    assert table.column("linear")[0] == 6
    assert all(row.rms_error < 0.01 * row.rms < row.upper for row in table.rows)
    assert table.reach == 2


def test_oracle_catches_a_planted_fault(table: RadialTable) -> None:
    assert not is_right(table, {**NETS, "ridges": norm_ridges(2, 4)})


def test_forms(table: RadialTable) -> None:
    lines = table.to_markdown().splitlines()
    assert len(lines) == 5
    assert lines[3].startswith("| deep | 2 | 3 | 8-2 | 10 | 28 | 28 |")
    assert str(table).startswith("errors against r on [-2, 2]^d\nname")
    assert "<td>8-2</td>" in table._repr_html_()
    facts = json.loads(table.to_json())
    assert facts["rho"] == "r"
    assert [row["widths"] for row in facts["rows"]] == [[6], [8, 2], [8]]
    frame = table.to_frame()
    assert frame.attrs == {"rho": "r", "reach": "2"}
    assert frame["regions"].tolist() == list(table.column("regions"))


def test_budget_leaves_the_estimate() -> None:
    found = radial_table([norm_ridges(2, 9)], euclidean_norm(), max_regions=4)
    (row,) = found.rows
    assert (row.regions, row.linear, row.lower, row.upper) == (None,) * 4
    assert 0 < row.rms < 0.01
    assert "| - | - | - | - |" in found.to_markdown()


def test_exact_network() -> None:
    (row,) = radial_table([l1_norm(1)], euclidean_norm(), reach="1/3").rows
    assert (row.name, row.lower, row.upper) == ("", 0.0, 0.0)
    assert row.rms < 1e-15


@pytest.mark.parametrize(
    ("networks", "options", "message"),
    [
        ([], {}, "one or more networks"),
        ({}, {}, "one or more networks"),
        ([1], {}, "one or more networks"),
        (l1_norm(2), {}, "one or more networks"),
        (None, {}, "one or more networks"),
        ([mlp("2-2-2")], {}, "one output"),
        ([l1_norm(2)], {"reach": 0}, "a reach above 0; got 0"),
        ([l1_norm(2)], {"reach": "x"}, "needs a reach"),
    ],
)
def test_wrong_parameters(networks: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        radial_table(networks, shifted_norm(1), **options)


def test_unknown_column() -> None:
    found = RadialTable((), euclidean_norm(), Fraction(1))
    with pytest.raises(InvalidInputError, match="one of the columns name, dim"):
        found.column("x")

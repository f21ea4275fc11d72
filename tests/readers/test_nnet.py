"""`load_nnet`: the header's variants, units, damage; and counts on published networks."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plregions.domain import Box, Slice
from plregions.enumeration import enumerate_regions
from plregions.errors import FormatError, InvalidDomainError, InvalidInputError
from plregions.network.network import Network
from plregions.readers import load, load_nnet, nnet_box
from plregions.readers import nnet as reader

RNG = np.random.default_rng(11)
WEIGHTS = [RNG.standard_normal((3, 3)), RNG.standard_normal((3, 3))]
BIASES = [RNG.standard_normal(3), RNG.standard_normal(3)]
MEANS, RANGES = [0.5, -2.0, 0.1, 7.25], [3.0, 0.7, 1100.0, 373.94992]
MINIMA, MAXIMA = [-1.0, -2.5, 0.0], [1.0, 4.0, 60760.0]


def lines_of_file(
    comments: tuple[str, ...] = ("// a comment",),
    comma: str = ",",
    unused: str = "0",
    n_means: int = 4,
) -> list[str]:
    rows = [[2, 3, 3, 3], [3, 3, 3], None, MINIMA, MAXIMA, MEANS[:n_means], RANGES[:n_means]]
    for weight, bias in zip(WEIGHTS, BIASES, strict=True):
        rows += [*weight.tolist(), *([value] for value in bias.tolist())]
    text = [unused if row is None else ",".join(map(repr, row)) + comma for row in rows]
    return [*comments, *text]


def written(folder: Path, lines: list[str], end: str = "\n", start: bytes = b"") -> Path:
    path = folder / "net.nnet"
    path.write_bytes(start + end.join([*lines, ""]).encode())
    return path


def expected(x: list[Fraction], units: str, n_means: int = 4) -> list[Fraction]:
    """The oracle: the format's definition, in Fractions."""
    if units == "physical":
        x = [
            (v - Fraction(mean)) / Fraction(scale)
            for v, mean, scale in zip(x, MEANS[:3], RANGES[:3], strict=True)
        ]
    for k in range(2):
        x = [
            sum((Fraction(w) * v for w, v in zip(row, x, strict=True)), Fraction(b))
            for row, b in zip(WEIGHTS[k].tolist(), BIASES[k].tolist(), strict=True)
        ]
        if k == 0:
            x = [max(v, Fraction(0)) for v in x]
    if units == "physical" and n_means == 4:
        x = [v * Fraction(RANGES[3]) + Fraction(MEANS[3]) for v in x]
    return x


def check_values(net: Network, units: str, n_means: int = 4) -> None:
    for x in ([0, 0, 0], ["1/3", -2, 500], [-1, 4, 60760]):
        point = [Fraction(v) for v in x]
        assert list(net.exact(point)) == expected(point, units, n_means)


@pytest.mark.parametrize("units", ["raw", "physical"])
@pytest.mark.parametrize(
    "comments", [(), ("//",), ("// a", "//b, 1,2,", "// c"), ("// é", "", "//")]
)
@pytest.mark.parametrize("comma", [",", "", ", "])
def test_headers(units: str, comments: tuple[str, ...], comma: str, tmp_path: Path) -> None:
    for unused in ("0", "0,", "This line extraneous", "", "//"):
        for n_means in (3, 4):
            path = written(tmp_path, lines_of_file(comments, comma, unused, n_means))
            check_values(load_nnet(path, units), units, n_means)


def test_line_ends_marks_and_blank_lines(tmp_path: Path) -> None:
    net = load_nnet(written(tmp_path, lines_of_file()), units="raw")
    check_values(net, "raw")
    for end, start in [("\r\n", b""), ("\n", b"\xef\xbb\xbf"), ("\n", b"// \xff latin\n")]:
        assert load_nnet(written(tmp_path, lines_of_file(), end, start), units="raw") == net
    lines = lines_of_file()
    assert load_nnet(written(tmp_path, [*lines[:12], "", *lines[12:], " "]), "raw") == net
    assert load(written(tmp_path, lines), units="raw") == net
    other = tmp_path / "net.txt"
    other.write_text("\n".join(lines))
    assert load(other, units="raw") == net  # the comment tells
    assert net.layers[0].weight.dtype == np.float64


@pytest.mark.parametrize(
    "units", [None, "", "Raw", "normalised", "normalized", "unnormalised", 0, True, "file"]
)
def test_units_are_a_choice(units: Any, tmp_path: Path) -> None:
    path = written(tmp_path, lines_of_file())
    for function in (load_nnet, nnet_box):
        with pytest.raises(InvalidInputError, match=r"units='raw'.*units='physical'") as caught:
            function(path, units)
        assert ("both ways" in str(caught.value)) == ("normali" in str(units))
    with pytest.raises(InvalidInputError, match=r"units='raw'.*units='physical'"):
        load(path, units=units)


def test_load_shows_the_two_calls(tmp_path: Path) -> None:
    path = written(tmp_path, lines_of_file())
    with pytest.raises(InvalidInputError) as caught:
        load(path)
    for units in ("raw", "physical"):
        assert f"plr.load({str(path)!r}, units={units!r})" in str(caught.value)
        check_values(load(path, units=units), units)


def test_units_for_another_format(tmp_path: Path) -> None:
    net = load_nnet(written(tmp_path, lines_of_file()), "physical")
    net.save(tmp_path / "net.json")
    assert load(tmp_path / "net.json") == net
    with pytest.raises(InvalidInputError, match=r"no units.*net\.json"):
        load(tmp_path / "net.json", units="raw")


def test_box(tmp_path: Path) -> None:
    path = written(tmp_path, lines_of_file())
    assert nnet_box(path, "physical") == Box(MINIMA, MAXIMA)
    lower, upper = (
        [
            (Fraction(v) - Fraction(m)) / Fraction(r)
            for v, m, r in zip(bounds, MEANS, RANGES, strict=False)
        ]
        for bounds in (MINIMA, MAXIMA)
    )
    assert nnet_box(path, "raw") == Box(lower, upper)
    lines = lines_of_file()
    lines[4], lines[5] = lines[5], lines[4]
    with pytest.raises(InvalidDomainError):
        nnet_box(written(tmp_path, lines), "physical")


def test_both_units_are_one_function(tmp_path: Path) -> None:
    path = written(tmp_path, lines_of_file())
    raw, physical = load_nnet(path, "raw"), load_nnet(path, "physical")
    x = [Fraction(3, 7), Fraction(-1), Fraction(12)]
    inside = [(v - Fraction(m)) / Fraction(r) for v, m, r in zip(x, MEANS, RANGES, strict=False)]
    y = [v * Fraction(RANGES[3]) + Fraction(MEANS[3]) for v in raw.exact(inside)]
    assert list(physical.exact(x)) == y
    assert raw.pattern_at(inside) == physical.pattern_at(x)


def test_truncated_anywhere(tmp_path: Path) -> None:
    """B75, Marabou #486: the message names the first line that is not there."""
    lines = lines_of_file()
    for n in range(1, len(lines)):
        path = written(tmp_path, lines[:n])
        with pytest.raises(FormatError) as caught:
            load_nnet(path, units="raw")
        number = int(re.search(r"in line (\d+) of", str(caught.value))[1])
        assert n + 1 <= number <= n + 2 and "end of the file" in str(caught.value)
        assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (2, "2,3,3", "four sizes.*line 2"),
        (2, "two,3,3,3", "line 2.*'two,3,3,3'"),
        (2, "0,3,3,3", "line 2"),
        (2, "2,-3,3,3", "line 2"),
        (2, "1" * 5000 + ",3,3,3", "line 2"),
        (3, "3,3,3,3", "3 layer sizes.*line 3"),
        (3, "3,3,2", "line 3"),
        (3, "4,3,3", "line 3"),
        (5, "0,0", "3 minima.*line 5.*got 2"),
        (6, "0,0,0,0", "3 maxima.*line 6"),
        (7, "0,0", "3 or 4 means.*line 7"),
        (7, "0,0,0,0,0", "line 7"),
        (8, "1,1,1", "4 ranges.*line 8"),
        (9, "1,2", r"3 weights \(layer 0, row 0\).*line 9.*got 2"),
        (9, "1,2,x", "line 9.*'x'"),
        (9, "1,,2", "line 9.*''"),
        (9, "1,nan,2", "line 9.*'nan'"),
        (9, "1,1e999,2", "line 9.*'1e999'"),
        (9, "1,1_0,2", "line 9.*'1_0'"),
        (12, "1,2", r"one bias \(layer 0, unit 0\).*line 12"),
        (20, "1,\n2", "end of the file in line 21.*'2'"),
    ],
)
def test_damage_names_the_line(line: int, text: str, message: str, tmp_path: Path) -> None:
    lines = lines_of_file()
    lines[line - 1] = text
    with pytest.raises(FormatError, match=message) as caught:
        load_nnet(written(tmp_path, lines), units="raw")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_range_of_zero(tmp_path: Path) -> None:
    lines = lines_of_file()
    lines[7] = "1,0,1,1,"
    path = written(tmp_path, lines)
    check_values(load_nnet(path, "raw"), "raw")
    for call in (lambda: load_nnet(path, "physical"), lambda: nnet_box(path, "raw")):
        with pytest.raises(FormatError, match=r"other than 0 in line 8.*units='raw'"):
            call()


def test_other_content(tmp_path: Path) -> None:
    path = tmp_path / "net.nnet"
    for content in (b"// only this\n", b"\x00" * 99, b"PK\x03\x04", b"{}", b"\n\n"):
        path.write_bytes(content)
        with pytest.raises(FormatError):
            load(path, units="raw")
    with pytest.raises(FileNotFoundError):
        load_nnet(tmp_path / "none.nnet", "raw")


@pytest.mark.parametrize("fault", ["transposed", "order", "ranges left out"])
def test_planted_fault(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = reader._read

    def wrong(verb: str, path: Path) -> Any:
        contents = right(verb, path)
        changed = {
            "transposed": {"layers": [(weight.T, bias) for weight, bias in contents.layers]},
            "order": {"layers": contents.layers[::-1]},
            "ranges left out": {"ranges": np.ones(4)},
        }[fault]
        return reader._Contents(**{**vars(contents), **changed})

    monkeypatch.setattr(reader, "_read", wrong)
    net = load_nnet(written(tmp_path, lines_of_file()), "physical")
    with pytest.raises(AssertionError):
        check_values(net, "physical")


def axes_0_and_1(n: int, half_width: float) -> Slice:
    return Slice([0] * n, np.eye(n)[:2], Box([-half_width] * 2, [half_width] * 2))


@pytest.fixture
def marabou(shared: Path) -> Path:
    return shared / "real_nets" / "marabou"


def test_twin_ladder(marabou: Path) -> None:
    path = marabou / "twin_ladder-5_inp-2_layers-5_width-1_margin.nnet"
    net = load_nnet(path, "raw")
    assert net == load_nnet(path, "physical")  # its means are 0 and its ranges 1
    assert len(enumerate_regions(net, axes_0_and_1(5, 10.0))) == 16
    assert nnet_box(path, "raw") == Box([-10] * 5, [10] * 5)


def test_acas(marabou: Path) -> None:
    """The .onnx is the raw network with weights rounded to float32; its patterns are the same.

    So are those with the decimals of the file taken exactly, and those in physical units.
    """
    pytest.importorskip("onnx")
    path = marabou / "ACASXU_experimental_v2a_1_1.nnet"
    raw, exported = load_nnet(path, "raw"), load(path.with_suffix(".onnx"))
    for mine, theirs in zip(raw.layers, exported.layers, strict=True):
        assert np.array_equal(mine.weight.astype(np.float32), theirs.weight)
        assert np.array_equal(mine.bias.astype(np.float32), theirs.bias)
    lines = [
        line.removesuffix(",").split(",")
        for line in path.read_text().splitlines()
        if not line.startswith("//")
    ]
    rows, layers = lines[7:], []
    for n in [50] * 6 + [5]:
        layers.append((rows[:n], [row[0] for row in rows[n : 2 * n]]))
        rows = rows[2 * n :]
    domain = axes_0_and_1(5, 0.05)
    found = [
        [str(region.pattern) for region in enumerate_regions(net, domain)]
        for net in (raw, exported, Network(layers))
    ]
    means, ranges = ([float(v) for v in line] for line in lines[5:7])
    physical = Slice(means[:5], np.diag(ranges[:5])[:2], domain.domain)
    net = load_nnet(path, "physical")
    found.append([str(region.pattern) for region in enumerate_regions(net, physical)])
    assert len(found[0]) == 147 and all(patterns == found[0] for patterns in found)


def test_other_published_files(shared: Path) -> None:
    folder = shared / "real_nets"
    net = load_nnet(folder / "marabou" / "fc_2-2-3.nnet", "raw")
    assert [layer.weight.tolist() for layer in net.layers] == [
        [[1, 1], [-1, -1]],
        [[2, -1], [-1, 1], [1, -1]],
    ]
    assert len(enumerate_regions(net, Box([-1, -1], [1, 1]))) == 2
    four = load_nnet(folder / "marabou/twin_ladder-5_inp-4_layers-5_width-1e-2_margin.nnet", "raw")
    points = np.random.default_rng(0).uniform(-10, 10, (200, 5))
    assert np.allclose(four(points), 0.01, atol=1e-9)
    test_network = load_nnet(folder / "sisl_nnet" / "TestNetwork.nnet", "physical")
    assert test_network.widths == (50,) * 6

"""Betti numbers: known shapes, nerves, Mayer and Vietoris, pictures, and faults that are seen."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.nerves import nerve_betti, pieces_of, simplicial_betti
from oracles.planted_complexes import without
from oracles.random_cases import case
from scipy.ndimage import label as connected

import plregions as plr
from plregions.analysis import boundary_ranks as ranks_module
from plregions.analysis import topology
from plregions.analysis.topology import Betti, betti_numbers, betti_of_faces
from plregions.network import restrict
from plregions.regions.faces import FaceLattice, faces
from plregions.regions.outcome import INTERRUPTED, budget_exhausted

ABSOLUTE = (-1, 1)
SETS = ("boundary", "sublevel", "superlevel")


def folded_norm(weights: Any, *folds: int) -> plr.Network:
    """| ... ||x|_w - folds[0]| ... - folds[-1]| with |x|_w = sum of weights[i] |x_i|."""
    d = len(weights)
    layers: list[Any] = [(np.eye(d, dtype=int), [0] * d, ABSOLUTE)]
    rows = [list(weights)]
    for fold in folds:
        layers.append((rows, [-fold], ABSOLUTE))
        rows = [[1]]
    return plr.Network([*layers, (rows, [0])])


def side_by_side_norm(d: int, centre: int) -> plr.Network:
    """||x_0| - centre| + |x_1| + ...: the distance from the nearer one of two points."""
    eye = np.eye(d, dtype=int)
    return plr.Network(
        [(eye, [0] * d, ABSOLUTE), (eye, [-centre] + [0] * (d - 1), ABSOLUTE), ([[1] * d], [0])]
    )


def torus() -> plr.Network:
    """||x| + |y| - 2| + |z|: at most 1 in a solid torus."""
    first = (np.eye(3, dtype=int), [0] * 3, ABSOLUTE)
    second = ([[1, 1, 0], [0, 0, 1]], [-2, 0], ABSOLUTE)
    return plr.Network([first, second, ([[1, 1]], [0])])


def constant(d: int) -> plr.Network:
    """3, whatever comes in: one neuron cuts the domain, and its output is not read."""
    return plr.Network([([[1] * d], [0]), ([[0]], [3])])


SHAPES: list[tuple[str, plr.Network, int, Any, str, tuple[int, ...]]] = [
    # name, network, half side of the box, level, of, Betti numbers
    ("two points", folded_norm([1]), 2, 1, "boundary", (2, 0)),
    ("interval", folded_norm([1]), 2, 1, "sublevel", (1, 0)),
    ("two intervals", folded_norm([1]), 2, 1, "superlevel", (2, 0)),
    ("circle", folded_norm([1, 1]), 2, 1, "boundary", (1, 1, 0)),
    ("disc", folded_norm([1, 1]), 2, 1, "sublevel", (1, 0, 0)),
    ("square with a hole", folded_norm([1, 1]), 2, 1, "superlevel", (1, 1, 0)),
    ("circle through corners of the domain", folded_norm([1, 1]), 1, 1, "boundary", (1, 1, 0)),
    ("corners cut off", folded_norm([1, 1]), 1, "3/2", "superlevel", (4, 0, 0)),
    ("corners alone", folded_norm([1, 1]), 1, 2, "superlevel", (4, 0, 0)),
    ("annulus", folded_norm([1, 1], 3), 5, 1, "sublevel", (1, 1, 0)),
    ("its two curves", folded_norm([1, 1], 3), 5, 1, "boundary", (2, 2, 0)),
    ("its two sides", folded_norm([1, 1], 3), 5, 1, "superlevel", (2, 1, 0)),
    ("four nested curves", folded_norm([1, 1], 4, 2), 8, 1, "boundary", (4, 4, 0)),
    ("two nested annuli", folded_norm([1, 1], 4, 2), 8, 1, "sublevel", (2, 2, 0)),
    ("two discs", side_by_side_norm(2, 2), 4, 1, "sublevel", (2, 0, 0)),
    ("two discs touch", side_by_side_norm(2, 1), 3, 1, "sublevel", (1, 0, 0)),
    ("two circles touch", side_by_side_norm(2, 1), 3, 1, "boundary", (1, 2, 0)),
    ("around two that touch", side_by_side_norm(2, 1), 3, 1, "superlevel", (1, 2, 0)),
    ("two points of a sublevel set", side_by_side_norm(2, 1), 3, 0, "sublevel", (2, 0, 0)),
    ("sphere", folded_norm([1, 1, 1]), 2, 1, "boundary", (1, 0, 1, 0)),
    ("ball", folded_norm([1, 1, 1]), 2, 1, "sublevel", (1, 0, 0, 0)),
    ("cube with a cavity", folded_norm([1, 1, 1]), 2, 1, "superlevel", (1, 0, 1, 0)),
    ("two nested spheres", folded_norm([1, 1, 1], 3), 5, 1, "boundary", (2, 0, 2, 0)),
    ("shell", folded_norm([1, 1, 1], 3), 5, 1, "sublevel", (1, 0, 1, 0)),
    ("four nested spheres", folded_norm([1, 1, 1], 4, 2), 8, 1, "boundary", (4, 0, 4, 0)),
    ("inside, between, outside", folded_norm([1, 1, 1], 4, 2), 8, 1, "superlevel", (3, 0, 2, 0)),
    ("torus", torus(), 4, 1, "boundary", (1, 2, 1, 0)),
    ("solid torus", torus(), 4, 1, "sublevel", (1, 1, 0, 0)),
    ("around a torus", torus(), 4, 1, "superlevel", (1, 1, 1, 0)),
    ("core of a torus", torus(), 4, 0, "boundary", (1, 1, 0, 0)),
    ("ring of a cylinder", folded_norm([1, 1, 0], 3), 5, 1, "sublevel", (1, 1, 0, 0)),
    ("two tubes", folded_norm([1, 1, 0], 3), 5, 1, "boundary", (2, 2, 0, 0)),
    ("two balls touch", side_by_side_norm(3, 1), 3, 1, "sublevel", (1, 0, 0, 0)),
    ("two spheres touch", side_by_side_norm(3, 1), 3, 1, "boundary", (1, 0, 2, 0)),
    ("crossing lines", folded_norm([1, -1]), 1, 0, "boundary", (1, 0, 0)),
    ("double cone |x| <= |y|", folded_norm([1, -1]), 1, 0, "sublevel", (1, 0, 0)),
    ("four rays' ends", folded_norm([1, -1]), 2, 1, "superlevel", (2, 0, 0)),
    ("wedges along an edge", folded_norm([1, -1, 0]), 1, 0, "sublevel", (1, 0, 0, 0)),
    ("two wedges apart", folded_norm([1, -1, 0]), 2, -1, "sublevel", (2, 0, 0, 0)),
    ("cone |x| + |y| <= |z|", folded_norm([1, 1, -1]), 1, 0, "sublevel", (1, 0, 0, 0)),
    ("around a cone", folded_norm([1, 1, -1]), 1, 0, "superlevel", (1, 0, 0, 0)),
    ("sphere in 4-D", folded_norm([1, 1, 1, 1]), 2, 1, "boundary", (1, 0, 0, 1, 0)),
    ("all, as a boundary", constant(2), 1, 3, "boundary", (1, 0, 0)),
    ("all, as a sublevel set", constant(3), 1, 3, "sublevel", (1, 0, 0, 0)),
    ("all, far below", constant(3), 1, -7, "superlevel", (1, 0, 0, 0)),
    ("nothing, as a boundary", constant(2), 1, 2, "boundary", (0, 0, 0)),
    ("nothing, as a sublevel set", constant(3), 1, "5/2", "sublevel", (0, 0, 0, 0)),
]


@pytest.mark.parametrize("shape", SHAPES, ids=[shape[0] for shape in SHAPES])
def test_known_shapes(shape: Any) -> None:
    _, net, side, level, of, numbers = shape
    found = betti_numbers(net, plr.hypercube(net.input_dim, -side, side), of, level=level)
    assert found.numbers == numbers
    assert found.euler_characteristic == sum((-1) ** k * b for k, b in enumerate(numbers))
    assert found.is_empty == (numbers[0] == 0) and found.n_components == numbers[0]


def test_a_boundary_may_be_thick() -> None:
    """relu(|x| + |y| - 1) is 0 in a whole disc, which belongs to the sets on both sides."""
    ball = folded_norm([1, 1])
    hinge = plr.Network([*ball.layers[:-1], (ball.layers[-1].weight, [-1], "relu"), ([[1]], [0])])
    square = plr.hypercube(2, -2, 2)
    for of, numbers in [("boundary", (1, 0, 0)), ("superlevel", (1, 0, 0))]:
        found = betti_numbers(hinge, square, of)
        assert (found.numbers, found.dim) == (numbers, 2)
    assert betti_numbers(hinge, square, level="1/8").numbers == (1, 1, 0)


def test_constructions() -> None:
    for d in (2, 3):
        trapezoid, box = plr.constructions.l1_trapezoid(d), plr.hypercube(d, -3, 3)
        sphere = tuple(int(k in (0, d - 1)) for k in range(d + 1))
        assert betti_numbers(trapezoid, box, level="1/2").numbers == sphere
        assert betti_numbers(trapezoid, box, "sublevel").numbers == sphere
        assert betti_numbers(trapezoid, box, "superlevel", level=1).n_components == 1
        norm = plr.constructions.linf_norm(d)
        assert betti_numbers(norm, box, level=1).numbers == sphere
    # A sawtooth of four teeth reaches 1/2 eight times and 1 four times.
    saw = plr.constructions.tent_power(3)
    line = plr.Box([0], [1])
    assert betti_numbers(saw, line, level="1/2").numbers == (8, 0)
    assert betti_numbers(saw, line, level=1) == Betti((4, 0), (4, 0))


def test_classes_and_their_boundary() -> None:
    """The largest of x, y and -x - y: three sectors, and a boundary of three rays."""
    net = plr.Network([([[1, 0], [0, 1], [-1, -1]], [0, 0, 0], "identity")])
    box = plr.Box([-1, -1], [1, 1])
    for label in range(3):
        assert betti_numbers(net, box, "class", label=label).numbers == (1, 0, 0)
    rays = betti_numbers(net, box)
    assert (rays.numbers, rays.n_faces[1], rays.dim) == ((1, 0, 0), 3, 1)
    # Two outputs tie where their difference is 0.
    norm = folded_norm([1, 1])
    both = plr.Network([*norm.layers[:-1], ([[1, 1], [0, 0]], [0, 1])])
    square = plr.hypercube(2, -2, 2)
    assert betti_numbers(both, square) == betti_numbers(norm, square, level=1)
    for label, of in [(0, "superlevel"), (1, "sublevel")]:
        assert betti_numbers(both, square, "class", label=label) == betti_numbers(
            norm, square, of, level=1
        )
    # An output that is never largest has an empty class; a tie below the largest is no boundary.
    low = plr.Network([([[0, 0], [1, 0], [0, 1]], [9, 0, 0], "identity")])
    assert betti_numbers(low, box, "class", label=1).is_empty
    assert betti_numbers(low, box).is_empty
    assert betti_numbers(low, box, "class", label=0).numbers == (1, 0, 0)
    assert betti_numbers(low, box, output=2).numbers == (1, 0, 0)


def test_slices_complexes_and_levels() -> None:
    ball = folded_norm([1, 1, 1])
    plane = plr.Slice([0, 0, "1/2"], [[1, 0, 0], [0, 1, 0]], plr.hypercube(2, -2, 2))
    assert betti_numbers(ball, plane, level=1).numbers == (1, 1, 0)
    above = plr.Slice([0, 0, 1], [[1, 0, 0], [0, 1, 0]], plr.hypercube(2, -2, 2))
    assert betti_numbers(ball, above, level=1) == Betti((1, 0, 0), (1, 0, 0))
    triangle = plr.Polytope([[-1, 0], [0, -1], [1, 1]], [0, 0, 1])
    assert betti_numbers(folded_norm([1, 1]), triangle, level=Fraction(1, 2)).numbers == (1, 0, 0)
    regions = plr.enumerate_regions(ball, plane)
    assert betti_numbers(regions, level=1) == betti_numbers(ball, plane, level=1)


def levels_of(net: plr.Network, domain: Any) -> list[Fraction]:
    """A level at a vertex, where sets touch themselves, and one a bit above."""
    points = plr.enumerate_regions(net, domain).vertices.points
    values = sorted(net.exact(x)[0] for x in points)
    middle = values[len(values) // 2]
    return [middle, middle + Fraction(1, 97)]


def question(seed: int) -> tuple[plr.Network, Any]:
    """A case in its own coordinates."""
    _, net, domain = case(seed)
    return restrict(net, domain)


@pytest.mark.parametrize("seed", [s for s in range(44) if case(s).domain.dim <= 3])
def test_against_nerves(seed: int) -> None:
    net, domain = question(seed)
    d, m = domain.dim, net.output_dim
    asked: list[tuple[str, dict[str, Any]]] = [
        (of, {"level": level, "output": m - 1})
        for of in SETS
        for level in levels_of(net, domain)[: 1 if d == 3 else 2]
    ]
    if m > 1:
        asked += [("boundary", {}), ("class", {"label": 0})]
    for of, options in asked:
        found = betti_numbers(net, domain, of, **options)
        assert found.numbers == (*nerve_betti(pieces_of(net, domain, of, **options), d), 0)


def check_mayer_vietoris(net: plr.Network, domain: Any, level: Any) -> tuple[int, ...]:
    """Two closed sets whose union is convex: their homology adds up to that of what they share."""
    shared, low, high = (betti_numbers(net, domain, of, level=level, output=0) for of in SETS)
    if shared.is_empty:
        assert low.is_empty != high.is_empty
        assert (low.numbers[0] + high.numbers[0], sum(low.numbers + high.numbers)) == (1, 1)
    else:
        sums = [a + b for a, b in zip(low.numbers, high.numbers, strict=True)]
        assert sums == [shared.numbers[0] + 1, *shared.numbers[1:]]
    assert low.euler_characteristic + high.euler_characteristic == 1 + shared.euler_characteristic
    return shared.numbers


@pytest.mark.parametrize("seed", range(60, 120))
def test_both_sides_and_what_is_between(seed: int) -> None:
    _, net, domain = case(seed)
    for level in levels_of(*restrict(net, domain)):
        check_mayer_vietoris(net, domain, level)


@pytest.mark.parametrize("widths", ["2-12-12-1", "3-10-6-1"])
def test_both_sides_of_larger_networks(widths: str) -> None:
    net = plr.mlp(widths, seed=3)
    domain = plr.hypercube(net.input_dim, -2, 2)
    middle = net.exact([Fraction(1, 7)] * net.input_dim)[0]
    assert any(check_mayer_vietoris(net, domain, middle))


@pytest.mark.parametrize("seed", range(6))
def test_against_pictures(seed: int) -> None:
    """Pieces and holes of the picture of a class: pixels joined along sides."""
    rng = np.random.default_rng(seed)
    spread = [(rng.integers(-40, 41, (16, 2)), rng.integers(-40, 41, 16), ABSOLUTE)]
    spread.append((rng.integers(-40, 41, (2, 16)), rng.integers(-40, 41, 2) * 40, "identity"))
    net, square = plr.Network(spread), plr.hypercube(2, -1, 1)
    ticks = (np.arange(512) + 0.5) / 256 - 1
    outputs = net(np.array(list(product(ticks, ticks)))).reshape(512, 512, 2)
    is_first = outputs[..., 0] >= outputs[..., 1]  # whole numbers over a power of 2: exact
    for own, picture in ((0, is_first), (1, ~is_first)):
        n_pieces = connected(picture)[1]
        others = connected(~np.pad(picture, 1))[1]
        found = betti_numbers(net, square, "class", label=own)
        assert found.numbers == (n_pieces, others - 1, 0)


def test_refusals() -> None:
    net, two = folded_norm([1, 1]), plr.mlp("2-3-2")
    box = plr.hypercube(2, -1, 1)
    for arguments, options, words in [
        ((net, plr.WholeSpace(2)), {}, "needs a bounded domain; got WholeSpace"),
        ((net, plr.Polytope([[1, 0]], [1])), {}, "needs a bounded domain; got Polytope"),
        ((net,), {}, "needs a bounded domain; got None"),
        ((net, plr.hypercube(3)), {}, "the network's 2 inputs; got one of dimension 3"),
        ((plr.enumerate_regions(net, box), box), {}, "no domain beside a complex"),
        ((net.layers, box), {}, "needs a Network or RegionComplex; got tuple"),
        ((net, box, "zero"), {}, "needs of to be .* got 'zero'"),
        ((two, box, "class"), {}, 'needs a label for of="class"'),
        ((two, box), {"label": 0}, 'needs a label for of="class"'),
        ((two, box, "class"), {"label": 2}, "label to be from 0 to 1; got 2"),
        ((two, box, "class"), {"label": 0, "level": 1}, "neither output nor level"),
        ((two, box, "class"), {"label": 0, "output": 1}, "neither output nor level"),
        ((net, box, "class"), {"label": 0}, "two or more outputs"),
        ((two, box), {"level": 1}, "neither output nor level"),
        ((two, box, "sublevel"), {}, "needs an output; got a network with 2 outputs"),
        ((two, box, "sublevel"), {"output": 5}, "output to be from 0 to 1; got 5"),
        ((two, box, "sublevel"), {"output": True}, "output to be a whole number"),
        ((net, box), {"level": float("nan")}, "needs a finite level"),
        ((net, box), {"level": "high"}, "needs a finite level"),
    ]:
        with pytest.raises(plr.InvalidInputError, match=words):
            betti_numbers(*arguments, **options)


def test_nothing_is_said_of_unfinished_complexes(monkeypatch: pytest.MonkeyPatch) -> None:
    net, box = folded_norm([1, 1]), plr.hypercube(2, -1, 1)
    with pytest.raises(plr.BudgetExhaustedError):
        betti_numbers(net, box, level="1/2", max_regions=2)

    def interrupted(*arguments: Any, **options: Any) -> plr.RegionComplex:
        return without(plr.enumerate_regions(*arguments, **options), 0, outcome=INTERRUPTED)

    monkeypatch.setattr(topology, "enumerate_regions", interrupted)
    with pytest.raises(KeyboardInterrupt):
        betti_numbers(net, box, level="1/2")


def test_faces_must_fit_and_be_closed() -> None:
    lattice = faces(plr.enumerate_regions(folded_norm([1, 1]), plr.hypercube(2, -1, 1)))
    everything = [np.ones(n, dtype=np.bool_) for n in lattice.f_vector]
    assert betti_of_faces(lattice, everything).numbers == (1, 0, 0)
    for k in (0, 1):
        holed = [flag.copy() for flag in everything]
        holed[k][0] = False
        with pytest.raises(plr.InvalidInputError, match="needs a closed set"):
            betti_of_faces(lattice, holed)
    with pytest.raises(plr.InvalidInputError, match="a flag for each of the faces"):
        betti_of_faces(lattice, everything[:2])


def test_nerves_know_the_simplest_complexes() -> None:
    triangle = [frozenset(pair) for pair in ({0, 1}, {1, 2}, {0, 2})]
    assert simplicial_betti(triangle, 2) == (1, 1)
    assert simplicial_betti([frozenset({0, 1, 2})], 2) == (1, 0)
    hollow = [frozenset(range(4)) - {k} for k in range(4)]
    assert simplicial_betti([*hollow, frozenset({7})], 3) == (2, 0, 1)


def test_oracles_see_planted_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    ring, square = folded_norm([1, 1], 3), plr.hypercube(2, -5, 5)
    nerve = nerve_betti(pieces_of(ring, square, "sublevel", level=1), 2)
    assert nerve == (1, 1)

    def answer() -> tuple[int, ...]:
        return betti_numbers(ring, square, "sublevel", level=1).numbers[:2]

    assert answer() == nerve
    # The sublevel set without its border is no closed set.
    with monkeypatch.context() as patch:
        patch.setitem(topology.SIGNS, "sublevel", (-1,))
        with pytest.raises(plr.InvalidInputError, match="needs a closed set"):
            answer()
    # The border alone is closed, and another set.
    with monkeypatch.context() as patch:
        patch.setitem(topology.SIGNS, "sublevel", (0,))
        assert answer() != nerve
        patch.setitem(topology.SIGNS, "superlevel", (0,))
        with pytest.raises(AssertionError):
            check_mayer_vietoris(ring, square, 1)
    # A region inside the ring is missing.
    with monkeypatch.context() as patch:

        def holed(regions: plr.RegionComplex) -> FaceLattice:
            place = regions.region_at([3.5, 0.25]).index
            return faces(without(regions, place, outcome=budget_exhausted("max_regions")))

        patch.setattr(topology, "faces", holed)
        assert answer() == (1, 2) != nerve
    # Columns that are no cycles are left out.
    with monkeypatch.context() as patch:
        wrong = ranks_module._last_rows
        patch.setattr(ranks_module, "_last_rows", lambda b, known: wrong(b, {0, *known}))
        assert answer() != nerve

"""Do the figures claimed for volumes, boundaries, reach and files hold here?

Run ``python tests/benchmarks/figures.py [name ...]``; without names all of them, in two minutes.

- ``volumes``: the volumes of all regions sum to the domain's, exactly in rationals up to three
  dimensions, within 1e-11 in floats up to six; for the boxes of ``../shared/cases/counts.csv`` with
  up to 20,000 regions, and for a few random networks in four to six dimensions.
- ``segments``: a classifier of digits on a plane through three images. Each piece of its decision
  boundary has two classes tied exactly at its middle; 10,000 random segments cross the boundary
  exactly where the label changes, which a walk in whole numbers finds without any region.
- ``acas``: the collision avoidance network ACAS Xu 1_1 (five inputs, six hidden layers of 50) on a
  box of width 0.02: its regions, the range of each output, the share of each class, which output
  can exceed which, all proved, and 20,000 samples that agree.
- ``exports``: 100,000 regions as GraphML in 60 s, as Parquet in 10 s, as npz in 5 s, all with
  their graph, which is made in this time; of a network in space, and of one with 555 neurons in
  the plane.
- ``columns``: all that `measure` knows, of 20,000 regions a second in three dimensions, once the
  region graph is there.
- ``tll``: a network of tllverifybench with 433 regions and 5 linear regions: these as valid
  polygons whose areas sum to 16, in a GeoJSON file that geopandas opens.

Seconds are wall time, and CPU time of all threads together; kernels are compiled and read before.
A line ends with whether its bar holds, and the exit status is 1 if one does not. ``../shared`` is a
folder beside the project that is not part of it; what needs it is skipped where it is missing.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq

import plregions as plr

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # as pytest has it

from oracles.crossed_pieces import PlanePieces
from oracles.integer_segments import IntegerWalk
from oracles.plain_network import plain_layers, pre_activations

SHARED = Path(__file__).resolve().parents[3] / "shared"
MOST_REGIONS = 20_000
VOLUME_BAR = 1e-11
EXACT_DIMENSIONS = 3
N_SEGMENTS = 10_000
N_SAMPLES = 20_000
# Seconds for 100,000 regions.
EXPORT_BARS = {"graphml": 60.0, "parquet": 10.0, "npz": 5.0}
COLUMNS_BAR = 20_000
# Prime, so that no wall or corner of a network is met by chance.
STEPS = 999_983


class MissingError(Exception):
    """Something that a figure needs is not on this machine."""


@dataclass(frozen=True)
class Finding:
    """What was measured, and whether that is what is claimed."""

    text: str
    holds: bool

    def __str__(self) -> str:
        return f"{self.text}: {'holds' if self.holds else 'FALSE'}"


@dataclass(frozen=True)
class Seconds:
    cpu: float
    wall: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s (CPU {self.cpu:.2f} s)"


def timed(work: Callable[[], Any]) -> tuple[Any, Seconds]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, Seconds(time.process_time() - cpu, time.perf_counter() - wall)


def shared(path: str) -> Path:
    """One file below ../shared; `path` may be a pattern."""
    found = sorted(SHARED.glob(path))
    if not found:
        raise MissingError(f"the folder ../shared beside the project with {path} in it")
    return found[0]


# --- volumes ----------------------------------------------------------------------------------


def box_networks() -> Iterator[tuple[str, plr.Network]]:
    """The networks whose regions in [-1, 1]^d are counted in counts.csv, and random ones."""
    with shared("cases/counts.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["domain"] == "[-1,1]^d"]
    for row in rows:
        if int(row["activation_regions"]) <= MOST_REGIONS:
            yield row["net"], plr.load(shared(f"cases/{row['net']}.npz"))
    for widths in ("4-12-12-1", "5-10-10-1", "6-8-8-1"):
        yield f"random {widths}", plr.mlp(widths)


def exact_sum(numbers: Iterable[Fraction]) -> Fraction:
    """Add fractions in pairs: a running sum would carry all denominators along."""
    parts = [fmpq(v.numerator, v.denominator) for v in numbers] or [fmpq(0)]
    while len(parts) > 1:
        parts = [sum(parts[k : k + 2], fmpq(0)) for k in range(0, len(parts), 2)]
    return Fraction(int(parts[0].p), int(parts[0].q))


def volumes(networks: Iterable[tuple[str, plr.Network]]) -> Iterator[Finding]:
    """Sum the volumes of all regions in [-1, 1]^d."""
    exact: list[int] = []
    floats: list[int] = []
    wrong: list[str] = []
    largest = 0.0

    def work() -> None:
        nonlocal largest
        for name, net in networks:
            regions = plr.enumerate_regions(net, plr.hypercube(net.input_dim, -1, 1))
            whole = 2**net.input_dim
            error = abs(plr.measure(regions, "volume")["volume"].sum() / whole - 1)
            largest = max(largest, error)
            floats.append(len(regions))
            is_right = error <= VOLUME_BAR and regions.is_complete
            if net.input_dim <= EXACT_DIMENSIONS:
                exact.append(len(regions))
                column = plr.measure(regions, "volume", exact=True)["volume"]
                is_right = is_right and exact_sum(column) == whole
            if not is_right:
                wrong.append(name)

    _, seconds = timed(work)
    yield Finding(
        f"volumes of {sum(exact)} regions of {len(exact)} networks sum to the domain's exactly; in "
        f"floats those of {sum(floats)} regions of {len(floats)} networks, error at most "
        f"{largest:.1e} (bar {VOLUME_BAR:.0e}); {seconds}; wrong: {', '.join(wrong) or 'none'}",
        not wrong,
    )


# --- segments ---------------------------------------------------------------------------------


def random_point(rng: np.random.Generator, dim: int) -> list[Fraction]:
    return [Fraction(2 * int(v), STEPS) - 1 for v in rng.integers(1, STEPS, dim)]


def segments(net: plr.Network, n: int) -> Iterator[Finding]:
    """Check the decision boundary in [-1, 1]^2 piece by piece, and along n segments."""
    regions, found = timed(lambda: plr.enumerate_regions(net, plr.hypercube(2, -1, 1)))
    boundary, seconds = timed(lambda: plr.decision_boundary(regions))
    yield Finding(f"{len(regions)} regions, {found}; {boundary}, {seconds}", regions.is_complete)

    layers = plain_layers(net)

    def n_tied() -> int:
        count = 0
        for piece, pair in enumerate(boundary.classes.tolist()):
            middle = [sum(v) / 2 for v in zip(*boundary.points(piece), strict=True)]
            scores = pre_activations(layers, middle)[1]
            count += all(scores[k] == max(scores) for k in pair)
        return count

    tied, seconds = timed(n_tied)
    yield Finding(
        f"{tied} of {len(boundary)} pieces tied exactly, {seconds}", tied == len(boundary)
    )

    walk, pieces = IntegerWalk(net), PlanePieces(boundary)
    rng = np.random.default_rng(0)

    def n_right() -> tuple[int, int]:
        right = changes = 0
        for _ in range(n):
            p, q = random_point(rng, 2), random_point(rng, 2)
            labels = walk.labels(p, q)
            wanted = [(t, a, b) for (_, a), (t, b) in zip(labels, labels[1:], strict=False)]
            right += pieces.crossings(p, q) == wanted
            changes += len(wanted)
        return right, changes

    (right, changes), seconds = timed(n_right)
    yield Finding(
        f"{right} of {n} segments cross the boundary exactly where the label changes, {changes} "
        f"crossings, {seconds}",
        right == n,
    )


# --- acas -------------------------------------------------------------------------------------


def acas(net: plr.Network, radius: Fraction, n_samples: int) -> Iterator[Finding]:
    """Ask all questions about the outputs on a small box around the origin, with their proofs."""
    d, m = net.input_dim, net.output_dim
    box = plr.Box([-radius] * d, [radius] * d)
    plr.output_range(plr.mlp([d, 4, m]), box)  # compiles

    regions, seconds = timed(lambda: plr.enumerate_regions(net, box, proof=True))
    check, replay = timed(lambda: plr.verify(regions.proof, net))
    yield Finding(
        f"{len(regions)} regions, {seconds}; proof replayed, {replay}",
        check.ok and check.complete and check.regions == len(regions),
    )

    limits, seconds = timed(lambda: plr.output_range(net, box))
    (attained, bounded), replay = timed(lambda: range_is_proved(net, box, limits))
    shown = ", ".join(
        f"[{float(a):.6f}, {float(b):.6f}]" for a, b in zip(limits.lower, limits.upper, strict=True)
    )
    yield Finding(
        f"output range {shown}, {seconds}; {attained} of {2 * m} bounds attained, {bounded} proved "
        f"to be bounds, {replay}",
        attained == bounded == 2 * m,
    )

    parts, seconds = timed(lambda: plr.argmax_partition(regions, exact=True))
    whole = (2 * radius) ** d
    shares = {label: float(v / whole) for label, v in zip(parts.labels, parts.volumes, strict=True)}
    listed = ", ".join(
        f"class {'='.join(map(str, label))} {100 * share:.3f} %" for label, share in shares.items()
    )
    yield Finding(
        f"{listed} of the volume, exact sum the domain's, {seconds}", sum(parts.volumes) == whole
    )

    def exceeding() -> list[Any]:
        pairs = [(i, j) for i in range(m) for j in range(m) if i != j]
        return [plr.can_exceed(net, i, j, box) for i, j in pairs]

    answers, seconds = timed(exceeding)
    proved, replay = timed(lambda: sum(a.verify(net, box) for a in answers))
    yield Finding(
        f"{sum(map(bool, answers))} of {len(answers)} ordered pairs of outputs can exceed, "
        f"{seconds}; {proved} answers replayed, {replay}",
        proved == len(answers) and all(a.holds is not None for a in answers),
    )
    yield samples_agree(net, regions, limits, parts, shares, n_samples)


def range_is_proved(net: plr.Network, box: plr.Box, limits: Any) -> tuple[int, int]:
    """How many bounds are attained at their inputs, and how many cannot be exceeded."""
    m = net.output_dim
    attained = bounded = 0
    for k in range(m):
        for sign, bound, at in (
            (1, limits.upper[k], limits.upper_at[k]),
            (-1, limits.lower[k], limits.lower_at[k]),
        ):
            attained += box.contains(at) and net.exact(at)[k] == bound
            # The output, or its opposite, beside the bound as a constant output.
            rows = [[sign * int(i == k) for i in range(m)], [0] * m]
            beside = plr.compose(plr.Network([(rows, [0, sign * bound])]), net)
            answer = plr.can_exceed(beside, 0, 1, box)
            bounded += answer.holds is False and answer.verify(beside, box)
    return attained, bounded


def samples_agree(
    net: plr.Network, regions: Any, limits: Any, parts: Any, shares: dict[Any, float], n: int
) -> Finding:
    """Compare with random points: their patterns, outputs and classes, in floats."""
    rng = np.random.default_rng(0)
    lower, upper = (np.array(v, dtype=float) for v in regions.domain.bounding_box())
    points = rng.uniform(lower, upper, (n, net.input_dim))
    outputs, bits = points, []
    for layer in net.layers:
        weight, bias, slopes = (
            np.asarray(v, dtype=float) for v in (layer.weight, layer.bias, layer.slopes)
        )
        z = outputs @ weight.T + bias
        outputs = z * np.where(z > 0, slopes[:, 1], slopes[:, 0])
        bits.append((z > 0)[:, slopes[:, 0] != slopes[:, 1]])
    patterns = np.packbits(np.concatenate(bits, axis=1), axis=1)
    known = {p.tobytes(): r for r, p in enumerate(np.packbits(regions.patterns, axis=1))}
    owners = np.array([known.get(p.tobytes(), -1) for p in patterns])
    inside = ((outputs >= np.array(limits.lower, dtype=float) - 1e-12)
              & (outputs <= np.array(limits.upper, dtype=float) + 1e-12)).all(axis=1)  # fmt: skip
    labels = outputs.argmax(axis=1)
    of_region = [set[int]() for _ in range(len(regions))]
    for region, label in zip(parts.parts.regions.tolist(), parts.part_labels.tolist(), strict=True):
        of_region[region].update(parts.labels[label])
    fits = [
        r >= 0 and k in of_region[r] for r, k in zip(owners.tolist(), labels.tolist(), strict=True)
    ]
    agree = int((inside & np.array(fits)).sum())
    # Five standard deviations of a share that is found by sampling.
    far = [
        label
        for label, share in shares.items()
        if abs(np.isin(labels, label).mean() - share) > 5 * np.sqrt(share * (1 - share) / n)
    ]
    seen = len(set(owners.tolist()) - {-1})
    return Finding(
        f"{agree} of {n} samples have a known pattern, a class of its region and outputs in range; "
        f"they met {seen} of {len(regions)} regions",
        agree == n and not far,
    )


# --- exports ----------------------------------------------------------------------------------


def exports(widths: Iterable[str], bars: dict[str, float] = EXPORT_BARS) -> Iterator[Finding]:
    """Write the regions of random networks in [-1, 1]^d to files, and count them there."""
    with tempfile.TemporaryDirectory() as folder:
        for name in widths:
            net = plr.mlp(name)
            cube = plr.hypercube(net.input_dim, -1, 1)
            for format, bar in bars.items():
                path = Path(folder, f"regions.{format}")
                plr.export(plr.enumerate_regions(plr.mlp([net.input_dim, 4, 1]), cube), path)
                regions = plr.enumerate_regions(net, cube)
                _, seconds = timed(lambda: (regions.graph, plr.export(regions, path)))  # noqa: B023
                yield Finding(
                    f"{name}, {net.n_neurons} neurons, {len(regions)} regions as {format}, "
                    f"{path.stat().st_size / 1e6:.0f} MB, {seconds} (bar {bar:g} s)",
                    seconds.wall < bar and n_written(path) == len(regions),
                )


def n_written(path: Path) -> int:
    """How many regions a file holds, by other means than those that wrote it."""
    if path.suffix == ".graphml":
        return path.read_bytes().count(b"<node ")
    if path.suffix == ".parquet":
        import pyarrow.parquet

        return int(pyarrow.parquet.read_metadata(path).num_rows)
    with np.load(path) as arrays:
        return len(arrays["packed_patterns"])


# --- columns ----------------------------------------------------------------------------------


def columns(widths: Iterable[str], bar: float = COLUMNS_BAR) -> Iterator[Finding]:
    """Measure all columns of the regions of random networks in [-1, 1]^3."""
    from plregions.regions.geometry import QUANTITIES

    cube = plr.hypercube(3, -1, 1)
    small = plr.enumerate_regions(plr.mlp("3-4-4-1"), cube)
    plr.measure(small, QUANTITIES)  # compiles
    for name in widths:
        regions = plr.enumerate_regions(plr.mlp(name), cube)
        _, graph = timed(lambda: regions.graph)  # noqa: B023
        found, seconds = timed(lambda: plr.measure(regions, QUANTITIES))  # noqa: B023
        rate = len(regions) / seconds.wall
        error = abs(found["volume"].sum() / 8 - 1)
        yield Finding(
            f"{name}, {len(found)} columns of {len(regions)} regions, {seconds}: {rate:.0f} / s "
            f"(bar {bar:g}); the graph before, {graph}",
            rate > bar and error < VOLUME_BAR,
        )


# --- tll --------------------------------------------------------------------------------------


def tll(net: plr.Network, wanted: tuple[int, int]) -> Iterator[Finding]:
    """Regions and linear regions in [-2, 2]^2 as polygons in GeoJSON files."""
    import geopandas

    square = plr.hypercube(2, -2, 2)
    regions, seconds = timed(lambda: plr.enumerate_regions(net, square))
    found = (len(regions), regions.linear.n_regions)
    yield Finding(f"{found[0]} regions, {found[1]} linear regions, {seconds}", found == wanted)
    with tempfile.TemporaryDirectory() as folder:
        for kind, n in zip(("activation", "linear"), wanted, strict=True):
            path = Path(folder, f"{kind}.geojson")
            _, seconds = timed(lambda: plr.export(regions, path, kind=kind))  # noqa: B023
            frame = geopandas.read_file(path)
            n_valid = int(frame.geometry.is_valid.sum())
            area = float(frame.set_crs(None, allow_override=True).area.sum())
            yield Finding(
                f"GeoJSON with {len(frame)} {kind} regions, {n_valid} valid, areas {area:.12f} in "
                f"all, {seconds}",
                len(frame) == n_valid == n and abs(area - 16) < 1e-11,
            )


def real_network(pattern: str) -> plr.Network:
    return plr.load(shared(f"real_nets/{pattern}"))


BARS: dict[str, Callable[[], Iterator[Finding]]] = {
    "volumes": lambda: volumes(box_networks()),
    "segments": lambda: segments(
        plr.load(shared("cases/geo_digits_slice_2-64-64-10.npz")), N_SEGMENTS
    ),
    "acas": lambda: acas(
        real_network("marabou/ACASXU_experimental_v2a_1_1.onnx"), Fraction(1, 100), N_SAMPLES
    ),
    "exports": lambda: exports(("3-54-54-1", "2-185-185-185-1")),
    "columns": lambda: columns(("3-32-32-1", "3-54-54-1")),
    "tll": lambda: tll(real_network("vnncomp2022/tllBench_n=2_N=M=8*.onnx"), (433, 5)),
}


def report(names: Iterable[str], write: Callable[[str], object]) -> bool:
    """Measure some figures; True iff none of them is false."""
    holds = True
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "python-flint"))
    write(f"Python {platform.python_version()}, {versions}, {os.cpu_count()} processors\n")
    for name in names:
        start = time.perf_counter()
        try:
            for finding in BARS[name]():
                holds = holds and finding.holds
                write(f"{name}: {finding}\n")
        except (MissingError, ImportError) as error:
            write(f"{name}: skipped, it needs {error}\n")
        write(f"{name}: {time.perf_counter() - start:.0f} s in all\n")
    return holds


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="name", help=f"among {', '.join(BARS)}")
    names = parser.parse_args(arguments).names
    unknown = sorted(set(names) - set(BARS))
    if unknown:
        parser.error(f"no figure {', '.join(unknown)}; there are {', '.join(BARS)}")

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    return 0 if report(names or BARS, write) else 1


if __name__ == "__main__":
    sys.exit(main())

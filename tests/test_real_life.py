"""Where people run it: locked folders, no home, notebooks, worker processes, odd processors."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import plregions as plr

COUNT = """
import plregions as plr
print(int(plr.count_regions(plr.mlp([2, 8, 8, 1]), plr.hypercube(2, -1, 1))))
"""

# One small kernel: all of them take a quarter of a minute.
KERNEL = """
from pathlib import Path
import numpy as np
import plregions
from plregions.kernels.rows import proved_sign

one = np.ones((1, 2))
sign = proved_sign(one, one[0], one[0], 0, np.full(1, 4.0), 1)
print(Path(plregions.__file__).parent, sign)
"""

ANSWERS = """
import json, sys
import plregions as plr

regions = plr.enumerate_regions(plr.mlp([2, 8, 8, 1]), plr.hypercube(2, -1, 1))
regions.save(sys.argv[1])
again = plr.RegionComplex.load(sys.argv[1])
print(json.dumps({
    "patterns": regions.pattern_strings(),
    "facets": [region.n_facets for region in regions],
    "edges": sorted(map(sorted, regions.to_networkx().edges)),
    "reloaded": again.pattern_strings(),
}))
"""

# Prints by how many bytes a run on threads makes the process grow, once it has its size. With 0 the
# threads leave their integers behind.
GROWTH = """
import gc, sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import plregions as plr
from plregions.enumeration import parallel

if sys.argv[1] == "0":
    parallel.ctx = SimpleNamespace(cleanup=lambda: None)
# Neurons that are nearly multiples of others: what floats leave open takes large integers.
layers = []
for n in (3, 4):
    half = np.random.default_rng(n).normal(size=(2, n))
    layers.append((np.concatenate([half, 3.7 * half]), None, "relu"))
net = plr.Network(layers)

def size_after(runs):
    for _ in range(runs):
        plr.enumerate_regions(net, plr.hypercube(3, -1, 1), strategy="tree", workers=2)
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

before = size_after(20)
print((size_after(40) - before) // 40)
"""

# The pool takes the package's own function: a program without a file has none to offer.
WORKERS = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import plregions as plr

if __name__ == "__main__":
    nets = [plr.mlp([2, 8, 8, 1]), plr.mlp([2, 4, 1])]
    boxes = [plr.hypercube(2, -1, 1)] * 2
    with ProcessPoolExecutor(2, mp_context=get_context(sys.argv[1])) as pool:
        print([int(count) for count in pool.map(plr.count_regions, nets, boxes)])
"""

# Run with 1 or 0 (is the check in place?), the place of the control word in fenv_t, counted in
# 32 bits, and the bits to switch on, one set after the other.
FLUSHING = """
import ctypes, ctypes.util, sys

import plregions as plr
from plregions.feasibility import prepare

is_checked, place, *kinds = map(int, sys.argv[1:])
# The weight is tiny, not zero: a line through the middle cuts the square in two.
layers = [([[2.0**-1074, 0.0]], [0.0]), ([[1.0]], [0.0])]
square = plr.hypercube(2, -1, 1)
if not is_checked:
    prepare.require_subnormals = lambda: None
libm = ctypes.CDLL(ctypes.util.find_library("m"))
state = (ctypes.c_uint32 * 64)()

def switch(bits):
    libm.fegetenv(state)
    state[place] ^= bits
    libm.fesetenv(state)

def count():
    try:
        return int(plr.count_regions(plr.Network(layers), square))
    except plr.FlushToZeroError as error:
        return str(error)

print(count())
for bits in kinds:
    switch(bits)
    answer = count()
    switch(bits)
    print(answer)
print(count())
"""
CONTROL_WORDS = {
    "x86_64": (7, 0x8040, 0x0040, 0x8000),  # both; operands read as zero; results flushed to zero
    "aarch64": (0, 1 << 24),
}


def run(*words: str, program: str, **environment: str | None) -> str:
    """Run a program that has no file, warnings being errors; it must not say a word on stderr."""
    env: dict[str, str] = {**os.environ, "PYTHONPATH": str(Path(plr.__file__).parent.parent)}
    for name, value in environment.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-", *words],
        input=program,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    """A copy of the package in which nothing can be written, not even by root."""
    site = tmp_path / "site"
    shutil.copytree(
        Path(plr.__file__).parent, site / "plregions", ignore=shutil.ignore_patterns("__pycache__")
    )
    (site / "plregions" / "kernels" / "__pycache__").write_text("a file where a folder should be")
    return site


def without_cache(locked: Path, home: str) -> dict[str, str | None]:
    return {
        "PYTHONPATH": str(locked),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": None,
        "XDG_CACHE_HOME": None,
        "HOME": home,
    }


def test_a_locked_package_is_compiled_into_the_users_cache(locked: Path, tmp_path: Path) -> None:
    environment = without_cache(locked, str(tmp_path))
    assert run(program=KERNEL, **environment) == f"{locked / 'plregions'} 1\n"
    assert [path for path in tmp_path.rglob("*.nbc") if "proved_sign" in path.name]
    assert not list(locked.rglob("*.nbc"))


def test_nowhere_to_write(locked: Path, tmp_path: Path) -> None:
    # Not the null device: where it is missing, the superuser would make a folder of that name.
    home = tmp_path / "home"
    home.write_text("")
    environment = without_cache(locked, str(home))
    assert run(program=KERNEL, **environment) == f"{locked / 'plregions'} 1\n"
    assert not list(tmp_path.rglob("*.nb[ci]"))


def test_no_home() -> None:
    assert run(program=COUNT, HOME=None, XDG_CACHE_HOME=None) == "61\n"


@pytest.mark.parametrize(
    ("method", "has_file"), [("spawn", True), ("forkserver", True), ("spawn", False)]
)
def test_workers(method: str, has_file: bool, tmp_path: Path) -> None:
    """A notebook's kernel has no file that its workers could load, like a program after -c."""
    path = tmp_path / "workers.py"
    path.write_text(WORKERS)
    words = [str(path)] if has_file else ["-c", WORKERS]
    env = {**os.environ, "PYTHONPATH": str(Path(plr.__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, "-W", "error", *words, method],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.stderr) == ("[61, 8]\n", "")


def test_without_numbas_compiler_the_answers_are_the_same(tmp_path: Path) -> None:
    compiled, interpreted = (
        json.loads(run(str(tmp_path / f"{jit}.npz"), program=ANSWERS, NUMBA_DISABLE_JIT=jit))
        for jit in ("0", "1")
    )
    assert compiled == interpreted
    assert compiled["reloaded"] == compiled["patterns"]
    assert len(compiled["patterns"]) == 61


def counts_under_flush_to_zero(is_checked: bool) -> list[str]:
    """The answers before, under each kind of flush-to-zero, and after."""
    if platform.machine() not in CONTROL_WORDS or platform.libc_ver()[0] != "glibc":
        pytest.skip("not known how to switch subnormal numbers off on this platform")
    words = (int(is_checked), *CONTROL_WORDS[platform.machine()])
    return run(*map(str, words), program=FLUSHING).splitlines()


def test_flush_to_zero_is_refused() -> None:
    before, *during, after = counts_under_flush_to_zero(is_checked=True)
    assert (before, after) == ("2", "2")
    for message in during:
        assert message.startswith("regions need subnormal numbers; got a processor state")
        assert "torch.set_flush_denormal(False)" in message


def test_without_the_refusal_a_count_would_be_wrong() -> None:
    before, both, *_, after = counts_under_flush_to_zero(is_checked=False)
    assert (before, both, after) == ("2", "1", "2")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="tells no size of the process")
def test_threads_leave_no_memory_behind() -> None:
    assert int(run("1", program=GROWTH)) < 50_000 < int(run("0", program=GROWTH))

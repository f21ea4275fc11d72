"""What every test may use: the shared cases beside the project, and hypothesis' settings."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parent.parent

# No deadline: the first example of a test may compile kernels. Derandomised in CI, so that a run
# depends on the commit alone; elsewhere every run draws new examples.
hypothesis.settings.register_profile(
    "plregions",
    deadline=None,
    derandomize=os.environ.get("CI") == "true",
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("plregions")


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder that holds pyproject.toml."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder ../shared: cases and networks that are not part of the project."""
    folder = ROOT.parent / "shared"
    if not (folder / "cases").is_dir():
        pytest.skip("../shared is absent: its cases and networks are not part of the project")
    return folder


@pytest.fixture(autouse=True, scope="session")
def _interrupts_arrive() -> None:
    """A shell starts its background jobs deaf to Ctrl-C, and so are the processes they start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

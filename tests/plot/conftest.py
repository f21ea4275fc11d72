"""Pictures in tests are drawn without a screen, and never shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import plregions as plr


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The Agg backend, a show() that fails, and no figures left behind."""
    plt = pytest.importorskip("matplotlib.pyplot")
    figure = pytest.importorskip("matplotlib.figure")
    plt.switch_backend("agg")

    def show(*arguments: object, **options: object) -> None:
        raise AssertionError("a plot was shown")

    monkeypatch.setattr(plt, "show", show)
    monkeypatch.setattr(figure.Figure, "show", show)
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def complex() -> plr.RegionComplex:
    """Some regions of a network with two outputs."""
    return plr.enumerate_regions(plr.mlp([2, 8, 8, 2]), plr.hypercube(2, -1, 1))

"""The comparison with other packages reports what is missing, what fails and what differs."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
from benchmarks import peers

ROW = peers.Row("2-4", "2-4-1", "regioncam", 2)


def stand_in(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    """Let a peer give this answer, or raise it."""

    def work() -> str:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setitem(peers.PEERS, "regioncam", lambda row: lambda: work)


@pytest.mark.parametrize("peer", peers.PEERS)
def test_a_missing_package_is_skipped(peer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, peer, None)
    row = peers.Row("2-4", "2-4-1", peer, 2)
    assert f"vs {peer}: skipped, {peer} is not installed" in peers.compare(row, 1)


def test_answers_and_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "8")
    line = peers.compare(ROW, 2)
    assert line.startswith("2-4 on [-1,1]^2 vs regioncam: 8 in ")
    assert re.search(r" ms, again [\d.]+ ms; 8 in .*: [\d.]+x, again [\d.]+x \(bar 2x\)$", line)
    assert "another answer" not in line


def test_another_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "7")
    assert ", another answer: " in peers.compare(ROW, 1)


def test_a_peer_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, ValueError("size-limited licence"))
    assert "regioncam fails: ValueError('size-limited licence')" in peers.compare(ROW, 1)

"""What cannot be written is known beforehand, and the question leaves no trace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plregions.writers.writable import check_writable


def test_leaves_nothing(tmp_path: Path) -> None:
    check_writable(tmp_path / "out.json")
    assert os.listdir(tmp_path) == []
    old = tmp_path / "old.json"
    old.write_text("old")
    check_writable(old)
    assert old.read_text() == "old"
    assert os.listdir(tmp_path) == ["old.json"]


def test_refusals_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.json").mkdir()
    for path in (
        tmp_path / "missing" / "out.json",
        tmp_path / "file" / "out.json",
        tmp_path / "folder.json",
    ):
        with pytest.raises(OSError) as caught:
            check_writable(path)
        assert caught.value.filename == str(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    link = tmp_path / "link.json"
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OSError, match=f"Not a regular file: .*{path.name}"):
            check_writable(path)
    assert pipe.is_fifo() and sorted(os.listdir(tmp_path)) == ["link.json", "pipe.json"]


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.json"
    target.write_text("old")
    # chmod does not stop the superuser, so the answer of the system is planted
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="out.json"):
        check_writable(target)

"""Kernels compile wherever the package lies: with a cache on disk, or without."""

from __future__ import annotations

import errno
import shutil
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core.caching import CompileResultCacheImpl, IndexDataCacheFile

from plregions.kernels import compile as compiling

SOURCE = "def half(x):\n    return x / 2.0\n"


@pytest.fixture
def half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """A way to load a module with one function again and again; its cache is empty at first."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "halves.py"
    path.write_text(SOURCE)

    def load() -> Any:
        module = types.ModuleType("halves")
        module.__file__ = str(path)
        sys.modules["halves"] = module
        exec(compile(SOURCE, path, "exec"), module.__dict__)
        return module.half

    monkeypatch.setitem(sys.modules, "halves", types.ModuleType("halves"))
    return load


def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let numba find no folder that it may write."""
    monkeypatch.setattr(CompileResultCacheImpl, "_locator_classes", [])


def full_disk(*_: Any) -> None:
    raise OSError(errno.ENOSPC, "no space left on device")


def of_another_user(*_: Any) -> None:
    raise PermissionError(errno.EACCES, "permission denied")


def test_a_kernel_is_compiled_once(half: Callable[[], Any], tmp_path: Path) -> None:
    first, second = compiling.kernel(half()), compiling.kernel(half())
    assert first(3.0) == second(3.0) == 1.5
    assert sum(first.stats.cache_misses.values()) == 1
    assert sum(second.stats.cache_hits.values()) == 1
    assert list((tmp_path / "cache").rglob("*.nbi"))


def test_another_edition_of_the_kernels_is_compiled_again(
    half: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compiling.kernel(half())(3.0) == 1.5
    monkeypatch.setattr(compiling, "_KEY", "another hash")
    again = compiling.kernel(half())
    assert again(3.0) == 1.5
    assert sum(again.stats.cache_misses.values()) == 1


@pytest.mark.parametrize("name", ["rows.py", "layout.py"])
def test_an_edit_in_any_file_of_the_folder_changes_the_key(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    copy = tmp_path / "kernels"
    shutil.copytree(Path(compiling.__file__).parent, copy)
    monkeypatch.setattr(compiling, "__file__", str(copy / "compile.py"))
    assert compiling._folder_hash() == compiling._KEY
    with (copy / name).open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert compiling._folder_hash() != compiling._KEY


def test_without_a_folder_to_write_the_code_stays_in_memory(
    half: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nowhere(monkeypatch)
    with pytest.raises(RuntimeError, match="no locator available"):  # what would happen else
        numba.njit(cache=True)(half())
    assert compiling.kernel(half())(3.0) == 1.5
    assert not (tmp_path / "cache").exists()


def test_a_full_disk_costs_the_cache_alone(
    half: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(IndexDataCacheFile, "save", full_disk)
    with pytest.raises(OSError, match="no space left"):
        numba.njit(cache=True)(half())(3.0)
    assert compiling.kernel(half())(3.0) == 1.5


def test_a_file_of_another_user_is_not_read(
    half: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(IndexDataCacheFile, "load", of_another_user)
    with pytest.raises(PermissionError):
        numba.njit(cache=True)(half())(3.0)
    assert compiling.kernel(half())(3.0) == 1.5


def test_without_numbas_compiler_a_kernel_is_its_function(
    half: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    function = half()
    assert compiling.kernel(function) is function
    assert compiling.inner_kernel(function) is function

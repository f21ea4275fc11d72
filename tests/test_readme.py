"""The README's snippets and commands run, and print what the README shows."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

COMMAND = Path(sysconfig.get_path("scripts")) / "plregions"


def fenced(text: str) -> list[tuple[str, str]]:
    """The fenced blocks in order: their language ("" where none is named) and their text."""
    return re.findall(r"^```(.*)\n((?:.*\n)*?)```$", text, flags=re.MULTILINE)


def blocks(text: str, language: str) -> list[str]:
    return [body for named, body in fenced(text) if named == language]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """The commands after `$ ` of one console block, each with the output shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def without_seconds(text: str) -> str:
    """Blot out running times, the only part of an output that may differ."""
    return re.sub(r"\b\d+\.\d+ s\b", "T s", text)


def failures_of_snippets(text: str) -> str:
    """Run all Python snippets of a page in one namespace; return the report of what differs."""
    source = "\n".join(blocks(text, "python"))
    snippets = doctest.DocTestParser().get_doctest(source, {}, "README.md", None, None)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    runner.run(snippets, out=report.append)
    return "".join(report)


@pytest.fixture
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def workplace(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a copy of data/, made the current one: the README writes files."""
    shutil.copytree(root / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_block_is_of_a_known_kind(readme: str) -> None:
    assert {language for language, _ in fenced(readme)} == {"", "console", "python", "text"}
    assert all(block.lstrip().startswith(">>> ") for block in blocks(readme, "python"))


def test_python_snippets(readme: str, workplace: Path) -> None:
    assert failures_of_snippets(readme) == ""
    assert (workplace / "moons.graphml").is_file()


def test_python_snippets_catch_a_wrong_output(readme: str, workplace: Path) -> None:
    planted = readme.replace("\n226\n", "\n227\n", 1)
    assert planted != readme
    assert "Expected:\n    227" in failures_of_snippets(planted)


def test_console_commands(readme: str, workplace: Path) -> None:
    found = [pair for block in blocks(readme, "console") for pair in commands(block)]
    assert found
    for command, shown in found:
        program, *words = shlex.split(command)
        assert program == "plregions"
        done = subprocess.run([COMMAND, *words], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert without_seconds(done.stdout) == without_seconds(shown)


def test_set_up_lines(readme: str, root: Path) -> None:
    """They make an environment, install, and end in commands that other tests run."""
    (block,) = blocks(readme, "")
    first, second = (line.split(" && ") for line in block.splitlines())
    assert first[0] == second[0] == "python3 -m venv .venv"
    assert first[1] == '.venv/bin/pip install ".[onnx]"'
    assert second[1] == '.venv/bin/pip install -e ".[all,test]"'
    shown = [command for block in blocks(readme, "console") for command, _ in commands(block)]
    assert first[2].removeprefix(".venv/bin/") in shown
    assert second[2] == ".venv/bin/python -m pytest -n auto"
    run = (root / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(r"^python -m pytest -n auto\b", run, flags=re.MULTILINE)


def test_plain_text(readme: str) -> None:
    assert readme.isascii()

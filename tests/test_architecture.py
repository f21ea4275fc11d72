"""The shape of the repository: floors, circles, imports in functions, names, sizes.

The rules are functions of a folder, so that they can be shown a folder that breaks them.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import pytest

# A module imports from lower floors, or from its own floor without a circle.
FLOORS = {
    "plregions": 10,  # the public names in __init__.py; of it alone, not of what lies below
    "plregions.__main__": 9,
    "plregions.cli": 9,
    "plregions.plot": 8,
    "plregions.readers": 8,
    "plregions.writers": 8,
    "plregions.analysis": 7,
    "plregions.enumeration": 6,
    "plregions.regions": 5,
    "plregions.proof": 5,
    "plregions.feasibility": 4,
    "plregions.constructions": 4,
    "plregions.network": 3,
    "plregions.domain": 2,
    "plregions.exact": 1,
    "plregions.kernels": 1,
    "plregions.errors": 0,
}
# Where a function may import our own modules: to keep `import plregions` and --help quick. A folder
# stands for all of its modules; None means any function.
LATE_IMPORTS = {"plregions": "__getattr__", "plregions.cli": None}
LONGEST_FILE = 500
LONGER_FILES: dict[str, int] = {}
FORBIDDEN_NAMES = {"common", "core", "helper", "helpers", "manager", "misc", "util", "utils"}
TOP_LEVEL = {
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "data",
    "notebooks",
    "plregions",
    "pyproject.toml",
    "tests",
}


@dataclass(frozen=True)
class Import:
    """One imported module of ours: by whom, on which line, inside which function if any."""

    importer: str
    imported: str
    line: int
    function: str | None
    is_for_types: bool  # under `if TYPE_CHECKING:`, so that it never runs


def modules_below(root: Path) -> dict[str, Path]:
    """The modules of the package by dotted name; a package's name stands for its __init__.py."""
    modules = {}
    for path in sorted((root / "plregions").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def part_of(module: str) -> str:
    """The folder or module right below plregions/ that a module belongs to."""
    return ".".join(module.split(".")[:2])


def floor_of(module: str) -> int | None:
    return FLOORS.get(part_of(module))


def _walk(node: ast.AST, function: str | None = None) -> Iterator[tuple[ast.AST, str | None]]:
    """Every node below, with the outermost function around it."""
    for child in ast.iter_child_nodes(node):
        yield child, function
        inside = function
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = function or child.name
        elif isinstance(child, ast.Lambda):
            inside = function or "<lambda>"
        yield from _walk(child, inside)


def _targets(node: ast.AST, module: str, is_package: bool, known: set[str]) -> Iterator[str]:
    """The dotted names that an import statement, or a call of import_module, brings in."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = module.split(".")
            parts = parts[: len(parts) - node.level + is_package]
            base = ".".join([*parts, node.module] if node.module else parts)
        for alias in node.names:
            submodule = f"{base}.{alias.name}"
            yield submodule if submodule in known else base
    elif isinstance(node, ast.Call):
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", None)
        if name in {"import_module", "__import__"} and node.args:
            argument = node.args[0]
            text = argument.value if isinstance(argument, ast.Constant) else "plregions"
            # A name that is not spelt out may be one of ours.
            yield "plregions" + text if str(text).startswith(".") else str(text)


def imports_below(root: Path) -> list[Import]:
    """Every import of our own modules, wherever it stands; also those for type checkers only."""
    modules = modules_below(root)
    found = []
    for module, path in modules.items():
        is_package = path.name == "__init__.py"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        never_run = _nodes_for_types(tree)
        for node, function in _walk(tree):
            for target in _targets(node, module, is_package, set(modules)):
                if target.split(".")[0] == "plregions" and target != module:
                    line = getattr(node, "lineno", 0)
                    found.append(Import(module, target, line, function, node in never_run))
    return found


def _nodes_for_types(tree: ast.AST) -> set[ast.AST]:
    """The nodes in the body of an `if TYPE_CHECKING:`."""
    return {
        node
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and ast.unparse(test.test).endswith("TYPE_CHECKING")
        if not isinstance(test.test, ast.UnaryOp)
        for statement in test.body
        for node in ast.walk(statement)
    }


def homeless_modules(root: Path) -> list[str]:
    return [name for name in modules_below(root) if floor_of(name) is None]


def upward_imports(root: Path) -> list[str]:
    faults = []
    for found in imports_below(root):
        if found.function is not None:
            continue
        mine, theirs = floor_of(found.importer), floor_of(found.imported)
        if mine is not None and (theirs is None or theirs > mine):
            faults.append(f"{found.importer}:{found.line} imports {found.imported}")
    return faults


def circles(root: Path) -> list[list[str]]:
    """Modules that import each other. Within a floor a view may name its owner's type."""
    graph = nx.DiGraph(
        (found.importer, found.imported)
        for found in imports_below(root)
        if not found.function and not found.is_for_types
    )
    return sorted(sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1)


def late_imports(root: Path) -> list[str]:
    faults = []
    for found in imports_below(root):
        if found.function is None:
            continue
        allowed = LATE_IMPORTS.get(part_of(found.importer), "")
        if allowed is not None and allowed != found.function:
            faults.append(
                f"{found.importer}:{found.line} imports {found.imported} in {found.function}"
            )
    return faults


def python_files(root: Path) -> list[Path]:
    folders = ("plregions", "tests", "data", "notebooks")
    return sorted(path for name in folders for path in (root / name).rglob("*.py"))


def long_files(root: Path) -> list[str]:
    faults = []
    for path in python_files(root):
        name = path.relative_to(root).as_posix()
        n_lines = len(path.read_text(encoding="utf-8").splitlines())
        if n_lines > LONGER_FILES.get(name, LONGEST_FILE):
            faults.append(f"{name} has {n_lines} lines")
    return faults


def forbidden_names(root: Path) -> list[str]:
    faults = []
    for path in python_files(root):
        parts = path.relative_to(root).with_suffix("").parts
        if FORBIDDEN_NAMES & {part.strip("_").lower() for part in parts}:
            faults.append(path.relative_to(root).as_posix())
    return faults


def prints(root: Path) -> list[str]:
    faults = []
    for module, path in modules_below(root).items():
        for node, _ in _walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name) and node.id == "print":
                faults.append(f"{module}:{node.lineno}")
    return faults


def definitions_in_package_files(root: Path) -> list[str]:
    """Functions and classes in an __init__.py: it names what its modules hold, no more."""
    faults = []
    for module, path in modules_below(root).items():
        if path.name == "__init__.py":
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                name = getattr(node, "name", None)
                hooks = {"__getattr__", "__dir__"} if module == "plregions" else set()
                if name is not None and name not in hooks:
                    faults.append(f"{module}:{node.lineno} defines {name}")
    return faults


def strangers_at_the_top(names: list[str]) -> list[str]:
    return sorted(name for name in names if not name.startswith(".") and name not in TOP_LEVEL)


def top_level_names(root: Path) -> list[str]:
    """What stands at the top level, less what git ignores."""
    if (root / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
        return sorted({name.split("/")[0] for name in listed.stdout.split("\0") if name})
    return [path.name for path in root.iterdir()]


RULES = {
    "has a floor": homeless_modules,
    "no upward import": upward_imports,
    "no circle": circles,
    "no import of ours in a function": late_imports,
    "short files": long_files,
    "telling names": forbidden_names,
    "no print": prints,
    "package files only name": definitions_in_package_files,
}


@pytest.mark.parametrize("rule", RULES)
def test_rule_holds(rule: str, root: Path) -> None:
    assert RULES[rule](root) == []


def test_list_of_longer_files_is_current(root: Path) -> None:
    for name, allowed in LONGER_FILES.items():
        n_lines = len((root / name).read_text(encoding="utf-8").splitlines())
        assert LONGEST_FILE < n_lines <= allowed


def floors_in_text(text: str) -> dict[str, int]:
    """The floors as CONTRIBUTING.md shows them: a number, names, then two spaces and a remark."""
    block = text.split("## The floors")[1].split("```")[1]
    floors, floor = {}, -1
    for line in block.strip("\n").splitlines():
        floor = int(line[:2]) if line[:2].strip() else floor
        names = line[2:].strip().split("  ")[0].removesuffix("/__init__.py")
        for name in names.replace(".py", "").split(", "):
            floors[name if name == "plregions" else f"plregions.{name}"] = floor
    return floors


def test_contributing_shows_the_floors(root: Path) -> None:
    shown = floors_in_text((root / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert shown == {name: floor for name, floor in FLOORS.items() if "__main__" not in name}
    planted = (root / "CONTRIBUTING.md").read_text(encoding="utf-8").replace(" 7  ana", " 8  ana")
    assert floors_in_text(planted) != shown


def test_top_level(root: Path) -> None:
    assert strangers_at_the_top(top_level_names(root)) == []


# What each rule must see. The sound tree breaks none of them.
SOUND = {
    "plregions/__init__.py": (
        "from importlib import import_module\n"
        "def __getattr__(name):\n    return getattr(import_module('plregions.network'), name)\n"
    ),
    "plregions/errors.py": "class PLRegionsError(Exception): ...\n",
    "plregions/exact/__init__.py": "from plregions.exact.linear import rank\n",
    "plregions/exact/linear.py": "def rank(rows):\n    import flint\n    return flint.rank(rows)\n",
    "plregions/network/__init__.py": "from .network import Network\n",
    "plregions/network/network.py": (
        "from plregions import errors\nfrom plregions.exact import rank\nclass Network: ...\n"
    ),
    "plregions/network/unit.py": (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from plregions.network.pattern import Pattern\n"
    ),
    "plregions/network/pattern.py": "from plregions.network.unit import Unit\n",
    "plregions/cli/__init__.py": "from plregions.cli.program import main\n",
    "plregions/cli/program.py": (
        "from plregions.cli import count\ndef main():\n    from plregions.network import Network\n"
    ),
    "plregions/cli/count.py": "def answer():\n    from plregions.exact import rank\n",
}
PLANTED = {
    "has a floor": [{"plregions/solvers/lp.py": ""}, {"plregions/extra.py": ""}],
    "no upward import": [
        {"plregions/exact/lp.py": "from plregions.network.network import Network\n"},
        {"plregions/exact/lp.py": "from ..network import Network\n"},
        {"plregions/exact/lp.py": "import plregions.network.network as n\n"},
        {"plregions/exact/lp.py": "import plregions as plr\n"},
        {"plregions/exact/lp.py": "try:\n    from plregions import cli\nexcept OSError: ...\n"},
        {"plregions/exact/lp.py": "class LP:\n    from plregions.network import Network\n"},
        {"plregions/errors.py": "if TYPE_CHECKING:\n    from plregions import domain\n"},
        {"plregions/errors.py": "import importlib\nimportlib.import_module('plregions.exact')\n"},
        {"plregions/readers/onnx.py": "from plregions.cli.program import main\n"},
    ],
    "no circle": [
        {"plregions/exact/linear.py": "from plregions.exact import rank\n"},
        {
            "plregions/exact/linear.py": "from . import lp\n",
            "plregions/exact/lp.py": "from . import arrays\n",
            "plregions/exact/arrays.py": "import plregions.exact.linear\n",
        },
        {
            "plregions/network/unit.py": (
                "if not TYPE_CHECKING:\n    from plregions.network import pattern\n"
            )
        },
        {
            "plregions/network/unit.py": (
                "if TYPE_CHECKING: ...\nelse:\n    from plregions.network import pattern\n"
            )
        },
        {"plregions/cli/count.py": "from plregions.cli.program import main\n"},
    ],
    "no import of ours in a function": [
        {"plregions/exact/lp.py": "def f():\n    from plregions.exact import rank\n"},
        {"plregions/exact/lp.py": "class C:\n    def f(self):\n        from . import linear\n"},
        {"plregions/exact/lp.py": "def f():\n    def g():\n        import plregions.errors\n"},
        {"plregions/exact/lp.py": "async def f():\n    import plregions\n"},
        {"plregions/exact/lp.py": "def f(x):\n    return importlib.import_module(x)\n"},
        {"plregions/exact/lp.py": "f = lambda: __import__('plregions.errors')\n"},
        {"plregions/__init__.py": "def __dir__():\n    from plregions import errors\n"},
        {"plregions/__main__.py": "def f():\n    from plregions.cli import main\n"},
        {"plregions/readers/cli.py": "def f():\n    from plregions.exact import rank\n"},
        {"plregions/climb.py": "def f():\n    from plregions.exact import rank\n"},
    ],
    "short files": [
        {"plregions/exact/lp.py": "\n" * (LONGEST_FILE + 1)},
        {"tests/test_lp.py": "\n" * (LONGEST_FILE + 1)},
    ],
    "telling names": [
        {"plregions/exact/_utils.py": ""},
        {"plregions/core/lp.py": ""},
        {"tests/helpers.py": ""},
    ],
    "no print": [
        {"plregions/exact/lp.py": "def f():\n    print('x')\n"},
        {"plregions/cli/count.py": "f = print\n"},
    ],
    "package files only name": [
        {"plregions/exact/__init__.py": "def rank(rows): ...\n"},
        {"plregions/cli/__init__.py": "def main(): ...\n"},
    ],
}


def plant(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("rule", RULES)
def test_rule_accepts_a_sound_tree(rule: str, tmp_path: Path) -> None:
    assert RULES[rule](plant(tmp_path, SOUND)) == []


@pytest.mark.parametrize(
    ("rule", "fault"), [(rule, fault) for rule, faults in PLANTED.items() for fault in faults]
)
def test_rule_catches_a_planted_fault(rule: str, fault: dict[str, str], tmp_path: Path) -> None:
    assert len(RULES[rule](plant(tmp_path, SOUND | fault))) == 1


def test_every_rule_has_a_planted_fault() -> None:
    assert PLANTED.keys() == RULES.keys()


def test_top_level_rule_catches_a_stranger() -> None:
    assert strangers_at_the_top([*TOP_LEVEL, ".ci", "setup.py", "docs"]) == ["docs", "setup.py"]

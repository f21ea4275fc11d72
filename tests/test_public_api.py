"""The public names: which they are, that importing the package is quick, what each one explains."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import json
import re
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from typing import Any

import pytest

import plregions as plr

ERRORS = {
    "AmbiguousPointError",
    "BudgetExhaustedError",
    "FlushToZeroError",
    "FormatError",
    "InvalidDomainError",
    "InvalidInputError",
    "InvalidNetworkError",
    "MissingExtraError",
    "PLRegionsError",
    "UnsupportedLayerError",
}
CLASSES = {
    "ActivationPattern",
    "Agreement",
    "Arrangement",
    "AuditCheck",
    "AuditReport",
    "Ball",
    "Betti",
    "BooleanAgreement",
    "Boundary",
    "BoundsTable",
    "Box",
    "CellCheck",
    "ClassPartition",
    "DepthProfile",
    "DepthSummary",
    "DepthTwo",
    "DepthTwoError",
    "Distance",
    "Equivalence",
    "Exceeding",
    "FaceLattice",
    "GradientJumps",
    "HardFlats",
    "HierarchyError",
    "Layer",
    "LayerInfo",
    "LinearRegions",
    "MeanSquare",
    "Member",
    "Moments",
    "NearestPoint",
    "Network",
    "NetworkInfo",
    "NeuronSigns",
    "Outcome",
    "OutputImages",
    "OutputRange",
    "Polytope",
    "Progress",
    "Proof",
    "RadialError",
    "RadialFunction",
    "RadialTable",
    "Region",
    "RegionComplex",
    "RegionCount",
    "RidgeProfile",
    "Slice",
    "UnbalancedRidge",
    "Verification",
    "Vertices",
    "WholeSpace",
    "WidthCertificate",
}
MODULES = {"constructions", "plot"}
FUNCTIONS = {
    "add",
    "affine_gap",
    "agreement",
    "argmax_partition",
    "audit",
    "betti_numbers",
    "betti_of_faces",
    "boolean_agreement",
    "bounded_regions",
    "bounds_table",
    "can_exceed",
    "characteristic_polynomial",
    "check_pattern",
    "collapsed",
    "comparisons",
    "compose",
    "count_regions",
    "decision_boundary",
    "depth_profile",
    "depth_two_error_bound",
    "describe",
    "distance",
    "enumerate_regions",
    "equal_size_widths",
    "equivalence",
    "euclidean_norm",
    "export",
    "faces",
    "first_layer_arrangement",
    "first_layer_width_bound",
    "flats_in_domain",
    "from_sklearn",
    "from_state_dict",
    "from_torch",
    "gradient_jumps",
    "hard_flats",
    "hierarchy_error",
    "hypercube",
    "is_depth_two",
    "is_equivalent",
    "iter_regions",
    "l2_hierarchy_lower_bound",
    "l2_hierarchy_width",
    "level_set",
    "linear_polygons",
    "load",
    "load_nnet",
    "load_proof",
    "measure",
    "measure_linear",
    "missed_copies",
    "mlp",
    "moments",
    "most_met",
    "nearest_boundary",
    "network_bound",
    "neuron_signs",
    "nnet_box",
    "one_by_one",
    "output_images",
    "output_range",
    "pad_depth",
    "radial_error",
    "radial_mse",
    "radial_table",
    "random_family",
    "read_json",
    "regions_in_domain",
    "regions_in_space",
    "ridge_profile",
    "serra_bound",
    "shifted_norm",
    "side_by_side",
    "simplices",
    "slice_through",
    "subtract",
    "summarise",
    "trained_family",
    "verify",
    "write_graphml",
    "write_json",
    "zaslavsky",
}
# What `import plregions` may not load: everything but the standard library and numpy.
HEAVY = {
    "cvxpy",
    "dask",
    "flint",
    "keras",
    "matplotlib",
    "networkx",
    "numba",
    "onnx",
    "pandas",
    "plotly",
    "pyarrow",
    "scipy",
    "shapely",
    "sklearn",
    "torch",
    "tqdm",
}


def section_names(text: str) -> list[str]:
    """The sections of a numpydoc docstring."""
    return re.findall(r"^([A-Z][A-Za-z ]*)\n-{3,}$", text, flags=re.MULTILINE)


def described_names(text: str, section: str) -> list[str]:
    """The names that stand before a colon in one section: `a, b : float` names a and b."""
    match = re.search(rf"^{section}\n-+\n(.*?)(?=^[A-Z][A-Za-z ]*\n-{{3,}}$|\Z)", text, re.M | re.S)
    lines = match.group(1).splitlines() if match else []
    heads = [line.split(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


def parameter_names(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


def faults_of_docstring(thing: Any) -> list[str]:
    """What a public function's or class' docstring leaves out."""
    text = inspect.getdoc(thing) or ""
    sections = section_names(text)
    faults = []
    if not text or not text.split("\n")[0].rstrip().endswith("."):
        faults.append("its first line is not a sentence")
    is_class = inspect.isclass(thing)
    if is_class and issubclass(thing, Exception):
        return faults
    if "Examples" not in sections:
        faults.append("no Examples")
    if is_class:
        if not {"Parameters", "Attributes"} & set(sections):
            faults.append("neither Parameters nor Attributes")
    else:
        if described_names(text, "Parameters") != parameter_names(thing):
            faults.append("its Parameters are not those of the signature")
        returns = inspect.signature(thing).return_annotation not in (None, "None")
        if returns and not {"Returns", "Yields"} & set(sections):
            faults.append("no Returns")
        faults += [f"no {name}" for name in ("Exactness",) if name not in sections]
    return faults


def run_python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_exact_names() -> None:
    assert list(plr.__all__) == sorted(ERRORS | CLASSES | FUNCTIONS | MODULES)


def test_dir_shows_every_name() -> None:
    assert {*plr.__all__, "__version__"} <= set(dir(plr))


@pytest.mark.parametrize("name", sorted(ERRORS | CLASSES | FUNCTIONS))
def test_name_resolves_and_explains_itself(name: str) -> None:
    thing = getattr(plr, name)
    kind = types.FunctionType if name in FUNCTIONS else type
    assert isinstance(thing, kind)
    assert thing.__name__ == name
    assert faults_of_docstring(thing) == []


def test_errors_have_one_root() -> None:
    assert all(issubclass(getattr(plr, name), plr.PLRegionsError) for name in ERRORS)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'regions_of_the_heart'"):
        plr.__getattr__("regions_of_the_heart")


def test_version_is_the_installed_one() -> None:
    assert plr.__version__ == importlib.metadata.version("plregions")


def test_type_checkers_see_the_same_names(root: Path) -> None:
    tree = ast.parse((root / "plregions" / "__init__.py").read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == plr._MODULE_OF_NAME | dict.fromkeys(MODULES, "plregions")


def test_import_loads_nothing_heavy() -> None:
    code = "import sys, json, plregions; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(run_python(code))
    assert [name for name in loaded if name.startswith("plregions")] == ["plregions"]
    assert {name.split(".")[0] for name in loaded} & HEAVY == set()


def test_import_check_would_see_a_heavy_library() -> None:
    code = "import sys, json, networkx; print(json.dumps(sorted(sys.modules)))"
    assert "networkx" in {name.split(".")[0] for name in json.loads(run_python(code))} & HEAVY


def test_docstring_check_catches_planted_faults() -> None:
    def sound(a: int, *, b: int = 0) -> int:
        """Add a and b.

        Parameters
        ----------
        a, b : int
            Two numbers.

        Returns
        -------
        int
            Their sum.

        Exactness
        ---------
        Exact.

        Examples
        --------
        >>> 1 + 1
        2
        """
        return a + b

    def with_text(text: str) -> Any:
        twin = types.FunctionType(sound.__code__, {}, "twin")
        twin.__kwdefaults__, twin.__annotations__ = {"b": 0}, sound.__annotations__
        twin.__doc__ = text
        return twin

    text = sound.__doc__ or ""
    assert faults_of_docstring(sound) == faults_of_docstring(with_text(text)) == []
    for old, new in [
        ("Add a and b.", "Add a and b"),
        ("a, b :", "a :"),
        ("a, b :", "a, c :"),
        ("Returns\n", "Return\n"),
        ("Exactness", "Notes"),
        ("Examples", "Example"),
    ]:
        assert len(faults_of_docstring(with_text(text.replace(old, new)))) == 1, new
    assert faults_of_docstring(with_text("")) != []


def test_wheel_holds_only_the_package(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=root,
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"plregions", "plregions-0.1.0.dist-info"}
    assert "plregions/py.typed" in names
    assert not [name for name in names if name.endswith((".pyc", ".nbi", ".nbc"))]

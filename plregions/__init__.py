"""Exact activation regions of ReLU networks, and the graph of their neighbours.

The public names stand here and load on first use, so that ``import plregions`` stays quick:
numba, scipy and the other libraries are imported only by the work that needs them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plregions import constructions as constructions
    from plregions import plot as plot
    from plregions.analysis import LayerInfo as LayerInfo
    from plregions.analysis import NetworkInfo as NetworkInfo
    from plregions.analysis import describe as describe
    from plregions.domain import Box as Box
    from plregions.domain import Polytope as Polytope
    from plregions.domain import Slice as Slice
    from plregions.domain import WholeSpace as WholeSpace
    from plregions.domain import hypercube as hypercube
    from plregions.domain import slice_through as slice_through
    from plregions.enumeration import Progress as Progress
    from plregions.enumeration import RegionCount as RegionCount
    from plregions.enumeration import count_regions as count_regions
    from plregions.enumeration import enumerate_regions as enumerate_regions
    from plregions.enumeration import iter_regions as iter_regions
    from plregions.errors import AmbiguousPointError as AmbiguousPointError
    from plregions.errors import BudgetExhaustedError as BudgetExhaustedError
    from plregions.errors import FlushToZeroError as FlushToZeroError
    from plregions.errors import FormatError as FormatError
    from plregions.errors import InvalidDomainError as InvalidDomainError
    from plregions.errors import InvalidInputError as InvalidInputError
    from plregions.errors import InvalidNetworkError as InvalidNetworkError
    from plregions.errors import MissingExtraError as MissingExtraError
    from plregions.errors import PLRegionsError as PLRegionsError
    from plregions.errors import UnsupportedLayerError as UnsupportedLayerError
    from plregions.feasibility import CellCheck as CellCheck
    from plregions.feasibility import check_pattern as check_pattern
    from plregions.network import ActivationPattern as ActivationPattern
    from plregions.network import Layer as Layer
    from plregions.network import Network as Network
    from plregions.network import mlp as mlp
    from plregions.readers import from_sklearn as from_sklearn
    from plregions.readers import from_state_dict as from_state_dict
    from plregions.readers import from_torch as from_torch
    from plregions.readers import load as load
    from plregions.readers import load_nnet as load_nnet
    from plregions.readers import nnet_box as nnet_box
    from plregions.regions import LinearRegions as LinearRegions
    from plregions.regions import Outcome as Outcome
    from plregions.regions import Region as Region
    from plregions.regions import RegionComplex as RegionComplex
    from plregions.writers import export as export
    from plregions.writers import read_json as read_json
    from plregions.writers import write_graphml as write_graphml
    from plregions.writers import write_json as write_json

    __version__: str

_NAMES_OF_MODULE = {
    "plregions.analysis": ("LayerInfo", "NetworkInfo", "describe"),
    "plregions.domain": ("Box", "Polytope", "Slice", "WholeSpace", "hypercube", "slice_through"),
    "plregions.enumeration": (
        "Progress",
        "RegionCount",
        "count_regions",
        "enumerate_regions",
        "iter_regions",
    ),
    "plregions.errors": (
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
    ),
    "plregions.feasibility": ("CellCheck", "check_pattern"),
    "plregions.network": ("ActivationPattern", "Layer", "Network", "mlp"),
    "plregions.readers": (
        "from_sklearn",
        "from_state_dict",
        "from_torch",
        "load",
        "load_nnet",
        "nnet_box",
    ),
    "plregions.regions": ("LinearRegions", "Outcome", "Region", "RegionComplex"),
    "plregions.writers": ("export", "read_json", "write_graphml", "write_json"),
}
_MODULE_OF_NAME = {name: module for module, names in _NAMES_OF_MODULE.items() for name in names}

_MODULES = ("constructions", "plot")

__all__ = sorted([*_MODULE_OF_NAME, *_MODULES])


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("plregions")
    elif name in _MODULES:
        value = import_module(f"plregions.{name}")
    elif name in _MODULE_OF_NAME:
        value = getattr(import_module(_MODULE_OF_NAME[name]), name)
    else:
        raise AttributeError(f"module 'plregions' has no attribute {name!r}")
    globals()[name] = value  # the next look-up finds it without coming here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})

"""Writers of region graphs in formats that other programs read."""

from __future__ import annotations

from plregions.writers.graphml import write_graphml
from plregions.writers.json import read_json, write_json

__all__ = ["read_json", "write_graphml", "write_json"]

"""Writers of regions and their graphs in formats that other programs read."""

from __future__ import annotations

from plregions.writers.csv import write_csv
from plregions.writers.formats import export
from plregions.writers.geojson import write_geojson
from plregions.writers.gexf import write_gexf
from plregions.writers.graphml import write_graphml
from plregions.writers.json import read_json, write_json
from plregions.writers.parquet import write_parquet
from plregions.writers.wkb import write_wkb

__all__ = [
    "export",
    "read_json",
    "write_csv",
    "write_geojson",
    "write_gexf",
    "write_graphml",
    "write_json",
    "write_parquet",
    "write_wkb",
]

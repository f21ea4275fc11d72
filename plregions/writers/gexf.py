"""Region graphs as GEXF, for Gephi, Cytoscape, sigma.js and networkx."""

from __future__ import annotations

import json
import os
from typing import IO
from xml.etree.ElementTree import SubElement

import networkx as nx
from networkx.readwrite.gexf import GEXFWriter

from plregions.errors import InvalidInputError
from plregions.network.saving import write_whole
from plregions.writers.graphml import xml_problem
from plregions.writers.plain_graph import HasRegionGraph, plain_graph

__all__ = ["write_gexf"]

# Names that mean something to the format, and those that networkx cannot take when it reads.
_TIMES = ("start", "end", "spells", "slices", "viz", "id", "label", "self", "key")
_RESERVED = {
    "graph": ("node_default", "edge_default", "mode", "name"),
    "node": (*_TIMES, "pid", "parents", "node_for_adding"),
    "edge": (*_TIMES, "weight", "type", "networkx_key", "u_for_edge", "v_for_edge"),
}


def write_gexf(complex: HasRegionGraph | nx.Graph, path: str | os.PathLike[str]) -> None:
    """Write the region graph as GEXF 1.2.

    Parameters
    ----------
    complex : RegionComplex or networkx.Graph
        The regions, or their graph.
    path : str or PathLike
        The file to write; an existing file is replaced.

    Raises
    ------
    InvalidInputError
        An attribute would be lost: it is not a finite int, float, str or bool, it is an integer
        beyond 64 bits, its text holds characters that XML cannot hold, its name is one that the
        format or networkx' reader uses for itself, or values of several types stand under one
        name. Nothing is written. `write_json` takes all of these.
    OSError
        The file cannot be written.

    Algorithm
    ---------
    networkx' writer, into a temporary file beside `path`, which then replaces it. GEXF has no place
    for attributes of a graph: they stand as JSON in the description of the file, and the day of
    writing is left out, so that equal graphs give equal files.

    Exactness
    ---------
    ``networkx.read_gexf(path, node_type=int)`` gives the same nodes, edges and attributes, bit by
    bit and type by type, and adds a ``label`` (the number) to nodes and an ``id`` to edges. It does
    not read the description.

    Examples
    --------
    >>> import tempfile, pathlib, networkx
    >>> graph = networkx.Graph(complete=True)
    >>> graph.add_node(0, pattern="01", n_facets=3, x0=0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "regions.gexf")
    ...     write_gexf(graph, path)
    ...     networkx.read_gexf(path, node_type=int).nodes[0]
    {'pattern': '01', 'n_facets': 3, 'x0': 0.5, 'label': '0'}
    """
    graph = plain_graph(complex, verb="write_gexf", reserved=_RESERVED, check=xml_problem)
    _require_one_type_a_name(graph)
    facts = json.dumps(graph.graph, allow_nan=False)
    graph.graph.clear()
    write_whole(path, lambda file: _write(graph, facts, file))


def _write(graph: nx.Graph, facts: str, file: IO[bytes]) -> None:
    writer = GEXFWriter()
    meta = writer.xml.find("meta")
    meta.attrib.clear()
    meta.find("creator").text = "plregions"
    SubElement(meta, "description").text = facts
    writer.add_graph(graph)
    writer.write(file)


def _require_one_type_a_name(graph: nx.Graph) -> None:
    """Refuse what the format would turn into the type of the first value."""
    for rows in (graph.nodes(data=True), graph.edges(data=True)):
        types: dict[str, type] = {}
        for *_, attributes in rows:
            for name, value in attributes.items():
                if types.setdefault(name, type(value)) is not type(value):
                    raise InvalidInputError(
                        f"write_gexf needs one type for all values of {name!r}; got "
                        f"{types[name].__name__} and {type(value).__name__} {value!r:.60}. Convert "
                        "them to one type."
                    )

"""Region graphs as GraphML, for Gephi, yEd, Cytoscape, igraph and networkx."""

from __future__ import annotations

import os
import re
from typing import Any

import networkx as nx

from plregions.network.saving import write_whole
from plregions.writers.plain_graph import HasRegionGraph, plain_graph

__all__ = ["write_graphml", "xml_problem"]

# XML 1.0 has no way to write these characters. A carriage return could be written as a
# reference, but the library that writes the file does not, and a reader turns it into a newline.
_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# networkx keeps defaults and the id of the graph under these names, and passes node attributes on
# as keyword arguments when it reads.
_RESERVED = {
    "graph": ("id", "node_default", "edge_default"),
    "node": ("self", "node_for_adding"),
    "edge": ("id", "key"),
}


def write_graphml(complex: HasRegionGraph | nx.Graph, path: str | os.PathLike[str]) -> None:
    """Write the region graph as GraphML.

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
        beyond 64 bits, its text holds characters that XML cannot hold (control characters), or
        its name is one that GraphML readers use for themselves. Nothing is written.
        `write_json` takes such texts and integers.
    OSError
        The file cannot be written.

    Algorithm
    ---------
    ``networkx.write_graphml_xml`` into a temporary file beside `path`, which then replaces it: a
    reader sees the old file or the new one, never a part. The XML is the same whether or not lxml
    is installed.

    Exactness
    ---------
    Reading the file with ``networkx.read_graphml(path, node_type=int)`` gives the same nodes,
    edges and attributes, bit by bit and type by type; networkx adds the two empty graph
    attributes ``node_default`` and ``edge_default``.

    Examples
    --------
    >>> import tempfile, pathlib, networkx
    >>> graph = networkx.Graph(complete=True)
    >>> graph.add_node(0, pattern="01", n_facets=3, x0=0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "regions.graphml")
    ...     write_graphml(graph, path)
    ...     networkx.read_graphml(path, node_type=int).nodes[0]
    {'pattern': '01', 'n_facets': 3, 'x0': 0.5}
    """
    graph = plain_graph(complex, verb="write_graphml", reserved=_RESERVED, check=xml_problem)
    write_whole(path, lambda file: nx.write_graphml_xml(graph, file))


def xml_problem(value: Any) -> str | None:
    """Return what GraphML and GEXF would need instead of a value, or None.

    Parameters
    ----------
    value : int, float, str or bool

    Returns
    -------
    str or None
    """
    if type(value) is str and _NOT_IN_XML.search(value):
        return "text without control characters"
    # A long is Java's.
    if type(value) is int and not -(2**63) <= value < 2**63:
        return "an integer of at most 64 bits"
    return None

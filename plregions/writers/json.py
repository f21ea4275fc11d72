"""Region graphs as node-link JSON, for web pages, networkx and programs in any language."""

from __future__ import annotations

import json
import math
import os
from typing import Any, NoReturn

import networkx as nx

from plregions.errors import FormatError
from plregions.network.saving import write_whole
from plregions.writers.plain_graph import FORMAT, VERSION, HasRegionGraph, plain_graph

__all__ = ["read_json", "write_json"]

# Names of the format itself, and those that networkx's own reader cannot take as attributes.
_RESERVED = {
    "graph": (),
    "node": ("id", "self", "node_for_adding"),
    "edge": ("source", "target", "self", "u_of_edge", "v_of_edge"),
}


def write_json(complex: HasRegionGraph | nx.Graph, path: str | os.PathLike[str]) -> None:
    """Write the region graph as node-link JSON.

    The file is one object: ``directed`` and ``multigraph`` (both false), ``graph`` (the graph's
    attributes, with ``"format": "plregions-region-graph"`` and ``"version": 1``), ``nodes`` (each
    with its ``id``) and ``edges`` (each with ``source`` and ``target``).

    Parameters
    ----------
    complex : RegionComplex or networkx.Graph
        The regions, or their graph.
    path : str or PathLike
        The file to write; an existing file is replaced.

    Raises
    ------
    InvalidInputError
        An attribute would be lost: it is not a finite int, float, str or bool, or its name is one
        of the format's own. Nothing is written.
    OSError
        The file cannot be written.

    Algorithm
    ---------
    ``networkx.node_link_data(graph, edges="edges")`` into a temporary file beside `path`, which
    then replaces it: a reader sees the old file or the new one, never a part.

    Exactness
    ---------
    `read_json` gives the same graph back, bit by bit and type by type. The text is ASCII; other
    characters are escaped.

    Examples
    --------
    >>> import tempfile, pathlib, networkx
    >>> graph = networkx.Graph(complete=True)
    >>> graph.add_edge(0, 1, neurons="3")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "regions.json")
    ...     write_json(graph, path)
    ...     read_json(path).edges[0, 1]
    {'neurons': '3'}
    """
    graph = plain_graph(complex, verb="write_json", reserved=_RESERVED)
    data = nx.node_link_data(graph, edges="edges")
    text = json.dumps(data, allow_nan=False) + "\n"
    write_whole(path, lambda file: file.write(text.encode("ascii")))


def read_json(path: str | os.PathLike[str]) -> nx.Graph:
    """Read a region graph that `write_json` wrote.

    Parameters
    ----------
    path : str or PathLike
        The file. Its edges may also stand under ``links``, as networkx wrote them before 3.4.

    Returns
    -------
    networkx.Graph
        The graph with all its attributes.

    Raises
    ------
    FormatError
        The file is damaged, or is not a region graph of version 1.
    OSError
        The file cannot be opened.

    Algorithm
    ---------
    The standard JSON reader, checks of ids and end points, then networkx.

    Exactness
    ---------
    Numbers come back as the same int or float64.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "other.json")
    ...     _ = path.write_text('{"graph": {"format": "something else"}}')
    ...     try:
    ...         read_json(path)
    ...     except FormatError as error:
    ...         str(error).replace(str(path), "other.json")
    "read_json needs the format 'plregions-region-graph'; got 'something else' in other.json."
    """
    name = os.fspath(path)

    def refuse(needed: str, got: object) -> NoReturn:
        raise FormatError(f"read_json needs {needed}; got {got!r:.60} in {name}.", path=name)

    def finite(text: str) -> float:
        number = float(text)
        if not math.isfinite(number):
            refuse("finite numbers", text)
        return number

    with open(path, "rb") as file:
        content = file.read()
    try:
        data = json.loads(content, parse_constant=finite, parse_float=finite)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:  # also bytes that are no text
        raise FormatError(f"read_json needs JSON; {error} in {name}.", path=name) from error
    attributes = data.get("graph") if isinstance(data, dict) else None
    if not isinstance(attributes, dict):
        refuse("an object with the member 'graph'", type(data).__name__)
    if attributes.get("format") != FORMAT:
        refuse(f"the format {FORMAT!r}", attributes.get("format"))
    version = attributes.get("version")
    if type(version) is not int or version != VERSION:
        refuse(f"version {VERSION} of the format", version)
    if data.get("directed", False) is not False or data.get("multigraph", False) is not False:
        refuse("an undirected graph without parallel edges", "another kind of graph")
    members = [member for member in ("edges", "links") if member in data]
    if len(members) != 1:
        refuse("one of the members 'edges' and 'links'", members)
    _check_rows(data.get("nodes"), data[members[0]], refuse)
    return nx.node_link_graph(data, edges=members[0])


def _check_rows(nodes: Any, edges: Any, refuse: Any) -> None:
    """Refuse what networkx would mend in silence: doubled nodes or edges, unknown end points."""
    if not isinstance(nodes, list) or not isinstance(edges, list):
        refuse("lists of nodes and of edges", [type(nodes).__name__, type(edges).__name__])
    ids = set()
    for row in nodes:
        node = row.get("id") if isinstance(row, dict) else row
        if not isinstance(row, dict) or type(node) not in (int, str) or node in ids:
            refuse("nodes with ids that are int or str and differ", row)
        ids.add(node)
    pairs = set()
    for row in edges:
        ends = (row.get("source"), row.get("target")) if isinstance(row, dict) else ()
        if not ends or any(type(end) not in (int, str) or end not in ids for end in ends):
            refuse("edges between nodes of the file", row)
        if frozenset(ends) in pairs:
            refuse("each edge once", row)
        pairs.add(frozenset(ends))

"""Which graph goes to a file: plain nodes, and nothing but plain scalars as attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

import networkx as nx
import numpy as np

from plregions.errors import InvalidInputError
from plregions.regions import RegionComplex

__all__ = ["FORMAT", "VERSION", "HasRegionGraph", "plain_graph"]

FORMAT = "plregions-region-graph"
VERSION = 1

Check = Callable[[Any], str | None]


class HasRegionGraph(Protocol):
    """Anything with a region graph, above all a `RegionComplex`."""

    def to_networkx(self) -> nx.Graph:
        """Return the region graph."""
        ...  # pragma: no cover


def plain_graph(
    graph: HasRegionGraph | nx.Graph,
    *,
    verb: str,
    reserved: Mapping[str, Collection[str]],
    check: Check = lambda value: None,
) -> nx.Graph:
    """Copy a region graph with every attribute as a Python int, float, str or bool.

    Parameters
    ----------
    graph : RegionComplex or networkx.Graph
        The graph, or what has one behind ``to_networkx()``.
    verb : str
        The writer's name, for error messages.
    reserved : mapping from {"graph", "node", "edge"} to names
        Attribute names that the file format uses for itself and would lose.
    check : callable, optional
        Called with each attribute name, string id and value; returns None, or what the format
        would need instead.

    Returns
    -------
    networkx.Graph
        A new graph with the same nodes and edges in the same order. Its graph attributes hold
        ``format`` and ``version``.

    Raises
    ------
    InvalidInputError
        The graph is directed or a multigraph, its node ids are neither all int nor all str, or
        an attribute is not a finite plain scalar; the attribute is named.

    Exactness
    ---------
    numpy scalars become the Python scalar of equal value; a number that has none (a long double,
    a Fraction) is refused, so nothing is rounded.
    """
    if isinstance(graph, RegionComplex):
        source = graph.to_networkx(same_map=True)
    else:
        source = graph if isinstance(graph, nx.Graph) else graph.to_networkx()
    if source.is_directed() or source.is_multigraph():
        raise InvalidInputError(
            f"{verb} needs an undirected graph without parallel edges; got {type(source).__name__}."
            " Convert it with networkx.Graph(graph)."
        )

    def plain(attributes: Mapping[Any, Any], scope: str, of: str) -> dict[str, Any]:
        result = {}
        for name, value in attributes.items():
            where = f"{name!r} of {of}"
            if type(name) is not str or name in reserved[scope] or check(name) is not None:
                raise InvalidInputError(
                    f"{verb} needs attribute names that the format can keep; got {where}."
                    " Rename the attribute."
                )
            result[name] = _plain_scalar(value, verb, where, check)
        return result

    result = nx.Graph(**{"format": FORMAT, "version": VERSION})
    result.graph.update(plain(source.graph, "graph", "the graph"))
    found = (result.graph["format"], result.graph["version"])
    if found != (FORMAT, VERSION):
        raise InvalidInputError(
            f"{verb} needs the graph attributes format {FORMAT!r} and version {VERSION}, or none;"
            f" got {found[0]!r} and {found[1]!r}. Remove or rename them."
        )
    ids = {node: _plain_scalar(node, verb, f"the node id {node!r}", check) for node in source.nodes}
    kinds = {type(node) for node in ids.values()}
    if kinds not in (set(), {int}, {str}):
        raise InvalidInputError(
            f"{verb} needs node ids that are all int or all str; got"
            f" {', '.join(sorted(kind.__name__ for kind in kinds))}."
            " Use networkx.convert_node_labels_to_integers."
        )
    for node, attributes in source.nodes(data=True):
        result.add_node(ids[node])
        result.nodes[ids[node]].update(plain(attributes, "node", f"node {node!r}"))
    for u, v, attributes in source.edges(data=True):
        result.add_edge(ids[u], ids[v])
        result.edges[ids[u], ids[v]].update(plain(attributes, "edge", f"edge {u!r} - {v!r}"))
    return result


def _plain_scalar(value: Any, verb: str, where: str, check: Check) -> Any:
    """Return `value` as int, float, str or bool, or raise with its place in the graph."""
    plain = value.item() if isinstance(value, np.generic) else value
    problem = None
    if type(plain) not in (int, float, str, bool):
        problem = "an int, float, str or bool"
    elif type(plain) is float and not math.isfinite(plain):
        problem = "a finite number"
    else:
        problem = check(plain)
    if problem is not None:
        kind = type(value).__name__
        raise InvalidInputError(
            f"{verb} needs {problem} as a value; got {kind} {value!r:.60} for {where}."
            " Convert it or leave it out."
        )
    return plain

"""Domains as plain dictionaries of exact numbers in strings, for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.domain.base import Domain
from plregions.domain.box import Box
from plregions.domain.embedding import Slice
from plregions.domain.polytope import Polytope
from plregions.domain.whole_space import WholeSpace
from plregions.exact.arrays import fractions_of, number_to_str

__all__ = ["domain_from_dict", "domain_to_dict"]


def domain_to_dict(domain: Domain) -> dict[str, Any]:
    """Return a domain as a dictionary that `domain_from_dict` reads; TypeError for strangers."""
    if isinstance(domain, Box):
        return {"type": "box", "lower": _texts(domain.lower), "upper": _texts(domain.upper)}
    if isinstance(domain, Polytope):
        texts = {"A": _texts(domain.A), "b": _texts(domain.b)}
        return {"type": "polytope", "dim": domain.dim, **texts}
    if isinstance(domain, WholeSpace):
        return {"type": "whole_space", "dim": domain.dim}
    if not isinstance(domain, Slice):
        raise TypeError(f"a domain of type {type(domain).__name__}")
    return {
        "type": "slice",
        "origin": _texts(domain.origin),
        "directions": _texts(domain.directions),
        "domain": domain_to_dict(domain.domain),
    }


def domain_from_dict(data: dict[str, Any]) -> Domain:
    """Return the domain; KeyError, ValueError or InvalidDomainError for damaged ones."""
    if data["type"] == "box":
        return Box(data["lower"], data["upper"])
    if data["type"] == "polytope":
        normals = np.array(data["A"], dtype=np.object_)
        return Polytope(normals.reshape(len(normals), int(data["dim"])), data["b"])
    if data["type"] == "whole_space":
        return WholeSpace(data["dim"])
    inner = domain_from_dict(data["domain"])
    if data["type"] != "slice" or not isinstance(inner, Box | Polytope | WholeSpace):
        raise ValueError(f"a domain of type {data['type']}")
    return Slice(data["origin"], data["directions"], inner)


def _texts(array: NDArray[Any]) -> Any:
    def text(item: Any) -> Any:
        return [text(v) for v in item] if isinstance(item, list) else number_to_str(item)

    return text(fractions_of(array))

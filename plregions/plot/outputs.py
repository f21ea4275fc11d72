"""What are the outputs at points of the domain, for pictures?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError

if TYPE_CHECKING:
    from plregions.regions.complex import RegionComplex

__all__ = ["outputs_at"]


def outputs_at(
    verb: str, complex: RegionComplex, points: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the outputs at points of the domain.

    Parameters
    ----------
    verb : str
        Who asks, for messages.
    complex : RegionComplex
    points : ndarray of float64, shape (n, dim)
        In the domain's coordinates.

    Returns
    -------
    ndarray of float64, shape (n, output_dim)

    Raises
    ------
    InvalidInputError
        An output is larger than float64 can hold.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        values = complex.network(complex.domain.embed(points)).reshape(len(points), -1)
    if not np.isfinite(values).all():
        raise InvalidInputError(
            f"{verb} needs outputs that float64 can hold; got larger ones. Scale the last layer "
            "down."
        )
    return values

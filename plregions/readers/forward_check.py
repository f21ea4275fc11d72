"""Does a network compute what the model that it was read from computes?

The model's own library evaluates it at a few points; this module chooses the points and judges
the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from plregions.network.network import Network
from plregions.readers.moving_tensor import MovingTensor

__all__ = [
    "CheckWords",
    "FloatType",
    "network_outputs",
    "refuse_difference",
    "rounding_allowance",
    "sample_points",
]

_N_POINTS = 32
_SEED = 20_240_229
_MARGIN = 4.0


@dataclass(frozen=True)
class FloatType:
    """What matters of a float type for rounding errors.

    Attributes
    ----------
    name : str
        Such as "float32".
    eps : float
        The gap between 1 and the next number.
    tiny : float
        The least positive normal number.
    largest : float
        The greatest finite number.
    """

    name: str
    eps: float
    tiny: float
    largest: float

    @classmethod
    def of(cls, kind: DTypeLike) -> FloatType:
        """Return the description of one of numpy's float types."""
        facts: Any = np.finfo(np.dtype(kind))
        return cls(str(np.dtype(kind)), float(facts.eps), float(facts.tiny), float(facts.max))


@dataclass(frozen=True)
class CheckWords:
    """What the messages of a comparison say.

    Attributes
    ----------
    verb : str
        Who asks.
    source : str
        What was read.
    reference : str
        Who evaluated it.
    advice : str
        What to do about a difference.
    error : callable
        Makes the error of a message.
    """

    verb: str
    source: str
    reference: str
    advice: str
    error: Callable[[str], Exception]


def sample_points(n_inputs: int, kind: DTypeLike) -> NDArray[np.float64]:
    """Return the points at which a network is compared: always the same, of many magnitudes.

    Parameters
    ----------
    n_inputs : int
    kind : numpy dtype
        The float type of the model; every coordinate is a number of this type.

    Returns
    -------
    ndarray (32, n_inputs) of float64
        The first is 0.

    Algorithm
    ---------
    Normal numbers times a power of ten for each point, from 1e-3 to 1e3, for float16 to 1e1.

    Exactness
    ---------
    The points are given exactly by their float64 coordinates.

    Examples
    --------
    >>> sample_points(3, np.float32).shape
    (32, 3)
    """
    rng = np.random.default_rng(_SEED)
    exponents = np.linspace(-3.0, 1.0 if np.dtype(kind) == np.float16 else 3.0, _N_POINTS)
    points = rng.standard_normal((_N_POINTS, n_inputs)) * 10.0 ** exponents[:, None]
    points[0] = 0.0
    return points.astype(kind).astype(np.float64)


def network_outputs(
    network: Network, points: NDArray[np.float64], kind: FloatType
) -> NDArray[np.float64]:
    """Return what a network that was read gives at some points, for a comparison.

    Parameters
    ----------
    network : Network
    points : ndarray (k, n) of float64
    kind : FloatType
        The coarsest float type in which the model computes.

    Returns
    -------
    ndarray (k, m) of float64

    Algorithm
    ---------
    Exact arithmetic for a model of float64, whose own errors are no larger than those of a float64
    evaluation here; float64 for coarser ones.

    Exactness
    ---------
    Rounded once, or at each step.

    Examples
    --------
    >>> net = Network([([[2.0]], [1.0])])
    >>> network_outputs(net, np.array([[1.0]]), FloatType.of("float64"))
    array([[3.]])
    """
    if kind.eps > np.finfo(np.float64).eps:
        with np.errstate(over="ignore", invalid="ignore"):
            return network(points)
    return np.array([[_rounded(value) for value in network.exact(point)] for point in points])


def rounding_allowance(tensor: MovingTensor, kind: FloatType) -> NDArray[np.float64]:
    """Return how far a float evaluation of a model may be from its exact value.

    Parameters
    ----------
    tensor : MovingTensor
        At the output: its majorant and number of steps.
    kind : FloatType
        The coarsest float type in which the model computes.

    Returns
    -------
    ndarray (k, m) of float64
        Four times eps times the number of rounding steps (the depth, with each sum, product and
        scaling counted) times the majorant; NaN where the model may leave the range of its float
        type.

    Algorithm
    ---------
    One product an entry.

    Exactness
    ---------
    No proof: long sums could lose more in theory. Without the factor of four, one of a hundred
    thousand sums of 64 products, with nothing else around them, is up to twice outside.

    Examples
    --------
    >>> tensor = MovingTensor((1,), None, None, np.array([[3.0]]))
    >>> tensor.add(np.array([1.0]))
    >>> rounding_allowance(tensor, FloatType.of("float64")) / 2.0**-52
    array([[16.]])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        allowed = _MARGIN * kind.eps * max(tensor.n_steps, 1) * tensor.majorant
    return np.where(tensor.majorant < kind.largest / 4, allowed, np.nan)


def refuse_difference(
    expected: NDArray[np.float64],
    found: NDArray[np.float64],
    allowed: NDArray[np.float64],
    words: CheckWords,
) -> None:
    """Raise an error when outputs that should agree differ by more than is allowed.

    Parameters
    ----------
    expected : ndarray (k, m) of float64
        The outputs of the network that was read.
    found : ndarray (k, m) of float64
        What the model's own library computes.
    allowed : ndarray (k, m) of float64
        How large each difference may be; NaN where nothing can be compared.
    words : CheckWords
        What the messages say, and of which type the error is.

    Raises
    ------
    Exception
        Whatever ``words.error`` returns: when the number of outputs differs, when an output
        differs by more than `allowed`, when nothing could be compared.

    Algorithm
    ---------
    The output whose difference is largest in proportion is named.

    Exactness
    ---------
    A float comparison: it finds weights in the wrong place or left out, not the last bit.

    Examples
    --------
    >>> words = CheckWords("f", "it", "g", "Look again.", ValueError)
    >>> three, five, allowed = np.array([[3.0]]), np.array([[5.0]]), np.array([[1e-9]])
    >>> refuse_difference(three, three, allowed, words)
    >>> refuse_difference(three, five, allowed, words)
    Traceback (most recent call last):
        ...
    ValueError: f needs to read it right; got output 0 = 3 where g gives 5 (...). Look again.
    """
    subject = f"{words.verb} needs to read {words.source} right"
    if found.shape != expected.shape:
        gives = " x ".join(str(length) for length in found.shape[1:]) or "a single one"
        raise words.error(
            f"{subject}; got {expected.shape[1]} outputs where {words.reference} gives {gives}. "
            f"{words.advice}"
        )
    comparable = ~np.isnan(allowed)
    if not comparable.any():
        raise words.error(
            f"{words.verb} needs numbers within the range of the model's float type, to compare "
            f"with {words.reference}; got {words.source}, whose values may overflow at every "
            "point tried. Scale the weights down."
        )
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        difference = np.abs(found - expected)
        wrong = comparable & ~(difference <= allowed)
        excess = np.where(wrong, np.nan_to_num(difference, nan=np.inf) / allowed, -1.0)
    if wrong.any():
        k, output = (int(index) for index in np.unravel_index(excess.argmax(), excess.shape))
        raise words.error(
            f"{subject}; got output {output} = {expected[k, output]:.9g} where {words.reference} "
            f"gives {found[k, output]:.9g} (difference {difference[k, output]:.3g}, allowed "
            f"{allowed[k, output]:.3g}; {int(wrong.any(axis=1).sum())} of {len(found)} points "
            f"differ). {words.advice}"
        )


def _rounded(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")

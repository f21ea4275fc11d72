"""Which colour has a region? Colours that stay from run to run, from hashes of exact things.

Colours are chosen in OKLCH (lightness, chroma, hue), in which equal steps look about equal, and
given as sRGB. See Bjoern Ottosson, "A perceptual color space for image processing" (2020).
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from plregions.exact.arrays import number_to_str
from plregions.network import Network

__all__ = ["hashed_colour", "map_colours", "oklch_to_srgb", "pattern_colours"]

FloatArray = NDArray[np.float64]

LIGHTNESS = (0.7, 0.92)
CHROMA = (0.05, 0.11)
# Regions on the two sides of one neuron's zero set differ by this much in hue, or more.
LEAST_TURN = 60.0


def pattern_colours(patterns: NDArray[np.bool_]) -> FloatArray:
    """Return a colour for each activation pattern; the same one in every run and network.

    Parameters
    ----------
    patterns : ndarray of bool, shape (n, N)

    Returns
    -------
    ndarray of float64, shape (n, 3)
        Red, green and blue in [0, 1].

    Algorithm
    ---------
    Each bit that is 1 turns the hue by an angle of its own, from the hash of its number, between
    60 and 300 degrees: so patterns that differ in one bit differ by 60 degrees or more. Lightness
    and chroma come from the hash (SHA-256) of the whole pattern.

    Examples
    --------
    >>> pattern_colours(np.array([[False, True]])).round(2).tolist()
    [[0.77, 0.89, 1.0]]
    """
    n, n_bits = patterns.shape
    turns = LEAST_TURN + (360.0 - 2 * LEAST_TURN) * np.array(
        [_unit_numbers(f"bit {k}")[0] for k in range(n_bits)]
    )
    hue = patterns @ turns if n_bits else np.zeros(n)
    digits = patterns.astype(np.uint8) + np.uint8(ord("0"))
    unit = np.array([_unit_numbers(row.tobytes().decode("ascii")) for row in digits])
    return _between(unit.reshape(n, 3), hue)


def map_colours(
    network: Network, patterns: NDArray[np.bool_], map_labels: NDArray[np.int64]
) -> FloatArray:
    """Return a colour for the affine map of each region: the same map, the same colour.

    Parameters
    ----------
    network : Network
    patterns : ndarray of bool, shape (n, N)
    map_labels : ndarray of int64, shape (n,)
        Equal where the maps are equal; 0, 1, ... in the order of first occurrence.

    Returns
    -------
    ndarray of float64, shape (n, 3)
        Red, green and blue in [0, 1], from the hash (SHA-256) of the exact map: equal maps have
        equal colours in all networks and runs.
    """
    _, first = np.unique(map_labels, return_index=True)
    colours = np.zeros((len(first), 3))
    for label, index in enumerate(first.tolist()):
        weight, bias = network.affine_map(patterns[index], exact=True)
        rows = np.concatenate([weight, bias[:, None]], axis=1)
        colours[label] = hashed_colour(";".join(" ".join(map(number_to_str, r)) for r in rows))
    chosen: FloatArray = colours[map_labels]
    return chosen


def hashed_colour(text: str) -> FloatArray:
    """Return the colour (red, green, blue in [0, 1]) of a text, from its hash.

    Parameters
    ----------
    text : str

    Returns
    -------
    ndarray of float64, shape (3,)
    """
    unit = np.array([_unit_numbers(text)])
    colour: FloatArray = _between(unit, 360.0 * unit[:, 0])[0]
    return colour


def _unit_numbers(text: str) -> tuple[float, float, float]:
    """Return three numbers in [0, 1) from the hash of a text."""
    digest = sha256(text.encode("utf-8")).digest()
    first, second, third = (int.from_bytes(digest[k : k + 4]) / 2**32 for k in (0, 4, 8))
    return first, second, third


def _between(unit: FloatArray, hue: FloatArray) -> FloatArray:
    """Return colours of a hue (n,) whose lightness and chroma numbers in [0, 1) choose."""
    lightness = LIGHTNESS[0] + (LIGHTNESS[1] - LIGHTNESS[0]) * unit[:, 1]
    chroma = CHROMA[0] + (CHROMA[1] - CHROMA[0]) * unit[:, 2]
    return oklch_to_srgb(np.stack([lightness, chroma, hue], axis=1))


def oklch_to_srgb(colours: FloatArray) -> FloatArray:
    """Return sRGB colours (n, 3) in [0, 1] of OKLCH ones (lightness, chroma, hue in degrees).

    Parameters
    ----------
    colours : ndarray of float64, shape (n, 3)

    Returns
    -------
    ndarray of float64, shape (n, 3)
        Clipped where sRGB does not reach.

    Examples
    --------
    >>> oklch_to_srgb(np.array([[1.0, 0.0, 0.0]])).round(3)
    array([[1., 1., 1.]])
    """
    hue = np.radians(colours[:, 2])
    lab = np.stack(
        [colours[:, 0], colours[:, 1] * np.cos(hue), colours[:, 1] * np.sin(hue)], axis=1
    )
    lms = (lab @ LAB_TO_LMS.T) ** 3
    linear = np.clip(lms @ LMS_TO_RGB.T, 0.0, 1.0)
    curved = 1.055 * linear ** (1 / 2.4) - 0.055
    srgb: FloatArray = np.where(linear <= 0.0031308, 12.92 * linear, curved)
    return np.clip(srgb, 0.0, 1.0)


# The published matrices of OKLab: to the cube roots of cone responses, and from these to
# linear sRGB.
LAB_TO_LMS = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
LMS_TO_RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)

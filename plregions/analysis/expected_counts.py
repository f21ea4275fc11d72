"""How many regions does a random network have on average?"""

from __future__ import annotations

from fractions import Fraction
from math import atan2, factorial, inf, isfinite, isnan, pi

from plregions.analysis.widths import whole
from plregions.errors import InvalidInputError
from plregions.exact.arrays import fraction

__all__ = ["expected_pieces_of_gaussian_layer", "hanin_rolnick_bound"]


def expected_pieces_of_gaussian_layer(
    n: int, low: float, high: float, *, weight_std: float = 1.0, bias_std: float = 1.0
) -> float:
    """Return the mean number of pieces on [low, high] of n ReLU neurons of one input.

    For independent weights w ~ N(0, weight_std^2) and biases b ~ N(0, bias_std^2) a neuron's
    break, -b / w, is a Cauchy number of scale bias_std / weight_std, so that the mean is
    1 + n (atan(high / scale) - atan(low / scale)) / pi.

    Parameters
    ----------
    n : int
        Neurons, at least 0.
    low, high : float
        low < high; -inf and inf are allowed.
    weight_std, bias_std : float
        Positive and finite.

    Returns
    -------
    float

    Raises
    ------
    InvalidInputError
        Numbers out of these ranges.

    Exactness
    ---------
    The formula is proved; its value is rounded.

    Examples
    --------
    >>> round(expected_pieces_of_gaussian_layer(10, -1, 2), 5)
    7.02416
    """
    verb = "expected_pieces_of_gaussian_layer"
    n = whole(verb, "n", n)
    try:
        low, high, weight_std, bias_std = map(float, (low, high, weight_std, bias_std))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(f"{verb} needs numbers; {error}.") from None
    if isnan(low) or isnan(high) or not low < high:
        raise InvalidInputError(f"{verb} needs low < high; got {low} and {high}.")
    if not (0 < weight_std < inf and 0 < bias_std < inf):
        raise InvalidInputError(
            f"{verb} needs positive standard deviations; got {weight_std} and {bias_std}."
        )

    def angle(x: float) -> float:
        # atan(x weight_std / bias_std), also where the product leaves the floats
        return atan2(x * weight_std, bias_std) if isfinite(x * weight_std) else _quarter(x)

    return 1 + n * (angle(high) - angle(low)) / pi


def _quarter(x: float) -> float:
    return pi / 2 if x > 0 else -pi / 2


def hanin_rolnick_bound(input_dim: int, n_neurons: int, t: float | Fraction | str) -> Fraction:
    """Return the bound on the mean number of activation regions per unit of volume (recalled).

    It is (T N)^d / d! for N >= d neurons, else 2^N, in any cube of R^d. T depends on how the
    weights are drawn: T = 2^5 C_grad C_bias with the constants of the source. The statement is
    quoted from memory of its source.

    Parameters
    ----------
    input_dim : int
        d, at least 1.
    n_neurons : int
        N, at least 0.
    t : int, float, Fraction or str
        T, positive.

    Returns
    -------
    Fraction

    Raises
    ------
    InvalidInputError
        Numbers out of these ranges.

    Exactness
    ---------
    The value of the formula is exact.

    References
    ----------
    B. Hanin, D. Rolnick, "Deep ReLU networks have surprisingly few activation patterns" (2019).

    Examples
    --------
    >>> hanin_rolnick_bound(2, 96, 1)
    Fraction(4608, 1)
    """
    verb = "hanin_rolnick_bound"
    d, n = whole(verb, "the input dimension", input_dim, 1), whole(verb, "n_neurons", n_neurons)
    try:
        rate = fraction(t)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{verb} needs a positive number t; {error}.") from None
    if rate <= 0:
        raise InvalidInputError(f"{verb} needs a positive number t; got {t!r}.")
    if n < d:
        return Fraction(1 << n)
    return (rate * n) ** d / factorial(d)

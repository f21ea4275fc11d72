"""Which bounds are known for the number of regions of a network of given widths?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

from plregions.analysis.expected_counts import (
    expected_pieces_of_gaussian_layer,
    hanin_rolnick_bound,
)
from plregions.analysis.general_position import zaslavsky
from plregions.analysis.lower_bounds import (
    arora_2016_lower_bound,
    montufar_2014_lower_bound,
    serra_deep_zonotope_lower_bound,
    serra_lower_bound,
    serra_one_input_maximum,
)
from plregions.analysis.table_forms import Shown, Table
from plregions.analysis.upper_bounds import (
    hinz_bound,
    layer_sizes,
    montufar_2017_bound,
    naive_bound,
    network_bound,
    serra_bound,
    trivial_bound,
)
from plregions.analysis.widths import check_work, hidden_widths, layer_steps, parse_widths
from plregions.errors import InvalidInputError
from plregions.network import Network

__all__ = ["Bound", "BoundsTable", "bounds_table"]

Value = int | Fraction | float
SERRA = "Serra et al. 2018"


@dataclass(frozen=True)
class Bound:
    """One bound on the number of regions.

    Attributes
    ----------
    name : str
        Short name, the same in all tables.
    kind : str
        "upper": no network of these widths has more activation regions. "lower": some network has
        so many linear regions. "maximum": both. "expected": a mean over random networks.
    value : int, Fraction, float or None
        None where the bound says nothing about these widths.
    remark : str
        What it is about; where there is no value, why.
    source : str

    Examples
    --------
    >>> bounds_table("2-6-6-1")["montufar_2014"].value
    198
    """

    name: str
    kind: str
    value: Value | None
    remark: str
    source: str


COLUMNS = tuple(field.name for field in fields(Bound))
HEADS = ("bound", *COLUMNS[1:])


@dataclass(frozen=True)
class BoundsTable(Table):
    """The bounds for some widths; ``str()`` is a table.

    Attributes
    ----------
    input_dim : int
    hidden : tuple of int
        Widths of the hidden layers.
    output_dim : int
    bounds : tuple of Bound

    Examples
    --------
    >>> table = bounds_table("4-2-4-1")
    >>> table.upper, table.lower, table["serra_2018"].value, len(table.bounds) > 9
    (22, 10, 22, True)
    """

    input_dim: int
    hidden: tuple[int, ...]
    output_dim: int
    bounds: tuple[Bound, ...]

    # No room for the sources.
    _n_in_text: ClassVar[int | None] = -1

    def __getitem__(self, name: str) -> Bound:
        for bound in self.bounds:
            if bound.name == name:
                return bound
        raise InvalidInputError(
            f"BoundsTable needs the name of a bound, one of "
            f"{', '.join(b.name for b in self.bounds)}; got {name!r}."
        )

    @property
    def upper(self) -> int:
        """The least upper bound of the table."""
        return min(self._values("upper"))

    @property
    def lower(self) -> int:
        """The largest lower bound of the table; 1 where none has a value."""
        return max(self._values("lower"), default=1)

    def _values(self, kind: str) -> list[int]:
        # All that is no mean is an integer.
        kinds = (kind, "maximum")
        return [int(b.value) for b in self.bounds if b.kind in kinds and b.value is not None]

    def _caption(self) -> str:
        widths = "-".join(map(str, (self.input_dim, *self.hidden, self.output_dim)))
        return f"numbers of regions of {widths} networks"

    def _shown(self) -> Shown:
        return HEADS, list(zip(*self._columns().values(), strict=True))

    def _columns(self) -> dict[str, list[Any]]:
        return {name: [getattr(b, name) for b in self.bounds] for name in COLUMNS}

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, numbers and texts, as JSON takes them.

        Integers stay exact integers, of any length; other rationals are texts such as "13/90".
        """
        return {
            "input_dim": self.input_dim,
            "hidden": list(self.hidden),
            "output_dim": self.output_dim,
            "upper": self.upper,
            "lower": self.lower,
            "bounds": self._records(),
        }


def bounds_table(
    widths: str | Sequence[int] | Network,
    *,
    t: float | Fraction | str | None = None,
    interval: tuple[float, float] | None = None,
) -> BoundsTable:
    """Return the bounds of the literature for the number of regions, in one table.

    Parameters
    ----------
    widths : str, sequence of int or Network
        Input dimension, widths of the hidden layers, output dimension, as `plregions.mlp` spells
        them: ``"2-32-32-1"`` or ``[2, 32, 32, 1]``. The output dimension plays no part. A network
        adds the bound with the ranks of its weights; where it has other units than ReLU, or a ReLU
        after its last affine map, only 2^N and that bound have a value.
    t : int, float, Fraction or str, optional
        The constant of Hanin and Rolnick, see `hanin_rolnick_bound`.
    interval : (low, high), optional
        Adds the mean number of pieces of one Gaussian layer of one input on this interval, with
        standard deviations 1.

    Returns
    -------
    BoundsTable

    Raises
    ------
    InvalidInputError
        Widths or options that are no such numbers; so many neurons that it would take very long.

    Algorithm
    ---------
    The formulas, each a function of its own; the long one is `serra_bound`.

    Exactness
    ---------
    All values are exact but for the mean of a Gaussian layer. Those marked as recalled are quoted
    from memory of their sources.

    Examples
    --------
    >>> print(bounds_table([1, 3, 3, 1]).to_markdown())
    | bound | kind | value | remark | source |
    | --- | --- | --- | --- | --- |
    | trivial | upper | 64 | 2^N patterns | |
    ...
    """
    net = widths if isinstance(widths, Network) else None
    if isinstance(widths, Network):
        sizes = (widths.input_dim, *widths.widths, widths.output_dim)
    else:
        sizes = parse_widths("bounds_table", widths)
    n_0, hidden = hidden_widths("bounds_table", sizes[0], sizes[1:-1])
    check_work("bounds_table", layer_steps(n_0, hidden), sum(hidden))
    is_plain = net is None or _is_plain(net)
    reason = "" if is_plain else "not all hidden units, and only they, are ReLU"
    bounds = _of_relu(n_0, hidden, net, reason)
    bounds.append(_hanin_rolnick(n_0, sum(hidden), t, reason))
    if interval is not None:
        bounds.append(_gaussian(n_0, hidden, interval, reason))
    return BoundsTable(n_0, hidden, sizes[-1], tuple(bounds))


def _of_relu(n_0: int, hidden: tuple[int, ...], net: Network | None, reason: str) -> list[Bound]:
    """Return the bounds for ReLU networks; where there is a reason, without values."""
    n_neurons = sum(hidden) if net is None else net.n_neurons
    least = min(hidden, default=0)

    def bound(
        name: str,
        kind: str,
        formula: Callable[[int, tuple[int, ...]], int],
        remark: str,
        source: str,
        unless: str = "",
    ) -> Bound:
        why_not = reason or unless
        if why_not:
            return Bound(name, kind, None, f"says nothing: {why_not}", source)
        return Bound(name, kind, formula(n_0, hidden), remark, source)

    no_layer = "" if hidden else "there is no hidden layer"
    one = "" if len(hidden) == 1 else "it is about one hidden layer"
    narrow = no_layer or ("" if least >= n_0 else "some width is less than the input dimension")
    thrice = no_layer or ("" if least >= 3 * n_0 else "some width is less than 3 input dimensions")
    single = no_layer or ("" if n_0 == 1 else "it is about one input")
    three = single or ("" if least >= 3 else "some width is less than 3")
    even = no_layer or ("" if hidden[0] % 2 == 0 else "the first width is odd")
    saws = even or ("" if len(set(hidden[1:])) < 2 else "the widths after the first differ")
    twos = saws or ("" if min(hidden[1:], default=2) > 1 else "the widths after the first are 1")
    result = [
        Bound(
            "trivial",
            "upper",
            trivial_bound(n_0, (n_neurons,) if n_neurons else ()),
            "2^N patterns",
            "",
        ),
        bound("naive", "upper", naive_bound, "each layer on the whole input", "Raghu et al. 2017"),
        bound(
            "montufar_2017",
            "upper",
            montufar_2017_bound,
            "each layer on its narrowest input",
            "Montufar 2017, Prop. 3",
        ),
        bound(
            "serra_2018",
            "upper",
            serra_bound,
            "neurons that are off narrow what follows",
            f"{SERRA}, Thm 1",
        ),
        bound(
            "hinz_2019",
            "upper",
            hinz_bound,
            "the same number by histograms",
            "Hinz and van de Geer 2019",
        ),
        bound(
            "zaslavsky",
            "maximum",
            lambda d, widths: zaslavsky(widths[0], d),
            "one layer in general position",
            "Zaslavsky 1975",
            no_layer or one,
        ),
        bound(
            "serra_2018_one_input",
            "maximum",
            lambda _, widths: serra_one_input_maximum(widths),
            "one input",
            f"{SERRA}, Thm 5",
            three,
        ),
        bound(
            "montufar_2014",
            "lower",
            montufar_2014_lower_bound,
            "folds",
            "Montufar et al. 2014, Thm 4",
            narrow,
        ),
        bound(
            "serra_2018_folds",
            "lower",
            serra_lower_bound,
            "folds with one piece more",
            f"{SERRA}, Thm 6",
            thrice,
        ),
        bound(
            "arora_2016",
            "lower",
            arora_2016_lower_bound,
            "saw-teeth on a zonotope's norm",
            "Arora et al. 2016, Thm 2.11",
            saws,
        ),
        bound(
            "serra_2018_zonotope",
            "lower",
            serra_deep_zonotope_lower_bound,
            "the same with one tooth more",
            f"{SERRA}, Thm 7",
            twos,
        ),
    ]
    if net is not None:
        ranks = Bound(
            "rank",
            "upper",
            network_bound(net),
            "with the ranks of this network's weights",
            f"{SERRA}, Thm 1",
        )
        result.insert(5, ranks)
    return result


def _is_plain(net: Network) -> bool:
    """Tell whether all hidden units are ReLU and the last layer is affine."""
    *hidden, last = map(layer_sizes, net.layers)
    return last.n_kinks == 0 and all(
        sizes.n_kinks == width and sizes.n_carried == 0
        for sizes, width in zip(hidden, net.widths, strict=True)
    )


def _hanin_rolnick(
    n_0: int, n_neurons: int, t: float | Fraction | str | None, reason: str
) -> Bound:
    name, source = "hanin_rolnick", "Hanin and Rolnick 2019 (recalled)"
    value = None if t is None else hanin_rolnick_bound(n_0, n_neurons, t)
    why_not = reason or ("it needs the constant t" if value is None else "")
    if why_not:
        return Bound(name, "expected", None, f"says nothing: {why_not}", source)
    remark = f"upper bound of the mean, per unit of volume, with t = {t}"
    return Bound(name, "expected", value, remark, source)


def _gaussian(
    n_0: int, hidden: tuple[int, ...], interval: tuple[float, float], reason: str
) -> Bound:
    name, source = "gaussian_layer", "breaks are Cauchy numbers"
    try:
        low, high = interval
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"bounds_table needs an interval (low, high); got {interval!r}."
        ) from None
    value = expected_pieces_of_gaussian_layer(sum(hidden), low, high)
    if n_0 != 1 or len(hidden) != 1:
        reason = reason or "it is about one input and one hidden layer"
    if reason:
        return Bound(name, "expected", None, f"says nothing: {reason}", source)
    return Bound(name, "expected", value, f"pieces on [{low}, {high}]", source)

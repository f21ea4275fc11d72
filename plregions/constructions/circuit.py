"""How is a network put together neuron by neuron? As affine forms of the layer before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from plregions.errors import InvalidInputError
from plregions.network import Network

__all__ = ["MOST_WEIGHTS", "Circuit", "Form", "Number", "weighted_sum"]

Number = int | Fraction

# Weights are stored densely; a construction with more of them would fill the memory unannounced.
MOST_WEIGHTS = 1_000_000


@dataclass(frozen=True, eq=False)
class Form:
    """An affine function of the units of one layer; level 0 stands for the inputs.

    Attributes
    ----------
    level : int
        Which units: those of hidden layer `level`, counted from 1.
    weights : dict of int to int or Fraction
        The coefficient of each unit that takes part.
    constant : int or Fraction
    """

    level: int
    weights: dict[int, Number]
    constant: Number = 0

    def __add__(self, other: Form | Number) -> Form:
        return weighted_sum([1, 1], [self, other])

    __radd__ = __add__

    def __sub__(self, other: Form | Number) -> Form:
        return weighted_sum([1, -1], [self, other])

    def __rsub__(self, other: Number) -> Form:
        return weighted_sum([1, -1], [other, self])

    def __neg__(self) -> Form:
        return weighted_sum([-1], [self])

    def __mul__(self, factor: Number) -> Form:
        return weighted_sum([factor], [self])

    __rmul__ = __mul__


def weighted_sum(weights: Iterable[Number], forms: Iterable[Form | Number]) -> Form:
    """Return the sum of the forms times their weights, all of one level; numbers are constants."""
    total: dict[int, Number] = {}
    constant: Number = 0
    level = 0
    for weight, form in zip(weights, forms, strict=True):
        if not isinstance(form, Form):
            constant += weight * form
            continue
        if form.weights and total and form.level != level:
            raise ValueError(f"weighted_sum needs forms of one layer; got {level}, {form.level}.")
        level = max(level, form.level)
        constant += weight * form.constant
        for unit, coefficient in form.weights.items():
            total[unit] = total.get(unit, 0) + weight * coefficient
    return Form(level, total, constant)


@dataclass
class Circuit:
    """A network under construction: `relu` adds one neuron and returns its value as a form.

    Parameters
    ----------
    verb : str
        The construction, for error messages.
    n_inputs : int
    is_shared : bool
        Neurons with the same row are made once.
    """

    verb: str
    n_inputs: int
    is_shared: bool = False
    _layers: list[list[Form]] = field(default_factory=list)
    _known: dict[tuple[object, ...], Form] = field(default_factory=dict)
    _n_weights: int = 0

    @cached_property
    def inputs(self) -> list[Form]:
        """The inputs as forms."""
        self._count(self.n_inputs)
        return [Form(0, {k: 1}) for k in range(self.n_inputs)]

    def reserve(self, n_weights: int) -> None:
        """Refuse a network of so many weights before any work, if they are too many."""
        if n_weights > MOST_WEIGHTS:
            raise InvalidInputError(
                f"{self.verb} needs parameters that give at most {MOST_WEIGHTS:,} weights; got "
                "more. Take smaller ones."
            )

    def relu(self, form: Form) -> Form:
        """Add the neuron relu(form)."""
        key: tuple[object, ...] = ()
        if self.is_shared:
            row = sorted((k, v) for k, v in form.weights.items() if v)
            key = (form.level, form.constant, *row)
            if key in self._known:
                return self._known[key]
        self._count(self.n_inputs if form.level == 0 else len(self._layers[form.level - 1]))
        while len(self._layers) <= form.level:
            self._layers.append([])
        layer = self._layers[form.level]
        layer.append(form)
        unit = Form(form.level + 1, {len(layer) - 1: 1})
        self._known[key] = unit
        return unit

    def carry(self, form: Form) -> Form:
        """Return the form one level up: relu(form) - relu(-form), two neurons."""
        return self.relu(form) - self.relu(-form)

    def absolute(self, form: Form) -> Form:
        """Return |form| one level up: relu(form) + relu(-form), two neurons."""
        return self.relu(form) + self.relu(-form)

    def maximum(self, first: Form, second: Form) -> Form:
        """Return the larger form one level up: relu(first - second) + carry(second)."""
        return self.relu(first - second) + self.carry(second)

    def network(self, outputs: Sequence[Form]) -> Network:
        """Return the network with these outputs, affine in the last layer's units."""
        levels = {form.level for form in outputs if form.weights}
        if levels - {len(self._layers)}:
            raise ValueError(f"network needs outputs of layer {len(self._layers)}; got {levels}.")
        self._count(len(outputs) * (len(self._layers[-1]) if self._layers else self.n_inputs))
        sizes = [self.n_inputs, *(len(layer) for layer in self._layers)]
        rows = [*self._layers, list(outputs)]
        return Network([_dense(layer, size) for layer, size in zip(rows, sizes, strict=True)])

    def _count(self, n: int) -> None:
        self._n_weights += n
        self.reserve(self._n_weights)


def _dense(layer: Sequence[Form], n_in: int) -> tuple[list[list[Number]], list[Number]]:
    weight = [[form.weights.get(k, 0) for k in range(n_in)] for form in layer]
    return weight, [form.constant for form in layer]

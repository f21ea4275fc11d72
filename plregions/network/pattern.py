"""Activation patterns: one bit for each neuron that has a kink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidInputError

__all__ = ["ActivationPattern", "PatternLike", "as_bits"]


class ActivationPattern:
    """The bits of all neurons, in the order layer by layer, unit by unit; immutable.

    A bit is 1 iff the neuron's pre-activation is positive inside the cell.

    Parameters
    ----------
    bits : sequence or array of 0 and 1, shape (N,)
        One entry for each neuron with a bit; strings are read by `from_string`.

    Raises
    ------
    InvalidInputError
        An entry is neither 0 nor 1, or there is more than one axis.

    Examples
    --------
    >>> pattern = ActivationPattern([0, 1, 1])
    >>> str(pattern), len(pattern), pattern == ActivationPattern.from_string("011")
    ('011', 3, True)
    """

    __slots__ = ("_bits",)
    _bits: NDArray[np.bool_]

    def __init__(self, bits: Iterable[Any]) -> None:
        array = _bool_array(bits)
        array.setflags(write=False)
        object.__setattr__(self, "_bits", array)

    @classmethod
    def from_bits(cls, bits: Iterable[Any]) -> ActivationPattern:
        """Make a pattern from a sequence or array of 0 and 1.

        Parameters
        ----------
        bits : iterable of 0 and 1, shape (N,)
            Integers, bools, or floats equal to 0 or 1.

        Returns
        -------
        ActivationPattern
        """
        return cls(bits)

    @classmethod
    def from_string(cls, text: str) -> ActivationPattern:
        """Make a pattern from a string of the characters 0 and 1.

        Parameters
        ----------
        text : str
            Such as ``"0110"``.

        Returns
        -------
        ActivationPattern
        """
        return cls(text)

    @classmethod
    def from_packed(cls, packed: NDArray[np.uint8], n: int) -> ActivationPattern:
        """Make a pattern from what `packed` returned.

        Parameters
        ----------
        packed : ndarray of uint8, shape (ceil(n / 8),)
            Eight bits a byte, the first neuron in the highest bit.
        n : int
            The number of bits.

        Returns
        -------
        ActivationPattern
        """
        if packed.shape != ((n + 7) // 8,):
            raise InvalidInputError(
                f"ActivationPattern needs {(n + 7) // 8} bytes for {n} bits; got shape "
                f"{packed.shape}."
            )
        return cls(np.unpackbits(packed, count=n).astype(np.bool_))

    @property
    def bits(self) -> NDArray[np.bool_]:
        """The bits as a read-only bool array of shape (N,)."""
        return self._bits

    def packed(self) -> NDArray[np.uint8]:
        """Return the bits eight to a byte, as `numpy.packbits` does: shape (ceil(N / 8),)."""
        return np.packbits(self._bits)

    def __len__(self) -> int:
        """Return the number of bits."""
        return int(self._bits.size)

    def __getitem__(self, index: int) -> int:
        """Return one bit as 0 or 1."""
        return int(self._bits[index])

    def __iter__(self) -> Iterator[int]:
        """Iterate over the bits as 0 and 1."""
        return iter(self._bits.astype(int).tolist())

    def __str__(self) -> str:
        """Return the bits as a string of 0 and 1."""
        return self._bits.astype(np.uint8).tobytes().translate(_DIGITS).decode("ascii")

    def __repr__(self) -> str:
        """Show the constructor call."""
        return f"ActivationPattern('{self}')"

    def __eq__(self, other: object) -> bool:
        """Tell whether both patterns have the same bits."""
        if not isinstance(other, ActivationPattern):
            return NotImplemented
        return np.array_equal(self._bits, other._bits)

    def __hash__(self) -> int:
        """Hash by value."""
        return hash((len(self), self._bits.tobytes()))

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse: patterns are immutable."""
        raise AttributeError(f"ActivationPattern is immutable; cannot set {name!r}.")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle through the constructor."""
        return ActivationPattern, (self._bits,)


PatternLike: TypeAlias = "ActivationPattern | str | Iterable[Any]"

_DIGITS = bytes([ord("0"), ord("1")]) + bytes(254)


def as_bits(pattern: PatternLike, n: int) -> NDArray[np.bool_]:
    """Return a pattern in any of its forms as a bool array of length `n`.

    Parameters
    ----------
    pattern : ActivationPattern, str, or sequence of 0 and 1
        Such as ``"0110"``, ``[0, 1, 1, 0]`` or a numpy array.
    n : int
        The number of bits that is needed.

    Returns
    -------
    ndarray of bool, shape (n,)
        Read-only where it is shared with an ActivationPattern.

    Raises
    ------
    InvalidInputError
        The length is not `n`, or an entry is neither 0 nor 1.

    Examples
    --------
    >>> as_bits("0110", 4)
    array([False,  True,  True, False])
    """
    bits = pattern.bits if isinstance(pattern, ActivationPattern) else _bool_array(pattern)
    if bits.size != n:
        raise InvalidInputError(
            f"as_bits needs a pattern of {n} bits; got {bits.size}. Give one bit for each neuron "
            "that has a kink."
        )
    return bits


def _bool_array(bits: Any) -> NDArray[np.bool_]:
    """Return a fresh bool array of one axis."""
    if isinstance(bits, ActivationPattern):
        return bits.bits.copy()
    if isinstance(bits, str):
        if bits.strip("01"):
            shown = bits if len(bits) <= 40 else bits[:37] + "..."
            raise InvalidInputError(
                f"ActivationPattern needs a string of 0 and 1; got {shown!r}. "
                "Remove every other character."
            )
        array: NDArray[Any] = np.frombuffer(bits.encode("utf-8"), dtype=np.uint8) - ord("0")
    else:
        array = _array_of(bits)
    if array.ndim != 1:
        raise InvalidInputError(
            f"ActivationPattern needs one axis of bits; got shape {array.shape}."
        )
    if array.dtype == np.bool_:
        return array.copy()
    ones = array == 1
    if not bool((ones | (array == 0)).all()):
        raise InvalidInputError(
            "ActivationPattern needs bits that are 0 or 1; got another value. Compare the "
            "pre-activations with 0 first."
        )
    return np.asarray(ones, dtype=np.bool_)


def _array_of(bits: Any) -> NDArray[Any]:
    try:
        array = np.asarray(bits if hasattr(bits, "__array__") else list(bits))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"ActivationPattern needs a string or a sequence of 0 and 1; got an object of type "
            f"{type(bits).__name__}."
        ) from error
    if array.size == 0 and array.ndim == 1:
        return array.astype(np.bool_)
    if array.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"ActivationPattern needs numbers 0 and 1; got entries of type {array.dtype}."
        )
    return array

"""Which numbers does a torch tensor hold? Without importing torch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plregions.errors import InvalidNetworkError
from plregions.readers.forward_check import FloatType

__all__ = ["FLOAT_TYPES", "is_tensor", "numbers_of_tensor", "torch_slope"]

_BFLOAT16 = FloatType("bfloat16", eps=2.0**-7, tiny=2.0**-126, largest=(2 - 2.0**-7) * 2.0**127)
#: The float types in which torch multiplies matrices.
FLOAT_TYPES = {
    "torch.float64": FloatType.of("float64"),
    "torch.float32": FloatType.of("float32"),
    "torch.bfloat16": _BFLOAT16,
    "torch.float16": FloatType.of("float16"),
}


def is_tensor(value: Any) -> bool:
    """Tell whether a value is a torch tensor, by what it can do."""
    return all(hasattr(value, name) for name in ("detach", "cpu", "dtype", "numpy"))


def numbers_of_tensor(tensor: Any, *, verb: str, name: str) -> NDArray[Any]:
    """Return the numbers in a tensor of any device as an array, none rounded.

    Parameters
    ----------
    tensor : torch.Tensor
    verb, name : str
        Who asks, and what the tensor is, for messages.

    Returns
    -------
    ndarray
        Of the tensor's own type where numpy has it; float32 for bfloat16, which it contains.

    Raises
    ------
    InvalidNetworkError
        The tensor has no numbers (on the meta device) or they cannot be had.

    Algorithm
    ---------
    One copy.

    Exactness
    ---------
    Exact.
    """
    try:
        tensor = tensor.detach().cpu()
        if str(tensor.dtype) == "torch.bfloat16":
            tensor = tensor.float()
        return np.array(tensor.numpy())
    except (AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        raise InvalidNetworkError(
            f"{verb} needs a tensor of numbers; got {name}, which gives none "
            f"({type(error).__name__}: {' '.join(str(error).split())[:160]})."
        ) from error


def torch_slope(slope: Any, *, is_float64: bool) -> Any:
    """Return the slope by which torch multiplies in LeakyReLU.

    Parameters
    ----------
    slope : number
        As the module holds it. A Python float is what torch rounds; other numbers stay.
    is_float64 : bool
        Whether the layers are of float64.

    Returns
    -------
    number

    Algorithm
    ---------
    torch's kernels take the slope in float64 for float64, in float32 for all narrower types.

    Exactness
    ---------
    Exactly the number that torch multiplies by.

    Examples
    --------
    >>> torch_slope(0.01, is_float64=True), float(torch_slope(0.01, is_float64=False))
    (0.01, 0.009999999776482582)
    """
    if is_float64 or type(slope) is not float:
        return slope
    with np.errstate(over="ignore"):
        return np.float32(slope)

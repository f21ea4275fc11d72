"""What the torch reader sees of torch, on numpy: so that it is tested where torch is absent.

The classes have the names and modules of torch's own, and nothing that the reader does not use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

_SEEDS = count()  # no two layers are alike
_NUMPY_TYPE = {"torch.float16": "f2", "torch.float32": "f4", "torch.float64": "f8"}


class Tensor:
    def __init__(self, values: Any, dtype: str = "torch.float32") -> None:
        self.dtype = dtype
        self.values = np.array(values, dtype=_NUMPY_TYPE[dtype])

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def ndim(self) -> int:
        return self.values.ndim

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> np.ndarray:
        return self.values

    def new_tensor(self, values: Any) -> Tensor:
        return Tensor(values, self.dtype)


class Module:
    __module__ = "torch.nn.modules.module"

    def __init__(self) -> None:
        self.training = True
        self._modules: dict[str, Module] = {}

    def modules(self) -> Iterator[Module]:
        yield self
        for part in self._modules.values():
            yield from part.modules()

    def __call__(self, x: Tensor) -> Tensor:
        return self.forward(x)

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError


def entrywise(name: str, home: str, function: Callable[[np.ndarray], np.ndarray]) -> type[Module]:
    def forward(self: Module, x: Tensor) -> Tensor:
        return Tensor(function(x.values), x.dtype)

    return type(name, (Module,), {"__module__": f"torch.nn.modules.{home}", "forward": forward})


ReLU = entrywise("ReLU", "activation", lambda x: np.maximum(x, 0))
Identity = entrywise("Identity", "linear", lambda x: x)
Sigmoid = entrywise("Sigmoid", "activation", lambda x: 1 / (1 + np.exp(-x)))
Tanh = entrywise("Tanh", "activation", np.tanh)
GELU = entrywise("GELU", "activation", lambda x: x)
PReLU = entrywise("PReLU", "activation", lambda x: x)
BatchNorm1d = entrywise("BatchNorm1d", "batchnorm", lambda x: x)


class Linear(Module):
    __module__ = "torch.nn.modules.linear"

    def __init__(self, n_in: int, n_out: int, bias: bool = True) -> None:
        super().__init__()
        rng = np.random.default_rng(next(_SEEDS))
        self.weight = Tensor(rng.standard_normal((n_out, n_in)))
        self.bias = Tensor(rng.standard_normal(n_out)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        product = x.values @ self.weight.values.T
        return Tensor(product if self.bias is None else product + self.bias.values, x.dtype)


class LeakyReLU(Module):
    __module__ = "torch.nn.modules.activation"

    def __init__(self, negative_slope: float = 0.01) -> None:
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x: Tensor) -> Tensor:
        return Tensor(np.where(x.values > 0, x.values, self.negative_slope * x.values), x.dtype)


class Flatten(Module):
    __module__ = "torch.nn.modules.flatten"

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Tensor) -> Tensor:
        return x


class Dropout(Module):
    __module__ = "torch.nn.modules.dropout"

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        return Tensor(0 * x.values, x.dtype) if self.training else x


class Sequential(Module):
    __module__ = "torch.nn.modules.container"

    def __init__(self, *parts: Module) -> None:
        super().__init__()
        self._modules = {str(k): part for k, part in enumerate(parts)}

    def __getitem__(self, k: int) -> Module:
        return self._modules[str(k)]

    def forward(self, x: Tensor) -> Tensor:
        for part in self._modules.values():
            x = part(x)
        return x

"""Readers of networks from files and from models of other libraries.

No reader imports the library whose models it reads, but for onnx, whose files need it. The module
trained_family, which trains with scikit-learn, loads when it is asked for.
"""

from __future__ import annotations

from plregions.readers.load import load
from plregions.readers.nnet import load_nnet, nnet_box
from plregions.readers.sklearn import from_sklearn
from plregions.readers.state_dict import from_state_dict
from plregions.readers.torch import from_torch

__all__ = ["from_sklearn", "from_state_dict", "from_torch", "load", "load_nnet", "nnet_box"]

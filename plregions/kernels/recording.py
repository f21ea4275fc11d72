"""The log of a walk: which rows prove that a neuron does not cut a cell.

A step says: in the cell whose bits before ``bits`` are those of the next leaf, the neuron ``bit``
has one sign, the next leaf's. The next leaf of a walk depth first is the first one of that cell.
"""

from __future__ import annotations

from plregions.kernels.compile import inlined_kernel
from plregions.kernels.layout import BASE, LEAVES, STEPS, UNIT

__all__ = ["log_is_full", "log_step", "log_twin"]


@inlined_kernel
def log_step(net, t, bit, d):
    """Log that the basis proves a neuron to have one sign on the current cell."""
    k = t.ctl[STEPS]
    base = t.ctl[BASE]
    n_bits = t.bits.shape[0]
    t.step_place[k, 0] = t.ctl[LEAVES]
    t.step_place[k, 1] = net.bit[t.ctl[UNIT]]
    t.step_place[k, 2] = bit
    for j in range(d):
        label = t.label[base + t.nb[j]]
        t.step_rows[k, j] = net.bit[label] if label >= 0 else n_bits - 1 - label
    t.ctl[STEPS] = k + 1


@inlined_kernel
def log_is_full(net, t):
    """Whether the log has no room for a step on each of the network's neurons."""
    return t.ctl[STEPS] + t.bits.shape[0] > t.step_place.shape[0]


@inlined_kernel
def log_twin(net, t, bit, first):
    """Log that a neuron's row is a multiple of an earlier neuron's, whose bit is known."""
    k = t.ctl[STEPS]
    t.step_place[k, 0] = t.ctl[LEAVES]
    t.step_place[k, 1] = net.bit[t.ctl[UNIT]]
    t.step_place[k, 2] = bit
    for j in range(t.step_rows.shape[1]):
        t.step_rows[k, j] = -1
    t.step_rows[k, 0] = first
    t.ctl[STEPS] = k + 1

"""Units of a layer whose rows are equal or opposite, found by hashes."""

from __future__ import annotations

import math

from plregions.kernels.compile import inlined_kernel, kernel, summing_kernel

__all__ = ["link_multiples"]

# Hashes of multiples agree in so many steps, but for ties.
STEPS = 1e9


@summing_kernel
def _two_sums(row, weights):
    """Add up a row's entries with two kinds of weights."""
    one, other = 0.0, 0.0
    for k in range(row.shape[0]):
        one += row[k] * weights[0, k]
        other += row[k] * weights[1, k]
    return one, other


@inlined_kernel
def _hash(row, constant, weights):
    """Return a number that multiples of a row share, but for ties in rounding; NaN for a zero row.

    That is the ratio of two sums with weights that have no relation, rounded.
    """
    one, other = _two_sums(row, weights)
    one += 0.7548776662466927 * constant
    other += 0.5698402909980532 * constant
    if other == 0.0:
        return math.nan if one == 0.0 else math.inf
    mantissa, power = math.frexp(one / other)
    return math.floor(mantissa * STEPS + 0.5) + 16.0 * STEPS * power


@inlined_kernel
def _relation(row, constant, other, other_constant):
    """Return 1 for equal rows, -1 for opposite ones, else 0."""
    is_equal, is_opposite = constant == other_constant, constant == -other_constant
    for k in range(row.shape[0]):
        is_equal &= row[k] == other[k]
        is_opposite &= row[k] == -other[k]
    return 1 if is_equal else (-1 if is_opposite else 0)


@kernel
def link_multiples(
    layer_first, weight_first, weight, bias, weight_error, bias_error, bit,
    first_rows, first, later, is_opposite, hashes, last, weights, is_plain,
):  # fmt: skip
    """Link units with kinks whose rows [weight | bias] are equal or opposite, in all layers.

    ``is_plain`` becomes 0 for the layers in which some rows look alike and are neither: nothing
    said of them is of use but for their ``hashes``: NaN for rows that have no multiples. ``last``
    and ``weights`` are scratch, with an entry for each unit and two for each entry of the widest
    row. Cost linear in the number of weights, and a comparison for each two units of a layer.
    """
    d = first_rows.shape[1] - 1
    for k in range(weights.shape[1]):
        one, other = 0.6180339887498949 * (k + 1), 0.4142135623730951 * (k + 1)
        weights[0, k] = one - math.floor(one)
        weights[1, k] = other - math.floor(other)
    for layer in range(is_plain.shape[0]):
        is_plain[layer] = 1
        start, stop = layer_first[layer], layer_first[layer + 1]
        width, at = 0, 0
        if layer > 0:
            width, at = start - layer_first[layer - 1], weight_first[layer]
        for u in range(start, stop):
            first[u] = -1
            later[u] = -1
            is_opposite[u] = 0
            last[u] = u
            hashes[u] = math.nan
            i = u - start
            if bit[u] >= 0 and layer == 0:
                hashes[u] = _hash(first_rows[i, :d], first_rows[i, d], weights)
            elif bit[u] >= 0:
                row = weight[at + i * width : at + (i + 1) * width]
                hashes[u] = _hash(row, bias[u], weights)
            alike = 0
            before = hashes[start:u]
            for v in range(i):
                alike += 1 if before[v] == hashes[u] else 0
            for v in range(start, u if alike > 0 else start):
                if hashes[v] != hashes[u] or first[v] >= 0:
                    continue
                j = v - start
                if layer == 0:
                    found = _relation(
                        first_rows[i, :d], first_rows[i, d], first_rows[j, :d], first_rows[j, d]
                    )
                else:
                    found = _relation(
                        weight[at + i * width : at + (i + 1) * width], bias[u],
                        weight[at + j * width : at + (j + 1) * width], bias[v],
                    )  # fmt: skip
                errors = weight_error[u] + bias_error[u]
                errors += weight_error[v] + bias_error[v]
                if found == 0 or errors > 0.0:
                    is_plain[layer] = 0
                    continue
                first[u] = v
                is_opposite[u] = 1 if found < 0 else 0
                later[last[v]] = u
                last[v] = u
                break

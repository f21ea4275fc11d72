"""Small examples in the plane: a fold, the Courant hat, a bent hyperplane."""

from __future__ import annotations

from fractions import Fraction

from plregions.constructions.circuit import Circuit
from plregions.constructions.parameters import whole
from plregions.network import Network

__all__ = ["bent", "fold2d", "hat2d"]


def fold2d(m: int) -> Network:
    """Return the plane folded m + 2 times: exponentially many cones at width 4.

    (p, q) = (|x| + |y|, ||x| - |y||), then m times (p, q) <- (p, |p - 2 q|); the output is q.

    Parameters
    ----------
    m : int
        At least 0.

    Returns
    -------
    Network
        Hidden widths 4, then 3, m + 1 times.

    Raises
    ------
    InvalidInputError
        m is no whole number.

    Regions
    -------
    On R^2: 2^(m+3) activation regions, as many linear ones, half as many distinct affine maps
    (proved: every fold halves each cone). All kinks are lines through 0, 2^(m+2) of them, so
    that depth 2 does with that many neurons and one or two more.

    Exactness
    ---------
    Integer weights.

    References
    ----------
    Made for this project, a homogeneous relative of the foldings of G. Montufar et al., "On the
    number of linear regions of deep neural networks", NeurIPS 2014.

    Examples
    --------
    >>> fold2d(1), fold2d(1).exact([3, -1])
    (Network(2-4-3-3-1, 10 neurons), (Fraction(0, 1),))
    """
    m = whole("fold2d", "m", m, least=0)
    circuit = Circuit("fold2d", 2)
    u, v = (circuit.absolute(x) for x in circuit.inputs)
    p, q = circuit.relu(u + v), circuit.absolute(u - v)
    for _ in range(m):
        p, q = circuit.relu(p), circuit.absolute(p - 2 * q)
    return circuit.network([q])


def hat2d() -> Network:
    """Return the Courant hat on the plane: relu(1 - (|x| + |y| + |x - y|) / 2).

    Returns
    -------
    Network
        Hidden widths (6, 1).

    Regions
    -------
    On R^2: 12 activation regions, 7 linear ones (proved: six triangles and the outside).

    Exactness
    ---------
    Exact rational weights.

    References
    ----------
    J. He, L. Li, J. Xu, C. Zheng, "ReLU deep neural networks and linear finite elements", J.
    Comput. Math. 38, 2020.

    Examples
    --------
    >>> [str(hat2d().exact(x)[0]) for x in ([0, 0], ["1/2", "1/2"], ["1/2", "-1/2"])]
    ['1', '1/2', '0']
    """
    circuit = Circuit("hat2d", 2)
    x, y = circuit.inputs
    total = circuit.absolute(x) + circuit.absolute(y) + circuit.absolute(x - y)
    return circuit.network([circuit.relu(1 - Fraction(1, 2) * total)])


def bent() -> Network:
    """Return relu(u - relu(v)): the smallest function whose zero region is not convex.

    Returns
    -------
    Network
        Hidden widths (3, 1).

    Regions
    -------
    On R^2: 5 activation regions, 3 linear ones (proved). The origin is its one hard flat: no
    network of depth 2 equals it near there.

    Exactness
    ---------
    Integer weights.

    References
    ----------
    The bent hyperplanes of B. Hanin, D. Rolnick, "Complexity of linear regions in deep networks",
    ICML 2019.

    Examples
    --------
    >>> [int(bent().exact(x)[0]) for x in ([2, 1], [2, -1], [-1, -1])]
    [1, 2, 0]
    """
    circuit = Circuit("bent", 2)
    u, v = circuit.inputs
    return circuit.network([circuit.relu(circuit.carry(u) - circuit.relu(v))])

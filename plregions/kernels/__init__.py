"""Compiled loops: arrays in, arrays out. Nothing here knows a class of the package.

Every function is plain Python that numba compiles on first use and caches on disk; with
``NUMBA_DISABLE_JIT=1`` the same code runs interpreted. No fast-math: error bounds rely on IEEE
rounding; only some sums of sizes are added up in any order, with bounds that hold in each. A row
is ``(a_1, ..., a_d, c)`` and stands for ``a.u + c`` on the box ``|u_k| <= 1``.
"""

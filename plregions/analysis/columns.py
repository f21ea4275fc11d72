"""How do rows of exact numbers become a pandas, a Markdown, a text or a JSON table?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from plregions.errors import MissingExtraError
from plregions.exact.notation import number_to_str

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cell_text", "frame", "json_text", "json_value", "markdown", "plain_table"]

# Numbers with more digits than this are shown rounded in texts, never in JSON.
DIGITS = 40


def frame(verb: str, columns: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """Return columns as a pandas table; columns of exact numbers hold Python objects.

    Parameters
    ----------
    verb : str
        Who asks, for the error.
    columns : mapping of str to sequence

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    MissingExtraError
        pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError.of(verb, "the pandas library", "tables") from error
    # int64 and float64 where that loses nothing, else the objects themselves.
    return pd.DataFrame({name: pd.Series(_plain(values)) for name, values in columns.items()})


def _plain(values: Sequence[Any]) -> Any:
    import pandas as pd

    kinds = {type(v) for v in values}
    if kinds == {int} and max(map(abs, values)) < 2**63:
        return pd.array(values, dtype="int64")
    if kinds == {float} or kinds == {bool}:
        return list(values)
    return pd.array(list(values), dtype=object)


def markdown(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table.

    Parameters
    ----------
    heads : sequence of str
    rows : iterable of sequences

    Returns
    -------
    str

    Examples
    --------
    >>> print(markdown(["n", "share"], [[3, Fraction(1, 2)], [None, True]]))
    | n | share |
    | --- | --- |
    | 3 | 1/2 |
    | - | yes |
    """
    lines = [heads, ["---"] * len(heads), *([cell_text(v) for v in row] for row in rows)]
    return "\n".join(f"| {' | '.join(c.replace('|', chr(92) + '|') for c in r)} |" for r in lines)


def plain_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in columns of one width each, numbers to the right.

    Parameters
    ----------
    heads : sequence of str
    rows : iterable of sequences

    Returns
    -------
    str

    Examples
    --------
    >>> print(plain_table(["name", "n"], [["a", 3], ["bc", 12]]))
    name   n
    a      3
    bc    12
    """
    given = [list(row) for row in rows]
    texts = [list(heads), *([cell_text(v) for v in row] for row in given)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    is_number = [
        all(v is None or isinstance(v, int | float | Fraction) for v in column)
        for column in zip(*given, strict=True)
    ] or [False] * len(heads)
    lines = []
    for row in texts:
        cells = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, is_number, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def cell_text(value: Any) -> str:
    """Write a value for readers: exact if it is short.

    Examples
    --------
    >>> [cell_text(v) for v in (None, False, 10**6, Fraction(13, 90), 0.125, 10**50)]
    ['-', 'no', '1000000', '13/90', '0.125', '1.000e+50']
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int | Fraction):
        text = number_to_str(value)
        if len(text) <= DIGITS:
            return text
        if isinstance(value, Fraction):
            return f"{float(value):.6g}"
        digits = text.lstrip("-")
        return f"{text[: len(text) - len(digits) + 1]}.{digits[1:4]}e+{len(digits) - 1}"
    return str(value)


def json_value(value: Any) -> Any:
    """Return what JSON holds for a value: a rational that is no integer as text such as "13/90".

    Examples
    --------
    >>> json_value((1, Fraction(13, 90), None))
    [1, '13/90', None]
    """
    if isinstance(value, Fraction):
        return number_to_str(value)
    if isinstance(value, tuple | list):
        return [json_value(v) for v in value]
    if isinstance(value, Mapping):
        return {str(name): json_value(v) for name, v in value.items()}
    return value


def json_text(value: Any) -> str:
    """Write dicts, lists, texts and numbers as JSON; integers of any length in full.

    Raises
    ------
    ValueError
        NaN or an infinity.

    Examples
    --------
    >>> json_text({"n": [2**70, None]})
    '{"n": [1180591620717411303424, null]}'
    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json.dumps(k)}: {json_text(v)}' for k, v in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(json_text, value))}]"
    if isinstance(value, int) and not isinstance(value, bool):
        return number_to_str(value)  # json would stop at Python's limit of digits
    return json.dumps(value, allow_nan=False)

"""How does a notebook show a small table?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_table"]


def html_table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]], note: str = ""
) -> str:
    """Return a table as HTML that is also XML: every text escaped, nothing fetched or run.

    Parameters
    ----------
    caption : str
        Stands above the table.
    columns : sequence of str
        The heads of the columns; may be empty.
    rows : iterable of sequences
        Shown as ``str()`` shows each entry.
    note : str
        Stands below the table.

    Returns
    -------
    str

    Examples
    --------
    >>> html_table("a < b", [], [["0", 1]])
    '<div><p>a &lt; b</p><table><tbody><tr><td>0</td><td>1</td></tr></tbody></table></div>'
    """
    head = f"<thead>{_row('th', columns)}</thead>" if columns else ""
    body = "".join(_row("td", row) for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"<div><p>{escape(caption)}</p><table>{head}<tbody>{body}</tbody></table>{below}</div>"


def _row(tag: str, cells: Iterable[object]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"

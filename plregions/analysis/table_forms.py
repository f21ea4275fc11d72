"""In which forms does a table of results come? Text, HTML, Markdown, pandas and JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from plregions.analysis.columns import (
    cell_text,
    frame,
    json_text,
    json_value,
    markdown,
    plain_table,
)
from plregions.network.html import html_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Shown", "Table"]

# Heads and rows.
Shown = tuple[Sequence[str], Sequence[Sequence[Any]]]


class Table(ABC):
    """A table in all its forms; a class of its own says what stands in it.

    ``str()`` is a text in columns, and a notebook shows the table as HTML.
    """

    # The text has room for `columns[:_n_in_text]`.
    _n_in_text: ClassVar[int | None] = None

    @abstractmethod
    def _caption(self) -> str:
        """Return what stands above the table."""

    @abstractmethod
    def _shown(self) -> Shown:
        """Return heads and rows for readers."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, numbers and texts, as JSON takes them."""

    def _title(self) -> str:
        """Return what stands above the text, the caption unless a class says otherwise."""
        return self._caption()

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the columns for programs, those that are shown unless a class says otherwise."""
        heads, rows = self._shown()
        return {head: [row[k] for row in rows] for k, head in enumerate(heads)}

    def _attrs(self) -> dict[str, Any]:
        """Return what pandas keeps beside the columns."""
        return {}

    def __str__(self) -> str:
        heads, rows = self._shown()
        table = plain_table(heads[: self._n_in_text], [row[: self._n_in_text] for row in rows])
        title = self._title()
        return f"{title}\n{table}" if title else table

    def _repr_html_(self) -> str:
        heads, rows = self._shown()
        return html_table(self._caption(), heads, [[*map(cell_text, row)] for row in rows])

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        return markdown(*self._shown())

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas table; rationals stay Fractions, and integers are exact.

        Raises
        ------
        MissingExtraError
            pandas is not installed.
        """
        table = frame(f"{type(self).__name__}.to_frame", self._columns())
        table.attrs = self._attrs()
        return table

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON."""
        return json_text(self.to_dict())

    def _records(self) -> list[dict[str, Any]]:
        """Return the rows as dicts for JSON."""
        columns = self._columns()
        return [
            dict(zip(columns, map(json_value, row), strict=True))
            for row in zip(*columns.values(), strict=True)
        ]

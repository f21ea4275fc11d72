"""Readers of networks from files; each foreign format is loaded when a file needs it."""

from __future__ import annotations

from plregions.readers.load import load

__all__ = ["load"]

"""``python -m plregions``: the command line."""

from __future__ import annotations

import sys

from plregions.cli import main

if __name__ == "__main__":
    sys.exit(main())

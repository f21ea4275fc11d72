"""Can this file be written?"""

from __future__ import annotations

import os
from typing import IO, Any

from plregions.network.saving import write_whole

__all__ = ["check_writable"]


class _Tried(Exception):  # noqa: N818, it says that all is well
    """Ends a trial before anything is replaced."""


def check_writable(path: str | os.PathLike[str]) -> None:
    """Find out, before any long work, that `path` can be written.

    Parameters
    ----------
    path : str or PathLike
        The file that is to be written or replaced. It is not touched.

    Raises
    ------
    OSError
        The folder is missing or refuses a new file, or `path` is a folder, a device or a file
        without permission to write. The error carries `path` as its filename.

    Algorithm
    ---------
    `write_whole` makes its temporary file in the same folder, and the trial ends there.

    Examples
    --------
    >>> check_writable("no/such/folder/graph.json")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'no/such/folder/graph.json'
    """

    def stop(file: IO[bytes]) -> Any:
        raise _Tried

    try:
        write_whole(path, stop)
    except _Tried:
        return

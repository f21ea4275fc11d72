"""Runs examples that are skipped as doctests because they need a library that may be absent."""

from __future__ import annotations

import doctest
from typing import Any


def failures_in_examples(function: Any) -> int:
    """The number of examples in a docstring that fail, those marked +SKIP included."""
    text = function.__doc__.replace("# doctest: +SKIP", "")
    assert text != function.__doc__, "no example is skipped: this is not needed"
    names = {function.__name__: function}
    test = doctest.DocTestParser().get_doctest(text, names, function.__name__, None, None)
    return doctest.DocTestRunner().run(test, out=lambda _: None).failed

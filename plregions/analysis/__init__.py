"""Questions about networks and finished complexes, one module a question."""

"""Analysis of the limit of a router: facts go in, causes are weighed, and a verdict comes out, which may be
*unknown*."""

__all__ = ["cpu_budget", "ranking", "sources", "text", "verdicts", "words", "worth"]

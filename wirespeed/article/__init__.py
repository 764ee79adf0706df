"""A review of a DUT as markdown, to be filled in by who measured it: all that its results say stands in it, and what
was not measured is a marked gap.

`material` is what the archive has of the DUT; the template says it, and `chapters` has what it asks for; all are pure.
`build` reads.
"""

__all__ = ["build"]

"""A review of a box as markdown, to be filled in by who measured it: all that its results say stands in it, and what
was not measured is a marked gap.

`material` is what the corpus has of the box; `chapters` and `evidence` write it down; all are pure. `build` reads.
"""

"""From result files to a table and an interactive page.

`analysis` turns one result into curves and figures, `comparison` puts results side by side, `table`, `charts` and
`page` write them down; all are pure functions of data.
"""

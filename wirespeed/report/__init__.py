"""From result files to a table and an interactive page.

`comparison` puts analysed results side by side: `loads` groups them, `answers` says how fast, `remarks` what to beware
of, `configuration` what was set. `table`, `charts` and `page` write them down; all are pure functions of data. The page
is Jinja templates over the frozen values of `views`.
"""

__all__ = ["comparison", "configuration", "matrix", "matrix_text", "page", "power", "render"]

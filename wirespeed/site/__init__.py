"""A corpus as static pages: DUTs, tests, comparisons, trends, hardware, every result with its report and its file.

`entries` is what the index and the files say, as values; `home`, `dut`, `test` and `matrix` are what pages show of it;
all are pure. `build` writes them into a new folder that takes the old one's place when it is whole.
"""

__all__ = ["build", "dut", "entries", "figures", "home", "parts", "told", "worth"]

"""Common parts of all pages, in files and served: the stylesheet, escaped texts, and templates."""

__all__ = ["duts", "loads", "templates", "trust", "words"]

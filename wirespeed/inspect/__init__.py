"""Hardware and its limits: texts of a machine, facts read from them, budgets, problems, tables."""

__all__ = ["cpu", "facts", "known_nics", "marks", "optics", "pci", "questions", "sources", "tables", "transcript"]

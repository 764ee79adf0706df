"""Sources of facts: result files, pasted texts, evidence files."""

__all__ = ["files", "pasted", "texts"]

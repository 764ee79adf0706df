"""Sources of facts: result files, pasted texts, evidence files."""

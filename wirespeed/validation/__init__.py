"""What has been proved on what: one table, from which docs/validation.md and the README's lines are written."""

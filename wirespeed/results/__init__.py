"""What was measured, as values and as files. Knows nothing of how it is measured or shown."""

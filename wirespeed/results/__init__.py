"""Results of measurements, as values and as files. This package is independent of how they are measured or shown."""

"""Devices under test: description, preparation, telemetry."""

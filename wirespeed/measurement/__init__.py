"""Kinds of measurement, a folder each, and what they share."""

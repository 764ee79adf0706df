"""Soaks: a load held for minutes to days."""

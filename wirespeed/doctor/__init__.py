"""Suitability of a machine as tester or DUT: checks, one per file; fixes; and their reversal."""

__all__ = ["examination", "finding", "fixing"]

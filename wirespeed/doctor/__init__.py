"""Suitability of a machine as tester or DUT: checks, one per file; fixes; and their reversal."""

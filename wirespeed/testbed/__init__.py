"""Testbed files: tester, links and DUT of a measurement, and the check of each part."""

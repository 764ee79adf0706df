"""Campaigns: benches, devices and tests as a matrix in a file, run cell by cell (docs/campaigns.md)."""

"""Campaigns: benches, devices and tests as a matrix in a file, run cell by cell (docs/campaigns.md)."""

__all__ = ["benches", "campaign", "file", "landing", "loading", "ray_runner", "serve"]

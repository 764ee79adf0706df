"""Bursts: how many frames back to back a device forwards whole."""

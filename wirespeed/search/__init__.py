"""Searches for loads that a DUT carries: NDR, PDR and others by MLRsearch, MRR, latency at shares of them."""

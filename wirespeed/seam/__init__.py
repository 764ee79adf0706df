"""The seam between control and data plane: records that cross it, and protocols of the calls."""

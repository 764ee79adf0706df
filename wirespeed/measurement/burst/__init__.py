"""Bursts: the number of back-to-back frames that a device forwards without loss."""

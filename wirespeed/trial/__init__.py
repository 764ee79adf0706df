"""Holding a load on a device and counting what becomes of it: what every kind of test is made of."""

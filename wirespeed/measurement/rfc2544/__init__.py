"""Tests of RFC 2544 and of those that update it."""

"""Tests of stateful devices, RFC 9693: firewalls and NAT."""

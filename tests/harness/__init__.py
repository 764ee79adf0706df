"""Shared by tests of every folder: waiting, command lines, ports, CPUs."""

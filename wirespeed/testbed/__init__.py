"""The bench: which tester, wires and device a measurement stands on, as a file says it; proved part by part."""

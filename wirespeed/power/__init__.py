"""What a test costs in watts: meters, a log of what they say, and a device under test that has one."""

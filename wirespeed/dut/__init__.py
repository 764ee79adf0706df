"""What a device under test says of itself."""

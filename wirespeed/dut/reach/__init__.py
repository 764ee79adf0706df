"""Ways to the machine of a device under test: over SSH, in a namespace, here, or a record of its console."""

"""What tests of every folder share: waiting, command lines, ports, CPUs."""

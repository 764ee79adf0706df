"""What a lab takes of this machine: CPUs, TCP ports, programs of wirespeed as children."""

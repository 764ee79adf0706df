"""What a machine lacks to be a tester or a DUT: checks, a file each; what mends them; how that is put back."""

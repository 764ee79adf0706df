"""Kinds of devices: what each is asked, how each is prepared, what each tells under load."""

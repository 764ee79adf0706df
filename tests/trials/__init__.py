"""Trials: the programs broken on purpose, for half an hour and by chance of a stated seed (docs/develop/trials.md)."""

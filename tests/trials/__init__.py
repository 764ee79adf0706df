"""Trials: the programs are broken on purpose, for half an hour, at random with a stated seed
(docs/develop/trials.md).
"""

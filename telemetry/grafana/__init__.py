"""Boards as code: a module a board, `panels` for what stands on them, `board` for what all of them have."""

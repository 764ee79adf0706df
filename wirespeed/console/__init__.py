"""`wirespeed console`: T-Rex's console commands, and the live `tui`, against our generator or a T-Rex."""

__all__ = ["absent", "commands", "grammar", "running", "screen", "session", "shell"]

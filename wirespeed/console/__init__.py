"""`wirespeed console`: T-Rex's console commands, and the live `tui`, against our generator or a T-Rex."""

"""The live view of `wirespeed console`."""

"""The binding to the native core: `_core` is generated from native/include/wirespeed.h."""

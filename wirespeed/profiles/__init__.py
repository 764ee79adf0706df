"""Profiles: what a port sends. Built-in ones, and T-Rex's Python profile files without T-Rex."""

from __future__ import annotations

from wirespeed.profiles.loading import BUILTIN_NAMES, load_profile, load_profiles

__all__ = [
    "BUILTIN_NAMES",
    "builtin",
    "code",
    "load_profile",
    "load_profiles",
    "loading",
    "packet_files",
    "packet_text",
    "plain",
    "script",
    "stream_json",
]

"""docs/profiles.md: the built-in profiles and their tunables."""

from __future__ import annotations

from wirespeed.profiles.builtin import PROFILES, TUNABLES


def profiles_page() -> str:
    """The whole page."""
    rows = (
        f"| `{name}` | {one.packets} | {', '.join(f'`{tunable}`' for tunable in one.tunables)} |"
        for name, one in PROFILES.items()
    )
    return "\n".join(
        [
            *("# Built-in profiles", ""),
            "Load tests, searches and soaks take a profile by `-p` and its tunables by `-t`:",
            *("", "    wirespeed loadtest --lab embedded -p bench -t size=1514,vm=tuple -o tuple.json", ""),
            "Profiles from files: [generator.md](generator.md).",
            "",
            *("| profile | packets | tunables |", "|---|---|---|", *rows, ""),
            "Direction 0 sends from 16.0.0.0/8 to 48.0.0.0/8, direction 1 the reverse. The rates of the streams of a "
            "profile are shares: 3 Mpps on `imix` are 1.75 M + 1 M + 0.25 M.",
            *("", "| tunable | values (the first is the default) |", "|---|---|"),
            *(f"| `{name}` | {values} |" for name, values in TUNABLES.items()),
            *("", "`python -m manual references docs` writes this page from the code.", ""),
        ]
    )

"""Commands and options of T-Rex's console that have no work here, each with the reason."""

_TREX_ONLY = "for those who work on T-Rex's own console"
_EMULATION = "there is no emulation server; ports answer ARP, ND and ping for themselves, see `l3` and `ipv6`"

ABSENT = {
    **dict.fromkeys(
        ("ns show-counters", "ns clear-counters"), "hosts of a port are not counted; `capture` shows packets"
    ),
    "debug": _TREX_ONLY,
    "plugins": _TREX_ONLY,
}
"""Words that are not commands; a line that begins so is refused."""

MOOT = {
    "--xtui": "it opens no window; this terminal shows the live view",
    "--top": "it opens no window that could stay on top",
    "--emu": _EMULATION,
    "--emu-server": _EMULATION,
    "--emu-server-port": _EMULATION,
    "--emu-only-server": _EMULATION,
}
"""Options of T-Rex's console program that are taken, with a line that says so, and have no effect of their own."""

"""Columns and numbers the way VPP prints them."""

from __future__ import annotations


def centre(text: object, width: int) -> str:
    """Centred in `width`; the odd space goes left."""
    word = str(text)
    room = max(0, width - len(word))
    return " " * (room - room // 2) + word + " " * (room // 2)


def scientific(value: float, digits: int = 2) -> str:
    """`5.35e2`, `1.2908e6`, `0.00e0`: an exponent without sign or zeros."""
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def fixed(value: float, digits: int = 2) -> str:
    """`4.29`, `.61`, `0.00`: no zero before the point unless all is zero."""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") and float(text) != 0 else text


def speed(bits_per_second: int) -> str:
    """`10 Gbps`, `2.5 Gbps`, `100 Mbps`, `unknown`."""
    for factor, unit in ((10**9, "Gbps"), (10**6, "Mbps"), (10**3, "Kbps")):
        if bits_per_second >= factor:
            return f"{bits_per_second / factor:g} {unit}"
    return f"{bits_per_second} bps" if bits_per_second else "unknown"

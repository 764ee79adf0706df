"""A packet as text at the prompt: scapy's layers, joined with slashes, and nothing else of Python."""

from __future__ import annotations

import ast
import warnings
from typing import Any

from wirespeed.client.stateless_client import Pushed
from wirespeed.errors import UsageError
from wirespeed.scapy_layers import Ether, Packet, trex_defaults

_EXAMPLE = "Ether()/IP(dst=\"48.0.0.1\")/UDP(dport=12)/('x'*10)"
_ALLOWED = (
    ast.Expression,
    ast.BinOp,
    ast.Div,
    ast.Mult,
    ast.UnaryOp,
    ast.USub,
    ast.Call,
    ast.keyword,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.List,
    ast.Tuple,
)


def read_packet(text: str) -> tuple[Pushed, str]:
    """The packet, and scapy's description of it; UsageError for anything that is not an Ethernet packet.

    Addresses that the text leaves out are the port's.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        raise UsageError(f"packet {text!r} cannot be read; write layers such as {_EXAMPLE}") from None
    layers = _layers()
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED) or (isinstance(node, ast.Call) and not isinstance(node.func, ast.Name)):
            raise UsageError(f"packet {text!r}: only layers and their fields can stand here, as in {_EXAMPLE}")
        if isinstance(node, ast.Name) and node.id not in layers:
            raise UsageError(f"packet {text!r}: {node.id!r} is not a layer; `pkt -l` lists them")
    with trex_defaults(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            packet: Any = eval(compile(tree, "packet", "eval"), {"__builtins__": {}}, layers)
            raw = bytes(packet)
        except Exception as error:  # scapy raises whatever a field's value leads it into
            what = " ".join(str(error).split()) or type(error).__name__
            raise UsageError(f"packet {text!r} cannot be built: {what}") from None
        if not isinstance(packet, Ether):
            raise UsageError(f"packet {text!r} does not begin with Ether(); write layers such as {_EXAMPLE}")
        pushed = Pushed(raw, port_src_mac="src" not in packet.fields, port_dst_mac="dst" not in packet.fields)
        return pushed, str(packet.show2(dump=True))


def layer_names() -> str:
    """The layers, in alphabetical order."""
    return ", ".join(sorted(_layers(), key=str.lower))


def _layers() -> dict[str, type[Packet]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import scapy.all  # noqa: PLC0415 - 0.4 s that only `pkt` needs
    return {
        name: value for name, value in vars(scapy.all).items() if isinstance(value, type) and issubclass(value, Packet)
    }

"""Sources of the answers about a machine: the machine itself, files, or a stored inspection."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from wirespeed.errors import FileFault, UsageError
from wirespeed.files import open_regular, read_text_file
from wirespeed.inspect.board import board_of
from wirespeed.inspect.cpu import UNKNOWN, cpu_of
from wirespeed.inspect.dump import dump_bytes
from wirespeed.inspect.memory import decode_module
from wirespeed.inspect.pci import parse_dmesg, parse_lspci
from wirespeed.inspect.questions import QUESTIONS, nic_questions, question
from wirespeed.inspect.transcript import ShellMachine, TranscriptSection, ask, text
from wirespeed.results.inspection import Inspection
from wirespeed.units import parse_speed

_MOST_BYTES = 16 << 20
_MOST_MODULE_BYTES = 1 << 16
_DECODED = re.compile(
    r"(?P<sonic>EEPROM detected|Vendor Name\s*:)|Vendor name|vendor: .* PN: |Laser (?:output power|bias current)"
    r"|transceiver is present"
)
"""Formats of SONiC, ethtool, FreeBSD, Junos and NX-OS."""


def answers_of(machine: ShellMachine) -> dict[str, TranscriptSection]:
    """Everything that a running machine tells; errors as of its `run`."""
    found = ask(machine, QUESTIONS)
    names = [line.split("/")[4] for line in text(found, "nets").splitlines() if line.count("/") == 5]
    return found | ask(machine, nic_questions(names))


def answers_in(found: Inspection) -> dict[str, TranscriptSection]:
    """Answers that were kept with an inspection."""
    return {name: TranscriptSection(kept.text, kept.code) for name, kept in found.texts.items()}


def answers_from(files: Mapping[str, Path], modules: Sequence[Path] = ()) -> dict[str, TranscriptSection]:
    """Answers from files: `files` by the command that wrote them (lspci, dmesg, dmidecode, lscpu), `modules` dumps of
    `ethtool -m … hex on` or `raw on`, each named by its file's stem. FileFault names a file without such output."""
    answers = {}
    for command, path in files.items():
        printed = read_text_file(path, f"{command} output", _MOST_BYTES).decode(errors="replace")
        why = _why_none(command, printed)
        if why:
            raise FileFault(f"{path} {why}")
        answers[command] = TranscriptSection(printed)
    for path in modules:
        answers |= _module_section(path)
    return answers


def _why_none(command: str, printed: str) -> str:
    """Error in a text that is not an output of `command`; empty if it is one."""
    section_of = {command: TranscriptSection(printed)}
    match command:
        case "lspci" if not parse_lspci(printed):
            return "holds no device of lspci -vv (or of VPP's show pci)"
        case "dmesg" if not parse_dmesg(printed):
            return "holds no message about available PCIe bandwidth; give the whole of dmesg"
        case "dmidecode" if not (board_of(section_of).product or board_of(section_of).slots):
            return "holds no structure of dmidecode; it needs root, and prints English whatever the locale"
        case "lscpu" if cpu_of(section_of).model == UNKNOWN:
            return "holds no model name; run LC_ALL=C lscpu, since lscpu translates its words"
        case _:
            return ""


def _module_section(path: Path) -> dict[str, TranscriptSection]:
    with open_regular(path, "module dump") as file:
        raw = file.read(_MOST_MODULE_BYTES)
    # Bytes as they are have letters that no dump in hexadecimal has.
    is_text = all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in raw)
    try:
        if is_text and (decoded := _DECODED.search(raw.decode())):
            how = "`sfputil show eeprom-hexdump -p PORT`" if decoded["sonic"] else "`ethtool -m INTERFACE hex on`"
            raise ValueError(f"it is decoded, not a hex dump: give the output of {how}")
        data = dump_bytes(raw.decode()) if is_text else raw
        decode_module(data)
    except ValueError as error:
        raise FileFault(f"module dump {path}: {error}") from None
    lines = (f"0x{at:04x}:\t\t{data[at : at + 16].hex(' ')}" for at in range(0, len(data), 16))
    printed = raw.decode() if is_text else "\n".join(lines) + "\n"
    return {question(path.stem, "-m"): TranscriptSection(printed)}


def parse_ports(texts: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """`05:00=2x10G`: the ports behind a card. UsageError for another."""
    speeds = {}
    for word in texts:
        card, equals, rest = word.partition("=")
        count, times, speed = rest.partition("x")
        if not (equals and times and count.isascii() and count.isdigit() and 0 < int(count) <= 16):
            raise UsageError(f"--ports {word} cannot be read; give CARD=COUNTxSPEED, such as 05:00=2x10G")
        speeds[card] = (float(parse_speed(speed)),) * int(count)
    return speeds

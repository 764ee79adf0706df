"""Memory of SFP and QSFP modules: public dumps decoded by hand, and other contents of a cage."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.inspect.dump import dump_bytes
from wirespeed.inspect.memory import decode_module
from wirespeed.inspect.module import Limits, dbm, power_text
from wirespeed.inspect.sff8472 import decode_sfp
from wirespeed.inspect.sff8636 import decode_qsfp

HARDWARE = Path(__file__).parent / "data" / "hardware"


def dumped(name: str) -> bytes:
    return dump_bytes((HARDWARE / name).read_text())


def with_sum(data: bytearray, first: int, at: int) -> None:
    data[at] = sum(data[first:at]) & 0xFF


def external(**at: bytes) -> bytes:
    """The Finisar with external calibration, slopes of 1 and c1 of 2; bytes of its A2h at `at_OFFSET` are replaced."""
    data = bytearray(dumped("sfp-finisar.txt"))
    data[92] = 0x58
    with_sum(data, 64, 95)
    a2 = 256
    data[a2 + 56 : a2 + 76] = bytes.fromhex("00000000 00000000 00000000 40000000 00000000")
    data[a2 + 76 : a2 + 92] = bytes.fromhex("0100 0000 0100 0000 0100 0000 0100 0000")
    for name, value in at.items():
        offset = a2 + int(name.removeprefix("at_"))
        data[offset : offset + len(value)] = value
    with_sum(data, a2, a2 + 95)
    return bytes(data)


# ---- what the dumps say (vyatta-dataplane's and SONiC's tests, the MikroTik manual, DPDK's test)


def test_a_finisar_says_who_it_is_and_how_it_is():
    module = decode_sfp(dumped("sfp-finisar.txt"))
    assert (module.vendor, module.part, module.revision) == ("FINISAR CORP.", "FTLX8571D3BCL", "A")
    assert (module.serial, module.date) == ("AUJ0RCJ", "2015-10-29")
    assert module.compliance == ("10GBASE-SR",)
    assert (module.connector, module.encoding, module.rate_mbd) == ("LC", "64b/66b", 10300)
    assert module.wavelength_nm == 850
    assert module.reaches == {"OM2": 80, "OM1": 30, "OM3": 300}
    assert module.remarks == ()
    told = module.diagnostics
    assert told is not None
    (lane,) = told.lanes
    assert told.temperature_c == pytest.approx(20.008, abs=0.001)
    assert told.voltage_v == pytest.approx(3.3201)
    assert lane.bias_ma == pytest.approx(6.836, abs=0.001)
    assert (lane.tx_mw, lane.rx_mw) == (pytest.approx(0.6053), pytest.approx(0.5511))
    assert (round(dbm(lane.tx_mw), 2), round(dbm(lane.rx_mw), 2)) == (-2.18, -2.59)
    assert told.flags == () and told.states == ()
    assert (told.limits["temperature"].high_alarm, told.limits["temperature"].low_alarm) == (78, -13)
    assert (told.limits["bias"].high_alarm, told.limits["rx"].low_warning) == (pytest.approx(13.2), 0.0158)


def test_a_module_with_a_vendor_painted_over_is_told_of():
    module = decode_sfp(dumped("sfp-oem-sr.txt"))
    assert (module.vendor, module.part, module.serial) == ("OEMOEMOEMOEMOEMO", "SFP-10G-SR-IT", "WQ160412A115")
    assert "checksum of its base identity is 0x24 and ought to be 0xc7" in module.remarks
    assert "date of 2015-16-10 is not in the calendar" in module.remarks
    assert len(module.remarks) == 2
    told = module.diagnostics
    assert told is not None
    (lane,) = told.lanes
    assert told.temperature_c == pytest.approx(44.3477, abs=0.0001)
    assert told.flags == ("rx low alarm", "rx low warning")
    assert told.states == ("RX loss of signal",)
    assert (lane.bias_ma, lane.tx_mw, lane.rx_mw) == (pytest.approx(10.126), 0.597, 0.0001)
    assert power_text(lane.rx_mw) == "0.0001 mW / -40.00 dBm"
    limits = told.limits
    assert (limits["temperature"].high_alarm, limits["temperature"].low_alarm) == (80, -5)
    assert (limits["voltage"].high_alarm, limits["voltage"].low_warning) == (3.6, 3.1)
    assert (limits["tx"].high_alarm, limits["tx"].low_warning) == (1.5849, 0.1259)


def test_live_values_of_a_third_maker():
    data = bytearray(dumped("sfp-finisar.txt"))
    data[256 + 96 : 256 + 106] = bytes.fromhex("217c7e7205270a4b0bbe")
    told = decode_sfp(bytes(data)).diagnostics
    assert told is not None
    assert told.temperature_c == pytest.approx(33.484, abs=0.001)
    assert told.voltage_v == 3.2370
    assert (told.lanes[0].bias_ma, told.lanes[0].tx_mw, told.lanes[0].rx_mw) == (2.638, 0.2635, 0.3006)


def test_calibration_from_outside():
    told = decode_sfp(external(at_100=(19790).to_bytes(2, "big"), at_104=(6724).to_bytes(2, "big"))).diagnostics
    assert told is not None
    assert told.lanes[0].bias_ma == pytest.approx(39.580)
    assert told.lanes[0].rx_mw == pytest.approx(1.3448)
    assert round(dbm(told.lanes[0].rx_mw), 2) == 1.29


def test_all_powers_of_the_calibration_count():
    # c4 … c0 as floats: 2e-12, 0, 1e-4, 0, 3; raw 1000 gives 2 + 100 + 3.
    polynomial = bytes.fromhex("2c0cbccc 00000000 38d1b717 00000000 40400000")
    told = decode_sfp(external(at_56=polynomial, at_104=(1000).to_bytes(2, "big"))).diagnostics
    assert told is not None
    assert told.lanes[0].rx_mw == pytest.approx(105 / 10_000, rel=1e-5)


def test_a_calibration_that_is_no_number_is_not_used():
    module = decode_sfp(external(at_56=b"\x7f\xc0\0\0" * 5, at_104=(6724).to_bytes(2, "big")))
    assert module.diagnostics is not None
    assert module.diagnostics.lanes[0].rx_mw == 0.6724
    assert "its calibration of RX power is not a number; raw values are shown" in module.remarks


def test_rates_beyond_the_byte_and_wavelengths_beyond_belief():
    data = bytearray(dumped("sfp-finisar.txt"))
    data[12], data[66] = 0xFF, 0x70
    data[60:62] = b"\x83\x95"
    with_sum(data, 0, 63)
    with_sum(data, 64, 95)
    module = decode_sfp(bytes(data))
    assert module.rate_mbd == 28_000
    assert module.wavelength_nm == 33685
    assert module.remarks == ("wavelength of 33685 nm is implausible",)


def test_a_copper_cable_of_four_lanes_has_nothing_to_plot():
    module = decode_module(dumped("qsfp-molex.txt"))
    assert (module.kind, module.vendor, module.part) == ("QSFP+", "Molex Inc.", "1110401054")
    assert module.compliance == ("40GBASE-CR4",)
    assert (module.oui, module.connector, module.reaches) == ("00:09:3a", "none", {"copper": 1})
    assert module.wavelength_nm is None
    assert module.diagnostics is None


def qsfp28(size: int = 640) -> bytes:
    data = bytearray(size)
    data[0] = data[128] = 0x11
    data[22:24], data[26:28] = b"\x30\x40", (32638).to_bytes(2, "big")
    for lane, (rx, bias, tx) in enumerate([(1, 21525, 12763)] * 4):
        data[34 + 2 * lane : 36 + 2 * lane] = rx.to_bytes(2, "big")
        data[42 + 2 * lane : 44 + 2 * lane] = bias.to_bytes(2, "big")
        data[50 + 2 * lane : 52 + 2 * lane] = tx.to_bytes(2, "big")
    if size > 512:
        data[512:514] = b"\x50\x00"
    data[139], data[140], data[222] = 0x05, 0xFF, 103
    return bytes(data)


def test_four_lanes_of_light():
    module = decode_qsfp(qsfp28())
    told = module.diagnostics
    assert told is not None
    assert (told.temperature_c, told.voltage_v) == (48.25, 3.2638)
    assert [lane.bias_ma for lane in told.lanes] == [43.050] * 4
    assert [power_text(lane.tx_mw) for lane in told.lanes] == ["1.2763 mW / 1.06 dBm"] * 4
    assert [power_text(lane.rx_mw) for lane in told.lanes] == ["0.0001 mW / -40.00 dBm"] * 4
    assert told.limits["temperature"].high_alarm == 80
    assert (module.encoding, module.rate_mbd) == ("64b/66b", 25_750)
    without = decode_qsfp(qsfp28(256)).diagnostics
    assert without is not None and without.limits == {}


def test_flags_of_single_lanes():
    data = bytearray(qsfp28())
    data[3], data[6], data[10], data[14] = 0x82, 0x80, 0x08, 0x10
    told = decode_qsfp(bytes(data)).diagnostics
    assert told is not None
    assert told.flags == ("temperature high alarm", "rx high alarm of lane 4", "tx low warning of lane 3")
    assert told.states == ("RX loss of signal of lane 2", "TX loss of signal of lane 4")


# ---- what cannot be decoded says so


@pytest.mark.parametrize("size", [0, 1, 95])
def test_a_truncated_sfp_names_what_it_lacks(size):
    data = dumped("sfp-finisar.txt")[:size]
    with pytest.raises(ValueError, match="it is empty" if not size else f"it has {size} bytes, .* takes 96"):
        decode_module(data)


@pytest.mark.parametrize("size", [96, 256, 300])
def test_an_sfp_cut_before_its_diagnostics_keeps_its_identity(size):
    module = decode_module(dumped("sfp-finisar.txt")[:size])
    assert module.part == "FTLX8571D3BCL"
    assert module.diagnostics is None
    assert module.remarks == (f"it has diagnostics, and the dump ends before them ({size} bytes)",)


def test_a_truncated_qsfp_and_what_is_no_module():
    with pytest.raises(ValueError, match="it has 255 bytes, the identity of a QSFP takes 256"):
        decode_module(qsfp28()[:255])
    with pytest.raises(ValueError, match="its first byte is 0x7f; an SFP says 0x03"):
        decode_module(b"\x7f" * 256)


@given(st.sampled_from([0x03, 0x0D, 0x11]), st.binary(min_size=0, max_size=700))
def test_any_bytes_give_a_module_or_one_sentence(first, rest):
    try:
        module = decode_module(bytes([first]) + rest)
    except ValueError as error:
        assert "bytes" in str(error)
        return
    assert all(character.isprintable() for character in module.vendor + module.part + module.serial)
    if module.diagnostics is not None:
        for lane in module.diagnostics.lanes:
            assert abs(lane.rx_mw) < 1e30  # but not NaN or infinity, which JSON does not have


# ---- dumps in every layout

BYTES = bytes(range(0x30, 0x60))
LAYOUTS = {
    "ethtool": "Offset\t\tValues\n------\t\t------\n"
    + "".join(f"0x{at:04x}:\t\t{BYTES[at : at + 16].hex(' ')} \n" for at in range(0, 48, 16)),
    "i2cdump": "     0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f    0123456789abcdef\n"
    + "".join(
        f"{at:02x}: {BYTES[at : at + 16].hex(' ')}    {BYTES[at : at + 16].decode()}\n" for at in range(0, 48, 16)
    ),
    "plain": BYTES.hex(),
    "spaced": BYTES.hex(" "),
    "hexdump -C": "".join(
        f"{at:04x}: {BYTES[at : at + 16].hex(' ')}  |{BYTES[at : at + 16].decode()}|\n" for at in range(0, 48, 16)
    ),
}


WRITERS = [
    "hexdump -C",
    "hexdump",
    "hexdump -v",
    "xxd",
    "xxd -g1",
    "xxd -p",
    "od -t x1",
    "od -x",
    "od -A x -t x1z",
    "od -v -A n -t x1",
]


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize("name", ["sfp-finisar.txt", "sfp-oem-sr.txt", "qsfp-molex.txt"])
def test_programs_that_dump_a_file_are_read(command, name, tmp_path):
    words, data = command.split(), dumped(name)
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is missing")
    (tmp_path / "raw").write_bytes(data)
    printed = subprocess.run([*words, tmp_path / "raw"], capture_output=True, text=True, check=True).stdout
    assert dump_bytes(printed) == data


def sonic(data, port="Ethernet0", parts=None):
    """The format of `sfputil show eeprom-hexdump`. Each of `parts` is an address, an offset in `data` and a length."""
    if parts is None:
        upper = {f"Upper page {page}h": (128, 128 * (page + 1), 128) for page in range(len(data) // 128 - 1)}
        parts = {"Lower page 0h": (0, 0, 128), **upper}
    lines = [f"EEPROM hexdump for port {port}"]
    for name, (address, place, length) in parts.items():
        lines.append(f"        {name}")
        for at in range(0, length, 16):
            row = data[place + at : place + at + 16]
            shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
            lines.append(f"        {address + at:08x} {row[:8].hex(' ')}  {row[8:].hex(' ')} |{shown}|")
        lines.append("")
    return "\n".join(lines) + "\n"


def test_pages_of_a_switch_lie_where_ethtool_has_them():
    sfp = dumped("sfp-finisar.txt")
    halves = {"A0h dump": (0, 0, 256), "A2h dump (lower 128 bytes)": (0, 256, 128)}
    upper = {"A2h dump (upper 128 bytes) page 0h": (128, 384, 128)}
    assert dump_bytes(sonic(sfp, parts=halves | upper)) == sfp
    short = {"A0h dump": (0, 0, 128), "A2h dump (lower 128 bytes)": (0, 256, 128)}
    assert dump_bytes(sonic(sfp, parts=short)) == sfp[:128] + bytes(128) + sfp[256:384]
    qsfp = qsfp28()
    assert dump_bytes(sonic(qsfp)) == qsfp
    far = {"Lower page 0h": (0, 0, 128), "Upper page 0h": (128, 128, 128), "Upper page 10h": (128, 0, 128)}
    assert dump_bytes(sonic(qsfp, parts=far | {"Upper page 12h": (128, 0, 128)})) == (
        qsfp[:256] + bytes(15 * 128) + qsfp[:128]
    ), "a page above 11h is left out"
    third = {"Lower page 0h": (0, 0, 128), "Upper page 0h": (128, 128, 128), "Upper page 3h": (128, 512, 128)}
    assert decode_module(dump_bytes(sonic(qsfp, parts=third))) == decode_module(qsfp), "without pages 01h and 02h"
    with pytest.raises(ValueError, match="2 modules, of ports Ethernet0, Ethernet4; give one"):
        dump_bytes(sonic(qsfp) + sonic(qsfp, "Ethernet4"))


def cmis(size=384):
    data = bytearray(size)
    data[0] = data[128] = 0x18
    data[1], data[14:16], data[16:18], data[85] = 0x52, b"\x2a\x80", (33000).to_bytes(2, "big"), 2
    data[129:145], data[145:148], data[148:164] = b"ACME OPTICS     ", b"\x00\x90\x65", b"AO-400G-DR4     "
    data[164:166], data[166:182], data[182:190], data[203] = b"1A", b"AB1234567       ", b"230407  ", 0x0C
    if size > 256:
        data[260], data[266:268] = 0x05, (26220).to_bytes(2, "big")
    with_sum(data, 128, 222)
    return bytes(data)


def test_a_cmis_module_says_who_it_is_and_how_warm():
    module = decode_module(dump_bytes(sonic(cmis())))
    assert (module.kind, module.vendor, module.part, module.revision) == ("QSFP-DD", "ACME OPTICS", "AO-400G-DR4", "1A")
    assert (module.serial, module.date, module.oui) == ("AB1234567", "2023-04-07", "00:90:65")
    assert (module.connector, module.compliance) == ("MPO", ("CMIS 5.2", "single-mode fibre"))
    assert (module.wavelength_nm, module.reaches, module.remarks) == (1311.0, {"SMF": 500}, ())
    assert module.diagnostics is not None
    assert (module.diagnostics.temperature_c, module.diagnostics.voltage_v) == (42.5, 3.3)
    damaged = bytearray(cmis(256))
    damaged[130] ^= 1
    assert "checksum of its identity" in decode_module(bytes(damaged)).remarks[0]
    with pytest.raises(ValueError, match="200 bytes, the identity of a CMIS module takes 256"):
        decode_module(cmis()[:200])


def cmis_with_lanes() -> str:
    """Page 11h of a module whose second lane is dark, with currents in units of 8 µA, in SONiC's form."""
    data = bytearray(cmis(384) + bytes(128 * 16))
    data[128 * 2 + 160 - 128] = 0b10_111  # page 01h: all three are measured, currents times 4
    page_02, page_11 = 128 * 3, 128 * 18
    data[page_02 : page_02 + 8] = b"".join(value.to_bytes(2, "big") for value in (75 * 256, 0xFB00, 70 * 256, 0))
    data[page_02 + 48 : page_02 + 56] = b"".join(value.to_bytes(2, "big") for value in (6500, 1000, 6000, 1250))
    data[page_11 + 147 - 128] = data[page_11 + 150 - 128] = 0b10  # signal lost, and its power alarms
    for lane in range(8):
        for at, value in ((154, 10_000 + lane), (170, 7500), (186, 0 if lane == 1 else 5511)):
            place = page_11 + at - 128 + 2 * lane
            data[place : place + 2] = value.to_bytes(2, "big")
    parts = {"Lower page 0h": (0, 0, 128)}
    return sonic(bytes(data), parts=parts | {f"Upper page {n:x}h": (128, 128 * (n + 1), 128) for n in (0, 1, 2, 0x11)})


def test_lanes_of_a_cmis_module_are_read_from_page_11h():
    module = decode_module(dump_bytes(cmis_with_lanes()))
    assert module.diagnostics is not None and len(module.diagnostics.lanes) == 8
    dark = module.diagnostics.lanes[1]
    assert (dark.bias_ma, dark.tx_mw, dark.rx_mw) == (60.0, 1.0001, 0.0)
    assert module.diagnostics.lanes[7].rx_mw == 0.5511
    assert module.diagnostics.states == ("RX loss of signal of lane 2",)
    assert module.diagnostics.flags == ("rx low alarm of lane 2",)
    assert module.diagnostics.limits == {"temperature": Limits(75, -5, 70, 0), "tx": Limits(0.65, 0.1, 0.6, 0.125)}
    assert (module.wavelength_nm, module.reaches) == (1311.0, {"SMF": 500})


def test_a_module_of_another_standard_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"its kind is XFP \(0x06\)"):
        decode_module(b"\6" + bytes(255))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_dump_is_read_whoever_wrote_it(layout):
    assert dump_bytes(LAYOUTS[layout]) == BYTES


def test_lines_that_are_left_out_are_those_before_them():
    assert dump_bytes("0x0000: " + "ff " * 16 + "\n*\n0x0030: " + "01 " * 16) == b"\xff" * 48 + b"\1" * 16


def test_a_text_without_bytes_is_no_dump():
    with pytest.raises(ValueError, match="no bytes in hexadecimal"):
        dump_bytes("Cannot get module EEPROM information: Operation not supported\n")


@given(st.text())
def test_any_text_is_a_dump_or_none(text):
    try:
        assert dump_bytes(text)
    except ValueError as error:
        assert "no bytes" in str(error)

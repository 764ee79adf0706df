"""The machines of a bench: where their CPUs' time goes, what interrupts them, how hot they are and what they draw."""

from __future__ import annotations

from telemetry.grafana.board import Board, Row, Variable
from telemetry.grafana.panels import Query, lines
from telemetry.grafana.promql import rate, total
from telemetry.grafana.tests_on_axis import TESTS

DUT = "wirespeed_dut"
OF_DUT = 'target=~"$instance"'
OF_CPU = f'{OF_DUT}, cpu=~"$cpu"'
OF_INTERFACE = f'{OF_DUT}, interface=~"$interface"'
BESIDE_PACKETS = f'{OF_INTERFACE}, counter!~".*(bytes|packets|compressed)"'
SECONDS = rate(f"{DUT}_cpu_seconds_total", OF_CPU)
BUSY_SECONDS = rate(f"{DUT}_cpu_seconds_total", f'{OF_CPU}, mode!~"idle|iowait"')

CPUS = Row(
    "CPU",
    (
        lines(
            "CPU by class",
            "Seconds of CPU a second, of all chosen CPUs: 1 is one whole CPU. A kernel that forwards shows in softirq.",
            "short",
            Query(total("target, mode", SECONDS), "{{target}} {{mode}}"),
            stacked=True,
        ),
        lines(
            "Busy share by CPU",
            "One CPU at 100 % beside idle ones: all packets go to one queue.",
            "percentunit",
            Query(
                f"{total('target, cpu', BUSY_SECONDS)} / {total('target, cpu', SECONDS)}",
                "{{target}} CPU {{cpu}}",
            ),
            most=1,
        ),
        lines(
            "Soft interrupts",
            "By kind. NET_RX is the kernel taking packets in.",
            "short",
            Query(total("target, kind", rate(f"{DUT}_softirqs_total", OF_CPU)), "{{target}} {{kind}}"),
        ),
        lines(
            "Interrupts",
            "By source, a second: which queue of which NIC interrupts.",
            "short",
            Query(
                f"topk(20, {total('target, name', rate(f'{DUT}_interrupts_total', OF_CPU))})",
                "{{target}} {{name}}",
            ),
        ),
        lines(
            "Kernel's receive path",
            "Of softnet: time_squeeze, a round ended with packets still waiting; dropped, the backlog was full.",
            "pps",
            Query(
                total("target, cpu, event", rate(f"{DUT}_softnet_total", OF_CPU)), "{{target}} CPU {{cpu}} {{event}}"
            ),
        ),
        lines(
            "Clock frequency",
            "By CPU. One that falls under load explains a rate that falls.",
            "hertz",
            Query(f"{DUT}_cpu_frequency_hertz{{{OF_CPU}}}", "{{target}} CPU {{cpu}}"),
        ),
    ),
)
HARDWARE = Row(
    "NICs, heat and power",
    (
        lines(
            "NIC counters",
            "What drivers count beside packets: missed, errors, full rings.",
            "pps",
            Query(
                f"topk(20, {total('target, interface, counter', rate(f'{DUT}_nic_total', BESIDE_PACKETS))})",
                "{{target}} {{interface}} {{counter}}",
            ),
        ),
        lines(
            "Temperature",
            "By sensor.",
            "celsius",
            Query(f"{DUT}_temperature_celsius{{{OF_DUT}}}", "{{target}} {{sensor}}"),
        ),
        lines(
            "Power",
            "By meter. RAPL is the package's alone.",
            "watt",
            Query("wirespeed_power_watts", "{{target}} {{source}} {{zone}}"),
        ),
        lines(
            "Optic modules",
            "Temperature of each.",
            "celsius",
            Query("wirespeed_module_temperature_celsius", "{{target}} {{interface}}"),
        ),
    ),
)

BOARD = Board(
    "bench",
    "wirespeed: bench",
    "The machines under test: CPU by class, soft interrupts, interrupts, heat and watts.",
    (
        Variable("instance", "Machine", f"{DUT}_cpu_seconds_total", "target"),
        Variable("cpu", "CPU", f'{DUT}_cpu_seconds_total{{target=~"$instance"}}', "cpu"),
        Variable("interface", "Interface", f'{DUT}_nic_total{{target=~"$instance"}}', "interface"),
    ),
    (CPUS, HARDWARE),
    TESTS,
)

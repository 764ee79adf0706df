"""The hosts of a testbed: use of CPU time, interrupts, temperatures and power."""

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
            "CPU seconds per second, summed over the selected CPUs: 1 is one whole CPU. A forwarding kernel shows as "
            "softirq.",
            "short",
            Query(total("target, mode", SECONDS), "{{target}} {{mode}}"),
            stacked=True,
        ),
        lines(
            "Busy share by CPU",
            "One CPU at 100 % beside idle ones: all packets are in a single queue.",
            "percentunit",
            Query(
                f"{total('target, cpu', BUSY_SECONDS)} / {total('target, cpu', SECONDS)}",
                "{{target}} CPU {{cpu}}",
            ),
            most=1,
        ),
        lines(
            "Soft interrupts",
            "Softirqs per second, by kind. NET_RX is the receive path of the kernel.",
            "short",
            Query(total("target, kind", rate(f"{DUT}_softirqs_total", OF_CPU)), "{{target}} {{kind}}"),
        ),
        lines(
            "Interrupts",
            "Interrupts per second, by source: which NIC queue interrupts.",
            "short",
            Query(
                f"topk(20, {total('target, name', rate(f'{DUT}_interrupts_total', OF_CPU))})",
                "{{target}} {{name}}",
            ),
        ),
        lines(
            "Kernel's receive path",
            "Counters of softnet_stat. time_squeeze: a round was cut short with packets waiting. dropped: the "
            "backlog was full.",
            "pps",
            Query(
                total("target, cpu, event", rate(f"{DUT}_softnet_total", OF_CPU)), "{{target}} CPU {{cpu}} {{event}}"
            ),
        ),
        lines(
            "Clock frequency",
            "By CPU. A clock that falls under load is throttled and lowers the rate.",
            "hertz",
            Query(f"{DUT}_cpu_frequency_hertz{{{OF_CPU}}}", "{{target}} CPU {{cpu}}"),
        ),
    ),
)
HARDWARE = Row(
    "NICs, temperature and power",
    (
        lines(
            "NIC counters",
            "Counters of the drivers other than packets: missed, errors, full rings.",
            "pps",
            Query(
                f"topk(20, {total('target, interface, counter', rate(f'{DUT}_nic_total', BESIDE_PACKETS))})",
                "{{target}} {{interface}} {{counter}}",
            ),
        ),
        lines(
            "Temperature",
            "By sensor. High values explain throttling.",
            "celsius",
            Query(f"{DUT}_temperature_celsius{{{OF_DUT}}}", "{{target}} {{sensor}}"),
        ),
        lines(
            "Power",
            "Watts, by meter. RAPL covers only the CPU package.",
            "watt",
            Query("wirespeed_power_watts", "{{target}} {{source}} {{zone}}"),
        ),
        lines(
            "Optic modules",
            "Temperature of each pluggable module.",
            "celsius",
            Query("wirespeed_module_temperature_celsius", "{{target}} {{interface}}"),
        ),
    ),
)

BOARD = Board(
    "testbed",
    "wirespeed: testbed",
    "The hosts of a testbed: CPU time by class, interrupts, temperatures, power.",
    (
        Variable("instance", "Host", f"{DUT}_cpu_seconds_total", "target"),
        Variable("cpu", "CPU", f'{DUT}_cpu_seconds_total{{target=~"$instance"}}', "cpu"),
        Variable("interface", "Interface", f'{DUT}_nic_total{{target=~"$instance"}}', "interface"),
    ),
    (CPUS, HARDWARE),
    TESTS,
)

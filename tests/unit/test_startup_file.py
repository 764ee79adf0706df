"""VPP's start-up file: supported sections, ignored ones, and errors that point at the word."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.cpus import MAX_WORKERS
from wirespeed.errors import FileFault, UsageError, WirespeedError
from wirespeed.router.settings import router_settings
from wirespeed.router.startup.log import Log
from wirespeed.router.startup.schema import FILE
from wirespeed.router.startup.settings import Startup, make_startup, read_startup
from wirespeed.router.startup.syntax import read_text

# The R86S article's.
R86S = """\
dpdk {
  dev 0000:02:00.0 { name e0 }
  dev 0000:03:00.0 { name e1 }
  no-multi-seg
  decimal-interface-names
  uio-driver vfio-pci
}
"""

# The Fitlet2 article's.
FITLET2 = """\
dpdk {
  dev default {
    num-rx-desc 512   ## default
    num-tx-desc 1024
  }
  no-multi-seg
}
"""

PACKAGED = """\
unix {
  nodaemon
  log /var/log/vpp/vpp.log
  full-coredump
  cli-listen /run/vpp/cli.sock
  gid vpp
}
api-trace {
  ## leave it on
  on
}
api-segment { gid vpp }
socksvr { default }
cpu {
  # main-core 1
}
"""


SECTIONS = """
    acl-plugin af_xdp api-fuzz api-queue api-segment api-trace avf buffers cj cnat cpu crypto crypto-engines
    crypto_sw_scheduler ct6 devices dns dpdk dsa dslite ethernet fateshare gbp hs_apps http ikev2 interface ip
    ip4 ip6 ipsec l2fib l2learn l2tp l3fib linux-cp linux-nl logging mactime map mc memory mpls nat nat44
    nat64 node npol-plugin nsim oam oddbuf perfmon physmem pktgen plugins punt pvti quic rdma selog session
    sfdp snat socksvr ssvm_eth stats statseg tap tapcli tcp test-proxy tls trace tuntap udp unix unix-cli
    vapi-trace vhost-user vlib vmxnet3 wireguard
"""
"""Sections of present and earlier versions of VPP; those without effect here are skipped with any content."""


def startup(text: str) -> Startup:
    return make_startup(read_text(text, "vpp.conf", FILE), "vpp.conf")


def refusal(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        startup(text)
    line = str(caught.value)
    assert "\n" not in line
    return line


# ---- What is read


def test_the_r86s_file() -> None:
    read = startup(R86S)
    assert [(one.name, str(one.port)) for one in read.interfaces] == [
        ("e0", "pci:0000:02:00.0"),
        ("e1", "pci:0000:03:00.0"),
    ]
    assert read.notice == (
        "vpp.conf: no meaning here, left out: dpdk uio-driver vfio-pci (devices are bound beforehand)"
    )


def test_the_fitlet2_file_sets_descriptors_of_all_devices() -> None:
    read = startup(FITLET2 + "dpdk { dev 01:00.0 dev 0000:03:00.0 { num-rx-desc 256 name slow } }")
    assert [(one.name, one.port.rx_descriptors, one.port.tx_descriptors) for one in read.interfaces] == [
        ("%s1/0/0", 512, 1024),
        ("slow", 256, 1024),
    ]
    assert read.notice is None


def test_the_packaged_file_names_all_that_has_no_meaning_in_one_notice() -> None:
    read = startup(PACKAGED)
    assert read.socket == Path("/run/vpp/cli.sock")
    assert read.log == Path("/var/log/vpp/vpp.log")
    assert read.interfaces == () and read.worker_cpus == () and read.main_cpu is None
    assert read.notice == (
        "vpp.conf: no meaning here, left out: unix nodaemon, unix full-coredump, unix gid, api-trace, api-segment"
    )


def test_each_word_of_vpps_stock_file_is_taken() -> None:
    read = startup(
        "unix { nodaemon log /var/log/vpp/vpp.log full-coredump cli-listen /run/vpp/cli.sock gid vpp interactive"
        " nocolor nobanner } api-trace { on nitems 9 save-api-table f } api-segment { gid vpp } socksvr { default }\n"
        "memory { main-heap-size 2G main-heap-page-size 1G default-hugepage-size 1G }\n"
        f"cpu {{ main-core {min(os.sched_getaffinity(0))} skip-cores 0 scheduler-policy fifo scheduler-priority 50 }}\n"
        "buffers { buffers-per-numa 128000 default data-size 2048 page-size default-hugepage layout packed }\n"
        "dsa { dev wq0.0 dev wq0.1 }\n"
        "dpdk { dev default { num-rx-queues 3 num-tx-queues 3 num-rx-desc 512 num-tx-desc 512 tso on rss-queues 0,2,5-7"
        " devargs safe-mode-support=1,pipeline-mode-support=1 } dev 0000:02:00.0 blacklist 8086:10fb\n"
        " dev 0000:02:00.1 { name eth0 no-rx-interrupts } uio-driver vfio-pci no-multi-seg socket-mem 2048,2048"
        " no-tx-checksum-offload enable-tcp-udp-checksum max-simd-bitwidth 512 }\n"
        "node { default { variant avx512 } ip4-rewrite { variant avx2 } }\n"
        "plugins { path /a add-path /b plugin default { disable } plugin dpdk_plugin.so { enable } }\n"
        "statseg { socket-name /run/s size 32M page-size 2m per-node-counters on update-interval 10 }\n"
        "l3fib { load-balance-pool-size 1M } l2fib { table-size 512M } ipsec { ip4 { num-buckets 524288 } }\n"
        "logging { default-log-level debug class dpdk/cryptodev { rate-limit 100 level debug syslog-level error } }\n"
    )
    assert [one.name for one in read.interfaces] == ["%s2/0/0", "eth0"]
    assert (read.buffers, read.stats_socket, read.stats_interval_s) == (128_000, Path("/run/s"), 10)


def test_each_section_of_vpp_is_taken_and_those_without_effect_are_named_once() -> None:
    assert startup("".join(f"{name} {{ }}\n" for name in SECTIONS.split())).commands == ()
    read = startup("l3fib { fib-entry-pool-size 256K }\nnsim { poll main }\nl3fib { x { y } }\nplugin_path /usr/lib\n")
    assert read.notice == "vpp.conf: no meaning here, left out: l3fib, nsim, plugin_path"
    assert "devices (VPP's own drivers; name NICs by dpdk { dev ADDRESS })" in str(
        startup("devices { dev pci/0000:11:00.0 { driver iavf port 0 { name e0 } } }").notice
    )
    assert startup("buffers { layout packed numa 0 { buffers 9 } buffers-per-numa 77 }").buffers == 77


def test_the_api_socket_has_vpps_section() -> None:
    assert startup("socksvr { socket-name /run/vpp/api.sock }").api_socket == Path("/run/vpp/api.sock")
    assert startup("socksvr { default }").api_socket is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("dpdk { dev 0000:0a:10.1 }", ["%sa/10/1"]),
        ("dpdk { dev 0000:0a:10.1 decimal-interface-names }", ["%s10/16/1"]),
        ("dpdk { dev 0001:0a:10.1 }", ["%s1/a/10/1"]),
        ("dpdk { vdev net_null0,size=64 vdev net_null1 { name n1 } }", ["net_null0", "n1"]),
        ("dpdk { dev ring:loop dev af_packet:eth1 dev null { name n } }", ["loop", "eth1", "n"]),
    ],
)
def test_interfaces_are_named_as_vpp_does_unless_they_have_a_name(text: str, names: list[str]) -> None:
    assert [one.name for one in startup(text).interfaces] == names


def test_a_device_has_an_mtu_and_a_port_of_several() -> None:
    text = """dpdk {
        dev default { mtu 9000 }
        dev 0000:02:00.0 { port 0 }
        dev 0000:02:00.0 { port 1 mtu 2000 }
        dev null,mtu=1600 { name n }
    }"""
    one, two, three = startup(text).interfaces
    assert (one.name, one.port.mtu, one.port.device_port) == ("%s2/0/0-0", 9000, 0)
    assert (two.name, two.port.mtu, two.port.device_port) == ("%s2/0/0-1", 2000, 1)
    assert three.port.mtu == 1600
    with pytest.raises(WirespeedError, match="port selects a port of a PCI device"):
        startup("dpdk { dev null { port 1 } }")


def test_our_port_specs_and_dpdks_own_words_become_ports() -> None:
    text = """dpdk {
        dev default { num-rx-queues 2 num-rx-desc 512 }
        dev ring:a,rxd=256 { num-tx-queues 4 }
        vdev net_memif0,role=server,socket=/run/m.sock { num-rx-queues 3 }
        dev 0000:02:00.0 { devargs vlan-strip=1 workers 0,1-2 }
    }"""
    ring, memif, pci = (one.port for one in startup(text).interfaces)
    assert (ring.rx_queues, ring.tx_queues, ring.rx_descriptors) == (2, 4, 256)
    assert memif.devargs(5) == "net_memif0,role=server,socket=/run/m.sock"
    assert memif.rx_queues == 3
    assert pci.devargs(0) == "0000:02:00.0,vlan-strip=1"
    assert startup(text).interfaces[2].workers == (0, 1, 2)


def test_the_remaining_sections() -> None:
    read = startup(
        "buffers { buffers-per-numa 128000 default data-size 4096 page-size default-hugepage }\n"
        "statseg { socket-name /run/s.sock per-node-counters off update-interval 0.5 size 32M\n"
        " per-route-counters on per-adjacency-counters off }\n"
        "linux-cp { default netns dataplane lcp-sync lcp-auto-subint }\n"
        "plugins { plugin nat_plugin.so { enable } }\n"
        "plugins { plugin default { disable } plugin dpdk_plugin.so {enable} plugin acl_plugin.so { enable } }\n"
        "unix { exec /etc/vpp/boot.conf pidfile /run/vpp.pid runtime-dir /run/ours }\n"
        "memory { main-heap-size 1536M main-heap-page-size default-hugepage }\n"
        "heapsize 3G\n"
        "acl-plugin { connection count max 1000 reclassify sessions 1 }\n"
        "neighbors { announce ip6 dad-transmits 1 }\n"
    )
    assert (read.buffers, read.buffer_size, read.hugepages) == (128000, 4096, True)
    assert (read.stats_socket, read.stats_nodes, read.stats_interval_s) == (Path("/run/s.sock"), False, 0.5)
    assert read.stats_bytes == 32 << 20
    assert [line for _, line in read.commands] == [
        "lcp default netns dataplane",
        "lcp lcp-sync on",
        "lcp lcp-auto-subint on",
        "set acl-plugin session table max-entries 1000",
        "set ip neighbor-config ip6 announce on",
        "set ip6 dad all transmits 1",
        "route counters enable",
    ]
    assert (read.exec_file, read.pidfile) == (Path("/etc/vpp/boot.conf"), Path("/run/vpp.pid"))
    assert read.socket == Path("/run/ours/router.sock")
    assert read.notice is not None
    assert read.notice.endswith(
        ": plugin nat_plugin.so, memory main-heap-size, heapsize, acl-plugin reclassify sessions"
    )


@pytest.mark.parametrize("text", ["dpdk { no-hugetlb }", "buffers { page-size 4K }", "buffers { page-size default }"])
def test_ordinary_pages_may_be_asked_for(text: str) -> None:
    assert not startup(text).hugepages


def test_a_tcp_port_of_this_machine_is_for_terminals_and_others_are_left_out() -> None:
    for text, telnet in (("localhost:5002", ("localhost", 5002)), ("[::1]:5002", ("::1", 5002))):
        read = startup(f"unix {{ cli-listen {text} }}")
        assert (read.socket, read.telnet, read.notice) == (None, telnet, None)
    read = startup("unix { cli-listen 0.0.0.0:5002 }")
    assert read.telnet is None
    assert read.notice is not None and "cli-listen 0.0.0.0:5002 (other machines could command the router" in read.notice
    with pytest.raises(UsageError, match="cli-listen localhost:70000: give a path, or localhost and a TCP port"):
        startup("unix { cli-listen localhost:70000 }")


# ---- CPUs


@pytest.mark.parametrize(
    ("text", "main", "workers"),
    [
        ("", None, ()),
        ("main-core 2", 2, ()),
        ("workers 2", None, (3, 4)),
        ("workers 5", None, (2, 3, 4, 5, 6)),
        ("main-core 3 workers 3", 3, (2, 4, 5)),
        ("skip-cores 2 workers 1", None, (5,)),
        ("corelist-workers 2,4-5", None, (2, 4, 5)),
        ("main-core 6 corelist-workers 2-3", 6, (2, 3)),
        ("workers 1 relative", None, (3,)),
        ("main-core 0 workers 2 relative", 2, (3, 4)),
        ("relative main-core 1 corelist-workers 2-3,0", 3, (4, 5, 2)),
    ],
)
def test_cpus_are_chosen_as_vpp_does(
    monkeypatch: pytest.MonkeyPatch, text: str, main: int | None, workers: tuple[int, ...]
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {2, 3, 4, 5, 6})
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    read = startup(f"cpu {{ {text} }}")
    assert (read.main_cpu, read.worker_cpus) == (main, workers)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("main-core 4000", "vpp.conf:1: CPU 4000 does not exist"),
        ("corelist-workers 0-3999", "CPU"),
        ("corelist-workers OWN,OWN", "give at most 64 CPUs, each once"),
        ("corelist-workers 1-", "corelist-workers 1-: give CPU numbers such as 1 or 2-3,18-19"),
        ("workers 0", f"workers 0: give a number from 1 to {MAX_WORKERS}"),
        ("main-core 3999 relative", "vpp.conf:1: main-core 3999 relative: this process may use"),
        ("corelist-workers 0-3999 relative", "corelist-workers 0-3999 relative: this process may use"),
        ("skip-cores 4000 workers 1", "workers 1: 0 CPUs are left for workers; ask for fewer"),
    ],
)
def test_cpus_that_are_not_there_are_named(text: str, message: str) -> None:
    with pytest.raises(WirespeedError) as caught:
        startup(f"cpu {{ {text} }}".replace("OWN", str(min(os.sched_getaffinity(0)))))
    assert message in str(caught.value)


# ---- What is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n" * 39 + "dpdk {\n  dev 0000:02:00.0 { nmae e0 }\n}", "vpp.conf:41: 'nmae' is unknown here: expected one"),
        ("dpdk { dev 0000:02:00.0 { nmae e0 } }", "did you mean 'name'?"),
        ("cpu { }\nl3fip { a { b } }", "vpp.conf:2: 'l3fip' is unknown here"),
        ("dpkd { }", "'dpkd' is unknown here: expected one of acl-plugin, buffers, cpu"),
        ("cpu {\n workers many\n}", "vpp.conf:2: workers many: give a number from 1 to 64"),
        ("cpu {\n workers }", "vpp.conf:2: 'workers' needs a value"),
        ("cpu {\n\n workers 1", "vpp.conf:1: '{' is never closed"),
        ("cpu { }\n}", "vpp.conf:2: unexpected '}'"),
        ("{ cpu }", "'{' is not allowed here"),
        ("api-trace { on", "vpp.conf:1: '{' is never closed"),
        ("api-trace", "'api-trace' needs a block in braces"),
        ("buffers { default data-size huge }", "default data-size huge: give a number"),
        ("statseg { per-node-counters yes }", "per-node-counters yes: give on or off"),
        ("neighbors { max 0 }", "max 0: give a number from 1 to 262144"),
        ("ip6 { max-routes 0 }", "max-routes 0: give a number from 1 to 10000000"),
        ("heapsize many", "heapsize many: give a size in bytes"),
        ("dpdk {\n\n dev memfi:/x }", "vpp.conf:3: port 'memfi:/x': 'memfi' is not a port type"),
        ("dpdk { dev ring:a {\n name 0e } }", "vpp.conf:2: name 0e: give letters"),
        ("dpdk { dev ring:a { name e } \n dev ring:b { name e } }", "vpp.conf:2: ring:b: interface name e is given"),
    ],
)
def test_an_error_is_one_line_with_file_line_word_and_what_is_allowed(text: str, message: str) -> None:
    assert message in refusal(text)


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFault, match="nope.conf cannot be read: No such file"):
        read_startup(tmp_path / "nope.conf")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFault, match="is not text"):
        read_startup(tmp_path / "binary")
    with pytest.raises(FileFault, match="is a directory; name a file in it"):
        read_startup(tmp_path)


def test_room_for_neighbors_is_of_the_command_line_or_the_file_or_the_default() -> None:
    cpu = str(max(os.sched_getaffinity(0)))
    settings = router_settings(["e0=ring:a"], cpu)
    assert (settings.max_neighbors, settings.max_interface_neighbors) == (16_384, 0)
    file = startup("neighbors { max 100000 max-interface 500 }")
    settings = router_settings(["e0=ring:a"], cpu, file)
    assert (settings.max_neighbors, settings.max_interface_neighbors) == (100_000, 500)
    assert settings.memory_mb(0) > router_settings(["e0=ring:a"], cpu).memory_mb(0)
    settings = router_settings(["e0=ring:a"], cpu, file, max_neighbors=9, max_interface_neighbors=3)
    assert (settings.max_neighbors, settings.max_interface_neighbors) == (9, 3)
    with pytest.raises(UsageError, match="--max-neighbors 0 is not between 1 and 262144"):
        router_settings(["e0=ring:a"], cpu, max_neighbors=0)
    with pytest.raises(UsageError, match="--max-interface-neighbors 300000 is not between"):
        router_settings(["e0=ring:a"], cpu, max_interface_neighbors=300_000)


def test_the_seed_of_flow_hashes_is_of_the_command_line_or_the_file_or_none() -> None:
    cpu = str(max(os.sched_getaffinity(0)))
    assert router_settings(["e0=ring:a"], cpu).flow_hash_seed is None
    file = startup("ip { flow-hash-seed 77 }")
    assert router_settings(["e0=ring:a"], cpu, file).flow_hash_seed == 77
    assert router_settings(["e0=ring:a"], cpu, file, flow_hash_seed=0).flow_hash_seed == 0
    with pytest.raises(UsageError, match="--flow-hash-seed 4294967296 is not between 0 and 4294967295"):
        router_settings(["e0=ring:a"], cpu, flow_hash_seed=2**32)
    with pytest.raises(UsageError, match="give a number from 0 to 4294967295"):
        startup("ip { flow-hash-seed -1 }")


def test_room_for_path_sets_is_of_the_command_line_or_the_file_or_the_default() -> None:
    cpu = str(max(os.sched_getaffinity(0)))
    assert router_settings(["e0=ring:a"], cpu).max_path_sets == 65_536
    file = startup("ip { max-path-sets 200000 }")
    assert router_settings(["e0=ring:a"], cpu, file).max_path_sets == 200_000
    assert router_settings(["e0=ring:a"], cpu, file, max_path_sets=7).max_path_sets == 7
    with pytest.raises(UsageError, match="max-path-sets 0: give a number from 1 to 1000000"):
        startup("ip { max-path-sets 0 }")


def test_workers_of_a_device_must_be_there() -> None:
    cpu = max(os.sched_getaffinity(0))
    file = startup("dpdk { dev ring:a { num-rx-queues 3 workers 0 } }")
    assert router_settings([], str(cpu), file).placement == ((0, 0, 0), (0, 1, 0), (0, 2, 0))
    file = startup("dpdk {\n dev ring:a { workers 1 } }")
    with pytest.raises(UsageError, match="vpp.conf:2: there is no worker 1; there are 0 to 0"):
        router_settings([], str(cpu), file)


def test_room_for_routes_is_of_the_command_line_or_the_file_or_the_default() -> None:
    cpu = str(max(os.sched_getaffinity(0)))
    settings = router_settings(["e0=ring:a"], cpu)
    assert (settings.max_routes, settings.max_ip6_routes) == (2_097_152, 1_048_576)
    file = startup("ip { max-routes 1000000 heap-size 1G }\nip6 { max-routes 200000 hash-buckets 64 }")
    assert file.notice is not None
    assert file.notice.endswith(": ip heap-size, ip6 hash-buckets")
    settings = router_settings(["e0=ring:a"], cpu, file)
    assert (settings.max_routes, settings.max_ip6_routes) == (1_000_000, 200_000)
    settings = router_settings(["e0=ring:a"], cpu, file, max_ip6_routes=5)
    assert (settings.max_routes, settings.max_ip6_routes) == (1_000_000, 5)
    for wrong in ({"max_routes": 0}, {"max_ip6_routes": 10_000_001}):
        with pytest.raises(UsageError, match="-routes (0|10000001) is not between 1 and 10000000"):
            router_settings(["e0=ring:a"], cpu, file, **wrong)


def test_interfaces_of_file_and_command_line_add_up() -> None:
    cpu = str(max(os.sched_getaffinity(0)))
    file = startup("dpdk { dev ring:a { name e0 } } buffers { buffers-per-numa 1000000 }")
    settings = router_settings(["e1=ring:a"], cpu, file)
    assert settings.names == ("e0", "e1")
    assert settings.memory_mb(10_000) > 2400
    with pytest.raises(UsageError, match="interface name e0 is given twice"):
        router_settings(["e0=ring:a"], cpu, file)


# ---- The log that it names


def test_the_log_has_what_was_said_and_what_it_ended_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError), Log(tmp_path / "log") as log:
        log.say("ready")
        log.warn("odd")
        raise UsageError("no more")
    lines = (tmp_path / "log").read_text().splitlines()
    assert [line.split(" ", 2)[2] for line in lines] == ["ready", "odd", "no more"]
    assert capsys.readouterr() == ("ready\n", "wirespeed: odd\n")


@pytest.mark.parametrize(("place", "reason"), [(".", "Is a directory"), ("vpp/log", "No such file or directory")])
def test_a_log_that_cannot_be_opened_is_named_and_left_out(
    place: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Log(tmp_path / place) as log:
        log.say("ready")
    warned = f"wirespeed: log {tmp_path / place} cannot be written: {reason}; messages go to the terminal only\n"
    assert capsys.readouterr() == ("ready\n", warned)
    assert not list(tmp_path.iterdir())


# ---- Whatever is in it

BLOCKS = (FILE, *(form.block for form in FILE.forms.values() if form.block))
KEYS = sorted({word for block in BLOCKS for word in block.forms})
WORDS = [*KEYS, "{", "}", "{", "}", "#", "dev", "name", "1", "0-3", "64K", "on", "ring:a"]


@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=8)), max_size=60))
def test_any_text_is_read_or_refused_in_one_line(words: list[str]) -> None:
    try:
        startup(" ".join(words))
    except WirespeedError as error:
        assert str(error).startswith("vpp.conf:") and "\n" not in str(error).replace("\\n", "")


@given(st.sampled_from([R86S, FITLET2, PACKAGED]), st.data())
def test_spaces_and_comments_between_words_change_nothing(text: str, data: st.DataObject) -> None:
    words = [word for line in text.splitlines() for word in line.partition("#")[0].split()]
    gaps = data.draw(st.lists(st.sampled_from([" ", "\n", "\t", " # x }\n", "\n\n#\n"]), min_size=len(words)))
    again = startup("".join(word + gap for word, gap in zip(words, gaps, strict=False)))
    assert again.notice == startup(text).notice
    assert [(one.name, one.port) for one in again.interfaces] == [
        (one.name, one.port) for one in startup(text).interfaces
    ]


def test_both_families_are_announced() -> None:
    assert [line for _, line in startup("neighbors { announce all }").commands] == [
        "set ip neighbor-config ip4 announce on",
        "set ip neighbor-config ip6 announce on",
    ]


@pytest.mark.parametrize("words", ["announce ip5", "announce on", "dad-transmits 11", "dad-transmits -1"])
def test_announcements_and_detection_are_checked(words: str) -> None:
    with pytest.raises(WirespeedError, match="give ip4, ip6 or all|give a number from 0 to 10"):
        startup(f"neighbors {{ {words} }}")

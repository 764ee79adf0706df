import pytest

from wirespeed.errors import UsageError
from wirespeed.model import PortSpec, parse_mac, parse_port_spec
from wirespeed.port_types import PORT_TYPES


def test_memif_in_full(tmp_path):
    spec = parse_port_spec(f"memif:{tmp_path}/e0.sock,id=3,role=server,speed=10G,mac=02:fe:00:00:00:01,rxd=2048")
    assert spec.speed_bps == 10_000_000_000
    assert spec.mac == "02:fe:00:00:00:01"
    assert spec.rx_descriptors == 2048
    assert spec.devargs(1) == f"memif:{tmp_path}/e0.sock,id=3,role=server"


def test_a_memif_lends_its_packets_unless_the_user_said_otherwise():
    assert parse_port_spec("memif:@lab/e0").lending().devargs(0) == "memif:@lab/e0,zero-copy=yes"
    assert parse_port_spec("memif:@lab/e0,zero-copy=no").lending().devargs(0) == "memif:@lab/e0,zero-copy=no"
    assert parse_port_spec("ring:a").lending() == parse_port_spec("ring:a")


def test_an_abstract_memif_needs_no_directory():
    assert parse_port_spec("memif:@lab/e0,secret=open").devargs(0) == "memif:@lab/e0,secret=open"


def test_rings_of_the_kernel_have_frames_for_the_mtu():
    spec = parse_port_spec("af_packet:veth0")
    assert spec.devargs(0) == spec.devargs(0, 1900) == "net_af_packet0,iface=veth0,qpairs=1"
    assert spec.devargs(0, 9000) == "net_af_packet0,iface=veth0,qpairs=1,blocksz=581632,framesz=9088,framecnt=256"
    for mtu in range(1901, 9217):
        frame = spec.ring_frame_bytes(mtu)
        assert frame >= mtu + 88 and frame % 16 == 0 and frame * 64 % 4096 == 0
    assert parse_port_spec("tap:t0").ring_frame_bytes(9000) == 0


@pytest.mark.parametrize(
    ("text", "devargs"),
    [
        ("null", "net_null0,size=64,copy=1"),
        ("null,size=1514", "net_null0,size=1514,copy=1"),
        ("ring:loop", "ring:loop"),
        ("tap:tap0", "tap:tap0"),
        ("tap:e0,netns=dataplane,state=down,speed=1G", "tap:e0,netns=dataplane,state=down"),
        ("pcap:in.pcap,out.pcap", "net_pcap0,rx_pcap=in.pcap,tx_pcap=out.pcap"),
        ("pcap:,out.pcap", "net_pcap0,tx_pcap=out.pcap"),
        ("pcap:in.pcap,loop", "net_pcap0,rx_pcap=in.pcap,infinite_rx=1"),
        ("vhost:/tmp/v0.sock", "net_vhost0,iface=/tmp/v0.sock,queues=1,client=1"),
        ("vhost:/tmp/v0.sock,role=server,txq=2,speed=1G", "net_vhost0,iface=/tmp/v0.sock,queues=2,client=0"),
        (
            "virtio:/tmp/v0.sock,rxq=2,rxd=256,txd=256",
            "net_virtio_user0,path=/tmp/v0.sock,queues=2,server=0,mrg_rxbuf=1,queue_size=256",
        ),
        (
            "virtio:/tmp/v0.sock,role=server,mac=02:ee:00:00:00:01",
            "net_virtio_user0,path=/tmp/v0.sock,queues=1,server=1,mrg_rxbuf=1,queue_size=1024,mac=02:ee:00:00:00:01",
        ),
        ("af_packet:veth0", "net_af_packet0,iface=veth0,qpairs=1"),
        ("af_xdp:veth0,rxq=2", "net_af_xdp0,iface=veth0,queue_count=2"),
        ("pci:0000:02:00.0", "0000:02:00.0"),
        ("pci:0000:02:00.0,port=1,mtu=9000", "0000:02:00.0"),
    ],
)
def test_devargs_of_each_kind(text, devargs):
    assert parse_port_spec(text).devargs(0) == devargs


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nic0", "choose from memif"),
        ("memif", "a socket path"),
        ("memif:/nowhere/at/all/e0.sock", "directory /nowhere/at/all does not exist"),
        ("vhost", "a socket path, as in vhost:/run/lab/v0.sock,role=client"),
        ("vhost:/nowhere/at/all/v0.sock", "directory /nowhere/at/all does not exist"),
        ("vhost:/tmp/v0.sock,role=master", "role takes client or server"),
        ("vhost:/tmp/v0.sock,id=1", "unknown option 'id'; vhost takes mac, mtu, role, rxd"),
        ("memif:x.sock,role=master", "role takes client or server"),
        ("memif:x.sock,id=one", "id takes a number"),
        ("memif:x.sock,zero-copy=maybe", "zero-copy takes yes or no"),
        ("memif:x.sock,secret=0123456789012345678901234", "the secret is too long; give at most 24 bytes"),
        ("memif:x.sock,colour=red", "unknown option 'colour'"),
        ("null,speed=fast", "speed 'fast' cannot be read"),
        ("null,rxq=0", "rxq is a number from 1 to 64"),
        ("null,mac=01:00:00:00:00:00", "multicast"),
        ("null,mac=zz", "six hex bytes"),
        ("null,mtu=9217", "mtu is a number from 576 to 9216"),
        ("null,port=1", "unknown option 'port'"),
        ("pci:0000:02:00.0,port=16", "port is a number from 0 to 15"),
        ("pcap", "names no file"),
        ("tap", "an interface name"),
    ],
)
def test_bad_specs_say_what_is_wrong(text, told):
    with pytest.raises(UsageError, match=told):
        parse_port_spec(text)


def test_a_socket_path_too_long_for_the_kernel(tmp_path):
    with pytest.raises(UsageError, match="at most 107 bytes"):
        parse_port_spec(f"memif:{tmp_path}/{'x' * 120}")


@pytest.mark.parametrize("kind", PORT_TYPES)
def test_a_printed_spec_reads_back(kind, tmp_path):
    target = "0000:02:00.0" if kind == "pci" else f"{tmp_path}/file"
    spec = PortSpec(kind, target=target, speed_bps=10**9)
    assert parse_port_spec(str(spec)) == spec


def test_a_port_carries_what_it_was_told_and_else_the_default():
    assert parse_port_spec("null,mtu=9000").carries(1500) == 9000
    assert parse_port_spec("null").carries(4000) == 4000
    assert parse_port_spec("af_packet:veth0,mtu=9000").ring_frame_bytes(1500) == 9088
    both = parse_port_spec("pci:0000:02:00.0,port=1,mtu=9000")
    assert parse_port_spec(str(both)) == both


def test_a_pci_address_may_lack_its_domain():
    assert parse_port_spec("pci:0A:00.1,rxq=2").target == "0000:0a:00.1"
    with pytest.raises(UsageError, match=r"'eth0' is not a PCI address; give one such as 0000:02:00.0"):
        parse_port_spec("pci:eth0")


def test_mac_is_normalised():
    assert parse_mac("02-FE-00-00-00-0A") == "02:fe:00:00:00:0a"

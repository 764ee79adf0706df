"""`wirespeed router -c startup.conf`: one real router by a file of VPP's."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from pathlib import Path

from harness.ports import free_port
from harness.programs import started, wirespeed
from router_run import worker_cpu
from vppctl import vppctl, without_telnet

from wirespeed.router.client import ask


def test_a_router_by_its_start_up_file(tmp_path: Path) -> None:
    (tmp_path / "boot.conf").write_text("set interface state e0 up\nset interface ip address e0 100.64.1.1/30\n")
    config, port = tmp_path / "startup.conf", free_port()
    config.write_text(f"""\
        unix {{ nodaemon exec {tmp_path}/boot.conf log {tmp_path}/log pidfile {tmp_path}/pid
               runtime-dir {tmp_path} cli-listen localhost:{port} }}
        cpu {{ corelist-workers {worker_cpu()} }}
        dpdk {{
            dev default {{ num-rx-desc 256 }}
            dev ring:a {{ name e0 }} dev ring:a {{ name e1 }}   # one wire
            vdev net_null7,size=64
        }}
        buffers {{ buffers-per-numa 20000 default data-size 4096 }}
    """)
    words = wirespeed("router", "-c", config, "--max-routes", "20000")
    with started(words) as process:
        assert process.stdout is not None
        said = next((line for line in process.stdout if line.startswith("ready")), "")
        assert f"workers on CPU {worker_cpu()}, control socket {tmp_path}/router.sock" in said
        assert "100.64.1.1/30" in vppctl(("127.0.0.1", port), "show interface addr")
        with socket.create_connection(("127.0.0.1", port)) as page:
            # Lines that a web page can make its browser send: none is a command.
            page.sendall(b"POST / HTTP/1.1\r\nHost: a\r\n\r\ncreate loopback interface\n")
            with page.makefile("rb") as answer, contextlib.suppress(ConnectionResetError):
                assert without_telnet(answer.read()) == b""
        assert "100.64.1.1/30" in ask(tmp_path / "router.sock", "show interface addr")
        assert "loop0" not in ask(tmp_path / "router.sock", "show interface")
        assert "net_null7" in ask(tmp_path / "router.sock", "show interface")
        assert ask(tmp_path / "router.sock", "show buffers").splitlines()[1].split()[3:6] == ["4224", "4096", "20000"]
        assert (tmp_path / "pid").read_text() == f"{process.pid}\n"
        os.kill(process.pid, signal.SIGTERM)
        _, errors = process.communicate()
    assert process.returncode == 0
    assert "no meaning here, left out: unix nodaemon" in errors
    assert "ready" in (tmp_path / "log").read_text()
    assert not (tmp_path / "pid").exists()


def test_an_error_on_line_40_ends_it(tmp_path: Path) -> None:
    config = tmp_path / "startup.conf"
    config.write_text("#\n" * 38 + "cpu {\n main-core one\n}\n")
    words = wirespeed("router", "-c", config)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"wirespeed: {config}:40: main-core one: give a number from 0 to 65535\n"

"""Sockets and sleep around `Server`: ZeroMQ for requests, XPUB on the TCP port below it for published data.

Requests arrive on a ROUTER socket, which distinguishes the connections of its clients; to them it is a REP socket.
One thread, asleep in poll between messages, so that the workers keep their CPUs.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import zmq

from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.generator.changes import QUIET_S
from wirespeed.generator.rpc import encoded_error, internal_error
from wirespeed.generator.server import Server
from wirespeed.serving.shortage import SHORT_OF, Notice

DEFAULT_RPC = "127.0.0.1:4501"
MAX_WIRE_BYTES = 16 << 20
"""Longer messages end the connection; those above 999 999 bytes are answered with an error."""

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_GOODBYE_MS = 200

_COMES = b"\x01"
"""First byte of the message that a topic has its first subscriber."""

_EVENT = struct.Struct("=hi")
"""An event of a monitored socket and its value, here an error number (zmq_socket_monitor)."""

_AT_ONCE = 1000
"""Messages of a socket that are read before other work has its turn: on one CPU they may come as fast as they are
read."""

_WAITING = 128
"""Clients in the queue of a listener."""

_MAX_HOPS = 16
_MAX_IDENTITY_BYTES = 255  # ZeroMQ has no longer ones


def parse_rpc_address(text: str) -> tuple[str, int]:
    """`ADDR:PORT`, where PORT - 1 is taken too; ADDR alone means port 4501, `*` all addresses."""
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = text, DEFAULT_RPC.rpartition(":")[2]
    if not host or not port.isascii() or not port.isdigit() or not 2 <= int(port) <= 65535:
        raise UsageError(f"RPC address {text!r} cannot be used; give ADDR:PORT with a port from 2 to 65535")
    return host.strip("[]"), int(port)


class RpcSockets:
    """The two listening sockets; EnvironmentFault when an address cannot be had."""

    def __init__(self, host: str, port: int) -> None:
        self.address = f"{host}:{port}"
        self._context = zmq.Context()
        self.requests = self._context.socket(zmq.ROUTER)
        self.publisher = self._context.socket(zmq.XPUB)
        self._topics: set[bytes] = set()
        self.overflows: list[_Overflow] = []
        try:
            for zmq_socket, tcp_port in ((self.requests, port), (self.publisher, port - 1)):
                zmq_socket.setsockopt(zmq.LINGER, _GOODBYE_MS)
                zmq_socket.setsockopt(zmq.MAXMSGSIZE, MAX_WIRE_BYTES)
                zmq_socket.setsockopt(zmq.IPV6, ":" in host)
                self.overflows.append(
                    _Overflow(zmq_socket, _bind(zmq_socket, host, tcp_port), f"RPC at {host}:{tcp_port}")
                )
        except EnvironmentFault:
            self.close()
            raise

    @property
    def reached(self) -> str:
        """Address of the RPC for programs on this machine."""
        host, _, port = self.address.rpartition(":")
        host = {"*": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def read_subscriptions(self) -> bool:
        """True if there is a subscriber. An XPUB socket, which is a PUB socket for its clients, receives messages about
        new subscribers and about those that left, also by the end of their connection."""
        for _ in range(_AT_ONCE):
            if not self.publisher.poll(0):
                break
            message = self.publisher.recv()
            (self._topics.add if message[:1] == _COMES else self._topics.discard)(message[1:])
        return bool(self._topics)

    def close(self) -> None:
        for overflow in self.overflows:
            overflow.close()
        self.requests.close()
        self.publisher.close()
        self._context.term()

    def __enter__(self) -> RpcSockets:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Overflow:
    """Refuses clients of a socket while the process has no file descriptor for them.

    ZeroMQ leaves them in the listener's queue and tries again in a tight loop. A descriptor kept for this takes them
    out of the queue; a client of ZeroMQ connects again by itself.
    """

    def __init__(self, zmq_socket: zmq.Socket[bytes], listener: socket.socket, name: str) -> None:
        self._socket, self._listener = zmq_socket, listener
        self._notice = Notice(name)
        self._spare: int | None = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self.failures = zmq_socket.get_monitor_socket(zmq.EVENT_ACCEPT_FAILED)

    def refuse(self) -> None:
        """Read `failures`, and empty the queue if there is one for lack of descriptors."""
        reasons = set()
        for _ in range(_AT_ONCE):
            if not self.failures.poll(0):
                break
            reasons.add(_EVENT.unpack(self.failures.recv_multipart()[0])[1])
        short_of = next((reason for reason in reasons if reason in SHORT_OF), None)
        if short_of is None:
            return
        self._notice.say(os.strerror(short_of))
        self._close_spare()
        with suppress(OSError):
            while True:
                self._listener.accept()[0].close()
        # ZeroMQ may have taken the descriptor and serves a client with it; the next failure asks for one again.
        with suppress(OSError):
            self._spare = os.dup(self._listener.fileno())

    def _close_spare(self) -> None:
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None

    def close(self) -> None:
        self._socket.disable_monitor()
        self.failures.close()
        self._close_spare()
        self._listener.close()


def _bind(zmq_socket: zmq.Socket[bytes], host: str, port: int) -> socket.socket:
    """The listener of the socket, which has a copy of its descriptor."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind(("" if host == "*" else host, port))
        listener.listen(_WAITING)
        listener.setblocking(False)
        zmq_socket.setsockopt(zmq.USE_FD, os.dup(listener.fileno()))
        zmq_socket.bind(f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}")
    except (OSError, zmq.ZMQError) as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise EnvironmentFault(f"{host}:{port} is in use; give another with --rpc") from None
        if error.errno in (errno.ENODEV, errno.EADDRNOTAVAIL) or isinstance(error, socket.gaierror):
            raise EnvironmentFault(f"{host} is not an address of this machine; give another with --rpc") from None
        reason = os.strerror(error.errno or 0)
        raise EnvironmentFault(f"{host}:{port} cannot listen: {reason}; give another address with --rpc") from None
    return listener


def serve(server: Server, sockets: RpcSockets, on_ready: Callable[[], None]) -> str:
    """Answer until SIGINT, SIGTERM, SIGHUP or a client's shutdown; returns what ended it. Traffic is stopped then.

    `on_ready` is called once signals are heeded.
    """
    with _signals() as wakeup:
        on_ready()
        poller = zmq.Poller()
        poller.register(sockets.requests, zmq.POLLIN)
        poller.register(sockets.publisher, zmq.POLLIN)
        server.has_listeners = False
        poller.register(wakeup.fileno(), zmq.POLLIN)
        for overflow in sockets.overflows:
            poller.register(overflow.failures, zmq.POLLIN)
        due_s = time.monotonic()
        while True:
            wait_s = max(0.0, due_s - time.monotonic())
            ready = dict(poller.poll(round(1000 * (min(wait_s, QUIET_S) if server.changes.waiting else wait_s))))
            if wakeup.fileno() in ready and (number := wakeup.recv(1)[0]) in ENDING_SIGNALS:
                server.ending = f"ended by {signal.Signals(number).name}"
            if sockets.publisher in ready:
                server.has_listeners = sockets.read_subscriptions()
            if sockets.requests in ready:
                _answer(server, sockets.requests)
            else:
                server.settle()
            if server.ending is not None:
                server.shut_down(server.ending)
                _publish(server, sockets)
                return server.ending
            for overflow in sockets.overflows:
                if overflow.failures in ready:
                    overflow.refuse()
            if time.monotonic() >= due_s:
                server.tick()
                due_s = time.monotonic() + server.watch_s
            due_s = min(due_s, time.monotonic() + server.watch_s)
            _publish(server, sockets)


def _answer(server: Server, requests: zmq.Socket[bytes]) -> None:
    """One message: the connection and those of the proxies behind it, an empty frame, the request. Without the empty
    frame it is from no REQ socket."""
    frames = requests.recv_multipart()
    empty = next((at for at, frame in enumerate(frames) if not frame), 0)
    envelope = frames[:empty]
    if not 1 <= len(envelope) <= _MAX_HOPS or max(map(len, envelope)) > _MAX_IDENTITY_BYTES:
        return
    try:
        reply = server.handle(b"".join(frames[empty + 1 :]), b"".join(envelope))
    except Exception as error:
        reply = encoded_error(internal_error("answering", error))
    requests.send_multipart([*envelope, b"", reply])


def _publish(server: Server, sockets: RpcSockets) -> None:
    for message in server.outgoing():
        sockets.publisher.send(message)


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """A socket that gets the number of each signal, so that poll wakes at once."""
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    # In this order: a signal between the two would else be swallowed unseen.
    old_fd = signal.set_wakeup_fd(writer.fileno())
    # A hang-up that is ignored (nohup) stays so.
    ignored = {signal.SIGHUP} if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else set()
    before = {number: signal.signal(number, lambda *_: None) for number in ENDING_SIGNALS if number not in ignored}
    try:
        yield reader
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(old_fd)
        reader.close()
        writer.close()

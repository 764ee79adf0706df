"""Mutated messages for the generator's RPC while it sends: all are answered, and traffic continues."""

from __future__ import annotations

import json
import random
import socket
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import zmq
from rpc_messages import Messages

from trials.started import RPC, Started, connected, generator, open_files, resident_kb
from trials.trial import Fault, Ground, trial
from wirespeed.client.framing import pack, unpack
from wirespeed.client.generator_client import GeneratorClient
from wirespeed.profiles import load_profile
from wirespeed.units import Rate

TRAFFIC = (4, 5)
"""Ports that send in the meantime. No message names them, even by a mutation of the recorded 0 and 1."""

RATE_PPS = 20_000.0
PATIENCE_MS = 60_000
IN_FLIGHT = 32
"""Messages sent before the first answer; otherwise the fuzzer and a polling worker on the same CPU would alternate for
each message.
"""

MAX_MORE_FILES, MAX_MORE_KB = 40, 300_000
"""Allowed growth of a generator: sockets of clients, and memory that its sessions may occupy between two clearings of
the ports (wirespeed/generator/memory.py has the limits).
"""

CLEARED_EVERY = 5000


class _Fuzzer:
    """One connection, also for the messages that the network, proxies and garbage add."""

    def __init__(self, chance: random.Random, client: GeneratorClient, context: zmq.Context[zmq.Socket[bytes]]) -> None:
        self._random, self._client, self._context = chance, client, context
        self.messages = Messages(chance, self._handler_of, frozenset({"shutdown"}))
        self.messages.api_h = self._api_handle()
        self._handlers: dict[int, str] = {}
        self._socket = self._connect()
        self._waiting: deque[tuple[list[bytes], bytes]] = deque()
        self.answered = self.without_envelope = 0

    def _api_handle(self) -> str:
        return str(self._client.call("api_sync_v2", name="STL", major=5, minor=1)["api_h"])

    def _handler_of(self, port: int) -> str:
        return self._handlers.get(port, "nobody")

    def take_ports(self) -> None:
        """Acquire ports 0 and 1 as a separate user, without streams and captures: earlier ones are deleted."""
        self.take_all_answers()
        for port in (0, 1):
            who = {"user": "fuzzer", "session_id": 7, "force": True}
            handler = self._client.call("acquire", port_id=port, **who)
            self._handlers[port] = str(handler)
            # A mutation may have started a profile.
            for method in ("stop_traffic", "remove_all_streams"):
                self._client.call(method, port_id=port, handler=handler, profile_id="*")
        for capture in self._client.call("capture", command="status"):
            self._client.call("capture", command="remove", capture_id=capture["id"])

    def _connect(self) -> zmq.Socket[bytes]:
        made = self._context.socket(zmq.DEALER)
        made.setsockopt(zmq.LINGER, 0)
        made.connect(f"tcp://{RPC}")
        return made

    def step(self) -> None:
        """Send one more message, and read the oldest answer if many are outstanding."""
        choice = self._random.random()
        message = self.messages.make() if choice < 0.97 else self._deep()
        hops = [
            self._random.randbytes(self._random.randrange(1, 30)) for _ in range(self._random.choice((0, 0, 0, 1, 4)))
        ]
        pieces = [message]
        if choice < 0.02 and len(message) > 2:
            at = self._random.randrange(1, len(message))
            pieces = [message[:at], message[at:]]
        # Without a client: no answer is read. An empty message would end an envelope.
        if 0.02 <= choice < 0.03 and message:
            self._socket.send_multipart([*hops, b"x", message])
            self.without_envelope += 1
            return
        if 0.03 <= choice < 0.035:
            self._garbage_on_the_wire()
            return
        self._socket.send_multipart([*hops, b"", *pieces])
        self._waiting.append((hops, message))
        if len(self._waiting) >= IN_FLIGHT:
            self._take_answer()

    def take_all_answers(self) -> None:
        while self._waiting:
            self._take_answer()

    def _take_answer(self) -> None:
        """Answers come in the order of the messages on a connection."""
        hops, message = self._waiting.popleft()
        if not self._socket.poll(PATIENCE_MS):
            raise Fault(f"no answer to {message[:300]!r} behind {len(hops)} proxies")
        frames = self._socket.recv_multipart()
        if frames[: len(hops) + 1] != [*hops, b""]:
            raise Fault(f"the answer to {message[:300]!r} lost its envelope: {frames!r:.300}")
        self._check(message, b"".join(frames[len(hops) + 1 :]))
        self.answered += 1

    def _check(self, message: bytes, answer: bytes) -> None:
        try:
            replies = json.loads(unpack(answer)[0])
            for reply in replies if isinstance(replies, list) else [replies]:
                assert ("result" in reply) != ("error" in reply), "neither result nor error, or both"
                error = reply.get("error", {})
                text = str(error.get("specific_err", ""))
                inner = error.get("code") == -32603 and not any(word in text for word in ("bytes", "zlib", "nested"))
                assert not inner, f"internal error {text}"
        except Exception as error:
            raise Fault(f"{error} as answer to {message[:300]!r}: {answer[:200]!r}") from None

    def _deep(self) -> bytes:
        """Extreme nesting, numbers and batches."""
        depth = self._random.choice((10, 1000, 100_000))
        text = self._random.choice(
            (
                b"[" * depth + b"]" * depth,
                b'{"a":' * depth,
                b'{"jsonrpc":"2.0","id":' + b"9" * depth + b',"method":"ping","params":{}}',
                b'{"id":1e999,"method":"ping","params":{"x":-1e999,"y":NaN}}',
                b"[" + b'{"id":1,"method":"get_supported_cmds"},' * (depth // 100) + b"{}]",
            )
        )
        return pack(text) if self._random.random() < 0.5 else text

    def _garbage_on_the_wire(self) -> None:
        """Bytes that are not ZeroMQ."""
        host, _, port = RPC.rpartition(":")
        with socket.create_connection((host, int(port))) as raw:
            raw.sendall(self._random.randbytes(self._random.randrange(1, 200)))

    def close(self) -> None:
        self._socket.close()


@contextmanager
def _sending(client: GeneratorClient) -> Iterator[None]:
    client.acquire(TRAFFIC, force=True)
    client.reset(TRAFFIC)
    for port in TRAFFIC:
        client.add_streams(port, load_profile("bench", {"size": "64"}, port, 0))
    client.start(TRAFFIC, Rate(RATE_PPS, "pps"))
    try:
        yield
    finally:
        client.release(TRAFFIC)


class _Late:
    """Late packets, and the worker's preemption time, from now on."""

    def __init__(self, client: GeneratorClient) -> None:
        self._client = client
        self._late, self._preempted_s, self.asked = self._read()

    def _read(self) -> tuple[int, float, int]:
        found = self._client.snapshot(TRAFFIC)
        preempted_s = sum(worker["preempted_s"] for worker in (found.machine or {}).get("workers", ()))
        ports = found.ports.values()
        return sum(port.late or 0 for port in ports), preempted_s, sum(port.intended or 0 for port in ports)

    def until_now(self) -> tuple[int, float, int]:
        """Late packets, those of them not explained by preemptions, and all intended packets."""
        late, preempted_s, asked = self._read()
        excused = (preempted_s - self._preempted_s) * RATE_PPS * len(TRAFFIC)
        return late - self._late, max(0.0, late - self._late - excused), asked - self.asked


@trial("rpc-fuzz", "mutated RPC messages, envelopes and batches while traffic is sent", limit_s=7200)
def rpc(ground: Ground) -> None:
    wanted = ground.messages or ground.times(20_000, 1500)
    words = [word for name in "abc" for word in ("--port", f"ring:{name},speed=10G") * 2]
    with ExitStack() as undo:
        made = undo.enter_context(generator(*words, "--hugepages", "never", "--owner-timeout", "0"))
        client = undo.enter_context(connected(timeout_s=60.0))
        fuzzing = undo.enter_context(connected(timeout_s=60.0))
        context: zmq.Context[zmq.Socket[bytes]] = undo.enter_context(zmq.Context())
        fuzzer = _Fuzzer(ground.random, fuzzing, context)
        undo.callback(fuzzer.close)
        with _sending(client):
            began, late = time.monotonic(), _Late(client)
            _fuzz(ground, fuzzer, made, wanted)
            duration_s, (with_late, blamed, asked) = time.monotonic() - began, late.until_now()
            statuses = client.port_status(TRAFFIC)
            if any(one.state != "TX" or one.owner != client.user for one in statuses.values()):
                ground.fault(f"the traffic did not go on: {statuses}")
            quiet = _Late(client)
            time.sleep(min(duration_s, 60.0))
            without_late, quiet_blamed, quiet_asked = quiet.until_now()
        share, quiet_share = blamed / max(asked, 1), quiet_blamed / max(quiet_asked, 1)
        # Late packets without a preemption: not more frequent with messages than without.
        if share > 2 * quiet_share + 0.01:
            ground.fault(f"of {asked} packets {blamed:.0f} were late for no other reason than the messages")
    ground.figures["messages"] = f"{fuzzer.answered:,} answered, {fuzzer.without_envelope} from no client"
    ground.figures["messages a second"] = f"{wanted / duration_s:,.0f}"
    ground.figures["late"] = f"{with_late:,} of {asked:,} (at rest {without_late:,} of {quiet_asked:,})"


def _fuzz(ground: Ground, fuzzer: _Fuzzer, made: Started, wanted: int) -> None:
    pid = made.process.pid
    files, memory_kb = 0, 0
    most_files, most_kb = 0, 0
    number = 0
    try:
        for number in range(wanted):
            if number % min(CLEARED_EVERY, max(1, wanted // 4)) == 0:
                most_files, most_kb = max(most_files, open_files(pid)), max(most_kb, resident_kb(pid))
                fuzzer.take_ports()
                if number and not files:
                    files, memory_kb = open_files(pid), resident_kb(pid)
            fuzzer.step()
        fuzzer.take_ports()
    except Fault as fault:
        if made.process.poll() is not None:
            raise Fault(f"the generator died (code {made.process.returncode}) by message {number}: {fault}") from None
        raise
    now_files, now_kb = open_files(pid), resident_kb(pid)
    if now_files > files + MAX_MORE_FILES or now_kb > memory_kb + MAX_MORE_KB:
        ground.fault(f"from {files} open files and {memory_kb} kB it grew to {now_files} and {now_kb} kB")
    if "Traceback" in made.said:
        ground.fault(f"the generator said: {made.said[:600]}")
    ground.figures["files"] = f"{files} to {now_files}"
    ground.figures["memory"] = f"{memory_kb} to {now_kb} kB, at most {most_kb}"

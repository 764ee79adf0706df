"""An HTTP server in a thread of the test process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from harness.waiting import wait_for
from wirespeed.serving.http import HttpServer, listening


@contextmanager
def served(server: HttpServer) -> Iterator[int]:
    """The server's port on 127.0.0.1, which answers until the block ends."""
    with listening("127.0.0.1", 0) as made:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [made]}, daemon=True)
        thread.start()
        try:
            wait_for(lambda: server.started, "the server")
            yield made.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()

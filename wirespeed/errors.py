"""Every error a user can meet, and the exit code it ends the command with.

WirespeedError                 1   an internal error: a bug
├── UsageError                 2   a flag or value cannot be used as given
├── EnvironmentFault           3   this machine cannot do it: CPU, hugepages, permission, driver, port
├── ConnectionFault            4   a generator, router or their socket does not answer, or went away
├── RemoteError                4   the generator or router answered with an error
├── MeasurementError           5   the test ran but its result is not usable: no packet came back, or no load met a goal
└── FileFault                  6   a file cannot be read or written, or is not what it should be

`campaign run --ab` and `compare` end with 7 if the second DUT is worse, with `--strict` with 8 if a verdict is
inconclusive. Interrupted commands end with 130, and with 141 if the reader of their standard output is gone, as in
shells.
Messages are one line: what was given, what is allowed, what to do.
"""

from __future__ import annotations


class WirespeedError(Exception):
    """Root of the tree; `exit_code` is what the command line returns for it, `errno` the number that the native core
    gave it, if any."""

    exit_code = 1
    errno = 0


class UsageError(WirespeedError):
    exit_code = 2


class EnvironmentFault(WirespeedError):
    exit_code = 3


class ConnectionFault(WirespeedError):
    exit_code = 4


class RemoteError(WirespeedError):
    """An error answered by the peer; `code` is its JSON-RPC code."""

    exit_code = 4

    def __init__(self, message: str, code: int = -32000) -> None:
        super().__init__(message)
        self.code = code


class MeasurementError(WirespeedError):
    exit_code = 5


class FileFault(WirespeedError):
    exit_code = 6


INTERRUPTED = 130


def error_of(exit_code: int, message: str) -> WirespeedError:
    """The error of the tree that a stored exit code stands for; that of a peer's is ConnectionFault."""
    kinds = (UsageError, EnvironmentFault, ConnectionFault, MeasurementError, FileFault)
    return next((kind for kind in kinds if kind.exit_code == exit_code), WirespeedError)(message)

"""Cross-connects and bridge domains: interfaces that do not route."""

COMMANDS = (
    "set interface l2",
    "set interface l3",
    "show mode",
    "show l2 xconnect",
    "create bridge-domain",
    "delete bridge-domain",
    "set bridge-domain",
    "show bridge-domain",
    "l2fib",
    "clear l2fib",
    "show l2fib",
)

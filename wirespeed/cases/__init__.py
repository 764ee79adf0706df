"""Cases: the known facts of a test as plain values, on which `explain` works, and how results become cases."""

__all__ = ["facts", "machine_facts", "nic_counters", "state_facts", "streams", "telemetry", "trials"]

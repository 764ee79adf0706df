"""Cases: what is known of a test, as plain values that `explain` reasons about, and how results tell it."""

__all__ = ["facts", "machine_facts", "nic_counters", "state_facts", "streams", "telemetry", "trials"]

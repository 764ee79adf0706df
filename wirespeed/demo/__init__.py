"""The standard load tests: on labs of this machine (the demo), and on a tester alone (its ceiling)."""

__all__ = ["ceiling_trials", "demo", "suite"]

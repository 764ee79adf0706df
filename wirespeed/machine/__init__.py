"""Resources of this machine for a lab: CPUs, TCP ports, and programs of wirespeed as child processes."""

__all__ = ["child", "placement", "ports", "thread_times"]

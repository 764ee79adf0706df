__all__ = ["chosen", "embedded", "lab", "linux", "veth", "vm", "vm_options"]

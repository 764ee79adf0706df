__all__ = ["client", "counters", "process", "protocol", "settings", "shell", "startup", "stats_file"]

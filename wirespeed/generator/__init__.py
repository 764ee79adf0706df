__all__ = ["port", "server", "service", "start_rules", "trex_cfg"]

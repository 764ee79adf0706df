"""The planner: vppcfg's YAML checked, compared with a router, planned in order, and applied."""

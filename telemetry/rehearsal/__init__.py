"""A test run of dashboards and rules: a Prometheus that watches a lab under load, and its answers to their queries."""

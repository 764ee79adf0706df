"""What routers, generators, tests and devices count, for Prometheus."""

"""Monitoring of wirespeed with existing tools: dashboards for Grafana, rules for Prometheus."""

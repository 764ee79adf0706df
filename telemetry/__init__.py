"""What watches wirespeed with tools that people have already: Grafana's boards, Prometheus' rules."""

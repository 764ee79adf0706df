"""The boards and rules played through: a Prometheus of our own beside a lab under load, and what it answers."""

"""Open Traffic Generator: the model's REST API on our generator, so that snappi scripts run."""

__all__ = ["service"]

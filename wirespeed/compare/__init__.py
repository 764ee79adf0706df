"""Results compared: better, worse, the same, or cannot tell. Knows results and nothing of where they are kept."""

__all__ = ["baseline", "comparison", "judgement", "plateaus", "sequential", "sides", "text"]
